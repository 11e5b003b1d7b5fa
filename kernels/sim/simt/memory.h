// The simulated GPU's address space. Global memory (including const variables) is one reserved range of host
// memory in which allocations are made; a generic address is a global one unless it lies in the shared or the
// local window. Owns the allocations and their states; knows nothing of warps.
//
// Addresses look like a 64-bit GPU's: allocations are 256-byte aligned, and none is at 0.
#pragma once

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
  // The allocation, live or freed, that holds the address, or else the nearest one below; for messages and
  // checks.
  std::optional<Allocation> find(uint64_t address) const;
  // By address, including freed ones whose memory has not been reused.
  const std::map<uint64_t, Allocation>& allocations() const;

 private:
  GlobalMemory() = default;
  std::byte* host_ = nullptr;
  uint64_t end_ = 0;  // bytes ever handed out
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope::sim
