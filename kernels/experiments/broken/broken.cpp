// The broken family: parameters, inputs, launch and check. Both kernels of a pair have the same task and the
// same check.
#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/experiments/broken/regions.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"

namespace warpscope::broken {
namespace {

enum class Task { kReverse, kSum, kPartners, kNext, kTranspose, kTwice, kTwoVectors };

Task taskOf(std::string_view variant) {
  struct Pair {
    std::string_view broken, right;
    Task task;
  };
  static constexpr std::array<Pair, 9> kPairs = {{
      {"missing_syncthreads", "with_syncthreads", Task::kReverse},
      {"missing_syncwarp", "with_syncwarp", Task::kSum},
      {"divergent_barrier", "uniform_barrier", Task::kPartners},
      {"out_of_bounds", "in_bounds", Task::kNext},
      {"missing_pad", "padded", Task::kTranspose},
      {"wrong_transaction_count", "right_transaction_count", Task::kReverse},
      {"missing_stream_wait", "with_stream_wait", Task::kReverse},
      {"trigger_without_visibility", "trigger_with_wait", Task::kTwice},
      {"use_after_free", "free_after_use", Task::kTwoVectors},
  }};
  const auto* const pair = std::ranges::find_if(
      kPairs, [&](const Pair& of) { return of.broken == variant || of.right == variant; });
  return pair->task;
}

uint32_t inputValue(uint32_t i) {
  return randomIndex(i + 1, UINT32_MAX);
}
uint32_t otherValue(uint32_t i) {  // of a second vector
  return ~inputValue(i);
}

struct Shape {
  Task task = Task::kReverse;
  uint32_t block = 0, size = 0;

  uint32_t perBlock() const { return task == Task::kTranspose ? kTile * kTile : block; }
  uint32_t blocks() const { return (size + perBlock() - 1) / perBlock(); }
  uint32_t outputs() const { return task == Task::kSum ? blocks() : size; }
};

uint32_t valueOrZero(const Shape& shape, uint32_t i) {
  return i < shape.size ? inputValue(i) : 0;
}

uint32_t expected(const Shape& shape, uint32_t i) {
  const uint32_t first = i / shape.perBlock() * shape.perBlock();
  const uint32_t place = i - first;
  switch (shape.task) {
    case Task::kReverse:
      return inputValue(first + std::min(shape.block, shape.size - first) - 1 - place);
    case Task::kPartners: {
      const uint32_t partner = valueOrZero(shape, first + shape.block - 1 - place);
      return place % 2 == 0 ? inputValue(i) + 2 * partner : inputValue(i) - partner;
    }
    case Task::kNext:
      return inputValue((i + 1) % shape.size) - inputValue(i);
    case Task::kTranspose:
      return valueOrZero(shape, first + place % kTile * kTile + place / kTile);
    case Task::kTwice:
    case Task::kTwoVectors:
      return inputValue(i);
    case Task::kSum:
      break;
  }
  uint32_t sum = 0;
  for (uint32_t of = 0; of < shape.block; ++of) sum += valueOrZero(shape, i * shape.block + of);
  return sum;
}

Verification check(const Shape& shape, std::span<const uint32_t> out) {
  return checkEach(out, shape.task == Task::kSum ? "sums" : "values",
                   [&](uint32_t i) { return expected(shape, i); });
}

// A GPU allocates memory in whole units of 512 bytes. An array that fills its last unit may end where mapped
// memory ends, and a read beyond it would be a fault of the GPU instead of a wrong value.
uint32_t endingWithinAUnit(uint32_t size) {
  constexpr uint32_t kUnit = 512 / sizeof(uint32_t);
  return size % kUnit == 0 ? size + 1 : size;
}

// One stream brings the values, another one launches on them and takes the results back. In the right variant
// it waits for the copy.
void addOperations(bool waits, LaunchPlan& plan) {
  constexpr const char* kVector = "the vector";
  constexpr uint32_t kCopies = 0, kLaunches = 1;
  plan.streams = {{.name = "copy stream"}, {.name = "launch stream"}};
  for (BufferSpec& buffer : plan.buffers) buffer.host = HostMemory::kPinned;
  plan.operations.push_back({.kind = OperationKind::kCopyToDevice,
                             .stream = kCopies,
                             .name = kVector,
                             .buffer = 0,
                             .bytes = plan.buffers[0].bytes});
  if (waits) {
    plan.operations.push_back({.kind = OperationKind::kEvent, .stream = kCopies, .name = kVector});
    plan.operations.push_back({.kind = OperationKind::kWait, .stream = kLaunches, .name = kVector});
  }
  plan.operations.push_back({.stream = kLaunches, .name = kVector});
  plan.operations.push_back({.kind = OperationKind::kCopyToHost,
                             .stream = kLaunches,
                             .name = kVector,
                             .buffer = 1,
                             .bytes = plan.buffers[1].bytes});
}

// The second launch works on what the first has written, and may begin early.
void addSecondLaunch(LaunchPlan& plan, uint32_t size, uint64_t bytes) {
  constexpr size_t kOut = 1, kBetween = 2;
  plan.buffers.push_back(
      {.role = BufferSpec::Role::kOutput, .name = "between", .bytes = bytes, .checked = false});
  plan.arguments[kOut] = BufferArgument{kBetween};
  plan.following.push_back({.kernel = plan.kernel,
                            .grid = plan.grid,
                            .block = plan.block,
                            .arguments = {BufferArgument{kBetween}, BufferArgument{kOut}, size}});
  plan.streams = {{.name = "stream 1"}};
  plan.operations = {{.name = "step 0", .launch = 0}, {.name = "step 1", .launch = 1, .programmatic = true}};
  plan.bytes_moved *= 2;
}

// Two vectors, one after the other. One stream allocates memory, turns the vector's blocks round into it and
// frees it; another one turns them round again, into the vector's result. In the right variant the free waits
// for that. The memory of the second vector is that of the first where the allocator finds it free.
class TwoVectors {
 public:
  TwoVectors(bool frees_after_use, bool allocates, LaunchPlan& plan)
      : frees_after_use_(frees_after_use), allocates_(allocates), plan_(plan) {
    const uint64_t bytes = plan_.buffers.front().bytes;
    const auto size = static_cast<uint32_t>(bytes / sizeof(uint32_t));
    plan_.buffers.push_back({.role = BufferSpec::Role::kInput,
                             .name = "in of vector 1",
                             .bytes = bytes,
                             .content_key = fmt::format("broken:other:{}", size),
                             .generate = [size] { return filledInput<uint32_t>(size, otherValue); }});
    addOutput("out of vector 1", true);
    addOutput("temporary memory of vector 0", false);
    addOutput("temporary memory of vector 1", false);
    plan_.streams = {{.name = "stream 1"}, {.name = "stream 2"}};
    add(0, {.in = 0, .out = 1, .between = 4}, size);
    add(1, {.in = 2, .out = 3, .between = 5}, size);
    plan_.bytes_moved *= 4;
  }

 private:
  static constexpr uint32_t kFirst = 0, kSecond = 1;  // streams
  struct Buffers {
    size_t in = 0, out = 0, between = 0;
  };

  void addOutput(const char* name, bool checked) {
    plan_.buffers.push_back({.role = BufferSpec::Role::kOutput,
                             .name = name,
                             .bytes = plan_.buffers.front().bytes,
                             .checked = checked});
  }

  void add(uint32_t vector, const Buffers& buffers, uint32_t size) {
    const std::string name = fmt::format("vector {}", vector);
    const auto hold = [&](OperationKind kind) {
      if (!allocates_) return;
      plan_.operations.push_back({.kind = kind,
                                  .stream = kFirst,
                                  .name = name,
                                  .buffer = buffers.between,
                                  .bytes = plan_.buffers[buffers.between].bytes});
    };
    hold(OperationKind::kAllocate);
    launch(kFirst, name, {BufferArgument{buffers.in}, BufferArgument{buffers.between}, size});
    let(kSecond, kFirst, name);
    launch(kSecond, name, {BufferArgument{buffers.between}, BufferArgument{buffers.out}, size});
    if (frees_after_use_) let(kFirst, kSecond, name);
    hold(OperationKind::kFree);
  }

  // `waiting` waits for what `recording` has been given until then.
  void let(uint32_t waiting, uint32_t recording, const std::string& name) {
    const uint32_t event = events_++;
    plan_.operations.push_back(
        {.kind = OperationKind::kEvent, .stream = recording, .name = name, .event = event});
    plan_.operations.push_back(
        {.kind = OperationKind::kWait, .stream = waiting, .name = name, .event = event});
  }

  void launch(uint32_t stream, const std::string& name, std::vector<KernelArgument> arguments) {
    plan_.operations.push_back({.stream = stream, .name = name, .launch = launches_});
    if (launches_++ == 0) {
      plan_.arguments = std::move(arguments);
      return;
    }
    plan_.following.push_back({.kernel = plan_.kernel,
                               .grid = plan_.grid,
                               .block = plan_.block,
                               .arguments = std::move(arguments)});
  }

  bool frees_after_use_, allocates_;
  LaunchPlan& plan_;
  uint32_t launches_ = 0, events_ = 0;
};

class Broken : public Family {
 public:
  Broken() : Family(brokenInfo(), brokenRegionNames(), {"broken", "broken_sm90", "broken_streams"}) {}

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto number = [&](const char* name) { return static_cast<uint32_t>(parameter(request, name)); };
    Shape shape{.task = taskOf(request.variant), .block = number("block"), .size = number("size")};
    if (shape.task == Task::kNext) shape.size = endingWithinAUnit(shape.size);
    const uint64_t in_bytes = uint64_t{shape.size} * sizeof(uint32_t);
    const uint64_t out_bytes = uint64_t{shape.outputs()} * sizeof(uint32_t);
    LaunchPlan plan;
    plan.module = moduleOf(request.variant);
    plan.kernel = request.variant;
    plan.block = {shape.block};
    plan.grid = {shape.blocks()};
    plan.buffers = {{.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = in_bytes,
                     .content_key = fmt::format("broken:{}", shape.size),
                     .generate = [size = shape.size] { return filledInput<uint32_t>(size, inputValue); }},
                    {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = out_bytes}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, shape.size};
    if (request.variant.ends_with("stream_wait")) addOperations(request.variant == "with_stream_wait", plan);
    plan.bytes_moved = in_bytes + out_bytes;
    if (shape.task == Task::kTwice) addSecondLaunch(plan, shape.size, out_bytes);
    if (shape.task == Task::kTwoVectors) {
      TwoVectors(request.variant == "free_after_use", limits.memory_pools, plan);
      if (!limits.memory_pools) plan.instead = insteadOfAllocations();
    }
    plan.verify = [shape](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, 0, shape.outputs(), failed);
      if (out.empty()) return failed;
      Verification first = check(shape, out);
      if (shape.task != Task::kTwoVectors || !first.passed) return first;
      const auto other = outputAs<uint32_t>(outputs, 1, shape.outputs(), failed);
      return other.empty() ? failed : checkEach(other, "values of the second vector", otherValue);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, *variantInfo(info(), request.variant), limits);
  }
};

}  // namespace
}  // namespace warpscope::broken

namespace warpscope {

const Experiment& brokenFamily() {
  static const broken::Broken kFamily;
  return kFamily;
}

}  // namespace warpscope
