// The streams, events and pinned memory of one run of operations, and what the host's functions do. Releases
// all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/session.h"
#include "kernels/backend/cuda/staging.h"

namespace warpscope::cuda {

// A host function in flight: what it does, and when it did it by the host's clock. The driver calls it.
struct HostCall {
  HostWork work;
  std::span<std::byte> bytes;
  int64_t begin_ns = 0, end_ns = 0;
  static void run(void* call);
};

class StreamSet {
 public:
  explicit StreamSet(Session& session) : session_(session) {}
  // Waits for the streams, so that nothing is in use any more.
  ~StreamSet();
  StreamSet(const StreamSet&) = delete;
  StreamSet& operator=(const StreamSet&) = delete;

  Expected<void> create(std::span<const StreamInfo> streams);
  Stream stream(uint32_t index) const { return streams_[index].handle; }
  // An event that orders, by the plan's number.
  Expected<Event> ordering(uint32_t number);
  // A new one that has a time.
  Expected<Event> timing();

  // Pinned memory with the same content in place of each of these.
  Expected<void> pin(std::span<const std::span<std::byte>> host, PinnedBuffers& memory);
  // Managed memory in place of these, which the host writes: its pages are then the host's.
  void manage(std::span<const StreamWork::Managed> memory);
  // The pinned or managed place of the host's, or the host's own.
  std::byte* placeOf(std::byte* host, uint64_t bytes) const;
  void copyBack() const;  // what the operations have left in pinned and managed memory

  HostCall& addCall(const EnqueuedOperation& operation);
  const std::deque<HostCall>& calls() const { return calls_; }

  Expected<void> synchronize();

 private:
  struct Owned {
    Stream handle = nullptr;
    std::string name;
    bool created = false;
  };
  struct Placed {
    std::span<std::byte> host;
    std::byte* place = nullptr;
  };
  void put(std::span<std::byte> host, std::byte* place);
  Session& session_;
  std::vector<Owned> streams_;
  std::map<uint32_t, Event> ordering_;
  std::vector<Event> timing_;
  std::vector<Placed> placed_;
  std::deque<HostCall> calls_;  // stay where they are
};

}  // namespace warpscope::cuda
