#include "kernels/occupancy/littles_law.h"

#include <algorithm>

#include "kernels/core/ids.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

struct ProfileLatencies {
  double fma = 0, shared = 0, l1 = 0, l2 = 0, device = 0;  // cycles
};
#include "profile_latencies.h"  // k_v100, k_a100 ...

LatencyFigures figuresOf(const ProfileLatencies& latencies, double fma_warps_a_cycle,
                         double l2_bytes_a_cycle) {
  return {.fma = latencies.fma,
          .fma_warps_a_cycle = fma_warps_a_cycle,
          .shared = latencies.shared,
          .l1 = latencies.l1,
          .l2 = latencies.l2,
          .device = latencies.device,
          .l2_bytes_a_cycle = l2_bytes_a_cycle};
}

}  // namespace

// Latencies come from the device profiles, which name their sources. Multiply-adds per cycle: CUDA C++
// Programming Guide, "Arithmetic Instructions". L2's bytes per cycle and SM: assets/devices, rounded to what
// all devices of a compute capability have.
std::optional<LatencyFigures> latencyFigures(const DeviceLimits& limits) {
  constexpr uint32_t kLeastThreads = 1024;  // every real SM has this many; the teaching GPU has fewer
  if (limits.max_threads_per_sm < kLeastThreads) return std::nullopt;
  const ComputeCapability capability = limits.compute_capability;
  const auto between = [&](ComputeCapability from, ComputeCapability to) {
    return capability >= from && capability <= to;
  };
  if (between({7, 0}, {7, 2})) return figuresOf(k_v100, 2, 25);
  if (capability == ComputeCapability{8, 0}) return figuresOf(k_a100, 2, 25);
  if (between({8, 6}, {8, 9})) return figuresOf(k_rtx_4090, 4, 15);
  if (capability == ComputeCapability{9, 0}) {
    LatencyFigures figures = figuresOf(k_h100_sxm, 4, 25);
    figures.block_turn = 335;  // measured on an H100 SXM ("warpscope calibrate")
    return figures;
  }
  if (between({12, 0}, {12, 9})) return figuresOf(k_rtx_5070_laptop, 4, 15);
  return std::nullopt;
}

namespace {

// Schedulers per SM, each of which issues one instruction per cycle (CUDA C++ Programming Guide, "Compute
// Capabilities": 5.x to 12.x have four).
constexpr double kSchedulers = 4;

LittlesLaw law(LittlesLaw::Work work, double latency_cycles, double throughput, double per_warp,
               double resident_warps, std::string source) {
  LittlesLaw law{.work = work,
                 .latency_cycles = latency_cycles,
                 .throughput = throughput,
                 .in_flight = latency_cycles * throughput,
                 .per_warp = per_warp,
                 .resident_warps = resident_warps,
                 .source = std::move(source)};
  law.needed_warps = law.in_flight / std::max(per_warp, 1e-9);
  return law;
}

// Bytes per SM cycle that an SM's share of the memory bus delivers: two transfers per memory clock.
std::optional<double> deviceBytesACycle(const DeviceDescription& device) {
  if (device.memory_clock_khz == 0 || device.memory_bus_bits == 0 || device.sm_clock_khz == 0 ||
      device.limits.sm_count == 0) {
    return std::nullopt;
  }
  const double bytes_per_s = 2.0 * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8;
  return bytes_per_s / (device.sm_clock_khz * 1e3) / device.limits.sm_count;
}

}  // namespace

double LittlesLaw::share() const {
  return needed_warps <= 0 ? 1.0 : std::min(1.0, resident_warps / needed_warps);
}

std::vector<LittlesLaw> littlesLaw(const LittlesQuestion& question) {
  const auto figures = latencyFigures(question.device.limits);
  if (!figures) return {};
  std::vector<LittlesLaw> laws{
      law(LittlesLaw::Work::kArithmetic, figures->fma, figures->fma_warps_a_cycle,
          question.instructions_ahead, question.resident_warps,
          "latency of a dependent FP32 multiply-add; multiply-adds of an SM a cycle"),
      law(LittlesLaw::Work::kL2, figures->l2, figures->l2_bytes_a_cycle, question.bytes_ahead,
          question.resident_warps, "latency of a load from L2; bytes into an SM a cycle when all SMs ask")};
  if (const auto bytes = deviceBytesACycle(question.device)) {
    laws.push_back(law(LittlesLaw::Work::kDeviceMemory, figures->device, *bytes, question.bytes_ahead,
                       question.resident_warps,
                       "latency of a load from device memory; memory clock x bus width, shared by the SMs"));
  }
  return laws;
}

std::optional<LittlesLaw> littlesLawOf(const Run& run) {
  int64_t cycles = 0, gaps = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    const auto instructions = run.trace.instructionsOf(warp);
    if (instructions.size() < 2) continue;
    cycles += instructions.back().issue_cycles - instructions.front().issue_cycles;
    gaps += static_cast<int64_t>(instructions.size()) - 1;
  }
  if (gaps == 0 || run.occupancy.warps_per_sm == 0) return std::nullopt;
  const double share = achievedOccupancy(run).value_or(run.occupancy.theoretical);
  LittlesLaw of_run = law(LittlesLaw::Work::kIssue, static_cast<double>(cycles) / static_cast<double>(gaps),
                          kSchedulers, 1, share * run.occupancy.max_warps_per_sm,
                          "mean cycles from one instruction of a warp to its next, in this run; four warp "
                          "schedulers issue one each a cycle");
  of_run.provenance = run.device.provenance;
  return of_run;
}

std::optional<double> bytesAhead(const Run& run) {
  const auto requests = counterOf(run, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  const auto sectors = counterOf(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  constexpr double kSectorBytes = 32;
  if (!requests || !sectors || *requests <= 0) return std::nullopt;
  return *sectors / *requests * kSectorBytes;
}

}  // namespace warpscope
