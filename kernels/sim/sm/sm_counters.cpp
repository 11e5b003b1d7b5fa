#include "kernels/sim/sm/sm_counters.h"

#include <algorithm>
#include <cmath>

namespace warpscope::sim {
namespace {

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

void addL1(std::map<std::string, double>& to, const std::string& op, const L1Counters& counters) {
  to["l1tex__t_requests_pipe_lsu_mem_" + op + ".sum"] = static_cast<double>(counters.requests);
  to["l1tex__t_sectors_pipe_lsu_mem_" + op + ".sum"] = static_cast<double>(counters.sectors);
}

void addShared(std::map<std::string, double>& to, const std::string& op, const SharedCounters& counters) {
  to["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum"] =
      static_cast<double>(counters.wavefronts);
  to["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum"] =
      static_cast<double>(counters.conflicts);
  to["smsp__inst_executed_op_shared_" + op + ".sum"] = static_cast<double>(counters.requests);
}

}  // namespace

L1Counters& L1Counters::operator+=(const L1Counters& other) {
  requests += other.requests;
  sectors += other.sectors;
  hits += other.hits;
  return *this;
}

SharedCounters& SharedCounters::operator+=(const SharedCounters& other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  conflicts += other.conflicts;
  return *this;
}

SmCounters& SmCounters::operator+=(const SmCounters& other) {
  ptx_instructions += other.ptx_instructions;
  instructions += other.instructions;
  thread_instructions += other.thread_instructions;
  branch_instructions += other.branch_instructions;
  branch_targets += other.branch_targets;
  branch_targets_divergent += other.branch_targets_divergent;
  ptx_branches += other.ptx_branches;
  ptx_branches_divergent += other.ptx_branches_divergent;
  for (size_t i = 0; i < state_cycles.size(); ++i) state_cycles[i] += other.state_cycles[i];
  global_load += other.global_load;
  global_store += other.global_store;
  global_atomic += other.global_atomic;
  global_reduction += other.global_reduction;
  local_load += other.local_load;
  local_store += other.local_store;
  shared_load += other.shared_load;
  shared_store += other.shared_store;
  shared_atomic += other.shared_atomic;
  shuffles += other.shuffles;
  warp_cycles += other.warp_cycles;
  active_cycles += other.active_cycles;
  blocks += other.blocks;
  warps += other.warps;
  return *this;
}

void scaleSums(std::map<std::string, double>& counters, double factor) {
  for (auto& [name, value] : counters) {
    const bool mean = name.find(".avg") != std::string::npos || name.ends_with(".pct") ||
                      name.ends_with(".max") || name.starts_with("gpu__") || name.ends_with(".ratio");
    if (!mean || name == "sm__cycles_active.avg") value = std::round(value * factor);
  }
}

std::map<std::string, double> nsightCounters(const SmCounters& sum, const L2Counters& l2,
                                             const DeviceProfile& profile, uint32_t max_warps_per_sm,
                                             uint64_t cycles) {
  const auto number = [](uint64_t value) { return static_cast<double>(value); };
  std::map<std::string, double> counters;
  counters["ptx.instructions"] = number(sum.ptx_instructions);
  counters["ptx.branches"] = number(sum.ptx_branches);
  counters["ptx.branches_divergent"] = number(sum.ptx_branches_divergent);
  counters["smsp__inst_executed.sum"] = number(sum.instructions);
  counters["smsp__inst_issued.sum"] = number(sum.instructions);
  counters["smsp__thread_inst_executed.sum"] = number(sum.thread_instructions);
  counters["smsp__inst_executed_op_branch.sum"] = number(sum.branch_instructions);
  counters["smsp__sass_branch_targets.sum"] = number(sum.branch_targets);
  counters["smsp__sass_branch_targets_threads_divergent.sum"] = number(sum.branch_targets_divergent);
  counters["smsp__sass_branch_targets_threads_uniform.sum"] =
      number(sum.branch_targets - sum.branch_targets_divergent);
  counters["smsp__warps_launched.sum"] = number(sum.warps);
  counters["sm__ctas_launched.sum"] = number(sum.blocks);

  addL1(counters, "global_op_ld", sum.global_load);
  addL1(counters, "global_op_st", sum.global_store);
  addL1(counters, "global_op_atom", sum.global_atomic);
  addL1(counters, "global_op_red", sum.global_reduction);
  addL1(counters, "local_op_ld", sum.local_load);
  addL1(counters, "local_op_st", sum.local_store);
  L1Counters l1 = sum.global_load;
  for (const L1Counters* part :
       {&sum.global_store, &sum.global_atomic, &sum.global_reduction, &sum.local_load, &sum.local_store}) {
    l1 += *part;
  }
  counters["l1tex__t_sector_hit_rate.pct"] = 100 * ratio(number(l1.hits), number(l1.sectors));
  addShared(counters, "ld", sum.shared_load);
  addShared(counters, "st", sum.shared_store);
  addShared(counters, "atom", sum.shared_atomic);
  // Shuffles go through the same data stage, and Nsight Compute counts their wavefronts in this counter.
  counters["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] = number(
      sum.shared_load.wavefronts + sum.shared_store.wavefronts + sum.shared_atomic.wavefronts + sum.shuffles);

  counters["lts__t_sectors_op_read.sum"] = number(l2.reads);
  counters["lts__t_sectors_op_write.sum"] = number(l2.writes);
  counters["lts__t_sectors_op_atom.sum"] = number(l2.atomics);
  counters["lts__t_sector_hit_rate.pct"] = 100 * ratio(number(l2.hits), number(l2.lookups));
  counters["dram__bytes_read.sum"] = number(l2.dram_read_bytes);
  counters["dram__bytes_write.sum"] = number(l2.dram_write_bytes);

  const double clock_ghz = std::max(profile.sm_clock_mhz, 1U) / 1e3;
  counters["sm__cycles_elapsed.max"] = number(cycles + profile.launch_cycles);
  counters["sm__cycles_active.avg"] = ratio(number(sum.active_cycles), std::max(profile.limits.sm_count, 1U));
  counters["gpu__time_duration.sum"] = number(cycles + profile.launch_cycles) / clock_ghz;
  counters["sm__warps_active.avg.pct_of_peak_sustained_active"] =
      100 * ratio(number(sum.warp_cycles), number(sum.active_cycles) * max_warps_per_sm);
  counters["sm__inst_executed.avg.per_cycle_active"] =
      ratio(number(sum.instructions), number(sum.active_cycles));
  for (size_t i = 0; i < kWarpStates; ++i) {
    const auto state = static_cast<WarpState>(i);
    counters[warpStateCounter(state)] = ratio(number(sum.state_cycles[i]), number(sum.instructions));
  }
  return counters;
}

}  // namespace warpscope::sim
