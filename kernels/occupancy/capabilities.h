// What NVIDIA says of each compute capability, as data: the limits of an SM and of a block, and how its
// resources are dealt out. Sources, also in capabilities.cpp beside the table:
//   - CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (13.0; 8.0 for 2.x
//   to 3.x);
//   - the toolkit's cuda_occupancy.h (13.0; 7.0 for 2.x), which also has the rules of occupancy.cpp;
//   - NVIDIA's CUDA_Occupancy_Calculator.xls, sheet "GPU Data" (deprecated with CUDA 11).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope {

struct AllocationRules {
  uint32_t max_registers_per_thread = 255;
  uint32_t register_unit = 256;  // registers are given to warps in multiples of it
  // Fermi gives 128 at once to kernels of some register counts, 64 to all others.
  bool uneven_register_unit = false;
  uint32_t shared_unit_bytes = 128;  // shared memory is given to blocks in multiples of it
  // Each has its own share of the registers, and a warp's lie in one of them.
  uint32_t sub_partitions = 4;
  // A block must also fit where its warps are dealt out to so many of them: GP100 (6.0) has two, but runs no
  // kernel that the four of other Pascals could not.
  uint32_t checked_sub_partitions = 4;
  // A kernel whose global loads are cached in L1 has its blocks each in one half of the SM, where they fit.
  bool cached_loads_halve_sm = false;
  // Numbered barriers of an SM for each block slot; 0: they limit nothing.
  uint32_t barriers_per_block_slot = 0;
};

struct CapabilityFacts {
  ComputeCapability capability;
  std::string architecture;  // "Hopper"
  std::string chips;         // "H100, H200"
  DeviceLimits limits;       // sm_count and l2_bytes are the chip's, not the capability's: 0
  AllocationRules rules;
  // How large shared memory can be made on an SM, ascending, bytes; one: it cannot be chosen.
  std::vector<uint32_t> shared_configurations_bytes;
};

// All from 2.0 to 12.1, ascending.
std::span<const CapabilityFacts> knownCapabilities();
// That capability's; of one that is newer than this program, or lies between two, the nearest below. The
// first below 2.0.
const CapabilityFacts& factsOf(ComputeCapability capability);
// "9.0", "sm_90", "90". Error (kBadRequest): none of those, or not known; names what is.
Expected<ComputeCapability> parseCapability(const std::string& text);

// Registers that a warp of such threads gets.
uint32_t registersOfWarp(const AllocationRules& rules, uint32_t registers_per_thread);

}  // namespace warpscope
