#include "kernels/backend/cuda/streams/stream_runner.h"

#include <algorithm>
#include <utility>

#include "kernels/backend/cuda/streams/operation_clocks.h"
#include "kernels/backend/cuda/streams/running_gpu.h"
#include "kernels/backend/cuda/streams/stream_set.h"
#include "kernels/backend/stream_allocations.h"
#include "kernels/backend/stream_graphs.h"

namespace warpscope::cuda {
namespace {

std::vector<Session*> sessionsOf(const std::vector<RunningGpu>& gpus) {
  std::vector<Session*> sessions;
  sessions.reserve(gpus.size());
  for (const RunningGpu& gpu : gpus) sessions.push_back(gpu.session);
  return sessions;
}

// One run. Enqueues, waits, and puts all times on one axis.
class StreamRun {
 public:
  StreamRun(std::vector<RunningGpu> gpus, ManagedMemory& managed, const StreamRunner::Launch& launch,
            const GraphSet::AddNode& add_node, const StreamWork& work)
      : gpus_(std::move(gpus)),
        session_(*gpus_.front().session),
        add_node_(add_node),
        work_(work),
        advice_(managed, session_),
        graphs_(session_),
        set_(sessionsOf(gpus_)),
        clocks_(work, gpus_, set_),
        operations_(work, gpus_, set_, managed, launch),
        calls_(work.operations.size()) {}

  Expected<StreamReport> run(PinnedBuffers& pinned, const std::stop_token& stop) {
    auto done = session_.synchronize("waiting for earlier work")
                    .and_then([&] { return set_.create(work_.streams); })
                    .and_then([&] { return set_.pin(work_.pinned, pinned); })
                    .and_then([&] { return advice_.give(work_.managed); })
                    .and_then([&]() -> Expected<void> {
                      set_.manage(work_.managed);
                      return {};
                    })
                    .and_then([&] { return createEvents(); })
                    .and_then([&] { return keepPools(); })
                    .and_then([&] { return clocks_.askHost(&RunningGpu::host_before); })
                    .and_then([&] { return clocks_.choose(); })
                    .and_then([&] { return makeGraphs(); })
                    .and_then([&] { return clocks_.wakeStreams(); })
                    .and_then([&] { return enqueueAll(stop); })
                    .and_then([&] { return clocks_.stampEnds(); });
    // Also after an error: what has been enqueued uses the memory until then.
    if (!session_.poisoned()) {
      const auto ended = set_.synchronize();
      if (done) done = ended;
    }
    operations_.freeRest();
    if (done) done = clocks_.readAgain();
    clocks_.end();
    if (done) done = clocks_.askHost(&RunningGpu::host_after);
    if (!done) return tl::unexpected(done.error());
    set_.copyBack();
    auto report = clocks_.report(calls_, operations_.hostCalls());
    if (report) report->graph_make_ns = graphs_.makeNs();
    if (auto back = session_.enter(); !back) return tl::unexpected(back.error());
    return report;
  }

 private:
  Expected<void> keepPools() {
    if (!operations_.allocates()) return {};
    return onEach(gpus_, [](const RunningGpu& gpu) { return keepPool(*gpu.session); });
  }

  uint32_t gpuOfStream(const EnqueuedOperation& operation) const {
    return work_.streams[operation.stream].gpu;
  }

  // All are created before the first operation, so that this takes no time between them.
  Expected<void> createEvents() {
    for (const OperationKind kind : {OperationKind::kEvent, OperationKind::kWait}) {
      for (const EnqueuedOperation& operation : work_.operations) {
        if (operation.kind != kind) continue;
        const auto event = set_.ordering(operation.event, gpuOfStream(operation));
        if (!event) return tl::unexpected(event.error());
      }
    }
    return {};
  }

  // With CUPTI's records on, so that it knows the nodes. What the driver copied for them is not recorded
  // among the operations.
  Expected<void> makeGraphs() {
    if (work_.graphs.empty()) return {};
    const auto enqueue_one = [&](uint32_t i) {
      return operations_.enqueue(i, set_.stream(work_.operations[i].stream));
    };
    return graphs_.make(work_, set_, enqueue_one, add_node_).and_then([&] {
      return clocks_.forgetRecords();
    });
  }

  Expected<void> enqueueAll(const std::stop_token& stop) {
    uint32_t current = 0;  // the GPU whose context is
    for (uint32_t i = 0; i < work_.operations.size(); i += operationsOfCall(work_, i)) {
      if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "the operations were stopped");
      const EnqueuedOperation& operation = work_.operations[i];
      const auto& graph = operation.graph;
      const Stream stream = set_.stream(graph ? work_.graphs[*graph].stream : operation.stream);
      if (const uint32_t gpu = gpuOfStream(operation); gpu != current) {
        if (auto entered = gpus_[gpu].session->enter(); !entered) return entered;
        current = gpu;
      }
      operations_.prepare(i);
      if (auto recorded = clocks_.recordAround(i, false); !recorded) return recorded;
      calls_[i].begin_ns = hostNowNs();
      auto enqueued = graph ? graphs_.launch(*graph, stream) : operations_.enqueue(i, stream);
      calls_[i].end_ns = hostNowNs();
      std::fill_n(calls_.begin() + i, operationsOfCall(work_, i), calls_[i]);
      if (enqueued) enqueued = clocks_.recordAround(i, true);
      if (!enqueued) return enqueued;
    }
    return current == 0 ? Expected<void>{} : session_.enter();
  }

  std::vector<RunningGpu> gpus_;
  Session& session_;  // of the first
  const GraphSet::AddNode& add_node_;
  const StreamWork& work_;
  GivenAdvice advice_;  // until all has ended
  GraphSet graphs_;     // released after set_, which waits for the streams
  StreamSet set_;
  OperationClocks clocks_;
  OperationCalls operations_;
  Intervals calls_;  // the host's, by operation
};

bool usesPeer(const StreamWork& work) {
  const auto on_peer = [](const StreamInfo& stream) { return stream.gpu != 0; };
  const auto copies = [](const EnqueuedOperation& each) { return each.kind == OperationKind::kPeerCopy; };
  return std::ranges::any_of(work.streams, on_peer) || std::ranges::any_of(work.operations, copies);
}

}  // namespace

Expected<StreamReport> StreamRunner::run(const StreamWork& work, const std::stop_token& stop) {
  if (auto possible = checkGraphs(work); !possible) return tl::unexpected(possible.error());
  if (auto possible = checkAllocations(work); !possible) return tl::unexpected(possible.error());
  const auto ready = [](std::unique_ptr<TimerProbe>& probe, Session& session) -> Expected<void> {
    if (probe != nullptr) return {};
    auto made = session.enter().and_then([&] { return TimerProbe::create(session); });
    if (!made) return tl::unexpected(made.error());
    probe = std::move(*made);
    return {};
  };
  if (auto made = ready(probe_, session_); !made) return tl::unexpected(made.error());
  std::vector<RunningGpu> gpus{{&session_, &hold_, probe_.get()}};
  if (usesPeer(work)) {
    const auto peer = peer_();
    if (!peer) return tl::unexpected(peer.error());
    Session& session = (*peer)->session();
    auto made = ready(peer_probe_, session).and_then([&] { return session_.enter(); });
    if (!made) return tl::unexpected(made.error());
    gpus.push_back({&session, &(*peer)->hold(), peer_probe_.get()});
  }
  return StreamRun(std::move(gpus), managed_, launch_, add_node_, work).run(pinned_, stop);
}

}  // namespace warpscope::cuda
