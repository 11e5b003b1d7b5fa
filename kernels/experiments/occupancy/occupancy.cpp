// The occupancy family: parameters, inputs, launch and check.
#include <algorithm>
#include <array>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/occupancy/shape.h"
#include "kernels/experiments/resident.h"
#include "kernels/experiments/verification.h"

namespace warpscope::occupancy {
namespace {

uint32_t quotientUp(uint64_t of, uint64_t by) {
  return static_cast<uint32_t>((of + by - 1) / by);
}

template <class T>
BufferSpec input(const char* name, uint64_t count, T (*value_at)(uint64_t i)) {
  return {.role = BufferSpec::Role::kInput,
          .name = name,
          .bytes = count * sizeof(T),
          .content_key = fmt::format("occupancy:{}:{}", name, count),
          .generate = [count, value_at] {
            auto bytes = std::make_shared<Bytes>(count * sizeof(T));
            auto* values = reinterpret_cast<T*>(bytes->data());
            for (uint64_t i = 0; i < count; ++i) values[i] = value_at(i);
            return bytes;
          }};
}

// Whole numbers, so that sums are exact.
float elementAt(uint64_t i) {
  return static_cast<float>(i % 4093);
}
// Each row holds the number of the next row.
uint32_t tableWordAt(uint64_t i) {
  return static_cast<uint32_t>((i / kWarpSize + 1) % kRows);
}

class OccupancyFamily : public Family {
 public:
  OccupancyFamily() : Family(occupancyInfo(), occupancyRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    LaunchPlan plan;
    plan.module = "occupancy";
    plan.kernel = request.variant;
    Expected<void> possible;
    if (request.variant == "registers") {
      planRegisters(plan, request);
    } else if (request.variant == "tail") {
      possible = planTail(plan, request, limits);
    } else if (request.variant == "small_blocks") {
      planChains(plan, request, number(request, "small_block"));
    } else {
      plan.dynamic_shared_bytes = number(request, "shared_bytes");
      planChains(plan, request, number(request, "block"));
    }
    if (possible) possible = checkLaunch(request, plan, limits);
    if (!possible) return tl::unexpected(possible.error());
    return plan;
  }

 private:
  static uint32_t number(const RunRequest& request, const char* name) {
    return static_cast<uint32_t>(parameter(request, name));
  }

  // Every thread has as many elements as its build keeps values; those of the last block may be beyond
  // `size`.
  static void planRegisters(LaunchPlan& plan, const RunRequest& request) {
    const uint32_t build = number(request, "registers"), steps = number(request, "steps");
    const uint32_t block = number(request, "block"), size = number(request, "size");
    const uint64_t each = uint64_t{block} * kValues[build];
    plan.kernel = fmt::format("registers_{}", kMostRegisters[build]);
    plan.block = {block};
    plan.grid = {quotientUp(size, each)};
    const uint64_t elements = plan.grid.x * each;
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = elements * sizeof(float)},
                    input("elements", elements, elementAt)};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, steps, 1.0F};
    plan.bytes_moved = 2 * plan.buffers[0].bytes;
    plan.verify = [elements, steps](Outputs outputs) {
      return checkEach<float>(outputs, 0, elements, "sums",
                              [steps](uint64_t i) { return elementAt(i) + static_cast<float>(steps); });
    };
  }

  static void planChains(LaunchPlan& plan, const RunRequest& request, uint32_t block) {
    const uint32_t size = number(request, "size");
    walk(plan, block, quotientUp(size, block), size, number(request, "hops"));
  }

  static Expected<void> planTail(LaunchPlan& plan, const RunRequest& request, const DeviceLimits& limits) {
    const uint32_t block = number(request, "block"), blocks_per_sm = number(request, "blocks_per_sm");
    const auto resident = residentBlocks(blocks_per_sm, block, limits, "occupancy tail");
    if (!resident) return tl::unexpected(resident.error());
    const uint32_t blocks = std::max((resident->blocks * number(request, "waves") + 5) / 10, 1U);
    plan.dynamic_shared_bytes = sharedBytesThatFill(*resident, limits);
    walk(plan, block, blocks, blocks * block, number(request, "hops"));
    return {};
  }

  static void walk(LaunchPlan& plan, uint32_t block, uint32_t blocks, uint32_t size, uint32_t hops) {
    plan.block = {block};
    plan.grid = {blocks};
    plan.buffers = {
        {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = uint64_t{size} * sizeof(uint32_t)},
        input("table", uint64_t{kRows} * kWarpSize, tableWordAt)};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size, hops};
    plan.bytes_moved = plan.buffers[0].bytes + plan.buffers[1].bytes;
    plan.verify = [size, hops](Outputs outputs) {
      return checkEach<uint32_t>(outputs, 0, size, "rows", [hops](uint64_t i) {
        return static_cast<uint32_t>((i / kWarpSize + hops) % kRows);
      });
    };
  }
};

}  // namespace
}  // namespace warpscope::occupancy

namespace warpscope {

const Experiment& occupancyFamily() {
  static const occupancy::OccupancyFamily kFamily;
  return kFamily;
}

}  // namespace warpscope
