// The simulated GPU's address space. Global memory (const variables included) is one reserved range of host
// memory in which allocations are made; a generic address is a global one unless it lies in the shared or the
// local window. Owns allocations and their states; knows nothing of warps.
//
// Addresses are as a 64-bit GPU gives them: allocations are 256-byte aligned, none is 0.
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
  // Reserves room for `capacity_bytes`, none of it used yet. Error: the host refuses.
  static Expected<std::unique_ptr<GlobalMemory>> create(uint64_t capacity_bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  uint64_t capacity() const;
  uint64_t used() const;
  uint64_t extent() const { return end_; }  // bytes from kGlobalBase to the end of what was ever handed out
  Expected<uint64_t> allocate(uint64_t bytes, std::string name);
  Expected<void> free(uint64_t address);

  // Host memory behind [address, address + bytes), or nullptr if not all of it was ever handed out: what a
  // GPU calls an illegal address. Cheap; says nothing of freed memory or of gaps between allocations.
  std::byte* at(uint64_t address, uint64_t bytes) const {
    const uint64_t offset = address - kGlobalBase;
    return offset < end_ && bytes <= end_ - offset ? host_ + offset : nullptr;
  }
  // The allocation, live or freed, that holds the address, or the nearest one below; for messages and checks.
  std::optional<Allocation> find(uint64_t address) const;
  const std::map<uint64_t, Allocation>& allocations()
      const;  // by address, freed ones that still stand included

 private:
  GlobalMemory() = default;
  std::byte* host_ = nullptr;
  uint64_t end_ = 0;  // bytes ever handed out
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope::sim
