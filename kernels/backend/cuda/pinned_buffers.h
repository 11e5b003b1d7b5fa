// Pinned host memory by slot number, grown as needed and reused. The copy engine writes there at full PCIe
// speed, without the staging halves.
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

  // Null where that much pinned memory is not available: it is taken from all other programs, so a slot gets
  // at most kMostBytes.
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
