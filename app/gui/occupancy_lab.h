// What the occupancy lab asks: numbers that the user typed or dragged, beside those of the kernel at hand. A
// plain value, so that undo, settings and tests handle it as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/occupancy/curves.h"
#include "kernels/run/run.h"

namespace warpscope {

struct LabNumbers {
  // A calculator: all numbers are the user's own, nothing is launched.
  bool typed = false;
  uint32_t block = 256, registers = 32, shared_bytes = 0, barriers = 1;
  // What if the kernel at hand needed so many instead; nothing is launched for it.
  std::optional<uint32_t> registers_instead, shared_instead;
  std::optional<uint32_t> carve_out_bytes;  // see OccupancyQuestion::shared_configuration_bytes
  bool cached_loads = false;                // see OccupancyQuestion
  // Whose limits: "" the open device's, "cc:9.0" a capability's, else a device's id. Second: "" none.
  std::string device, second_device;
  bool operator==(const LabNumbers&) const = default;
};

// The kernel that the present settings would launch.
struct KernelAtHand {
  Dim3 grid, block;
  KernelResources resources;
  bool compiled = true;  // resources are this kernel's; otherwise of the one run last, until this one ran
};

}  // namespace warpscope
