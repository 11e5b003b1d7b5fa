#include "kernels/metrics/operation_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"
#include "kernels/metrics/streams.h"

namespace warpscope {
namespace {

std::string us(double ns) {
  return formatUs(ns / 1e3, 3);
}

// What the nodes of a graph took the GPU.
std::string nodesNote(const StreamLog& log, uint32_t graph) {
  const NodeTimes times = nodeTimes(log, graph);
  const uint32_t skipped = log.skippedOf(graph);
  std::string note = fmt::format("{} a node", us(times.executed_ns));
  if (skipped > 0) note += fmt::format("; {} of them were skipped", skipped);
  if (times.skipped_ns > 0) note += fmt::format(", {} each", us(times.skipped_ns));
  return note;
}

void addGraphs(const StreamLog& log, std::vector<std::string>& notes) {
  for (uint32_t i = 0; i < log.graphs.size(); ++i) {
    const StreamGraph& graph = log.graphs[i];
    notes.push_back(fmt::format("{}, {}: one call launches {} nodes on {}; made in {} before", graph.name,
                                graphMakingName(graph.making), log.nodesOf(i), log.streams[graph.stream].name,
                                us(graph.make_ns)));
    notes.push_back(nodesNote(log, i));
  }
}

// Which pages moved because of the page faults of each operation.
void addMigrations(const StreamLog& log, std::vector<std::string>& notes) {
  for (uint32_t i = 0; i < log.operations.size(); ++i) {
    uint64_t bytes = 0, faults = 0, batches = 0;
    double ns = 0;
    bool to_device = true;
    for (const PageMigration& migration : log.migrations) {
      if (migration.operation != i) continue;
      bytes += migration.bytes;
      faults += migration.faults;
      ++batches;
      ns += migration.end_ns - migration.begin_ns;
      to_device = migration.to_device;
    }
    if (batches == 0) continue;
    notes.push_back(fmt::format("{}, {}: {} pages move to the {} in {} steps, after faults of {} pages; {}",
                                log.operations[i].name, operationKindName(log.operations[i].kind),
                                managedPages(bytes), to_device ? "device" : "host", batches, faults, us(ns)));
  }
}

void addBusy(const StreamLog& log, std::vector<std::string>& notes) {
  const StreamTimes times = streamTimes(log);
  std::string busy;
  for (const BusyUnit& unit : times.busy) {
    if (times.several_gpus && unit.busy_ns == 0) continue;
    busy += fmt::format("{}{} {}", busy.empty() ? "" : ", ", times.nameOf(unit), us(unit.busy_ns));
  }
  notes.push_back(fmt::format("{} in all; busy: {}", us(times.total_ns), busy));
  if (times.unitsUsed() < 2) return;
  notes.push_back(
      fmt::format("no order of these operations takes less than {} ({}); {:.0f} % of what can overlap does",
                  us(times.boundNs()), times.nameOf(times.busiest()), std::max(0.0, 100 * times.overlap())));
}

void addClock(const StreamLog& log, std::vector<std::string>& notes) {
  const StreamTiming& timing = log.timing;
  if (timing.clock == StreamClock::kModel) return;
  const std::string gpus =
      log.gpus() > 1 ? fmt::format("; GPU 1 against GPU 0 to {}", us(timing.gpu_uncertainty_ns)) : "";
  notes.push_back(fmt::format("timed by {}, certain to {}; the host's calls to {}{}{}{}",
                              streamClockName(timing.clock), us(timing.uncertainty_ns),
                              us(timing.host_uncertainty_ns), gpus, timing.problem.empty() ? "" : "; ",
                              timing.problem));
}

}  // namespace

std::string operationReason(const StreamLog& log, const StreamOperation& operation) {
  std::string reason = log.waitText(operation);
  if (reason.empty() && operation.graph) return fmt::format("{}: launch", log.graphs[*operation.graph].name);
  return reason;
}

std::vector<std::string> operationNotes(const StreamLog& log) {
  std::vector<std::string> notes;
  addGraphs(log, notes);
  addMigrations(log, notes);
  addBusy(log, notes);
  addClock(log, notes);
  return notes;
}

}  // namespace warpscope
