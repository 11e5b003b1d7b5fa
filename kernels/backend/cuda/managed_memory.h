// Managed memory of a GPU: allocations, the advice that the driver is given of them, and prefetches.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

class ManagedMemory {
 public:
  explicit ManagedMemory(Session& session) : session_(session) {}

  // Errors: kBadRequest, which says what the driver or the GPU lacks.
  Expected<Address> allocate(size_t bytes);
  void forget(Address address) { allocated_.erase(address); }
  // Whether all of it lies in such allocations, where the host may write.
  Expected<void> check(const StreamWork& work) const;

  Expected<void> advise(const StreamWork::Managed& memory);
  void unadvise(const StreamWork::Managed& memory);
  Expected<void> prefetch(Address address, size_t bytes, MemoryPlace to, Stream stream);

 private:
  Result advise(const StreamWork::Managed& memory, int advice, MemoryPlace place) const;
  MemoryLocation location(MemoryPlace place) const;

  Session& session_;
  std::map<Address, size_t> allocated_;
};

// The advice that a run gives, until it has ended: the next one may use the same memory otherwise.
class GivenAdvice {
 public:
  GivenAdvice(ManagedMemory& memory, Session& session) : memory_(memory), session_(session) {}
  ~GivenAdvice() {
    if (session_.poisoned()) return;
    for (const StreamWork::Managed& each : given_) memory_.unadvise(each);
  }
  GivenAdvice(const GivenAdvice&) = delete;
  GivenAdvice& operator=(const GivenAdvice&) = delete;

  Expected<void> give(std::span<const StreamWork::Managed> all);

 private:
  ManagedMemory& memory_;
  Session& session_;
  std::vector<StreamWork::Managed> given_;
};

}  // namespace warpscope::cuda
