// The memory that a probed kernel writes, shared by device code (nvcc) and host code. It owns the layout
// only: probe.cuh writes it, pack.cu gathers it, execute/merge.cpp reads what was gathered.
//
// Each recorded warp has one slot: a header, 32 lane tails and 32 lane logs. A record is written by the
// leader (lowest active lane) of the lanes that passed a mark together, into the leader's own log, with the
// leader's own counter. So the log needs no atomics, no shared memory and no order between diverged paths;
// the host merges the 32 logs of a warp by clock. The leader of a record is the lowest lane of its mask.
#pragma once

#include <cstdint>

namespace warpscope {

enum : uint32_t {
  kProbeWarpSize = 32,
  kProbeExitRegion = 255,  // written by the probe itself when lanes leave the kernel; not a kernel's region
  kProbeClockBits = 24,
};

// 8 bytes. clock_and_region: bits 0-23 are the SM's 32-bit clock shifted right by ProbeParams::clock_shift;
// bits 24-31 are the region. The host unwraps the 24 bits from the warp's 64-bit begin clock.
struct ProbeRecord {
  uint32_t clock_and_region;
  uint32_t mask;
};

// One a lane and slot. `written` counts the lane's records, those past its log's capacity (dropped) included.
// exit_mask is non-zero in the tail of the leader of lanes that left together, with the clocks they left at.
struct ProbeLaneTail {
  uint64_t exit_clock;
  uint64_t exit_globaltimer_ns;
  uint32_t written;
  uint32_t exit_mask;
};

// One a slot, written when the warp enters the kernel.
struct ProbeWarpHeader {
  uint64_t begin_clock;
  uint64_t begin_globaltimer_ns;
  uint32_t block;          // linear block index
  uint32_t warp_in_block;  // linear thread index / 32
  uint32_t sm;             // %smid
  uint32_t hardware_slot;  // %warpid
  uint32_t live_mask;      // lanes that exist and entered
  uint32_t reserved;
};

// A matched pair of readings of one SM's clock and the GPU-wide timer. The first `anchor_blocks` blocks of
// the grid write one as they begin, the last `anchor_blocks` one as their first warp ends. valid is 1 once
// written.
struct ProbeAnchor {
  uint64_t clock;
  uint64_t globaltimer_ns;
  uint32_t sm;
  uint32_t valid;
};

// What a launch is told; passed by value as the first kernel parameter of a probed kernel. A warp is recorded
// if its block is below first_blocks or its SM below sms, and a slot is free.
struct ProbeParams {
  ProbeWarpHeader* headers;    // [max_warps]
  ProbeLaneTail* tails;        // [max_warps][32]
  ProbeRecord* records;        // [max_warps][32][records_per_lane]
  ProbeAnchor* begin_anchors;  // [anchor_blocks], by block
  ProbeAnchor* end_anchors;    // [anchor_blocks], by block - (blocks - anchor_blocks)
  uint32_t* warps_seen;        // warps that asked for a slot; more than max_warps: the rest were not recorded
  uint32_t max_warps;
  uint32_t records_per_lane;
  uint32_t first_blocks;
  uint32_t sms;
  uint32_t anchor_blocks;
  uint32_t clock_shift;
};

// When a warp came and went; all zeros: nobody wrote. Clocks are the low 32 bits of its SM's.
struct ProbeStay {
  uint32_t begin_clock;    // at its first instruction
  uint32_t through_clock;  // behind its last one, once its loads and stores had been taken over by their unit
  // From the last instruction to through_clock, and from there to the store of this; 65535: that or more.
  uint16_t wait_cycles, probe_cycles;
  uint32_t place;  // kProbeStayWritten | %smid << 8 | %warpid
};
enum : uint32_t { kProbeStayWritten = 1U << 31 };

// What a launch of a kernel's residency form is told: its first parameter.
struct ResidencyParams {
  ProbeStay* stays;  // [warps], by linear block index x warps of a block + warp in the block
  uint32_t warps;    // further ones write nothing
  uint32_t sm_mask;  // nor do warps on SMs with one of these bits in %smid
};

// What pack.cu makes of a slot, to be copied to the host: its records lie together at
// packed_records[first_record .. first_record + record_count), lane 0's log first, in each log's order,
// each lane's exit record (region kProbeExitRegion) behind its log.
struct ProbePackedWarp {
  ProbeWarpHeader header;
  uint64_t end_clock;  // latest exit of any lane
  uint64_t end_globaltimer_ns;
  uint32_t first_record;
  uint32_t record_count;
  uint32_t dropped;
  uint32_t reserved;
};

static_assert(sizeof(ProbeRecord) == 8, "layout shared with device code");
static_assert(sizeof(ProbeLaneTail) == 24, "layout shared with device code");
static_assert(sizeof(ProbeWarpHeader) == 40, "layout shared with device code");
static_assert(sizeof(ProbeStay) == 16, "layout shared with device code");
static_assert(sizeof(ResidencyParams) == 16, "layout shared with device code");
static_assert(sizeof(ProbeAnchor) == 24, "layout shared with device code");
static_assert(sizeof(ProbeParams) == 72, "layout shared with device code");
static_assert(sizeof(ProbePackedWarp) == 72, "layout shared with device code");

}  // namespace warpscope
