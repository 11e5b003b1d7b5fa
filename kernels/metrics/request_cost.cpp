#include "kernels/metrics/request_cost.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace warpscope {
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
