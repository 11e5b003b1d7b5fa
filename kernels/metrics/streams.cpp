#include "kernels/metrics/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace warpscope {

const char* streamUnitName(StreamUnit unit) {
  switch (unit) {
    case StreamUnit::kCopyToDevice:
      return "HtoD copies";
    case StreamUnit::kCopyToHost:
      return "DtoH copies";
    case StreamUnit::kPeerCopy:
      return "peer copies";
    case StreamUnit::kSms:
      return "SMs";
    case StreamUnit::kHost:
      return "host functions";
    case StreamUnit::kNone:
      break;
  }
  return "";
}

size_t StreamTimes::unitsUsed() const {
  return static_cast<size_t>(
      std::ranges::count_if(busy, [](const BusyUnit& unit) { return unit.busy_ns > 0; }));
}

double StreamTimes::sumNs() const {
  double sum = 0;
  for (const BusyUnit& unit : busy) sum += unit.busy_ns;
  return sum;
}

double StreamTimes::boundNs() const {
  return busiest().busy_ns;
}

const BusyUnit& StreamTimes::busiest() const {
  return *std::ranges::max_element(busy, {}, &BusyUnit::busy_ns);
}

std::string StreamTimes::nameOf(const BusyUnit& unit) const {
  const char* name = streamUnitName(unit.unit);
  return several_gpus ? fmt::format("GPU {}: {}", unit.gpu, name) : name;
}

double StreamTimes::overlap() const {
  const double possible = sumNs() - boundNs();
  return possible > 0 ? (sumNs() - working_ns) / possible : 0;
}

// Walks through the instants at which an operation begins or ends.
StreamTimes streamTimes(const StreamLog& log) {
  StreamTimes times;
  times.total_ns = log.endNs();
  const uint32_t gpus = log.gpus();
  times.several_gpus = gpus > 1;
  for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
    for (const StreamUnit unit : kBusyUnits) times.busy.push_back({unit, gpu});
    if (gpus > 1) times.busy.push_back({StreamUnit::kPeerCopy, gpu});
  }
  struct Change {
    size_t unit = 0;
    int count = 0;
  };
  std::multimap<double, Change> changes;
  for (const StreamOperation& operation : log.operations) {
    const auto unit = std::ranges::find_if(times.busy, [&](const BusyUnit& each) {
      return each.unit == unitOf(operation.kind) && each.gpu == operation.gpu;
    });
    if (unit == times.busy.end() || operation.skipped || !(operation.begin_ns < operation.end_ns)) continue;
    const auto index = static_cast<size_t>(unit - times.busy.begin());
    changes.insert({operation.begin_ns, {index, 1}});
    changes.insert({operation.end_ns, {index, -1}});
  }
  std::vector<int> open(times.busy.size());
  double since = 0;
  for (auto at = changes.begin(); at != changes.end();) {
    const double ns = at->first;
    const auto busy = std::ranges::count_if(open, [](int count) { return count > 0; });
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i] > 0) times.busy[i].busy_ns += ns - since;
    }
    for (; at != changes.end() && at->first == ns; ++at) open[at->second.unit] += at->second.count;
    if (busy > 0) times.working_ns += ns - since;
    times.most_at_once = std::max(times.most_at_once, static_cast<double>(busy));
    since = ns;
  }
  return times;
}

NodeTimes nodeTimes(const StreamLog& log, uint32_t graph) {
  double begin_ns = std::numeric_limits<double>::max(), end_ns = 0, skipped_ns = 0;
  uint32_t executed = 0;
  for (const StreamOperation& operation : log.operations) {
    if (operation.graph != graph || operation.kind != OperationKind::kLaunch) continue;
    if (operation.skipped) {
      skipped_ns += operation.end_ns - operation.begin_ns;
      continue;
    }
    begin_ns = std::min(begin_ns, operation.begin_ns);
    end_ns = std::max(end_ns, operation.end_ns);
    ++executed;
  }
  const uint32_t skipped = log.skippedOf(graph);
  return {executed == 0 ? 0 : (end_ns - begin_ns) / executed, skipped == 0 ? 0 : skipped_ns / skipped};
}

}  // namespace warpscope
