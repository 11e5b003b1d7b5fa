#include "kernels/backend/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace warpscope::cuda {
namespace {

constexpr size_t kHalfBytes = size_t{4} << 20;

}  // namespace

Expected<std::unique_ptr<Staging>> Staging::create(Session& session) {
  std::unique_ptr<Staging> staging(new Staging(session));
  for (Half& half : staging->halves_) {
    void* memory = nullptr;
    auto done = session.check(session.api().memHostAlloc(&memory, kHalfBytes, 0), "allocating pinned memory");
    if (!done) return tl::unexpected(done.error());
    half.memory = static_cast<std::byte*>(memory);
    done = session.check(session.api().eventCreate(&half.done, kEventDefault), "creating an event");
    if (!done) return tl::unexpected(done.error());
  }
  return staging;
}

Staging::~Staging() {
  if (session_.poisoned()) return;
  for (const Half& half : halves_) {
    if (half.done != nullptr) session_.api().eventDestroy(half.done);
    if (half.memory != nullptr) session_.api().memFreeHost(half.memory);
  }
}

Expected<void> Staging::waitFor(Half& half) {
  if (!half.in_flight) return {};
  half.in_flight = false;
  return session_.check(session_.api().eventSynchronize(half.done), "copying between host and device");
}

Expected<void> Staging::markInFlight(Half& half) {
  half.in_flight = true;
  return session_.check(session_.api().eventRecord(half.done, session_.stream()), "recording an event");
}

Expected<void> Staging::upload(Address to, std::span<const std::byte> from) {
  for (size_t offset = 0, i = 0; offset < from.size(); offset += kHalfBytes, ++i) {
    Half& half = halves_[i % 2];
    if (auto free = waitFor(half); !free) return free;
    const size_t bytes = std::min(kHalfBytes, from.size() - offset);
    std::memcpy(half.memory, from.data() + offset, bytes);
    auto sent = session_
                    .check(session_.api().memcpyHtoDAsync(to + offset, half.memory, bytes, session_.stream()),
                           "uploading {} bytes", from.size())
                    .and_then([&] { return markInFlight(half); });
    if (!sent) return sent;
  }
  return {};
}

Expected<void> Staging::download(std::span<std::byte> to, Address from) {
  const auto fetch = [&](size_t offset) -> Expected<void> {
    Half& half = halves_[offset / kHalfBytes % 2];
    if (auto free = waitFor(half); !free) return free;
    const size_t bytes = std::min(kHalfBytes, to.size() - offset);
    return session_
        .check(session_.api().memcpyDtoHAsync(half.memory, from + offset, bytes, session_.stream()),
               "downloading {} bytes", to.size())
        .and_then([&] { return markInFlight(half); });
  };
  if (to.empty()) return {};
  if (auto started = fetch(0); !started) return started;
  for (size_t offset = 0; offset < to.size(); offset += kHalfBytes) {
    if (offset + kHalfBytes < to.size()) {
      if (auto started = fetch(offset + kHalfBytes); !started) return started;
    }
    Half& half = halves_[offset / kHalfBytes % 2];
    if (auto arrived = waitFor(half); !arrived) return arrived;
    std::memcpy(to.data() + offset, half.memory, std::min(kHalfBytes, to.size() - offset));
  }
  return {};
}

PinnedBuffers::~PinnedBuffers() {
  if (session_.poisoned()) return;
  for (const Buffer& buffer : buffers_) {
    if (buffer.memory != nullptr) session_.api().memFreeHost(buffer.memory);
  }
}

std::byte* PinnedBuffers::atLeast(size_t slot, size_t bytes) {
  if (bytes > most_bytes_) return nullptr;
  if (slot >= buffers_.size()) buffers_.resize(slot + 1);
  Buffer& buffer = buffers_[slot];
  if (buffer.bytes >= bytes) return buffer.memory;
  if (buffer.memory != nullptr) session_.api().memFreeHost(buffer.memory);
  buffer = {};
  void* memory = nullptr;
  // A refusal is not an error: the caller uses the staging halves instead.
  if (session_.api().memHostAlloc(&memory, bytes, 0) != kSuccess) return nullptr;
  buffer = {static_cast<std::byte*>(memory), bytes};
  return buffer.memory;
}

}  // namespace warpscope::cuda
