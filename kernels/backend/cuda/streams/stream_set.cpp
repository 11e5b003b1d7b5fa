#include "kernels/backend/cuda/streams/stream_set.h"

#include <algorithm>
#include <cstring>

#include "kernels/backend/cuda/streams/timer_probe.h"

namespace warpscope::cuda {

void HostCall::run(void* call) {
  auto& of = *static_cast<HostCall*>(call);
  of.begin_ns = hostNowNs();
  of.work.doTo(of.bytes);
  const int64_t until = of.begin_ns + static_cast<int64_t>(of.work.busy_ns);
  do {
    of.end_ns = hostNowNs();
  } while (of.end_ns < until);
}

StreamSet::~StreamSet() {
  if (session_.poisoned()) return;
  const DriverApi& api = session_.api();
  for (const Owned& stream : streams_) {
    if (!sessions_[stream.gpu]->enter()) continue;
    api.streamSynchronize(stream.handle);
    if (stream.created) api.streamDestroy(stream.handle);
  }
  if (!session_.enter()) return;
  for (const auto& [number, event] : ordering_) api.eventDestroy(event);
  for (const Event event : timing_) api.eventDestroy(event);
}

Expected<void> StreamSet::create(std::span<const StreamInfo> streams) {
  for (const StreamInfo& info : streams) {
    Owned stream{.name = info.name, .gpu = info.gpu};
    Session& session = *sessions_[info.gpu];
    if (auto entered = session.enter(); !entered) return entered;
    if (info.kind == StreamKind::kLegacyDefault) {
      stream.handle = reinterpret_cast<Stream>(kLegacyDefaultStream);
    } else if (info.kind == StreamKind::kPerThreadDefault) {
      stream.handle = reinterpret_cast<Stream>(kThreadDefaultStream);
    } else {
      const unsigned flags = info.kind == StreamKind::kNonBlocking ? kStreamNonBlocking : kStreamDefault;
      auto made = session.check(session.api().streamCreateWithPriority(&stream.handle, flags, info.priority),
                                "creating {} with priority {}", info.name, info.priority);
      if (!made) return made;
      stream.created = true;
    }
    streams_.push_back(std::move(stream));
  }
  return session_.enter();
}

Expected<Event> StreamSet::event(unsigned flags, uint32_t gpu, const std::string& doing) {
  Session& session = *sessions_[gpu];
  Event event = nullptr;
  auto made = session.enter().and_then(
      [&] { return session.check(session.api().eventCreate(&event, flags), "{}", doing); });
  if (made && gpu != 0) made = session_.enter();
  if (!made) return tl::unexpected(made.error());
  return event;
}

Expected<Event> StreamSet::ordering(uint32_t number, uint32_t gpu) {
  if (const auto known = ordering_.find(number); known != ordering_.end()) return known->second;
  auto made = event(kEventDisableTiming, gpu, fmt::format("creating event {}", number));
  if (made) ordering_.emplace(number, *made);
  return made;
}

Expected<Event> StreamSet::timing(uint32_t gpu) {
  auto made = event(kEventDefault, gpu, "creating a timing event");
  if (made) timing_.push_back(*made);
  return made;
}

Expected<void> StreamSet::pin(std::span<const std::span<std::byte>> host, PinnedBuffers& memory) {
  for (const std::span<std::byte> each : host) {
    if (each.empty()) continue;
    std::byte* place = memory.atLeast(placed_.size(), each.size());
    if (place == nullptr) {
      return fail(ErrorKind::kWorkFailed,
                  "{}: {} MiB of pinned host memory cannot be allocated; choose a smaller size",
                  session_.description().id, (each.size() >> 20) + 1);
    }
    put(each, place);
  }
  return {};
}

void StreamSet::manage(std::span<const StreamWork::Managed> memory) {
  for (const StreamWork::Managed& each : memory)
    put(each.host, reinterpret_cast<std::byte*>(static_cast<uintptr_t>(each.address)));
}

void StreamSet::put(std::span<std::byte> host, std::byte* place) {
  if (host.empty()) return;
  std::memcpy(place, host.data(), host.size());
  placed_.push_back({host, place});
}

std::byte* StreamSet::placeOf(std::byte* host, uint64_t bytes) const {
  for (const Placed& placed : placed_) {
    if (host >= placed.host.data() && host + bytes <= placed.host.data() + placed.host.size())
      return placed.place + (host - placed.host.data());
  }
  return host;
}

void StreamSet::copyBack() const {
  for (const Placed& placed : placed_) std::memcpy(placed.host.data(), placed.place, placed.host.size());
}

HostCall& StreamSet::addCall(const EnqueuedOperation& operation) {
  HostCall& call = calls_.emplace_back();
  call.work = operation.work;
  if (operation.bytes > 0) call.bytes = {placeOf(operation.host, operation.bytes), operation.bytes};
  return call;
}

Expected<void> StreamSet::synchronize() {
  for (const Owned& stream : streams_) {
    Session& session = *sessions_[stream.gpu];
    auto done = session.enter().and_then([&] {
      return session.check(session.api().streamSynchronize(stream.handle), "running the operations of {}",
                           stream.name);
    });
    if (!done) return done;
  }
  return session_.enter();
}

}  // namespace warpscope::cuda
