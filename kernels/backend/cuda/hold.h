// Holds the stream back while the host queues a batch of work after it, so that the GPU then runs the batch
// without waiting for the host: the time between two events is the kernel's alone, not the time to submit it.
// A one-thread kernel spins on a word of pinned memory; it gives up after a few milliseconds, so that nothing
// can deadlock where launches are made to block (CUDA_LAUNCH_BLOCKING, compute-sanitizer).
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class Hold {
 public:
  static Expected<std::unique_ptr<Hold>> create(Session& session);
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  Expected<void> begin();  // work that is queued from here on waits ...
  void release();          // ... until here

 private:
  explicit Hold(Session& session) : session_(session) {}

  Session& session_;
  Module module_ = nullptr;
  Function function_ = nullptr;
  uint32_t* flag_ = nullptr;  // pinned: host writes, GPU polls
  Address flag_on_device_ = 0;
  uint32_t ticket_ = 0;
};

}  // namespace warpscope::cuda
