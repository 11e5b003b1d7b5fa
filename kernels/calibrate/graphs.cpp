// Measures what graphs cost: the host's calls that make and launch them, and the gap between nodes.
#include <algorithm>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint32_t kFew = 4, kMany = 64;  // nodes: differences of the two are what a node costs

// Two graphs, chains of empty launches; the first `kFew` operations are the first one's.
StreamWork chains(const LaunchSpec& empty) {
  StreamWork work{.streams = {{.name = "stream 1"}}};
  for (const uint32_t nodes : {kFew, kMany}) {
    const auto graph = static_cast<uint32_t>(work.graphs.size());
    work.graphs.push_back(
        {.name = fmt::format("graph of {} nodes", nodes), .making = GraphMaking::kExplicit});
    for (uint32_t i = 0; i < nodes; ++i) {
      const auto index = static_cast<uint32_t>(work.operations.size());
      work.operations.push_back({.launch = empty, .graph = graph});
      if (i > 0) work.operations.back().nodes = {index - 1};
    }
  }
  return work;
}

struct Costs {
  std::vector<double> launch, node, make, gap;  // a value from every repeat

  // Without CUPTI, which is in the way of each call.
  void takeCalls(const StreamReport& report) {
    const auto call = [&](uint32_t operation) {
      return report.operations[operation].enqueued_ns - report.operations[operation].enqueue_ns;
    };
    const double more = kMany - kFew;
    node.push_back(std::max(0.0, (call(kFew) - call(0)) / more));
    launch.push_back(std::max(0.0, call(0) - kFew * node.back()));
    make.push_back(std::max(0.0, (report.graph_make_ns[1] - report.graph_make_ns[0]) / more));
  }
  void takeGaps(const StreamReport& report) {
    double sum = 0;
    for (uint32_t i = kFew + 1; i < kFew + kMany; ++i)
      sum += report.operations[i].begin_ns - report.operations[i - 1].end_ns;
    gap.push_back(std::max(0.0, sum / (kMany - 1)));
  }
};

}  // namespace

Expected<void> measureGraphs(Bench& bench, Results& results) {
  const auto empty = bench.spec("empty", {}, {});
  if (!empty) return tl::unexpected(empty.error());
  StreamWork work = chains(*empty);
  Costs costs;
  // The first one raises clocks and loads the kernel.
  for (uint32_t i = 0; i <= bench.repeats(); ++i) {
    if (bench.stop().stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
    work.clocks = StreamWork::Clocks::kEvents;
    const auto calls = bench.backend().runStreams(work, bench.stop());
    if (!calls && calls.error().kind == ErrorKind::kBadRequest) {
      results.note("graphs keep the values of the nearest profile: " + calls.error().message);
      return {};
    }
    work.clocks = StreamWork::Clocks::kBest;
    const auto gaps = calls ? bench.backend().runStreams(work, bench.stop()) : calls;
    if (!gaps) return tl::unexpected(gaps.error());
    if (i == 0) continue;
    costs.takeCalls(*calls);
    // Timing events tell the time of a whole graph only.
    if (gaps->timing.clock != StreamClock::kEvents) costs.takeGaps(*gaps);
  }
  auto done = results.add(summary("the call that launches a graph, less its nodes", "ns", costs.launch),
                          "graph_launch_ns");
  if (done)
    done = results.add(summary("what the call takes more for each node", "ns", costs.node),
                       "graph_launch_node_ns");
  if (done)
    done = results.add(summary("making a graph, for each node", "ns", costs.make), "graph_make_node_ns");
  if (!done) return done;
  if (costs.gap.empty()) {
    results.note(
        "graph_latency_ns keeps the value of the nearest profile: only CUPTI tells when the nodes of "
        "a graph ran");
    return {};
  }
  return results.add(summary("from a node's end to the begin of the next", "ns", costs.gap),
                     "graph_latency_ns");
}

}  // namespace warpscope::calibration
