// The fake driver's entries for memory: allocations, copies and fills, managed memory; images are refused.
#include <cstdlib>
#include <cstring>

#include "tests/support/fake_cuda/fake_gpu.h"

namespace warpscope::testing::fake_driver {
namespace {

bool isPinned(const void* memory) {
  const auto& pinned = state().pinned;
  auto next = pinned.upper_bound(const_cast<void*>(memory));
  if (next == pinned.begin()) return false;
  --next;
  return static_cast<const std::byte*>(memory) < static_cast<const std::byte*>(next->first) + next->second;
}

Result copyMemory(const char* entry, void* to, const void* from, size_t bytes, Stream handle, uint8_t kind) {
  int64_t until = 0;
  {
    const std::lock_guard lock(state().mutex);
    FakeStream& stream = streamOf(handle);
    if (const Result failed = note({.entry = entry, .stream = stream.number, .bytes = bytes})) return failed;
    if (stream.gpu != current_gpu) return kInvalidHandle;
    int64_t* engine = kind == 1   ? &state().to_device_free[stream.gpu]
                      : kind == 2 ? &state().to_host_free[stream.gpu]
                                  : nullptr;
    const int64_t lasts = copyLasts(bytes);
    Record record = run(stream, lasts, engine);
    record.kind = 1;
    record.copy_kind = kind;
    record.bytes = bytes;
    keep(record);
    std::memmove(to, from, bytes);
    const void* host = kind == 1 ? from : to;
    if (kind != 8 && !isPinned(host)) until = record.end_ns;
  }
  sleepUntil(until);
  return kSuccess;
}

}  // namespace
}  // namespace warpscope::testing::fake_driver

#pragma GCC visibility push(default)
extern "C" {

using namespace warpscope::cuda;
using namespace warpscope::testing::fake_driver;

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  *free = *total = size_t{1} << 30;
  return kSuccess;
}
Result cuMemAlloc_v2(Address* address, size_t bytes) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuMemAlloc_v2", .bytes = bytes})) return failed;
  void* memory = std::calloc(1, bytes);
  state().allocations.insert(memory);
  *address = reinterpret_cast<Address>(memory);
  ++state().alive.allocations;
  return kSuccess;
}
// Memory that a stream has freed is not given out again.
Result cuMemAllocAsync(Address* address, size_t bytes, Stream handle) {
  const std::lock_guard lock(state().mutex);
  const FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuMemAllocAsync", .stream = stream.number, .bytes = bytes}))
    return failed;
  void* memory = std::calloc(1, bytes);
  state().allocations.insert(memory);
  *address = reinterpret_cast<Address>(memory);
  ++state().alive.allocations;
  return kSuccess;
}
Result cuDeviceGetDefaultMemPool(MemoryPool* pool, DeviceOrdinal) {
  *pool = reinterpret_cast<MemoryPool>(1);
  return kSuccess;
}
Result cuMemPoolSetAttribute(MemoryPool, int attribute, void*) {
  const std::lock_guard lock(state().mutex);
  return note({.entry = "cuMemPoolSetAttribute", .flags = static_cast<unsigned>(attribute)});
}
Result cuMemFreeAsync(Address address, Stream handle) {
  const std::lock_guard lock(state().mutex);
  const FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuMemFreeAsync", .stream = stream.number})) return failed;
  state().allocations.erase(reinterpret_cast<void*>(address));
  state().freed_on_streams.insert(reinterpret_cast<void*>(address));
  --state().alive.allocations;
  return kSuccess;
}
// Managed memory is the host's, too.
Result cuMemAllocManaged(Address* address, size_t bytes, unsigned flags) {
  {
    const std::lock_guard lock(state().mutex);
    if (const Result failed = note({.entry = "cuMemAllocManaged", .bytes = bytes, .flags = flags}))
      return failed;
  }
  return cuMemAlloc_v2(address, bytes);
}
Result cuMemAdvise_v2(Address, size_t bytes, int advice, MemoryLocation location) {
  const std::lock_guard lock(state().mutex);
  const Result result =
      note({.entry = "cuMemAdvise_v2", .bytes = bytes, .flags = static_cast<unsigned>(advice)});
  state().calls.push_back({.entry = "cuMemAdvise_v2",
                           .bytes = bytes,
                           .priority = location.type,
                           .flags = static_cast<unsigned>(advice)});
  return result;
}
Result cuMemPrefetchAsync_v2(Address, size_t bytes, MemoryLocation location, unsigned, Stream handle) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  const auto place = static_cast<unsigned>(location.type);
  if (const Result failed =
          note({.entry = "cuMemPrefetchAsync_v2", .stream = stream.number, .bytes = bytes, .flags = place}))
    return failed;
  const int64_t lasts = copyLasts(bytes);
  run(stream, lasts,
      location.type == kLocationHost ? &state().to_host_free[stream.gpu]
                                     : &state().to_device_free[stream.gpu]);
  return kSuccess;
}
Result cuMemFree_v2(Address address) {
  const std::lock_guard lock(state().mutex);
  state().allocations.erase(reinterpret_cast<void*>(address));
  std::free(reinterpret_cast<void*>(address));
  --state().alive.allocations;
  return kSuccess;
}
Result cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuMemHostAlloc", .bytes = bytes})) return failed;
  *memory = std::calloc(1, bytes);
  state().pinned[*memory] = bytes;
  ++state().alive.pinned;
  return kSuccess;
}
Result cuMemHostGetDevicePointer_v2(Address* address, void* memory, unsigned) {
  *address = reinterpret_cast<Address>(memory);
  return kSuccess;
}
Result cuMemFreeHost(void* memory) {
  const std::lock_guard lock(state().mutex);
  state().pinned.erase(memory);
  std::free(memory);
  --state().alive.pinned;
  return kSuccess;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  return copyMemory("cuMemcpyHtoDAsync_v2", reinterpret_cast<void*>(to), from, bytes, stream, 1);
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  return copyMemory("cuMemcpyDtoHAsync_v2", to, reinterpret_cast<void*>(from), bytes, stream, 2);
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  return copyMemory("cuMemcpyDtoDAsync_v2", reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes,
                    stream, 8);
}
Result cuMemcpyPeerAsync(Address to, Context to_context, Address from, Context, size_t bytes, Stream handle) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  const Call call{.entry = "cuMemcpyPeerAsync",
                  .stream = stream.number,
                  .bytes = bytes,
                  .gpu = static_cast<uint32_t>(stream.gpu)};
  if (const Result failed = note(call)) return failed;
  if (stream.gpu != current_gpu) return kInvalidHandle;
  const auto to_gpu = reinterpret_cast<uintptr_t>(to_context) - 1;
  const int64_t lasts = copyLasts(bytes);
  Record record = run(stream, lasts, &state().to_gpu_free[to_gpu]);
  record.kind = 22;
  record.copy_kind = 10;
  record.bytes = bytes;
  record.through_host = !state().peer_access;
  keep(record);
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return kSuccess;
}
Result cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream handle) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuMemsetD8Async", .stream = stream.number, .bytes = bytes}))
    return failed;
  if (stream.gpu != current_gpu) return kInvalidHandle;
  Record record = run(stream, kStamp_ns, nullptr);
  record.kind = 2;
  record.bytes = bytes;
  keep(record);
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return kSuccess;
}
Result cuArray3DCreate_v2(Array*, const ArrayDescriptor*) {
  return kErrorNotPermitted;
}
Result cuArrayDestroy(Array) {
  return kSuccess;
}
Result cuMemcpy3DAsync_v2(const Copy3D*, Stream) {
  return kErrorNotPermitted;
}
Result cuTexObjectCreate(uint64_t*, const ResourceDescriptor*, const TextureDescriptor*, const void*) {
  return kErrorNotPermitted;
}
Result cuTexObjectDestroy(uint64_t) {
  return kSuccess;
}
Result cuSurfObjectCreate(uint64_t*, const ResourceDescriptor*) {
  return kErrorNotPermitted;
}
Result cuSurfObjectDestroy(uint64_t) {
  return kSuccess;
}
// The map holds what it was given: see cuda_tensor_maps_test.cpp.
Result cuTensorMapEncodeTiled(void* map, int element, unsigned rank, void* tensor, const uint64_t* sizes,
                              const uint64_t* strides, const unsigned* box, const unsigned* steps,
                              int interleave, int swizzle, int promotion, int outside) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuTensorMapEncodeTiled"})) return failed;
  std::vector<uint64_t> words{static_cast<uint64_t>(element), static_cast<uint64_t>(swizzle), rank,
                              reinterpret_cast<uint64_t>(tensor)};
  words.insert(words.end(), sizes, sizes + rank);
  words.insert(words.end(), strides, strides + rank - 1);
  words.insert(words.end(), box, box + rank);
  for (unsigned i = 0; i < rank; ++i) {
    if (steps[i] != 1) words.push_back(steps[i]);
  }
  for (const int each : {interleave, promotion, outside}) {
    if (each != 0) words.push_back(static_cast<uint64_t>(each));
  }
  words.resize(16);
  std::memcpy(map, words.data(), 128);
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
