// The dependent_launch family: operations and check.
#include <fmt/format.h>

#include "kernels/experiments/dependent_launch/shape.h"
#include "kernels/experiments/dependent_launch/support.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/verification.h"

namespace warpscope::dependent_launch {
namespace {

constexpr const char* kKernel = "step";
constexpr size_t kOut = 0, kIn = 1, kBetween = 2;  // buffers

Trigger triggerOf(const std::string& variant) {
  if (variant == "trigger_early") return kTriggerEarly;
  return variant == "trigger_late" ? kTriggerLate : kNoTrigger;
}

// What the last of the launches leaves at `i`. Each reads what the one before it wrote at the other end.
class Result {
 public:
  Result(uint32_t count, uint32_t preamble, uint32_t work, uint32_t launches)
      : count_(count), launches_(launches), preamble_(preamble), work_(work) {}

  uint32_t at(uint32_t i) const {
    uint32_t place = launches_ % 2 == 1 ? i : count_ - 1 - i;  // where the first launch writes
    uint32_t x = inputHash(count_ - 1 - place);
    for (uint32_t launch = 0; launch < launches_; ++launch, place = count_ - 1 - place)
      x = work_.of(x ^ preamble_.of(place));
    return x;
  }

 private:
  uint32_t count_, launches_;
  Rounds preamble_, work_;
};

class DependentLaunch : public Family {
 public:
  DependentLaunch() : Family(dependentLaunchInfo(), dependentLaunchRegionNames()) {}

  // All variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of dependent_launch", variant);
    return regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    const int64_t rounds = parameter(request, "preamble") + parameter(request, "work");
    const int64_t elements = parameter(request, "size") * parameter(request, "launches");
    return OperationCount{2.0 * static_cast<double>(rounds) * static_cast<double>(elements), true};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto number = [&](const char* name) { return static_cast<uint32_t>(parameter(request, name)); };
    const uint32_t block = number("block"), size = number("size"), launches = number("launches"),
                   preamble = number("preamble"), work = number("work");
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    const bool programmatic = request.variant != "plain_order" && hasDependentLaunches(limits);
    LaunchPlan plan;
    plan.module = hasDependentLaunches(limits) ? "dependent_launch_sm90" : "dependent_launch";
    plan.kernel = kKernel;
    plan.grid = {(size + block - 1) / block};
    plan.block = {block};
    plan.streams = {{.name = "stream 1"}};
    for (uint32_t i = 0; i < launches; ++i) {
      // The last one writes the result, those before it in turn to one buffer and the other.
      const size_t to = (launches - 1 - i) % 2 == 0 ? kOut : kBetween;
      const size_t from = i == 0 ? kIn : to == kOut ? kBetween : kOut;
      std::vector<KernelArgument> arguments = {BufferArgument{to},
                                               BufferArgument{from},
                                               size,
                                               preamble,
                                               work,
                                               uint32_t{triggerOf(request.variant)}};
      if (i == 0) {
        plan.arguments = std::move(arguments);
      } else {
        plan.following.push_back(
            {.kernel = kKernel, .grid = plan.grid, .block = plan.block, .arguments = std::move(arguments)});
      }
      plan.operations.push_back({.stream = 0,
                                 .name = fmt::format("step {}", i),
                                 .launch = i,
                                 .programmatic = programmatic && i > 0});
    }
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("dependent_launch:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputHash); }},
                    {.role = BufferSpec::Role::kOutput, .name = "between", .bytes = bytes, .checked = false}};
    plan.bytes_moved = 2 * bytes * launches;
    plan.verify = [size, preamble, work, launches](Outputs outputs) {
      const Result result(size, preamble, work, launches);
      return checkEach<uint32_t>(outputs, 0, size, "values", [&](uint32_t i) { return result.at(i); });
    };
    if (request.variant != "plain_order" && !hasDependentLaunches(limits))
      plan.instead = insteadOfDependentLaunches(limits);
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::dependent_launch

namespace warpscope {

const Experiment& dependentLaunchFamily() {
  static const dependent_launch::DependentLaunch kFamily;
  return kFamily;
}

}  // namespace warpscope
