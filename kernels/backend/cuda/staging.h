// Copies between pageable host memory and the GPU through two pinned halves: while one half is transferred,
// the host fills or empties the other. The copy engine reaches full PCIe speed only with pinned memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

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

}  // namespace warpscope::cuda
