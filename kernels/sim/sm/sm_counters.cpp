#include "kernels/sim/sm/sm_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace warpscope::sim {
namespace {

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

// `path`: the pipe, the memory and the operation.
void addL1(std::map<std::string, double>& to, std::string_view path, const L1Counters& counters) {
  to[fmt::format("l1tex__t_requests_pipe_{}.sum", path)] = static_cast<double>(counters.requests);
  to[fmt::format("l1tex__t_sectors_pipe_{}.sum", path)] = static_cast<double>(counters.sectors);
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

namespace {

// each(count of `to`, of `a`, of `b`), for every count.
template <class Each>
void forEachCount(L1Counters& to, const L1Counters& a, const L1Counters& b, const Each& each) {
  each(to.requests, a.requests, b.requests);
  each(to.sectors, a.sectors, b.sectors);
  each(to.hits, a.hits, b.hits);
}
template <class Each>
void forEachCount(SharedCounters& to, const SharedCounters& a, const SharedCounters& b, const Each& each) {
  each(to.requests, a.requests, b.requests);
  each(to.wavefronts, a.wavefronts, b.wavefronts);
  each(to.conflicts, a.conflicts, b.conflicts);
}
template <class Each>
void forEachCount(L2Counters& to, const L2Counters& a, const L2Counters& b, const Each& each) {
  for (const auto count : {&L2Counters::reads, &L2Counters::writes, &L2Counters::atomics,
                           &L2Counters::reductions, &L2Counters::lookups, &L2Counters::hits,
                           &L2Counters::dram_read_bytes, &L2Counters::dram_write_bytes}) {
    each(to.*count, a.*count, b.*count);
  }
}
// What does not depend on when a block runs.
template <class Each>
void forEachCountOfWork(SmCounters& to, const SmCounters& a, const SmCounters& b, const Each& each) {
  using C = SmCounters;
  for (const auto count :
       {&C::ptx_instructions, &C::instructions, &C::thread_instructions, &C::branch_instructions,
        &C::branch_targets, &C::branch_targets_divergent, &C::ptx_branches, &C::ptx_branches_divergent,
        &C::other_wavefronts, &C::blocks, &C::warps}) {
    each(to.*count, a.*count, b.*count);
  }
  for (const auto part :
       {&C::global_load, &C::global_store, &C::global_atomic, &C::global_reduction, &C::local_load,
        &C::local_store, &C::texture_load, &C::surface_load, &C::surface_store}) {
    forEachCount(to.*part, a.*part, b.*part, each);
  }
  for (const auto part : {&C::shared_load, &C::shared_store, &C::shared_atomic})
    forEachCount(to.*part, a.*part, b.*part, each);
  for (size_t i = 0; i < kPipeCount; ++i) each(to.pipe_ticks[i], a.pipe_ticks[i], b.pipe_ticks[i]);
}
template <class Each>
void forEachCountOfCycles(SmCounters& to, const SmCounters& a, const SmCounters& b, const Each& each) {
  each(to.warp_cycles, a.warp_cycles, b.warp_cycles);
  each(to.active_cycles, a.active_cycles, b.active_cycles);
  for (size_t i = 0; i < to.state_cycles.size(); ++i)
    each(to.state_cycles[i], a.state_cycles[i], b.state_cycles[i]);
}

auto addGrowth(double times) {
  return [times](uint64_t& count, uint64_t before, uint64_t after) {
    count += static_cast<uint64_t>(std::llround(static_cast<double>(after - before) * times));
  };
}

}  // namespace

double SmCounters::busiestCycles() const {
  const uint64_t ticks = *std::ranges::max_element(pipe_ticks);
  return std::max(static_cast<double>(instructions), static_cast<double>(ticks) / kPipeTicks);
}

SmCounters& SmCounters::operator+=(const SmCounters& other) {
  const auto add = [](uint64_t& count, uint64_t more, uint64_t) { count += more; };
  forEachCountOfWork(*this, other, other, add);
  forEachCountOfCycles(*this, other, other, add);
  return *this;
}

void SmCounters::extrapolateWork(const SmCounters& from, const SmCounters& until, double times) {
  forEachCountOfWork(*this, from, until, addGrowth(times));
}

void SmCounters::extrapolateCycles(const SmCounters& from, const SmCounters& until, double times) {
  forEachCountOfCycles(*this, from, until, addGrowth(times));
}

void SmCounters::scaleWork(double factor) {
  forEachCountOfWork(*this, *this, *this, [factor](uint64_t& count, uint64_t, uint64_t) {
    count = static_cast<uint64_t>(std::llround(static_cast<double>(count) * factor));
  });
}

void extrapolate(L2Counters& counters, const L2Counters& from, const L2Counters& until, double times) {
  forEachCount(counters, from, until, addGrowth(times));
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

  const std::pair<std::string_view, L1Counters> parts[] = {
      {"lsu_mem_global_op_ld", sum.global_load},     {"lsu_mem_global_op_st", sum.global_store},
      {"lsu_mem_global_op_atom", sum.global_atomic}, {"lsu_mem_global_op_red", sum.global_reduction},
      {"lsu_mem_local_op_ld", sum.local_load},       {"lsu_mem_local_op_st", sum.local_store},
      {"tex_mem_texture", sum.texture_load},         {"tex_mem_surface_op_ld", sum.surface_load},
      {"tex_mem_surface_op_st", sum.surface_store}};
  L1Counters l1;
  const bool images = sum.texture_load.requests + sum.surface_load.requests + sum.surface_store.requests > 0;
  for (const auto& [path, part] : parts) {
    if (images || path.starts_with("lsu")) addL1(counters, path, part);
    l1 += part;
  }
  counters["l1tex__t_sector_hit_rate.pct"] = 100 * ratio(number(l1.hits), number(l1.sectors));
  addShared(counters, "ld", sum.shared_load);
  addShared(counters, "st", sum.shared_store);
  addShared(counters, "atom", sum.shared_atomic);
  // Shuffles go through the same data stage, and Nsight Compute counts their wavefronts in this counter.
  counters["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] =
      number(sum.shared_load.wavefronts + sum.shared_store.wavefronts + sum.shared_atomic.wavefronts +
             sum.other_wavefronts);

  counters["lts__t_sectors_op_read.sum"] = number(l2.reads);
  counters["lts__t_sectors_op_write.sum"] = number(l2.writes);
  counters["lts__t_sectors_op_atom.sum"] = number(l2.atomics);
  counters["lts__t_sectors_op_red.sum"] = number(l2.reductions);
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
