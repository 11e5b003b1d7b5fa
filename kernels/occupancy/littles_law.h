// Little's law: what is in flight at once = latency x throughput. From it, how many warps an SM needs so that
// arithmetic, L2 or device memory is kept busy, beside how many are resident: why occupancy matters, and when
// it does not. (Little 1961; Volkov, "Understanding Latency Hiding on GPUs", UCB/EECS-2016-143, chapter 3.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct LittlesLaw {
  enum class Work { kArithmetic, kL2, kDeviceMemory, kIssue } work = Work::kArithmetic;
  double latency_cycles = 0;
  double throughput = 0;  // of an SM a cycle, at most: warp instructions, or bytes
  double in_flight = 0;   // latency x throughput: warp instructions, or bytes
  double per_warp = 0;    // what one warp has in flight at once: of the same
  double needed_warps = 0;
  double resident_warps = 0;
  double share() const;  // of the throughput that the resident warps can reach; at most 1
  Provenance provenance = Provenance::kMeasured;  // kModelled: of a simulated GPU's run
  std::string source;                             // where latency and throughput are from, a sentence
};

struct LittlesQuestion {
  DeviceDescription device;
  double resident_warps = 0;      // of an SM
  double instructions_ahead = 1;  // independent instructions that a warp issues before it waits (ILP)
  double bytes_ahead = 128;       // that a warp has asked for before it waits
};
// Arithmetic, L2, device memory: of the device, for any kernel that works so. Empty: the device's figures are
// not known; device memory is left out where its clock or width is not.
std::vector<LittlesLaw> littlesLaw(const LittlesQuestion& question);
// Of a finished run's own instructions, where its trace has them: each warp's mean cycles from one
// instruction to the next, against the issue slots of an SM. nullopt: the device does not tell.
std::optional<LittlesLaw> littlesLawOf(const Run& run);

// Bytes that a warp of this kernel asks for at once, from the run's counters: sectors of a load x 32.
// nullopt: not counted, or nothing is loaded.
std::optional<double> bytesAhead(const Run& run);

}  // namespace warpscope
