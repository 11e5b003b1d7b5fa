// Pinned host memory, with which alone the copy engine reaches full PCIe speed.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

// Copies between pageable host memory and the GPU through two pinned halves: while one half is transferred,
// the host fills or empties the other. The copy engine reaches full PCIe speed only with pinned memory.

class Staging {
 public:
  static Expected<std::unique_ptr<Staging>> create(Session& session);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Returns when `from` may be reused; the copy itself is ordered in the session's stream.
  Expected<void> upload(Address to, std::span<const std::byte> from);
  // Returns when `to` holds all the data.
  Expected<void> download(std::span<std::byte> to, Address from);

 private:
  struct Half {
    std::byte* memory = nullptr;
    Event done = nullptr;    // recorded after the last copy from or to this half
    bool in_flight = false;  // that copy may not have finished
  };
  explicit Staging(Session& session) : session_(session) {}
  Expected<void> waitFor(Half& half);
  Expected<void> markInFlight(Half& half);

  Session& session_;
  std::array<Half, 2> halves_;
};

// Pinned host memory by slot number, grown as needed and reused. The copy engine writes there at full PCIe
// speed, without the staging halves.
class PinnedBuffers {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;
  explicit PinnedBuffers(Session& session, size_t most_bytes = kMostBytes)
      : session_(session), most_bytes_(most_bytes) {}
  ~PinnedBuffers();
  PinnedBuffers(const PinnedBuffers&) = delete;
  PinnedBuffers& operator=(const PinnedBuffers&) = delete;

  // Null where that much pinned memory is not available: it is taken from all other programs, so a slot gets
  // at most `most_bytes`.
  std::byte* atLeast(size_t slot, size_t bytes);

 private:
  struct Buffer {
    std::byte* memory = nullptr;
    size_t bytes = 0;
  };
  Session& session_;
  size_t most_bytes_;
  std::vector<Buffer> buffers_;
};

}  // namespace warpscope::cuda
