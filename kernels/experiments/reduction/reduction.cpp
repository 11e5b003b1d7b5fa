// The reduction family: what each variant launches. methods.h says how it adds up, sums.h checks the result.
#include <algorithm>
#include <bit>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/reduction/methods.h"
#include "kernels/experiments/reduction/sums.h"

namespace warpscope {
namespace {

using namespace reduction;

constexpr uint32_t kTwoLevels = 10;  // five shuffles in each warp, and five in the first

// "shuffle<float>", "complete_unroll_template<int,512>"
std::string kernelName(const Settings& settings) {
  const std::string& variant = settings.request.variant;
  if (variant == "redux") return variant;
  const char* type = settings.floats ? "float" : "int";
  if (variant == "complete_unroll_template") {
    return fmt::format("{}<{},{}>", variant, type, std::bit_ceil(settings.block));
  }
  return fmt::format("{}<{}>", variant, type);
}

// The most additions that an element goes through.
uint64_t additionsOf(const Settings& settings, uint32_t blocks) {
  if (settings.request.variant == "atomic_per_thread") return settings.size;
  const uint64_t threads = uint64_t{blocks} * settings.block;
  uint64_t own = settings.elements != 0 ? settings.elements : settings.size / threads + 1;
  // Within vectors and between the sums of a thread of grid_stride_vec4.
  if (settings.request.variant == "grid_stride_vec4") own = settings.size / 4 / threads + 8;
  const uint64_t in_block = settings.method.in_place || settings.method.tile
                                ? static_cast<uint64_t>(std::bit_width(settings.block - 1))
                                : kTwoLevels;
  uint64_t across = 0;
  if (settings.method.end == End::kAtomics) across = blocks;
  if (settings.method.end == End::kSecondLaunch || settings.method.end == End::kLastBlock ||
      settings.method.end == End::kGridBarrier) {
    across = blocks / settings.block + 1 + kTwoLevels;
  }
  return own + in_block + across;
}

// A buffer that only kernels use, and which they reset to zero.
BufferSpec keptAtZero(const char* name) {
  return {.role = BufferSpec::Role::kOutput,
          .name = name,
          .bytes = sizeof(uint32_t),
          .checked = false,
          .fill = 0};
}

BufferSpec output(const char* name, uint32_t count) {
  return {.role = BufferSpec::Role::kOutput, .name = name, .bytes = uint64_t{count} * sizeof(uint32_t)};
}

BufferSpec unchecked(BufferSpec buffer) {
  buffer.checked = false;
  return buffer;
}

class Reduction : public Family {
 public:
  Reduction()
      : Family(reductionInfo(), reductionRegionNames(),
               {"reduction", "reduction_unrolled", "reduction_shared", "reduction_redux_sm80",
                "reduction_across"}) {}

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const Settings settings(request);
    const uint32_t blocks = settings.blocksOn(limits);
    LaunchPlan plan;
    plan.module = moduleOf(request.variant);
    plan.kernel = kernelName(settings);
    plan.block = {settings.block};
    plan.grid = {blocks};
    if (settings.method.tile) plan.dynamic_shared_bytes = settings.block * sizeof(uint32_t);
    plan.cooperative = settings.method.end == End::kGridBarrier;
    addInput(plan, settings);
    addOutputs(plan, settings);
    const Expectation expected{{settings.floats, settings.copies},
                               {settings.size, settings.block * std::max(settings.elements, 1U), blocks},
                               settings.method.end != End::kHost && settings.method.end != End::kStaticArray,
                               additionsOf(settings, blocks)};
    const size_t checked =
        plan.buffers.size() - (settings.method.in_place ? 1 : 2);  // the last of the outputs
    plan.verify = [expected, checked](Outputs outputs) { return checkSums(expected, outputs, checked); };
    plan.bytes_moved = plan.buffers.front().bytes + plan.buffers.back().bytes;
    plan.order_is_free = settings.floats && settings.method.end == End::kAtomics;
    plan.library = LibraryWork{
        settings.floats ? LibraryWork::Kind::kSumOfFloats : LibraryWork::Kind::kSumOfInts, 0, settings.size};
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  // An addition makes one number of two: one less than there are numbers, except for the sums that the host
  // adds up.
  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& limits) const override {
    const Settings settings(request);
    const bool leaves_sums = settings.method.end == End::kHost || settings.method.end == End::kStaticArray;
    const uint32_t left = leaves_sums ? settings.blocksOn(limits) : 1;
    return OperationCount{static_cast<double>(settings.size) - left, !settings.floats};
  }

 private:
  static void addInput(LaunchPlan& plan, const Settings& settings) {
    const Numbers numbers{settings.floats, settings.copies};
    const uint32_t size = settings.size;
    plan.buffers = {{.role = settings.method.in_place ? BufferSpec::Role::kInOut : BufferSpec::Role::kInput,
                     .name = "data",
                     .bytes = uint64_t{size} * sizeof(uint32_t),
                     .content_key = fmt::format("reduction:{}:{}:{}", numbers.floats ? "float" : "int",
                                                numbers.copies ? "1.23" : "random", size),
                     .generate = [numbers, size] { return makeInput(numbers, size); },
                     .checked = false}};
    plan.arguments = {BufferArgument{0}};
  }

  // The output that is checked is the last one.
  static void addOutputs(LaunchPlan& plan, const Settings& settings) {
    const uint32_t blocks = plan.grid.x, size = settings.size;
    auto& buffers = plan.buffers;
    switch (settings.method.end) {
      case End::kHost:
        buffers.push_back(output("partials", blocks));
        plan.arguments.insert(plan.arguments.end(), {BufferArgument{1}, size});
        break;
      case End::kStaticArray:
        buffers.push_back(output("partials", blocks));
        buffers.back().symbol = settings.floats ? "static_floats" : "static_ints";
        plan.arguments.emplace_back(size);
        break;
      case End::kAtomics:
        buffers.push_back(output("total", 1));
        buffers.back().fill = 0;
        buffers.back().filled_each_time = true;
        plan.arguments.insert(plan.arguments.end(), {BufferArgument{1}, size});
        if (settings.request.variant == "atomic_per_thread") plan.arguments.emplace_back(1U);
        if (settings.request.variant == "coarsened") plan.arguments.emplace_back(settings.elements);
        break;
      case End::kSecondLaunch:
        buffers.push_back(unchecked(output("partials", blocks)));
        buffers.push_back(output("total", 1));
        plan.arguments.insert(plan.arguments.end(), {BufferArgument{1}, size});
        plan.following = {{.kernel = fmt::format("two_pass_second<{}>", settings.floats ? "float" : "int"),
                           .grid = {1},
                           .block = plan.block,
                           .arguments = {BufferArgument{1}, BufferArgument{2}, blocks}}};
        break;
      case End::kLastBlock:
      case End::kGridBarrier:
        buffers.push_back(unchecked(output("partials", blocks)));
        buffers.push_back(keptAtZero(plan.cooperative ? "barrier" : "ticket"));
        buffers.push_back(output("total", 1));
        plan.arguments.insert(plan.arguments.end(),
                              {BufferArgument{1}, BufferArgument{2}, BufferArgument{3}, size});
        break;
    }
  }
};

}  // namespace

const Experiment& reductionFamily() {
  static const Reduction kFamily;
  return kFamily;
}

}  // namespace warpscope
