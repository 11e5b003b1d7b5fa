// A run: what was asked, what came out, how long it took, and the trace. A plain value that can be saved,
// sent, compared and drawn without the device that made it. recording.h turns it into bytes; run_json.h into
// the command line's JSON; metrics.h computes from it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/run/device_description.h"
#include "kernels/run/hazard.h"
#include "kernels/run/listing.h"
#include "kernels/run/trace.h"

namespace warpscope {

// Parameter name -> value. Choices (a transpose's block shape) hold the index into ParameterSpec::choices.
using ParameterValues = std::map<std::string, int64_t>;

// Which blocks a probed launch records: blocks below first_blocks, and every block on SMs below sms.
struct Sampling {
  enum class Mode { kAuto, kAll, kExplicit } mode = Mode::kAuto;
  uint32_t first_blocks = 0, sms = 0;  // with kExplicit
  uint32_t max_warps = 512;            // slots; later warps are counted as unrecorded
  uint32_t records_per_lane = 128;     // a lane's log; later records are counted as dropped
  bool operator==(const Sampling&) const = default;
};

struct RunRequest {
  std::string family, variant;
  ParameterValues parameters;  // those left out take their defaults
  Sampling sampling;
  uint32_t warm_ups = 1;  // beside the launch that is verified
  uint32_t repeats = 20;
  // Also record each instruction that the recorded warps issue; a device that cannot (a real GPU) ignores it.
  bool log_instructions = false;
  // Also look for hazards; a device that cannot (a real GPU) ignores it. Families that are `checked` always
  // do.
  bool checks = false;
  bool operator==(const RunRequest&) const = default;
};

// One region of a variant: what a mark in the kernel means and where it stands.
struct Region {
  RegionId id;
  std::string name;                        // "odd path"
  uint32_t first_line = 0, last_line = 0;  // 1-based, in Run::source
};

// Of a sum of floats: what the kernel got, and what others get from the same numbers (precision.h).
struct Precision {
  uint64_t terms = 0;
  double sum = 0;         // the kernel's; where blocks leave their own sums, these added up in float64
  double reference = 0;   // added up in float64
  double sequential = 0;  // added up by one loop in float32
  bool operator==(const Precision&) const = default;
};

struct Verification {
  bool passed = false;
  uint64_t checked = 0;  // values compared with the host's reference
  uint64_t mismatches = 0;
  double max_error = 0;                // largest |out - reference| / bound; 0 for exact integer checks
  std::string detail;                  // "all 65,536 sums equal" or "out[17] = 3, expected 5 (first of 12)"
  std::optional<Precision> precision;  // of families that add up floats
};

// Of the bare kernel (NoProbe), warm, by the device's own events.
struct Timing {
  double median_us = 0, min_us = 0, max_us = 0;
  uint32_t repeats = 0, warm_ups = 0;
};

struct Bandwidth {
  uint64_t bytes = 0;                   // least traffic: every input read once, every output written once
  double gb_per_s = 0;                  // bytes / median time, 1e9 bytes
  std::optional<double> copy_gb_per_s;  // device-to-device copy moving as many bytes on the same device
  // A vendor's library doing the same work on the same device, by the same count of bytes.
  struct Library {
    std::string name;  // "CUB DeviceReduce"
    double gb_per_s = 0;
  };
  std::optional<Library> library;
};

struct KernelResources {
  uint32_t registers_per_thread = 0;
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  uint32_t local_bytes_per_thread = 0;
  uint32_t barriers_per_block = 0;  // numbered barriers (__syncthreads is number 0)
};

enum class OccupancyLimiter { kWarps, kBlocks, kRegisters, kSharedMemory, kBarriers, kImpossible };

struct Occupancy {
  uint32_t blocks_per_sm = 0, warps_per_sm = 0, max_warps_per_sm = 0;
  double theoretical = 0;  // warps_per_sm / max_warps_per_sm
  OccupancyLimiter limiter = OccupancyLimiter::kWarps;
  // How many blocks each resource alone would allow.
  uint32_t blocks_by_warps = 0, blocks_by_slots = 0, blocks_by_registers = 0, blocks_by_shared = 0;
  std::optional<uint32_t> blocks_by_barriers;  // absent: barriers are no limit of this device or kernel
};

struct ProbeCost {
  double ratio = 0;  // probed median / bare median, both warm
  double probed_median_us = 0;
  uint64_t kept = 0, dropped = 0;  // events
};

struct Run {
  RunRequest request;  // with every parameter filled in
  // Values as people write them ("32x8", "2^24"), for choices; absent keys are plain numbers.
  std::map<std::string, std::string> parameter_labels;
  DeviceDescription device;
  std::string created;  // ISO 8601, UTC
  Dim3 grid, block;
  Verification verification;
  Timing timing;
  Bandwidth bandwidth;
  KernelResources resources;
  Occupancy occupancy;
  ProbeCost probe;
  std::vector<Region> regions;
  std::string source_file;  // "kernels/experiments/divergence/divergence.cu"
  std::shared_ptr<const std::string>
      source;                              // its text as it was when compiled; never null in a finished run
  std::map<std::string, double> counters;  // Nsight Compute's names; only what the device can know
  Trace trace;
  std::optional<std::vector<Hazard>> hazards;  // absent: not looked for
  std::shared_ptr<const Listing> listing;      // what Trace::instructions refer to; null: there are none
};

}  // namespace warpscope
