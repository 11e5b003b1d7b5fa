#include "kernels/metrics/streams.h"

#include <algorithm>
#include <map>

namespace warpscope {

const char* streamUnitName(StreamUnit unit) {
  switch (unit) {
    case StreamUnit::kCopyToDevice:
      return "HtoD copies";
    case StreamUnit::kCopyToHost:
      return "DtoH copies";
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
  return static_cast<size_t>(std::ranges::count_if(busy_ns, [](double busy) { return busy > 0; }));
}

double StreamTimes::sumNs() const {
  double sum = 0;
  for (const double busy : busy_ns) sum += busy;
  return sum;
}

double StreamTimes::boundNs() const {
  return *std::ranges::max_element(busy_ns);
}

StreamUnit StreamTimes::busiest() const {
  return kBusyUnits[static_cast<size_t>(std::ranges::max_element(busy_ns) - busy_ns.begin())];
}

double StreamTimes::overlap() const {
  const double possible = sumNs() - boundNs();
  return possible > 0 ? (sumNs() - working_ns) / possible : 0;
}

// Walks through the instants at which an operation begins or ends.
StreamTimes streamTimes(const StreamLog& log) {
  using Counts = std::array<int, kBusyUnits.size()>;
  std::map<double, Counts> changes;
  StreamTimes times;
  times.total_ns = log.endNs();
  for (const StreamOperation& operation : log.operations) {
    const auto unit = std::ranges::find(kBusyUnits, unitOf(operation.kind));
    if (unit == kBusyUnits.end() || !(operation.begin_ns < operation.end_ns)) continue;
    const auto index = static_cast<size_t>(unit - kBusyUnits.begin());
    ++changes[operation.begin_ns][index];
    --changes[operation.end_ns][index];
  }
  Counts open{};
  double since = 0;
  for (const auto& [ns, change] : changes) {
    const auto busy = std::ranges::count_if(open, [](int count) { return count > 0; });
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i] > 0) times.busy_ns[i] += ns - since;
      open[i] += change[i];
    }
    if (busy > 0) times.working_ns += ns - since;
    times.most_at_once = std::max(times.most_at_once, static_cast<double>(busy));
    since = ns;
  }
  return times;
}

}  // namespace warpscope
