// Measures what conditional nodes of graphs take the GPU: chains of IF nodes that are executed, of such that
// are skipped, and of nodes without a condition. Each chain is behind a launch that is longer than the call
// of the host that launches the graph, so that timing events before and behind the graph have no call between
// them. What a kernel takes to set a condition counts as part of the conditional node.
#include <algorithm>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint32_t kShortChain = 4, kLongChain = 64;  // nodes: differences of the two are what a node takes
constexpr uint32_t kBusyRounds = 10'000;              // of 64 cycles: more than 200 us

enum Kind : size_t { kPlain, kExecuted, kSkipped, kKinds };

class Chains {
 public:
  static Expected<Chains> create(Bench& bench) {
    auto room = bench.allocate(sizeof(uint64_t) * kRoom);
    if (!room) return tl::unexpected(room.error());
    const auto address = room->address();
    auto busy =
        bench.spec("clock_rate", {},
                   arguments(address, address + kRoom / 2 * sizeof(uint64_t), kBusyRounds, uint32_t{0}));
    if (!busy) return tl::unexpected(busy.error());
    Chains chains(bench, std::move(*room), std::move(*busy));
    for (const uint32_t value : {0U, 1U}) {
      auto decide = bench.spec("decide", {}, arguments(value, uint64_t{0}), "calibration_conditional");
      if (!decide) return tl::unexpected(decide.error());
      chains.decide_[value] = std::move(*decide);
    }
    return chains;
  }

  // Nanoseconds that one more node adds to a chain of this kind.
  Expected<double> nodeNs(Kind kind) {
    auto few = graphNs(kind, kShortChain);
    if (!few) return few;
    auto many = graphNs(kind, kLongChain);
    if (!many) return many;
    return (*many - *few) / (kLongChain - kShortChain);
  }

 private:
  static constexpr size_t kRoom = 64;  // words: what `busy` writes
  Chains(Bench& bench, Buffer room, LaunchSpec busy)
      : bench_(&bench), room_(std::move(room)), busy_(std::move(busy)) {}

  Expected<double> graphNs(Kind kind, uint32_t nodes) {
    StreamWork work{.streams = {{.name = "stream 1"}}, .operations = {{.launch = busy_}}};
    work.graphs = {{.name = fmt::format("graph of {} nodes", nodes), .making = GraphMaking::kExplicit}};
    work.clocks = StreamWork::Clocks::kEvents;
    for (uint32_t i = 1; i <= nodes; ++i) {
      work.operations.push_back({.launch = decide_[kind == kExecuted ? 1 : 0], .graph = 0});
      if (i == 1) continue;
      work.operations.back().nodes = {i - 1};
      if (kind != kPlain) work.operations.back().only_if = i - 1;
    }
    return bench_->backend().runStreams(work, bench_->stop()).map([](const StreamReport& report) {
      return report.operations.back().end_ns - report.operations[1].begin_ns;
    });
  }

  Bench* bench_;
  Buffer room_;
  LaunchSpec busy_, decide_[2];
};

}  // namespace

Expected<void> measureConditions(Bench& bench, Results& results) {
  constexpr const char* kKept =
      "graph_condition_ns and graph_skip_ns keep the values of the nearest profile: ";
  const DeviceLimits& limits = bench.device().limits;
  if (!limits.conditional_nodes || !limits.device_runtime) {
    results.note(std::string(kKept) + (limits.conditional_nodes
                                           ? "libcudadevrt.a of the CUDA toolkit was not found"
                                           : "the driver has no conditional nodes"));
    return {};
  }
  auto chains = Chains::create(bench);
  if (!chains) return tl::unexpected(chains.error());
  std::vector<double> condition, skip;
  // The first one raises clocks and loads the kernels.
  for (uint32_t i = 0; i <= bench.repeats(); ++i) {
    if (bench.stop().stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
    double node_ns[kKinds] = {};
    for (const Kind kind : {kPlain, kExecuted, kSkipped}) {
      const auto measured = chains->nodeNs(kind);
      if (!measured) return tl::unexpected(measured.error());
      node_ns[kind] = *measured;
    }
    if (i == 0) continue;
    condition.push_back(std::max(0.0, node_ns[kExecuted] - node_ns[kPlain]));
    skip.push_back(std::max(0.0, node_ns[kSkipped]));
  }
  auto done = results.add(summary("what a conditional node takes more than another one", "ns", condition),
                          "graph_condition_ns");
  if (done) done = results.add(summary("a conditional node that is skipped", "ns", skip), "graph_skip_ns");
  return done;
}

}  // namespace warpscope::calibration
