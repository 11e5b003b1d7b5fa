// The banks family: parameters, inputs, launch and check.
#include <algorithm>

#include "kernels/experiments/banks/table.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"

namespace warpscope::banks {
namespace {

// The pattern in which a launch reads its table.
struct Pattern {
  std::string variant;
  uint32_t reads = 0, stride = 0;

  uint32_t wordsAnElement() const { return variant == "stride_vec4" ? 4 : variant == "stride_vec2" ? 2 : 1; }
  uint32_t element(uint32_t thread, uint32_t read) const {
    if (variant == "random") return randomIndex(thread + 1024 * read, kElements);
    const uint32_t lane = variant == "broadcast" ? 0 : thread % kWarpSize;
    return (lane * stride + thread / kWarpSize + read) % kElements;
  }
};

// The sum that each thread of a block adds to its input, the same in every block. An element is a sum of
// words, which are multiples of one factor, so the sum of their indices is enough.
std::vector<uint32_t> sumsOfBlock(const Pattern& pattern, uint32_t block) {
  const uint32_t words = pattern.wordsAnElement();
  std::vector<uint32_t> sums(block, 0);
  for (uint32_t thread = 0; thread < block; ++thread) {
    for (uint32_t read = 0; read < pattern.reads; ++read) sums[thread] += pattern.element(thread, read);
    sums[thread] = (words * words * sums[thread] + pattern.reads * (words * (words - 1) / 2)) * kWordFactor;
  }
  return sums;
}

Verification check(const std::vector<uint32_t>& sums, std::span<const uint32_t> out) {
  OutputComparison comparison("values");
  const auto size = static_cast<uint32_t>(out.size());
  const auto block = static_cast<uint32_t>(sums.size());
  for (uint32_t begin = 0; begin < size; begin += block) {
    const uint32_t count = std::min(block, size - begin);
    for (uint32_t thread = 0; thread < count; ++thread) {
      const uint32_t expected = inputHash(begin + thread) + sums[thread];
      comparison.compare("out", begin + thread, out[begin + thread], expected);
    }
  }
  return comparison.result();
}

class Banks : public Family {
 public:
  Banks() : Family(banksInfo(), banksRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  // Each thread adds every word that it reads to its own element.
  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    const double words = request.variant == "stride_vec2" ? 2 : request.variant == "stride_vec4" ? 4 : 1;
    const double reads = static_cast<double>(parameter(request, "reads"));
    return OperationCount{static_cast<double>(parameter(request, "size")) * reads * words, true};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    Pattern pattern{.variant = request.variant, .reads = static_cast<uint32_t>(parameter(request, "reads"))};
    LaunchPlan plan;
    plan.module = "banks";
    plan.kernel = request.variant;
    plan.block = {block};
    plan.grid = {(size + block - 1) / block};
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("banks:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputHash); }}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size, pattern.reads};
    if (request.parameters.contains("stride")) {
      pattern.stride = static_cast<uint32_t>(parameter(request, "stride"));
      plan.arguments.emplace_back(pattern.stride);
    }
    plan.bytes_moved = 2 * bytes;
    plan.verify = [pattern, block, size](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, 0, size, failed);
      return out.empty() ? failed : check(sumsOfBlock(pattern, block), out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::banks

namespace warpscope {

const Experiment& banksFamily() {
  static const banks::Banks kFamily;
  return kFamily;
}

}  // namespace warpscope
