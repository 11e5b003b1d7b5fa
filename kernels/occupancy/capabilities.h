// NVIDIA's figures for each compute capability, as data: the limits of an SM and of a block, and how an SM's
// resources are allocated. Sources, which capabilities.cpp also names beside the table:
// - CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (13.0; 8.0 for 2.x to 3.x);
// - the toolkit's cuda_occupancy.h (13.0; 7.0 for 2.x), which also has the rules of occupancy.cpp;
// - NVIDIA's CUDA_Occupancy_Calculator.xls, sheet "GPU Data" (deprecated with CUDA 11).
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
  uint32_t register_unit = 256;  // registers are allocated to warps in multiples of this
  // Fermi allocates in units of 128 for kernels with certain register counts, of 64 for all others.
  bool uneven_register_unit = false;
  uint32_t shared_unit_bytes = 128;  // shared memory is allocated to blocks in multiples of this
  // Each sub-partition has its own share of the registers, and all of a warp's registers are in one of them.
  uint32_t sub_partitions = 4;
  // A block must also fit when its warps are distributed over this many sub-partitions: GP100 (6.0) has two,
  // but runs no kernel that the four of other Pascal chips could not run.
  uint32_t checked_sub_partitions = 4;
  // If a kernel's global loads are cached in L1, each of its blocks is placed in one half of the SM, where it
  // fits.
  bool cached_loads_halve_sm = false;
  // Numbered barriers of an SM per block slot; 0: barriers are not a limit.
  uint32_t barriers_per_block_slot = 0;
};

struct CapabilityFacts {
  ComputeCapability capability;
  std::string architecture;  // "Hopper"
  std::string chips;         // "H100, H200"
  DeviceLimits limits;       // sm_count and l2_bytes belong to the chip, not the capability: 0 here
  AllocationRules rules;
  // The sizes that shared memory can have on an SM, ascending, in bytes; a single one: there is no choice.
  std::vector<uint32_t> shared_configurations_bytes;
};

// All capabilities from 2.0 to 12.1, ascending.
std::span<const CapabilityFacts> knownCapabilities();
// The facts of this capability; for one that is newer than this program or lies between two known ones, those
// of the nearest below; below 2.0, those of the first.
const CapabilityFacts& factsOf(ComputeCapability capability);
// Parses "9.0", "sm_90" or "90". Fails with kBadRequest if the text is none of those or the capability is
// unknown; the message names the known ones.
Expected<ComputeCapability> parseCapability(const std::string& text);

// Registers that are allocated to a warp of threads with this many registers.
uint32_t registersOfWarp(const AllocationRules& rules, uint32_t registers_per_thread);

}  // namespace warpscope
