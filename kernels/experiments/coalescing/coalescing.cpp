// The coalescing family: parameters, inputs, launch and check.
#include <algorithm>

#include "kernels/experiments/coalescing/shape.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"

namespace warpscope::coalescing {
namespace {

uint32_t roundedUp(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool isOneOf(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* one) { return name == one; });
}

// The elements that a launch copies, and their addresses.
struct Pattern {
  std::string variant;
  uint32_t each = 1;   // elements a thread
  uint32_t count = 0;  // elements of the output
  int32_t offset = 0;
  uint32_t rows = 0, stride = 0;

  uint32_t threads() const { return count / each; }

  uint32_t elementsOfInput() const {
    if (variant == "offset") return count + 2 * kGuard;
    if (variant == "stride") return rows * stride;
    if (variant == "permuted") return roundedUp(count, kWarpSize);
    return count;
  }
};

Pattern patternOf(const RunRequest& request) {
  const auto value = [&](const char* name) { return request.parameters.at(name); };
  Pattern pattern{.variant = request.variant};
  if (isOneOf(request.variant, {"aos", "soa", "vec4"})) pattern.each = kFields;
  if (request.variant == "vec2") pattern.each = 2;
  pattern.count = roundedUp(static_cast<uint32_t>(value("size")), pattern.each);
  if (request.variant == "offset") pattern.offset = static_cast<int32_t>(value("offset"));
  if (request.variant == "stride") {
    pattern.stride = static_cast<uint32_t>(value("stride"));
    pattern.rows = (pattern.count + pattern.stride - 1) / pattern.stride;
  }
  return pattern;
}

// source(i) is the input element that out[i] must be a copy of.
template <class Source>
Verification checkCopies(std::span<const uint32_t> out, Source&& source) {
  return checkEach(out, "values", [&](uint32_t i) { return inputHash(source(i)); });
}

uint32_t reversedLane(uint32_t lane) {
  return (lane & 1) << 4 | (lane & 2) << 2 | (lane & 4) | (lane & 8) >> 2 | (lane & 16) >> 4;
}

Verification check(const Pattern& pattern, std::span<const uint32_t> out) {
  if (pattern.variant == "offset") {
    const auto first = static_cast<uint32_t>(static_cast<int32_t>(kGuard) + pattern.offset);
    return checkCopies(out, [first](uint32_t i) { return first + i; });
  }
  if (pattern.variant == "stride") {
    return checkCopies(out, [rows = pattern.rows, stride = pattern.stride](uint32_t i) {
      return i % rows * stride + i / rows;
    });
  }
  if (pattern.variant == "permuted") {
    return checkCopies(out, [](uint32_t i) { return i - i % 32 + reversedLane(i % 32); });
  }
  if (pattern.variant == "random") {
    return checkCopies(out, [count = pattern.count](uint32_t i) { return randomIndex(i, count); });
  }
  if (pattern.variant == "aos") {
    return checkCopies(
        out, [records = pattern.threads()](uint32_t i) { return i % records * kFields + i / records; });
  }
  return checkCopies(out, [](uint32_t i) { return i; });
}

class Coalescing : public Family {
 public:
  Coalescing() : Family(coalescingInfo(), coalescingRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  // Only copies, no arithmetic.
  std::optional<OperationCount> operations(const RunRequest& /*request*/,
                                           const DeviceLimits& /*limits*/) const override {
    return OperationCount{};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const Pattern pattern = patternOf(request);
    LaunchPlan plan;
    plan.module = "coalescing";
    plan.kernel = fmt::format("{}<{}>", request.variant, parameter(request, "l1"));
    plan.block = {block};
    plan.grid = {(pattern.threads() + block - 1) / block};
    const uint64_t bytes = uint64_t{pattern.count} * sizeof(uint32_t);
    const uint32_t elements = pattern.elementsOfInput();
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = uint64_t{elements} * sizeof(uint32_t),
                     .content_key = fmt::format("coalescing:{}", elements),
                     .generate = [elements] { return filledInput<uint32_t>(elements, inputHash); }}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, pattern.threads()};
    if (request.variant == "offset") plan.arguments.emplace_back(pattern.offset);
    if (request.variant == "stride") {
      plan.arguments.emplace_back(pattern.rows);
      plan.arguments.emplace_back(pattern.stride);
    }
    plan.bytes_moved = 2 * bytes;
    plan.verify = [pattern](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, 0, pattern.count, failed);
      return out.empty() ? failed : check(pattern, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::coalescing

namespace warpscope {

const Experiment& coalescingFamily() {
  static const coalescing::Coalescing kFamily;
  return kFamily;
}

}  // namespace warpscope
