// The priorities family: operations and check.
#include <fmt/format.h>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/priorities/background.h"
#include "kernels/experiments/priorities/shape.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/verification.h"

namespace warpscope::priorities {
namespace {

constexpr const char* kKernel = "serve";
constexpr size_t kOut = 0, kIn = 1;      // buffers
constexpr int32_t kLow = 0, kHigh = -1;  // priorities, as CUDA's: lower numbers come first

void addStreams(const std::string& variant, LaunchPlan& plan) {
  plan.streams.push_back({.name = "background stream", .priority = kLow});
  if (variant == "one_stream") return;
  const bool equal = variant == "same_priority" || variant == "room_left";
  plan.streams.push_back({.name = "request stream", .priority = equal ? kLow : kHigh});
}

class Priorities : public Family {
 public:
  Priorities() : Family(prioritiesInfo(), prioritiesRegionNames()) {}

  // All variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of priorities", variant);
    return regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    return OperationCount{2.0 * static_cast<double>(parameter(request, "work")) * elements(request), true};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const auto work = static_cast<uint32_t>(parameter(request, "work"));
    const auto requests = static_cast<uint32_t>(parameter(request, "requests"));
    LaunchPlan plan;
    plan.module = "priorities";
    plan.kernel = kKernel;
    plan.grid = {background(request, limits).blocks};
    plan.block = {block};
    plan.arguments = {BufferArgument{kOut}, BufferArgument{kIn}, uint32_t{0}, size, work};
    addStreams(request.variant, plan);
    const auto last_stream = static_cast<uint32_t>(plan.streams.size() - 1);
    plan.operations.push_back({.stream = 0, .name = "background"});
    for (uint32_t i = 0; i < requests; ++i) {
      plan.following.push_back({.kernel = kKernel,
                                .grid = {(kRequestElements + block - 1) / block},
                                .block = {block},
                                .arguments = {BufferArgument{kOut}, BufferArgument{kIn},
                                              size + i * kRequestElements, kRequestElements, work}});
      plan.operations.push_back(
          {.stream = last_stream, .name = fmt::format("request {}", i), .launch = i + 1});
    }
    const auto count = static_cast<uint32_t>(elements(request));
    const uint64_t bytes = uint64_t{count} * sizeof(uint32_t);
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("priorities:{}", count),
                     .generate = [count] { return filledInput<uint32_t>(count, inputHash); }}};
    plan.bytes_moved = 2 * bytes;
    plan.verify = [count, work](Outputs outputs) {
      const Rounds rounds(work);
      return checkEach<uint32_t>(outputs, 0, count, "values",
                                 [rounds](uint32_t i) { return rounds.of(inputHash(i)); });
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }

 private:
  static double elements(const RunRequest& request) {
    return static_cast<double>(parameter(request, "size") +
                               parameter(request, "requests") * kRequestElements);
  }
};

}  // namespace
}  // namespace warpscope::priorities

namespace warpscope {

const Experiment& prioritiesFamily() {
  static const priorities::Priorities kFamily;
  return kFamily;
}

}  // namespace warpscope
