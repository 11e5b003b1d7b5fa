#include "kernels/metrics/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/run/warp_state.h"

namespace warpscope {
namespace {

// Meanings: "Nsight Compute Profiling Guide", Metrics Reference; units as that program shows them. nvprof's
// names: "Nsight Compute CLI", nvprof Metric Comparison.
constexpr std::array<CounterText, 61> kCounters{{
    {"gpu__time_duration.sum", "time of the launch, its start included", "ns", "Launch"},
    {"sm__cycles_elapsed.max", "cycles of the launch, its start included", "cycles", "Launch"},
    {"sm__cycles_active.avg", "mean active cycles of an SM", "cycles", "Launch"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy", "%", "Launch",
     "achieved_occupancy"},
    {"sm__ctas_launched.sum", "blocks", "blocks", "Launch"},
    {"smsp__warps_launched.sum", "warps", "warps", "Launch"},
    {"model.simulated_sms", "simulated SMs, for all", "SMs", "Launch"},

    {"smsp__inst_executed.sum", "executed", "instructions", "Instructions", "inst_executed"},
    {"smsp__inst_issued.sum", "issued", "instructions", "Instructions", "inst_issued"},
    {"smsp__thread_inst_executed.sum", "by threads", "instructions", "Instructions"},
    {"sm__inst_executed.avg.per_cycle_active", "executed a cycle (IPC)", "per cycle", "Instructions", "ipc"},
    {"ptx.instructions", "of PTX", "instructions", "Instructions"},

    {"smsp__inst_executed_op_branch.sum", "branch instructions", "instructions", "Branches"},
    {"smsp__sass_branch_targets.sum", "branch targets", "targets", "Branches"},
    {"smsp__sass_branch_targets_threads_uniform.sum", "uniform targets", "targets", "Branches"},
    {"smsp__sass_branch_targets_threads_divergent.sum", "divergent targets", "targets", "Branches"},
    {"smsp__sass_average_branch_targets_threads_uniform.pct", "branch efficiency", "%", "Branches",
     "branch_efficiency"},
    {"ptx.branches", "conditional branches of PTX", "branches", "Branches"},
    {"ptx.branches_divergent", "of those, divergent", "branches", "Branches"},

    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "load requests", "requests", "Global memory",
     "global_load_requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "load sectors", "sectors", "Global memory",
     "gld_transactions"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "store requests", "requests", "Global memory",
     "global_store_requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "store sectors", "sectors", "Global memory",
     "gst_transactions"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "atomic requests", "requests", "Global memory"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "atomic sectors", "sectors", "Global memory"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "reduction requests", "requests", "Global memory"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "reduction sectors", "sectors", "Global memory"},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "load efficiency", "%", "Global memory",
     "gld_efficiency"},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "store efficiency", "%",
     "Global memory", "gst_efficiency"},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second", "load throughput", "B/s", "Global memory",
     "gld_throughput"},
    {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second", "store throughput", "B/s", "Global memory",
     "gst_throughput"},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "local load requests", "requests", "Local memory"},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local load sectors", "sectors", "Local memory",
     "local_load_transactions"},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "local store requests", "requests", "Local memory"},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local store sectors", "sectors", "Local memory",
     "local_store_transactions"},

    {"l1tex__t_requests_pipe_tex_mem_texture.sum", "texture requests", "requests", "Textures and surfaces"},
    {"l1tex__t_sectors_pipe_tex_mem_texture.sum", "texture sectors", "sectors", "Textures and surfaces"},
    {"l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "surface load requests", "requests",
     "Textures and surfaces"},
    {"l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", "surface load sectors", "sectors",
     "Textures and surfaces"},
    {"l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "surface store requests", "requests",
     "Textures and surfaces"},
    {"l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", "surface store sectors", "sectors",
     "Textures and surfaces"},

    {"smsp__inst_executed_op_shared_ld.sum", "load instructions", "instructions", "Shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "load wavefronts", "wavefronts", "Shared memory",
     "shared_load_transactions"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "load bank conflicts", "conflicts",
     "Shared memory"},
    {"smsp__inst_executed_op_shared_st.sum", "store instructions", "instructions", "Shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "store wavefronts", "wavefronts",
     "Shared memory", "shared_store_transactions"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "store bank conflicts", "conflicts",
     "Shared memory"},
    {"smsp__inst_executed_op_shared_atom.sum", "atomic instructions", "instructions", "Shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "atomic wavefronts", "wavefronts",
     "Shared memory"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "atomic bank conflicts", "conflicts",
     "Shared memory"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "all wavefronts", "wavefronts", "Shared memory"},

    {"l1tex__t_sector_hit_rate.pct", "L1 hit rate", "%", "Caches and DRAM", "tex_cache_hit_rate"},
    {"lts__t_sector_hit_rate.pct", "L2 hit rate", "%", "Caches and DRAM", "l2_tex_hit_rate"},
    {"lts__t_sectors_op_read.sum", "L2 sectors read", "sectors", "Caches and DRAM", "l2_read_transactions"},
    {"lts__t_sectors_op_write.sum", "L2 sectors written", "sectors", "Caches and DRAM",
     "l2_write_transactions"},
    {"lts__t_sectors_op_atom.sum", "L2 sectors of atomics", "sectors", "Caches and DRAM"},
    {"lts__t_sectors_op_red.sum", "L2 sectors of reductions", "sectors", "Caches and DRAM"},
    {"dram__bytes_read.sum", "DRAM read", "B", "Caches and DRAM", "dram_read_bytes"},
    {"dram__bytes_write.sum", "DRAM written", "B", "Caches and DRAM", "dram_write_bytes"},
    {"dram__bytes_read.sum.per_second", "DRAM read throughput", "B/s", "Caches and DRAM",
     "dram_read_throughput"},
    {"dram__bytes_write.sum.per_second", "DRAM write throughput", "B/s", "Caches and DRAM",
     "dram_write_throughput"},
}};

}  // namespace

std::span<const CounterText> counterTexts() {
  return kCounters;
}

std::vector<std::string> usualCounters() {
  std::vector<std::string> names;
  for (const CounterText& text : kCounters) {
    if (!text.name.starts_with("ptx.") && !text.name.starts_with("model.")) names.emplace_back(text.name);
  }
  for (size_t i = 0; i < kWarpStates; ++i) names.push_back(warpStateCounter(static_cast<WarpState>(i)));
  return names;
}

bool countsImages(std::string_view name) {
  return name.find("_pipe_tex_") != std::string_view::npos ||
         name == warpStateCounter(WarpState::kTexThrottle);
}

bool countsLocalMemory(std::string_view name) {
  return name.find("_mem_local_") != std::string_view::npos;
}

const CounterText* findCounterText(std::string_view name) {
  const auto found = std::find_if(kCounters.begin(), kCounters.end(),
                                  [name](const CounterText& text) { return text.name == name; });
  return found == kCounters.end() ? nullptr : &*found;
}

std::string formatCounter(double value, std::string_view unit) {
  if (unit == "%") return formatSignificant(value, 3) + " %";
  if (unit == "ns") return formatNs(value);
  if (unit == "B/s") return formatSi(value, unit);
  if (unit == "B" && value >= 0 && value < 0x1p60) return formatBytes(static_cast<uint64_t>(value));
  const bool whole = value == std::floor(value) && std::abs(value) < 1e6;
  std::string number = whole                    ? formatCount(static_cast<int64_t>(value))
                       : std::abs(value) >= 1e6 ? formatSi(value, "")
                                                : formatSignificant(value);
  if (unit.empty()) return number;
  return number + " " + std::string(unit);
}

namespace {

constexpr std::initializer_list<AccessKind> kKinds{AccessKind::kLoad, AccessKind::kStore,
                                                   AccessKind::kAtomic};

const char* sharedSuffix(AccessKind kind) {
  return kind == AccessKind::kLoad ? "ld" : kind == AccessKind::kStore ? "st" : "atom";
}

std::vector<const char*> globalSuffixes(AccessKind kind) {
  if (kind == AccessKind::kLoad) return {"ld"};
  if (kind == AccessKind::kStore) return {"st"};
  return {"atom", "red"};
}

// nullopt if any of them is not counted.
std::optional<double> sumOf(const Run& run, const std::vector<std::string>& names) {
  double sum = 0;
  for (const std::string& name : names) {
    const auto value = counterOf(run, name);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<double> per(const Run& run, const std::vector<std::string>& costs,
                          const std::vector<std::string>& requests) {
  const auto cost = sumOf(run, costs), count = sumOf(run, requests);
  if (!cost || !count || *count == 0) return std::nullopt;
  return *cost / *count;
}

void addGlobal(std::vector<std::string>& names, const char* what, AccessKind kind) {
  for (const char* suffix : globalSuffixes(kind)) {
    names.push_back(fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", what, suffix));
  }
}

std::string sharedRequests(AccessKind kind) {
  return fmt::format("smsp__inst_executed_op_shared_{}.sum", sharedSuffix(kind));
}

std::string sharedWavefrontsName(AccessKind kind) {
  return fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", sharedSuffix(kind));
}

std::string sharedConflicts(AccessKind kind) {
  return fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", sharedSuffix(kind));
}

}  // namespace

std::optional<double> counterOf(const Run& run, std::string_view name) {
  const auto counter = run.counters.find(std::string(name));
  return counter == run.counters.end() ? std::nullopt : std::optional(counter->second);
}

const char* accessKindName(AccessKind kind) {
  return kind == AccessKind::kLoad ? "load" : kind == AccessKind::kStore ? "store" : "atomic";
}

std::optional<double> wavefrontsPerRequest(const Run& run, AccessKind kind) {
  return per(run, {sharedWavefrontsName(kind)}, {sharedRequests(kind)});
}

std::optional<double> sharedWavefronts(const Run& run, AccessKind kind) {
  return counterOf(run, sharedWavefrontsName(kind));
}

std::optional<double> bankConflictsPerRequest(const Run& run, AccessKind kind) {
  return per(run, {sharedConflicts(kind)}, {sharedRequests(kind)});
}

std::optional<double> bankConflictsPerRequest(const Run& run) {
  std::vector<std::string> conflicts, requests;
  for (const AccessKind kind : kKinds) {
    conflicts.push_back(sharedConflicts(kind));
    requests.push_back(sharedRequests(kind));
  }
  return per(run, conflicts, requests);
}

std::optional<double> sectorsPerRequest(const Run& run, AccessKind kind) {
  std::vector<std::string> sectors, requests;
  addGlobal(sectors, "sectors", kind);
  addGlobal(requests, "requests", kind);
  return per(run, sectors, requests);
}

std::optional<double> sectorsPerRequest(const Run& run) {
  std::vector<std::string> sectors, requests;
  for (const AccessKind kind : kKinds) {
    addGlobal(sectors, "sectors", kind);
    addGlobal(requests, "requests", kind);
  }
  return per(run, sectors, requests);
}

std::optional<double> globalSectors(const Run& run, AccessKind kind) {
  std::vector<std::string> sectors;
  addGlobal(sectors, "sectors", kind);
  return sumOf(run, sectors);
}

}  // namespace warpscope
