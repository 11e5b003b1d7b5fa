#include "kernels/occupancy/curves.h"

#include <algorithm>

#include "kernels/core/ids.h"
#include "kernels/occupancy/capabilities.h"

namespace warpscope {

const char* axisName(OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlock:
      return "block";
    case OccupancyAxis::kRegisters:
      return "registers";
    case OccupancyAxis::kShared:
      return "shared";
  }
  return "";
}

const char* axisUnit(OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlock:
      return "threads";
    case OccupancyAxis::kRegisters:
      return "registers";
    case OccupancyAxis::kShared:
      return "B";
  }
  return "";
}

uint32_t axisValue(const OccupancyQuestion& question, OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlock:
      return question.block_threads;
    case OccupancyAxis::kRegisters:
      return question.resources.registers_per_thread;
    case OccupancyAxis::kShared:
      return question.resources.static_shared_bytes + question.resources.dynamic_shared_bytes;
  }
  return 0;
}

OccupancyQuestion withAxisValue(OccupancyQuestion question, OccupancyAxis axis, uint32_t value) {
  KernelResources& resources = question.resources;
  switch (axis) {
    case OccupancyAxis::kBlock:
      question.block_threads = value;
      break;
    case OccupancyAxis::kRegisters:
      resources.registers_per_thread = value;
      break;
    case OccupancyAxis::kShared:
      resources.static_shared_bytes = std::min(resources.static_shared_bytes, value);
      resources.dynamic_shared_bytes = value - resources.static_shared_bytes;
      break;
  }
  return question;
}

AxisRange axisRange(const DeviceLimits& limits, OccupancyAxis axis) {
  const AllocationRules& rules = factsOf(limits.compute_capability).rules;
  switch (axis) {
    case OccupancyAxis::kBlock:
      return {kWarpSize, limits.max_threads_per_block, kWarpSize};
    case OccupancyAxis::kRegisters:
      return {1, rules.max_registers_per_thread, 1};
    case OccupancyAxis::kShared:
      return {0, std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in),
              rules.shared_unit_bytes};
  }
  return {};
}

std::vector<OccupancyPoint> occupancyCurve(const OccupancyQuestion& question, OccupancyAxis axis) {
  const AxisRange range = axisRange(question.limits, axis);
  std::vector<OccupancyPoint> curve;
  curve.reserve((range.last - range.first) / range.step + 1);
  for (uint32_t value = range.first; value <= range.last; value += range.step) {
    curve.push_back({value, theoreticalOccupancy(withAxisValue(question, axis, value))});
  }
  return curve;
}

}  // namespace warpscope
