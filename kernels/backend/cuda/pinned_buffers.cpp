#include "kernels/backend/cuda/pinned_buffers.h"

namespace warpscope::cuda {

PinnedBuffers::~PinnedBuffers() {
  if (session_.poisoned()) return;
  for (const Buffer& buffer : buffers_) {
    if (buffer.memory != nullptr) session_.api().memFreeHost(buffer.memory);
  }
}

std::byte* PinnedBuffers::atLeast(size_t slot, size_t bytes) {
  if (bytes > kMostBytes) return nullptr;
  if (slot >= buffers_.size()) buffers_.resize(slot + 1);
  Buffer& buffer = buffers_[slot];
  if (buffer.bytes >= bytes) return buffer.memory;
  if (buffer.memory != nullptr) session_.api().memFreeHost(buffer.memory);
  buffer = {};
  void* memory = nullptr;
  // A refusal is not an error: the caller uses the staging halves instead.
  if (session_.api().memHostAlloc(&memory, bytes, 0) != kSuccess) return nullptr;
  buffer = {static_cast<std::byte*>(memory), bytes};
  return buffer.memory;
}

}  // namespace warpscope::cuda
