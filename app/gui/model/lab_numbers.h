// The occupancy lab's input: numbers that the user typed or dragged, in place of those of the kernel that the
// settings launch. A plain value, so that undo, sessions and tests handle it as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpscope {

struct LabNumbers {
  // True for the calculator: all numbers are the user's own, and nothing is launched.
  bool typed = false;
  uint32_t block = 256, registers = 32, shared_bytes = 0, barriers = 1;
  // Numbers to calculate with in place of the kernel's own; nothing is launched for them.
  std::optional<uint32_t> registers_instead, shared_instead;
  std::optional<uint32_t> carve_out_bytes;  // see OccupancyQuestion::shared_configuration_bytes
  bool cached_loads = false;                // see OccupancyQuestion
  // Whose limits: "" the open device's, "cc:9.0" a compute capability's, else a device's id. Second: "" none.
  std::string device, second_device;
  bool operator==(const LabNumbers&) const = default;
};

}  // namespace warpscope
