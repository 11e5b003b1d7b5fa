// A run: what was asked, what came out, how long it took, and the trace. A plain value that owns everything
// it refers to, and can be saved, sent, compared and drawn without the device that made it. recording/ turns
// it into bytes; metrics/ computes from it, and makes the command line's JSON.
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
#include "kernels/run/program.h"
#include "kernels/run/samples.h"
#include "kernels/run/stream_log.h"
#include "kernels/run/trace.h"

namespace warpscope {

// Parameter name -> value. Choices (a transpose's block shape) hold the index into ParameterSpec::choices.
using ParameterValues = std::map<std::string, int64_t>;

// The blocks that a probed launch records: those below first_blocks, and every block on SMs below `sms`.
struct Sampling {
  enum class Mode { kAuto, kAll, kExplicit } mode = Mode::kAuto;
  uint32_t first_blocks = 0, sms = 0;  // with kExplicit
  uint32_t max_warps = 512;            // slots; later warps are counted as unrecorded
  uint32_t records_per_lane = 128;     // per lane's log; later records are counted as dropped
  bool operator==(const Sampling&) const = default;
};

struct RunRequest {
  std::string family, variant;
  ParameterValues parameters;  // parameters that are left out take their defaults
  Sampling sampling;
  uint32_t warm_ups = 1;  // in addition to the launch that is verified
  uint32_t repeats = 20;
  // Also record each instruction that the recorded warps issue; a device that cannot (a real GPU) ignores it.
  bool log_instructions = false;
  // Also look for hazards; a device that cannot (a real GPU) ignores it. Families that are `checked` always
  // look for them.
  bool checks = false;
  // Also read these hardware counters, by Nsight Compute's names, which takes further launches. A simulated
  // GPU counts what it can without being asked.
  std::vector<std::string> counters{};
  // Also sample what warps wait for at each instruction, and how busy the GPU is over time, which takes
  // further launches; a device that cannot (a simulated GPU) ignores it.
  bool samples = false;
  // The user's program that `family` is; absent: one of the families that are built in.
  std::shared_ptr<const Program> program{};
  bool operator==(const RunRequest&) const = default;
};

// One region of a variant: what a mark in the kernel means, and which source lines it covers.
struct Region {
  RegionId id;
  std::string name;                        // "odd path"
  uint32_t first_line = 0, last_line = 0;  // 1-based, in Run::source
};

// A sum of floats: the kernel's result, and those of other methods for the same numbers (precision.h).
struct Precision {
  uint64_t terms = 0;
  double sum = 0;         // the kernel's; where each block writes its own sum, these added up in float64
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
  std::optional<Precision> precision;  // for families that add up floats
  bool pending = false;  // the result has not been compared yet (Progress::early); never so in a finished run
  // There is nothing to compare the result with, or it could not be done; `detail` says why. It has neither
  // passed nor failed.
  bool unchecked = false;

  bool failed() const { return !passed && !pending && !unchecked; }
};
// "verified", "not checked", "WRONG"
const char* verificationWord(const Verification& verification);

// Times of launches of the bare kernel (NoProbe), warm, measured by the device's own events: the kernel and
// the overhead of launching it (metrics/run_times.h says what else is a time of a run).
struct Timing {
  double median_us = 0, min_us = 0, max_us = 0;
  uint32_t repeats = 0, warm_ups = 0;
  uint32_t kernels = 1;  // launched one after the other within this time; only the first is traced
};

struct Bandwidth {
  uint64_t bytes = 0;   // minimum traffic: every input read once, every output written once
  double gb_per_s = 0;  // bytes / median time, 1e9 bytes
  std::optional<double>
      copy_gb_per_s;  // of a device-to-device copy that moves as many bytes on the same device
  // A vendor's library that does the same work on the same device, counting the same bytes.
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
const char* limiterName(OccupancyLimiter limiter);  // "registers"

struct Occupancy {
  uint32_t blocks_per_sm = 0, warps_per_sm = 0, max_warps_per_sm = 0;
  double theoretical = 0;  // warps_per_sm / max_warps_per_sm
  OccupancyLimiter limiter = OccupancyLimiter::kWarps;
  // The number of blocks that each resource alone would allow.
  uint32_t blocks_by_warps = 0, blocks_by_slots = 0, blocks_by_registers = 0, blocks_by_shared = 0;
  std::optional<uint32_t>
      blocks_by_barriers;  // absent: barriers are not a limit on this device or for this kernel
};

struct ProbeCost {
  double ratio = 0;  // probed median / bare median, both warm
  double probed_median_us = 0;
  // What this is compared with if it is not the run's median: the time of operations with the records that
  // also slow down those with probes.
  std::optional<double> bare_us{};
  uint64_t kept = 0, dropped = 0;  // events
  // Of the kernel with probes; those without are Run::resources and Run::occupancy. Absent: not known.
  std::optional<uint32_t> registers_per_thread{};
  std::optional<double> theoretical_occupancy{};
};

struct Run {
  RunRequest request;  // with every parameter filled in
  // Values as users write them ("32x8", "2^24"), for choices; parameters without an entry are plain numbers.
  std::map<std::string, std::string> parameter_labels;
  DeviceDescription device;
  std::string created;          // ISO 8601, UTC
  Dim3 grid, block;             // of several launches: all their blocks in a row
  std::optional<Dim3> cluster;  // blocks of a cluster; absent: the launch had none
  Verification verification;
  Timing timing;
  Bandwidth bandwidth;
  KernelResources resources;
  Occupancy occupancy;
  ProbeCost probe;
  std::vector<Region> regions;
  std::string source_file;  // "kernels/experiments/divergence/divergence.cu"
  // The source's text as it was when compiled; never null in a finished run.
  std::shared_ptr<const std::string> source;
  std::map<std::string, double>
      counters;  // under Nsight Compute's names; only those that the device can know
  // Why there are no counters though they were asked for, with what to do about it; else empty.
  std::string counters_problem;
  std::optional<WaitSamples> wait_samples;          // absent: not asked for, or not possible
  std::optional<ActivitySamples> activity_samples;  // likewise
  std::string samples_problem;  // why one of them is absent though it was asked for; else empty
  Trace trace;
  // What the operations of a run did, and when, if there are several. Absent: it was a single launch, which
  // is the trace's; else the trace is of all launches, whose blocks are numbered one launch after another.
  std::optional<StreamLog> streams;
  std::optional<std::vector<Hazard>> hazards;  // absent: not checked
  std::shared_ptr<const Listing>
      listing;  // those that Trace::instructions or wait_samples refer to; null: there are none
};

// The SMs of the GPUs that it used.
uint32_t usedSms(const Run& run);

// Settings in the form in which users read them: "256", "2^24", "32x8"; empty if the run has no such
// parameter.
std::string parameterText(const Run& run, const std::string& name);
// "block 256, size 2^24"
std::string parametersText(const Run& run);

// A region's name and first line by its id, in constant time: region ids in records have eight bits.
class RegionNames {
 public:
  explicit RegionNames(const Run& run);
  // For an id that Run::regions lacks: "region 7".
  const std::string& name(RegionId id) const { return names_[id.value & 0xFFU]; }
  uint32_t line(RegionId id) const { return lines_[id.value & 0xFFU]; }  // 0: unknown

 private:
  std::vector<std::string> names_;
  std::vector<uint32_t> lines_;
};

}  // namespace warpscope
