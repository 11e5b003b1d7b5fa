// The simulated GPU's address space. Global memory (including const variables) is one reserved range of host
// memory in which allocations are made; a generic address is a global one unless it lies in the shared or the
// local window. Owns the allocations and their states; knows nothing of warps.
//
// It also knows when each page was last written, so that a copy that was made before is made again by moving
// only what has changed since: a launch that simulates few blocks leaves most of a large buffer as it was.
//
// Addresses look like a 64-bit GPU's: allocations are 256-byte aligned, and none is at 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kernels/core/error.h"
#include "kernels/sim/simt/windows.h"

namespace warpscope::sim {

struct Allocation {
  uint64_t address = 0, bytes = 0;
  std::string name;  // "buffer 3", a variable's name
  bool freed = false;
};

struct AddressRange {
  uint64_t begin = 0, end = 0;  // end: behind it
};

class GlobalMemory {
 public:
  // Reserves room for `capacity_bytes`, none of it used yet. Fails if the host refuses.
  static Expected<std::unique_ptr<GlobalMemory>> create(uint64_t capacity_bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  uint64_t capacity() const;
  uint64_t used() const;
  uint64_t extent() const { return end_; }  // bytes from kGlobalBase to the end of what was ever handed out
  Expected<uint64_t> allocate(uint64_t bytes, std::string name);
  Expected<void> free(uint64_t address);

  // The host memory of [address, address + bytes), or nullptr if part of it was never handed out: what a GPU
  // calls an illegal address. Cheap; does not detect freed memory or gaps between allocations.
  std::byte* at(uint64_t address, uint64_t bytes) const {
    const uint64_t offset = address - kGlobalBase;
    return offset < end_ && bytes <= end_ - offset ? host_ + offset : nullptr;
  }
  // To be called by whoever writes through at(). Callable from several threads.
  void noteWritten(uint64_t address, uint64_t bytes) {
    if (bytes == 0) return;
    const uint64_t last = (address - kGlobalBase + bytes - 1) / kPageBytes;
    for (uint64_t page = (address - kGlobalBase) / kPageBytes; page <= last; ++page) {
      const std::atomic_ref<uint32_t> written(written_[page]);
      if (written.load(std::memory_order_relaxed) != now_) written.store(now_, std::memory_order_relaxed);
    }
  }
  // Both ranges must have been handed out; they may overlap.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  void fill(uint64_t to, uint8_t value, uint64_t bytes);

  // The allocation, live or freed, that holds the address, or else the nearest one below; for messages and
  // checks.
  std::optional<Allocation> find(uint64_t address) const;
  // By address, including freed ones whose memory has not been reused.
  const std::map<uint64_t, Allocation>& allocations() const;

 private:
  static constexpr uint64_t kPageBytes = 4096;

  GlobalMemory() = default;
  bool changedSince(uint32_t time, uint64_t address, uint64_t bytes) const;
  template <class Move>
  void renew(uint64_t to, uint64_t from, uint8_t value, uint64_t bytes, const Move& move);

  std::byte* host_ = nullptr;
  uint32_t* written_ = nullptr;  // by page: the value of now_ when it was last written
  uint32_t now_ = 1;             // counts the copies and fills
  uint64_t end_ = 0;             // bytes ever handed out
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope::sim
