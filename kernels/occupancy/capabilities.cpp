#include "kernels/occupancy/capabilities.h"

#include <algorithm>
#include <charconv>

#include "kernels/core/ids.h"

namespace warpscope {
namespace {

constexpr uint32_t kKi = 1024;

// One column of the programming guide's table "Technical Specifications per Compute Capability".
struct Row {
  ComputeCapability capability;
  const char* architecture;
  const char* chips;
  uint32_t threads_per_sm, blocks_per_sm;
  uint32_t registers_per_sm_ki, registers_per_block_ki, registers_per_thread;
  uint32_t shared_per_sm_kib;
  uint32_t shared_opt_in_kib;                // per block; 0: no more than the usual 48
  std::vector<uint32_t> configurations_kib;  // empty: the size of shared memory is fixed
};

// Registers per block: 32 Ki on the Tegra chips 3.2, 5.3 and 6.2. Carve-outs: the guide's sections on shared
// memory for each capability, and cudaOccAlignUpShmemSizeVoltaPlus for 7.0 and later.
const std::vector<Row>& table() {
  static const std::vector<uint32_t> kVolta{0, 8, 16, 32, 64, 96};
  static const std::vector<uint32_t> kGa100{0, 8, 16, 32, 64, 100, 132, 164};
  static const std::vector<uint32_t> kGa10x{0, 8, 16, 32, 64, 100};
  static const std::vector<uint32_t> kHopper{0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  static const std::vector<Row> kTable{
      {{2, 0}, "Fermi", "GTX 480, Tesla C2050", 1536, 8, 32, 32, 63, 48, 0, {16, 48}},
      {{2, 1}, "Fermi", "GTX 460, GTX 560", 1536, 8, 32, 32, 63, 48, 0, {16, 48}},
      {{3, 0}, "Kepler", "GTX 680, Tesla K10", 2048, 16, 64, 64, 63, 48, 0, {16, 32, 48}},
      {{3, 2}, "Kepler", "Tegra K1", 2048, 16, 64, 32, 255, 48, 0, {16, 32, 48}},
      {{3, 5}, "Kepler", "GTX Titan, Tesla K20, K40", 2048, 16, 64, 64, 255, 48, 0, {16, 32, 48}},
      {{3, 7}, "Kepler", "Tesla K80", 2048, 16, 128, 64, 255, 112, 0, {80, 96, 112}},
      {{5, 0}, "Maxwell", "GTX 750 Ti", 2048, 32, 64, 64, 255, 64, 0, {}},
      {{5, 2}, "Maxwell", "GTX 980, Tesla M40", 2048, 32, 64, 64, 255, 96, 0, {}},
      {{5, 3}, "Maxwell", "Tegra X1, Jetson Nano", 2048, 32, 64, 32, 255, 64, 0, {}},
      {{6, 0}, "Pascal", "Tesla P100", 2048, 32, 64, 64, 255, 64, 0, {}},
      {{6, 1}, "Pascal", "GTX 1080, Tesla P40", 2048, 32, 64, 64, 255, 96, 0, {}},
      {{6, 2}, "Pascal", "Tegra X2", 2048, 32, 64, 32, 255, 64, 0, {}},
      {{7, 0}, "Volta", "V100, Titan V", 2048, 32, 64, 64, 255, 96, 96, kVolta},
      {{7, 2}, "Volta", "Jetson AGX Xavier", 2048, 32, 64, 64, 255, 96, 96, kVolta},
      {{7, 5}, "Turing", "T4, RTX 2080", 1024, 16, 64, 64, 255, 64, 64, {32, 64}},
      {{8, 0}, "Ampere", "A100, A30", 2048, 32, 64, 64, 255, 164, 163, kGa100},
      {{8, 6}, "Ampere", "RTX 3090, A10, A40", 1536, 16, 64, 64, 255, 100, 99, kGa10x},
      {{8, 7}, "Ampere", "Jetson AGX Orin", 1536, 16, 64, 64, 255, 164, 163, kGa100},
      {{8, 9}, "Ada", "RTX 4090, L4, L40", 1536, 24, 64, 64, 255, 100, 99, kGa10x},
      {{9, 0}, "Hopper", "H100, H200, GH200", 2048, 32, 64, 64, 255, 228, 227, kHopper},
      {{10, 0}, "Blackwell", "B200, GB200", 2048, 32, 64, 64, 255, 228, 227, kHopper},
      {{10, 3}, "Blackwell", "B300, GB300", 2048, 32, 64, 64, 255, 228, 227, kHopper},
      {{11, 0}, "Blackwell", "Jetson Thor", 1536, 24, 64, 64, 255, 228, 227, kHopper},
      {{12, 0}, "Blackwell", "RTX 5090, RTX PRO 6000", 1536, 24, 64, 64, 255, 100, 99, kGa10x},
      {{12, 1}, "Blackwell", "DGX Spark (GB10)", 1536, 24, 64, 64, 255, 100, 99, kGa10x}};
  return kTable;
}

// cuda_occupancy.h: cudaOccRegAllocationGranularity, cudaOccSMemAllocationGranularity,
// cudaOccSubPartitionsPerMultiprocessor, cudaOccMaxBlocksPerSMBlockBarrierLimit.
AllocationRules rulesOf(const Row& row) {
  const ComputeCapability capability = row.capability;
  AllocationRules rules;
  rules.max_registers_per_thread = row.registers_per_thread;
  if (capability.major == 2) {
    rules.register_unit = 64;
    rules.uneven_register_unit = true;
    rules.sub_partitions = rules.checked_sub_partitions = 2;
  }
  if (capability == ComputeCapability{6, 0}) rules.sub_partitions = 2;
  // cudaOccPartitionedGlobalCachingModeSupport.
  rules.cached_loads_halve_sm = (capability >= ComputeCapability{5, 2} && capability.major == 5) ||
                                (capability > ComputeCapability{6, 0} && capability.major == 6);
  rules.shared_unit_bytes = capability.major == 2 || capability.major >= 8 ? 128 : 256;
  if (capability.major >= 9) {
    rules.barriers_per_block_slot = capability == ComputeCapability{10, 1} || capability.major >= 11 ? 1 : 2;
  }
  return rules;
}

DeviceLimits limitsOf(const Row& row) {
  DeviceLimits limits;
  limits.compute_capability = row.capability;
  limits.max_threads_per_block = 1024;
  limits.max_threads_per_sm = row.threads_per_sm;
  limits.max_blocks_per_sm = row.blocks_per_sm;
  limits.registers_per_sm = row.registers_per_sm_ki * kKi;
  limits.registers_per_block = row.registers_per_block_ki * kKi;
  limits.shared_bytes_per_sm = row.shared_per_sm_kib * kKi;
  limits.shared_bytes_per_block = 48 * kKi;
  limits.shared_bytes_per_block_opt_in = row.shared_opt_in_kib * kKi;
  // From 8.0 on the driver reserves 1 KiB of shared memory per block (guide, "Shared Memory" for 8.x).
  limits.shared_bytes_reserved_per_block = row.capability.major >= 8 ? kKi : 0;
  return limits;
}

std::vector<CapabilityFacts> allFacts() {
  std::vector<CapabilityFacts> facts;
  for (const Row& row : table()) {
    CapabilityFacts fact{row.capability, row.architecture, row.chips, limitsOf(row), rulesOf(row), {}};
    for (const uint32_t kib : row.configurations_kib) {
      fact.shared_configurations_bytes.push_back(kib * kKi);
    }
    if (row.configurations_kib.empty()) {
      fact.shared_configurations_bytes = {fact.limits.shared_bytes_per_sm};
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

}  // namespace

std::span<const CapabilityFacts> knownCapabilities() {
  static const std::vector<CapabilityFacts> kFacts = allFacts();
  return kFacts;
}

const CapabilityFacts& factsOf(ComputeCapability capability) {
  const auto all = knownCapabilities();
  const auto above = std::ranges::upper_bound(all, capability, {}, &CapabilityFacts::capability);
  return above == all.begin() ? all.front() : *(above - 1);
}

Expected<ComputeCapability> parseCapability(const std::string& text) {
  std::string digits = text.starts_with("sm_") ? text.substr(3) : text;
  if (digits.find('.') == std::string::npos && digits.size() >= 2) {
    digits = fmt::format("{}.{}", digits.substr(0, digits.size() - 1), digits.back());
  }
  ComputeCapability capability{-1, -1};
  const size_t point = std::min(digits.find('.'), digits.size());
  const char* end = digits.data() + digits.size();
  const auto major = std::from_chars(digits.data(), digits.data() + point, capability.major);
  const char* behind = digits.data() + std::min(point + 1, digits.size());
  const auto minor = std::from_chars(behind, end, capability.minor);
  const bool number = major.ec == std::errc() && minor.ec == std::errc() && minor.ptr == end;
  const auto all = knownCapabilities();
  if (number && std::ranges::find(all, capability, &CapabilityFacts::capability) != all.end()) {
    return capability;
  }
  std::string known;
  for (const CapabilityFacts& facts : all) {
    known +=
        fmt::format("{}{}.{}", known.empty() ? "" : ", ", facts.capability.major, facts.capability.minor);
  }
  return fail(ErrorKind::kBadRequest, "there is no compute capability '{}': known are {}", text, known);
}

uint32_t registersOfWarp(const AllocationRules& rules, uint32_t registers_per_thread) {
  uint32_t unit = rules.register_unit;
  // cuda_occupancy.h of CUDA 7.0, cudaOccRegAllocationGranularity.
  if (rules.uneven_register_unit) {
    for (const uint32_t uneven : {21U, 22U, 29U, 30U, 37U, 38U, 45U, 46U}) {
      if (registers_per_thread == uneven) unit = 128;
    }
  }
  return (registers_per_thread * kWarpSize + unit - 1) / unit * unit;
}

}  // namespace warpscope
