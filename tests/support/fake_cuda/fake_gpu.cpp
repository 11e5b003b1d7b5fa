#include "tests/support/fake_cuda/fake_gpu.h"

#include <algorithm>
#include <chrono>

namespace warpscope::testing::fake_driver {
namespace {

constexpr int64_t kTimerStep_ns = 32;

}  // namespace

State& state() {
  static State all;
  return all;
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
uint64_t timer(int64_t host_ns, int gpu) {
  const int64_t ahead = gpu == 0 ? kTimerAhead_ns : kPeerTimerAhead_ns;
  return static_cast<uint64_t>((host_ns + ahead) / kTimerStep_ns * kTimerStep_ns);
}

Result note(const Call& call) {
  State& s = state();
  ++s.correlation;
  if (call.stream != 0 || call.event != 0 || call.entry == "cuMemHostAlloc") s.calls.push_back(call);
  const auto failure = s.failures.find(call.entry);
  const bool of_session = call.stream == 0 && call.event == 0;
  if (failure == s.failures.end() || (failure->second.of_plan && of_session)) return kSuccess;
  if (--failure->second.nth > 0) return kSuccess;
  const Result result = failure->second.result;
  s.failures.erase(failure);
  return result;
}

FakeStream& streamOf(Stream handle) {
  const auto value = reinterpret_cast<uintptr_t>(handle);
  if (value == kLegacyDefaultStream) return state().legacy;
  if (value == kThreadDefaultStream) return state().per_thread;
  return *reinterpret_cast<FakeStream*>(handle);
}
FakeEvent& eventOf(Event handle) {
  return *reinterpret_cast<FakeEvent*>(handle);
}

int64_t readyAt(const FakeStream& stream) {
  State& s = state();
  int64_t ready = std::max(now(), stream.free_at);
  if (stream.number == kLegacyDefaultStream) {
    ready = std::max(ready, s.per_thread.free_at);
    for (const auto& other : s.streams) {
      if (other->blocking) ready = std::max(ready, other->free_at);
    }
  } else if (stream.blocking) {
    ready = std::max(ready, s.legacy.free_at);
  }
  return ready;
}

Record run(FakeStream& stream, int64_t lasts_ns, int64_t* engine) {
  State& s = state();
  Record record;
  record.correlation = s.correlation;
  record.begin_ns = std::max(readyAt(stream), engine == nullptr ? 0 : *engine) + kStart_ns;
  record.end_ns = record.begin_ns + lasts_ns;
  stream.free_at = record.end_ns;
  stream.triggers_at = 0;
  if (engine != nullptr) *engine = record.end_ns;
  return record;
}

int64_t copyLasts(size_t bytes) {
  return static_cast<int64_t>(kCopyLatency_ns + static_cast<double>(bytes) / kCopyBytesPerNs);
}

void keep(const Record& record) {
  if (state().recording) state().records.push_back(record);
}

void sleepUntil(int64_t host_ns) {
  while (now() < host_ns) std::this_thread::sleep_for(std::chrono::microseconds(1));
}

Result synchronize(Stream handle) {
  std::vector<std::thread> answering;
  int64_t until = 0;
  Result failed = kSuccess;
  {
    const std::lock_guard lock(state().mutex);
    FakeStream& stream = streamOf(handle);
    failed = note({.entry = "cuStreamSynchronize", .stream = stream.number});
    until = stream.free_at;
    if (stream.number == 0) answering.swap(state().answering);
  }
  for (std::thread& each : answering) each.join();
  sleepUntil(until);
  return failed;
}

}  // namespace warpscope::testing::fake_driver
