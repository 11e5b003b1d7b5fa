#include "kernels/backend/cuda/streams/running_gpu.h"

#include <cmath>

namespace warpscope::cuda {
namespace {

std::vector<ClockSample> stampsBetween(std::vector<ClockSample> stamps, const Intervals& outer) {
  for (size_t i = 0; i < stamps.size(); ++i) {
    stamps[i].outer_begin_ns = outer[i].begin_ns;
    stamps[i].outer_end_ns = outer[i].end_ns;
  }
  return stamps;
}

std::vector<ClockSample> stampsBetween(const std::vector<ClockSample>& stamps,
                                       const std::vector<Activity>& activity) {
  Intervals outer;
  for (const Activity& each : activity) outer.push_back({each.begin_ns, each.end_ns});
  return stampsBetween(stamps, outer);
}

}  // namespace

int64_t RunningGpu::step() const {
  std::vector<ClockSample> all;
  for (const auto* samples : {&host_before, &stamps_before, &stamps_after, &host_after})
    all.insert(all.end(), samples->begin(), samples->end());
  return timerStepNs(all);
}

ClockRelation RunningGpu::ofActivity() const {
  return {stampsBetween(stamps_before, activity_before), stampsBetween(stamps_after, activity_after), step()};
}

Expected<ClockRelation> RunningGpu::ofEvents() const {
  const auto before = between(stamps_before, pairs_before);
  const auto after = before ? between(stamps_after, pairs_after) : before;
  if (!after) return tl::unexpected(after.error());
  return ClockRelation(*before, *after, step());
}

Expected<Interval> RunningGpu::timeOf(const EventPair& pair) const {
  const auto begin = timeOf(pair.before);
  const auto end = begin ? timeOf(pair.after) : begin;
  if (!end) return tl::unexpected(end.error());
  return Interval{*begin, *end};
}

Expected<int64_t> RunningGpu::timeOf(Event event) const {
  float ms = 0;
  auto read = session->enter().and_then([&] {
    return session->check(session->api().eventElapsedTime(&ms, pairs_before.front().before, event),
                          "reading a timing event");
  });
  if (!read) return tl::unexpected(read.error());
  return std::llround(double{ms} * 1e6);
}

Expected<std::vector<ClockSample>> RunningGpu::between(const std::vector<ClockSample>& stamps,
                                                       const std::vector<EventPair>& pairs) const {
  Intervals outer;
  for (const EventPair& pair : pairs) {
    const auto read = timeOf(pair);
    if (!read) return tl::unexpected(read.error());
    outer.push_back(*read);
  }
  return stampsBetween(stamps, outer);
}

}  // namespace warpscope::cuda
