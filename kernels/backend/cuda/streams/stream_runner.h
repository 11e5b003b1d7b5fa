// Runs operations on streams of a GPU and finds out when each began and ended: by CUPTI's records of the
// GPU's activity where it has them, else by timing events. The run's axis is the GPU's %globaltimer, to which
// the host's clock, CUPTI's and that of the events are related before and after (clock_relation.h). Of two
// GPUs each has a timer of its own: the axis is that of the first one's, and both are related to one clock of
// the others, the best there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/hold.h"
#include "kernels/backend/cuda/managed_memory.h"
#include "kernels/backend/cuda/peer_gpu.h"
#include "kernels/backend/cuda/session.h"
#include "kernels/backend/cuda/staging.h"
#include "kernels/backend/cuda/streams/graph_set.h"
#include "kernels/backend/cuda/streams/operation_calls.h"
#include "kernels/backend/cuda/streams/timer_probe.h"

namespace warpscope::cuda {

class StreamRunner {
 public:
  // `peer` is asked for where a stream is on a second GPU.
  using Launch = OperationCalls::Launch;
  using Peer = std::function<Expected<PeerGpu*>()>;
  StreamRunner(Session& session, Hold& hold, ManagedMemory& managed, Peer peer, Launch launch,
               GraphSet::AddNode add_node)
      : session_(session),
        hold_(hold),
        managed_(managed),
        peer_(std::move(peer)),
        launch_(std::move(launch)),
        add_node_(std::move(add_node)),
        pinned_(session, kMostPinnedBytes) {}

  // Returns when all has ended, also after an error. The context must be this thread's.
  Expected<StreamReport> run(const StreamWork& work, const std::stop_token& stop);

 private:
  static constexpr size_t kMostPinnedBytes = size_t{2} << 30;  // of one of the host's buffers
  Session& session_;
  Hold& hold_;
  ManagedMemory& managed_;
  Peer peer_;
  Launch launch_;
  GraphSet::AddNode add_node_;
  PinnedBuffers pinned_;
  std::unique_ptr<TimerProbe> probe_, peer_probe_;
};

}  // namespace warpscope::cuda
