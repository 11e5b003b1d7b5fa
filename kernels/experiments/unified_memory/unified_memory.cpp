// The unified_memory family: operations and check.
#include <fmt/format.h>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/unified_memory/support.h"
#include "kernels/experiments/verification.h"

namespace warpscope::unified_memory {
namespace {

constexpr const char* kKernel = "pass";
constexpr size_t kValues = 0;  // the buffer

// What the host enqueues: the data go to the device, launches work on them, they come back, and the host
// reads them. `way` says what brings them: nothing does where pages move, or stay, by themselves.
class Script {
 public:
  Script(Way way, uint32_t passes, uint64_t bytes, LaunchPlan& plan)
      : way_(way), passes_(passes), bytes_(bytes), plan_(plan) {}

  void write() {
    if (way_ == Way::kCopies) move(OperationKind::kCopyToDevice);
    if (way_ == Way::kPrefetches) move(OperationKind::kPrefetchToDevice);
    for (uint32_t i = 0; i < passes_; ++i)
      plan_.operations.push_back({.name = fmt::format("pass {}", i), .launch = i});
    if (way_ == Way::kCopies) move(OperationKind::kCopyToHost);
    if (way_ == Way::kPrefetches) move(OperationKind::kPrefetchToHost);
    plan_.operations.push_back({.kind = OperationKind::kHostFunction,
                                .name = "result",
                                .buffer = kValues,
                                .bytes = bytes_,
                                .work = {.touches = true}});
  }

 private:
  void move(OperationKind kind) {
    plan_.operations.push_back({.kind = kind, .name = "values", .buffer = kValues, .bytes = bytes_});
  }

  Way way_;
  uint32_t passes_;
  uint64_t bytes_;
  LaunchPlan& plan_;
};

class UnifiedMemory : public Family {
 public:
  UnifiedMemory() : Family(unifiedMemoryInfo(), unifiedMemoryRegionNames()) {}

  // All variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of unified_memory", variant);
    return regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    const int64_t rounds = parameter(request, "work") * parameter(request, "passes");
    return OperationCount{2.0 * static_cast<double>(rounds) * static_cast<double>(parameter(request, "size")),
                          true};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto number = [&](const char* name) { return static_cast<uint32_t>(parameter(request, name)); };
    const uint32_t block = number("block"), size = number("size"), work = number("work"),
                   passes = number("passes");
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    const Way way = wayOf(request.variant, limits);
    LaunchPlan plan;
    plan.module = "unified_memory";
    plan.kernel = kKernel;
    plan.grid = {(size + block - 1) / block};
    plan.block = {block};
    plan.arguments = {BufferArgument{kValues}, size, work};
    for (uint32_t i = 1; i < passes; ++i) {
      plan.following.push_back(
          {.kernel = kKernel, .grid = plan.grid, .block = plan.block, .arguments = plan.arguments});
    }
    plan.streams = {{.name = "stream 1"}};
    plan.buffers = {{.role = BufferSpec::Role::kInOut,
                     .name = "values",
                     .bytes = bytes,
                     .content_key = fmt::format("unified_memory:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputHash); },
                     .host = way == Way::kCopies ? HostMemory::kPinned : HostMemory::kManaged}};
    if (way == Way::kMapped)
      plan.buffers[kValues].advice = {.preferred = MemoryPlace::kHost, .accessed_by_device = true};
    Script(way, passes, bytes, plan).write();
    plan.bytes_moved = 2 * bytes * passes;
    plan.verify = [size, rounds = Rounds(work * passes)](Outputs outputs) {
      return checkEach<uint32_t>(outputs, kValues, size, "values",
                                 [rounds](uint32_t i) { return rounds.of(inputHash(i)); });
    };
    if (request.variant != "explicit_copies" && way == Way::kCopies) plan.instead = insteadOfManagedMemory();
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::unified_memory

namespace warpscope {

const Experiment& unifiedMemoryFamily() {
  static const unified_memory::UnifiedMemory kFamily;
  return kFamily;
}

}  // namespace warpscope
