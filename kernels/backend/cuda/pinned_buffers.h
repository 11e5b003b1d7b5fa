// Pinned host memory by slot number, grown as needed and reused: where the copy engine writes at full PCIe
// speed without passing through the staging halves.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class PinnedBuffers {
 public:
  explicit PinnedBuffers(Session& session) : session_(session) {}
  ~PinnedBuffers();
  PinnedBuffers(const PinnedBuffers&) = delete;
  PinnedBuffers& operator=(const PinnedBuffers&) = delete;

  // Null where so much pinned memory is not to be had: it takes memory from all other programs, so no more
  // than kMostBytes a slot.
  std::byte* atLeast(size_t slot, size_t bytes);

 private:
  static constexpr size_t kMostBytes = size_t{256} << 20;
  struct Buffer {
    std::byte* memory = nullptr;
    size_t bytes = 0;
  };
  Session& session_;
  std::vector<Buffer> buffers_;
};

}  // namespace warpscope::cuda
