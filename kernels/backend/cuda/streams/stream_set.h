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
  // `sessions`: by GPU.
  explicit StreamSet(std::vector<Session*> sessions)
      : session_(*sessions.front()), sessions_(std::move(sessions)) {}
  // Waits for the streams, so that nothing is in use any more.
  ~StreamSet();
  StreamSet(const StreamSet&) = delete;
  StreamSet& operator=(const StreamSet&) = delete;

  Expected<void> create(std::span<const StreamInfo> streams);
  Stream stream(uint32_t index) const { return streams_[index].handle; }
  // An event that orders, by the plan's number; it is recorded on streams of the GPU that it was first asked
  // for.
  Expected<Event> ordering(uint32_t number, uint32_t gpu = 0);
  // A new one that has a time, and is recorded on streams of this GPU.
  Expected<Event> timing(uint32_t gpu = 0);

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
    uint32_t gpu = 0;
  };
  struct Placed {
    std::span<std::byte> host;
    std::byte* place = nullptr;
  };
  Expected<Event> event(unsigned flags, uint32_t gpu, const std::string& doing);
  void put(std::span<std::byte> host, std::byte* place);
  Session& session_;
  std::vector<Session*> sessions_;
  std::vector<Owned> streams_;
  std::map<uint32_t, Event> ordering_;
  std::vector<Event> timing_;
  std::vector<Placed> placed_;
  std::deque<HostCall> calls_;  // stay where they are
};

}  // namespace warpscope::cuda
