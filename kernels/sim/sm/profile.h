// The description of a simulated GPU. A profile is data (assets/devices/NAME.json) with one field per figure,
// each with its source. Latencies are in SM cycles from issue until a dependent instruction can issue;
// intervals are in cycles between two warp instructions on one sub-partition's pipe (SM-wide where noted).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope::sim {

enum class Pipe : uint8_t {
  kFp32,         // FMA pipe: add, mul, fma of f32
  kInt,          // ALU: integer add, logic, compare, select, shift, min, max
  kIntMultiply,  // integer multiply-add: part of the FMA pipe on most chips, counted separately
  kFp16,         // half arithmetic
  kFp64,
  kSpecial,    // SFU (XU): rcp, rsqrt, sin, ex2, conversions
  kTensor,     // tensor cores; the figures are those of mma.m16n8k16 of halves
  kUniform,    // constants, S2R and similar
  kLoadStore,  // LSU: loads, stores, atomics, shuffles; shared by the SM's sub-partitions
  kBranch,     // branch, barrier, exit (CBU)
  kCount,
};
inline constexpr size_t kPipeCount = static_cast<size_t>(Pipe::kCount);
const char* pipeName(Pipe pipe);

struct PipeTiming {
  double issue_interval_cycles = 1;  // 2: 16 lanes a cycle; SM-wide for kLoadStore
  uint32_t latency_cycles = 4;
};

struct CacheTiming {
  uint64_t bytes = 0;  // L1: including shared memory, which is carved out of it; L2: the whole GPU
  uint32_t ways = 4, line_bytes = 128, sector_bytes = 32;
  uint32_t latency_cycles = 0;  // of a hit, from the issue of the load
  double bytes_per_cycle = 0;   // L1: per SM; L2: the whole GPU, in SM cycles
};

// Blocks that find room are handed out so many times as fast as blocks are done with. That is what limits
// long launches of short blocks: on an H100 (580.159.04, 2026-11-24) 2,048 blocks of 600 cycles each keep an
// SM busy for 1,000 cycles, and the launch takes 2,100 cycles more than one of few blocks (utf8_length of the
// truth suite; half_warps, ddivide and run_lengths are alike).
inline constexpr double kHandedOutFaster = 5;

struct DeviceProfile {
  std::string id;    // "sim:h100"
  std::string name;  // "Simulated H100 SXM"
  DeviceLimits limits;
  uint64_t memory_bytes = 0;  // of the GPU; the host's memory may allow less
  uint32_t sm_clock_mhz = 0, memory_clock_mhz = 0, memory_bus_bits = 0;

  uint32_t sub_partitions = 4;
  uint32_t registers_allocation_unit = 256, warps_allocation_granularity = 4;
  uint32_t shared_allocation_unit = 128;
  std::array<PipeTiming, kPipeCount> pipes = [] {
    std::array<PipeTiming, kPipeCount> all{};
    all[static_cast<size_t>(Pipe::kTensor)] = {4.5, 24};
    return all;
  }();

  uint32_t shared_banks = 32, shared_bank_bytes = 4;
  uint32_t shared_latency_cycles = 0;
  double shared_extra_way_cycles = 0;  // per further wavefront of a conflicted access
  uint32_t shuffle_latency_cycles = 0, vote_latency_cycles = 0;
  double shuffle_interval_cycles = 0;  // SM-wide
  uint32_t barrier_latency_cycles = 0;
  double barrier_warp_cycles = 0;                // added for each warp that takes part
  uint32_t branch_latency_cycles = 0;            // from a branch until the warp can issue again
  uint32_t special_register_latency_cycles = 0;  // S2R
  uint32_t constant_latency_cycles = 0;          // for the first access to kernel parameters or constants

  CacheTiming l1, l2;
  uint32_t l1_tag_requests_per_cycle = 1;
  uint32_t l2_slices = 0;
  // Loads of the whole GPU that read one sector each. 0: in proportion to whole lines, as on an H100.
  double l2_read_requests_per_cycle = 0;
  // Stores of the whole GPU: of whole lines, and of requests that write one sector each.
  double l2_write_bytes_per_cycle = 0, l2_write_requests_per_cycle = 0;
  double interconnect_bytes_per_cycle = 0;  // from L2 to one SM
  // Stores of one SM.
  double interconnect_write_bytes_per_cycle = 0, interconnect_write_requests_per_cycle = 0;
  uint32_t dram_latency_cycles = 0;  // of an L2 miss, from the issue of the load
  double dram_bytes_per_cycle = 0;   // for the whole GPU, in SM cycles
  uint32_t global_atomic_latency_cycles = 0;
  double global_atomic_interval_cycles = 0;  // same address, at L2: per lane
  uint32_t shared_atomic_latency_cycles = 0;
  double shared_atomic_interval_cycles = 0;  // same address: per further lane
  // Of a fence for the GPU or the system (membar.gl, fence.*.gpu), once what its SM has sent is back.
  uint32_t fence_latency_cycles = 645;

  // Clusters: the SMs are in so many GPCs, and a cluster's blocks in one of them. The defaults are those of
  // an H100: a load of another SM's shared memory, and what an SM sends to others a cycle; from the last
  // arrival at a cluster's barrier until its warps go on, besides the fence of an arrival that releases; what
  // a bulk copy takes besides the latency of the memory, and the bytes that an SM's engine for them moves a
  // cycle.
  uint32_t gpc_count = 8;
  uint32_t distributed_shared_latency_cycles = 194;
  double distributed_shared_bytes_per_cycle = 15.14;
  // Of atomics there: from one sector of a warp's to the next, and for how long one keeps a unit.
  double distributed_shared_atomic_interval_cycles = 3.9, distributed_shared_atomic_unit_cycles = 12;
  uint32_t cluster_barrier_latency_cycles = 69;
  uint32_t bulk_copy_latency_cycles = 47;
  double bulk_copy_bytes_per_cycle = 42.86;

  double launch_overhead_ns = 0;  // what events measure around an empty kernel
  // Part of sm__cycles_elapsed: what a launch takes beyond the time from the beginning of its first block to
  // the end of its last.
  uint32_t launch_cycles = 0;
  double block_launch_cycles = 0;  // from the end of a block to its successor's first instruction
  double block_launch_interval_cycles =
      0;  // between two blocks that end and are done with, anywhere on the GPU

  // Operations on streams. The defaults are those of a PCIe 5.0 x16 link, and estimates.
  double copy_to_device_bytes_per_ns = 57,
         copy_to_host_bytes_per_ns = 57;   // of pinned memory; bytes/ns = GB/s
  double copy_pageable_bytes_per_ns = 10;  // through the driver's staging buffer, either way
  double copy_latency_ns = 1000;           // what a copy takes besides moving its bytes
  double enqueue_ns = 2000;                // the host's call that enqueues an operation
  // From the end of what an operation waits for to its own begin.
  double stream_latency_ns = 1000;
  // From the last trigger of a launch's blocks to the begin of the launch that depends on it, and from its
  // end until that one's warps go on at griddepcontrol.wait. Estimates: nothing was found in print.
  double dependent_launch_ns = 500, dependent_wait_ns = 500;
  double host_function_ns = 5000;  // a host function that does nothing
  // Graphs; these are estimates. The host's call that launches one, and what it takes
  // besides for each node; what the host takes to make one (to capture or build, instantiate and upload it),
  // for each node; and from the end of a node to the begin of one that depends on it.
  //
  // NVIDIA's blog "Constant Time Launch for Straight-Line CUDA Graphs and Other Performance Enhancements"
  // (2024) has 2.5 us and about 1 ns a node for the launch of a straight line with CUDA 12.6, and 2 us and
  // 200 ns a node with CUDA 11.8; "Getting Started with CUDA Graphs" (2019) has 3.4 us for a node of 2.9 us
  // on a V100, and 400 us for making a graph of 20 nodes.
  double graph_launch_ns = 2500, graph_launch_node_ns = 1;
  double graph_make_node_ns = 2000;
  double graph_latency_ns = 700;
  // Of a conditional node: what its body begins later than another node would, and what the node takes where
  // its condition is 0. Estimates: nothing was found in print.
  double graph_condition_ns = 2000, graph_skip_ns = 2000;
  // A second GPU like this one. Whether kernels can access its memory; copies between the two, each way,
  // which the driver takes through the host where they cannot; and loads and stores of kernels: the bytes
  // that all of a GPU's SMs together move over the link, each way, and the latency of a load that hits the
  // other one's L2, from its issue. The defaults are estimates for GPUs without peer access behind a PCIe 5.0
  // x16 link.
  uint32_t peer_access = 0;
  double peer_copy_bytes_per_ns = 37, peer_copy_latency_ns = 2000;
  double peer_load_bytes_per_ns = 50, peer_load_latency_ns = 2000;
  // Managed memory (streams/managed_pages.h); these are estimates. What the driver takes from a fault of the
  // GPU's until pages move, and for a fault of the host's besides copying pages; and bytes/ns of pages that
  // move after faults, of prefetches to the device and to the host, and of what kernels read and write in the
  // host's memory.
  //
  // Zheng et al., Towards High Performance Paged Memory for GPUs, HPCA 2016, have 20 to 50 us for a fault
  // that the host serves. The bandwidths are about half, nine tenths and eight tenths of a copy's.
  double page_fault_batch_ns = 30'000, host_page_fault_ns = 10'000;
  double migration_bytes_per_ns = 28, prefetch_bytes_per_ns = 51, prefetch_to_host_bytes_per_ns = 51;
  double remote_access_bytes_per_ns = 45;

  std::map<std::string, std::string> sources;  // by figure (as named in the file): where its value is from
  std::map<std::string, std::string>
      references;  // the references that the sources cite, by the short names they use
};

// Errors (kDamagedFile) name the file, the field and what is wrong with it. A figure without a source is an
// error.
Expected<DeviceProfile> readProfile(const std::filesystem::path& file);
Expected<DeviceProfile> parseProfile(const std::string& json, const std::string& name);
std::string formatProfile(const DeviceProfile& profile);
// The figures by their names in the file ("l1.bytes", "pipe.fp32.latency_cycles"), in the file's order.
std::vector<std::string> profileFigures();
Expected<double> profileFigure(const DeviceProfile& profile, const std::string& name);
// Rounds where the figure is a whole number. Fails if there is no such figure, or the value is impossible.
Expected<void> setProfileFigure(DeviceProfile& profile, const std::string& name, double value,
                                const std::string& source);
// All profiles of assets/devices, in the order in which they are listed (the default first).
std::vector<Expected<DeviceProfile>> bundledProfiles();

// From a comparison until its predicate can be read. Compilers wait for so many cycles before a branch on
// recent chips; a comparison and a vote, or a branch, take no longer together than the profile's figures say.
inline constexpr uint32_t kPredicateCycles = 13;
// A latency that was measured behind a comparison whose own was taken for an integer's.
inline uint32_t withoutPredicate(uint32_t latency_cycles, const DeviceProfile& profile) {
  const uint32_t counted = profile.pipes[static_cast<size_t>(Pipe::kInt)].latency_cycles;
  const uint32_t more = kPredicateCycles > counted ? kPredicateCycles - counted : 0;
  return latency_cycles > more + 1 ? latency_cycles - more : 1;
}

DeviceDescription describe(const DeviceProfile& profile);

}  // namespace warpscope::sim
