// What a host function on a stream does. It is data and no closure, so that it can travel to the process that
// has the GPU, and a simulated GPU knows how long it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpscope {

struct HostWork {
  double busy_ns = 0;  // keeps its thread busy for so long, besides what it does to memory
  uint32_t add = 0;    // is added to each whole 32-bit word of its bytes
  // Reads a byte of each of the host's pages among its bytes: managed memory must then be there.
  bool touches = false;
  bool operator==(const HostWork&) const = default;

  static constexpr size_t kHostPageBytes = 4096;

  bool usesMemory() const { return touches || add != 0; }
  void doTo(std::span<std::byte> bytes) const;
};

}  // namespace warpscope
