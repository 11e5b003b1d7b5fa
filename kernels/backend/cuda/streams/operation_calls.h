// The driver's calls that enqueue the operations of a run, one call an operation. Owns what it allocates on
// streams until that is freed, and knows the host's functions that are in flight. The context of the stream's
// GPU must be the thread's. Errors name the operation and its stream.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/managed_memory.h"
#include "kernels/backend/cuda/streams/running_gpu.h"
#include "kernels/backend/cuda/streams/stream_set.h"

namespace warpscope::cuda {

class OperationCalls {
 public:
  // Enqueues a launch on a stream of the GPU whose context is current.
  using Launch = std::function<Expected<void>(const LaunchSpec&, Stream)>;
  OperationCalls(const StreamWork& work, std::span<const RunningGpu> gpus, StreamSet& set,
                 ManagedMemory& managed, const Launch& launch);

  bool allocates() const;  // whether any operation does
  // Finds the memory that a host function works on. Called before enqueue(), whose time is measured.
  void prepare(uint32_t index);
  Expected<void> enqueue(uint32_t index, Stream stream);
  // Frees what the work has allocated and not freed, also after an error.
  void freeRest();

  const std::vector<HostCall*>& hostCalls() const { return host_calls_; }  // by operation; null for others

 private:
  Expected<void> copy(uint32_t index, Stream stream);
  Expected<void> allocate(uint32_t index, Stream stream);

  const StreamWork& work_;
  std::span<const RunningGpu> gpus_;
  Session& session_;  // of the first
  StreamSet& set_;
  ManagedMemory& managed_;
  const Launch& launch_;
  std::vector<HostCall*> host_calls_;
  std::vector<DeviceAddress> allocated_;  // by operation: what has not been freed yet; 0 for others
};

// Lets the GPU's pool of memory keep what streams free in it. A pool gives its memory back whenever the host
// waits for a stream, also while another stream uses what was freed too early: that is a fault, which ends
// this process's use of the GPU (H100, driver 580.159.04). So pools keep what is freed, as programs that
// allocate often let them.
Expected<void> keepPool(Session& session);

}  // namespace warpscope::cuda
