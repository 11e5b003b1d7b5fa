#include "kernels/backend/cuda/managed_memory.h"

#include <algorithm>
#include <iterator>

namespace warpscope::cuda {

Expected<Address> ManagedMemory::allocate(size_t bytes) {
  const DriverApi& api = session_.api();
  const std::string& gpu = session_.description().id;
  if (!session_.description().limits.concurrent_managed_access) {
    return fail(ErrorKind::kBadRequest,
                "{} has no managed memory that the host and the GPU can use at the same time (attribute "
                "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS): it needs a GPU since Pascal, on Linux",
                gpu);
  }
  if (api.missing_for_managed != nullptr) {
    return fail(ErrorKind::kBadRequest,
                "the CUDA driver of {} is too old for managed memory: its libcuda.so.1 has no {}", gpu,
                api.missing_for_managed);
  }
  Address address = 0;
  auto done = session_.check(api.memAllocManaged(&address, std::max<size_t>(bytes, 1), kMemAttachGlobal),
                             "allocating {} MiB of managed memory", (bytes >> 20) + 1);
  if (!done) return tl::unexpected(done.error());
  allocated_[address] = bytes;
  return address;
}

Expected<void> ManagedMemory::check(const StreamWork& work) const {
  const auto holds = [&](Address address, size_t bytes) {
    const auto behind = allocated_.upper_bound(address);
    if (behind == allocated_.begin()) return false;
    const auto& [begin, size] = *std::prev(behind);
    return address - begin <= size && bytes <= size - (address - begin);
  };
  for (const StreamWork::Managed& memory : work.managed) {
    if (holds(memory.address, memory.host.size())) continue;
    return fail(ErrorKind::kBadRequest, "{}: {} bytes at {:#x} are not managed memory",
                session_.description().id, memory.host.size(), memory.address);
  }
  return {};
}

MemoryLocation ManagedMemory::location(MemoryPlace place) const {
  if (place == MemoryPlace::kHost) return {kLocationHost, 0};
  return {kLocationDevice, session_.ordinal()};
}

namespace {

// A location as the entries before CUDA 12.2 take it.
int ordinalOf(const MemoryLocation& location) {
  return location.type == kLocationHost ? kCpuDevice : location.id;
}

}  // namespace

Result ManagedMemory::advise(const StreamWork::Managed& memory, int advice, MemoryPlace place) const {
  const DriverApi& api = session_.api();
  const MemoryLocation where = location(place);
  const size_t bytes = memory.host.size();
  return api.memAdviseV2 != nullptr ? api.memAdviseV2(memory.address, bytes, advice, where)
                                    : api.memAdvise(memory.address, bytes, advice, ordinalOf(where));
}

Expected<void> ManagedMemory::advise(const StreamWork::Managed& memory) {
  const MemoryAdvice& advice = memory.advice;
  auto done = Expected<void>{};
  if (advice.preferred) {
    done = session_.check(advise(memory, kAdviseSetPreferredLocation, *advice.preferred),
                          "advising where managed memory is preferred");
  }
  if (done && advice.accessed_by_device) {
    done = session_.check(advise(memory, kAdviseSetAccessedBy, MemoryPlace::kDevice),
                          "advising that the GPU accesses managed memory");
  }
  return done;
}

void ManagedMemory::unadvise(const StreamWork::Managed& memory) {
  const MemoryAdvice& advice = memory.advice;
  if (advice.accessed_by_device) advise(memory, kAdviseUnsetAccessedBy, MemoryPlace::kDevice);
  if (advice.preferred) advise(memory, kAdviseUnsetPreferredLocation, *advice.preferred);
}

Expected<void> ManagedMemory::prefetch(Address address, size_t bytes, MemoryPlace to, Stream stream) {
  const DriverApi& api = session_.api();
  const MemoryLocation where = location(to);
  const Result result = api.memPrefetchAsyncV2 != nullptr
                            ? api.memPrefetchAsyncV2(address, bytes, where, 0, stream)
                            : api.memPrefetchAsync(address, bytes, ordinalOf(where), stream);
  return session_.check(result, "prefetching {} bytes to the {}", bytes,
                        to == MemoryPlace::kHost ? "host" : "device");
}

Expected<void> GivenAdvice::give(std::span<const StreamWork::Managed> all) {
  for (const StreamWork::Managed& memory : all) {
    if (!memory.advice.any() || memory.host.empty()) continue;
    if (auto done = memory_.advise(memory); !done) return done;
    given_.push_back(memory);
  }
  return {};
}

}  // namespace warpscope::cuda
