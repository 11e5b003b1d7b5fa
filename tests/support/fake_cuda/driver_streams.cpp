// The fake driver's entries for streams, events and launches on streams.
#include <algorithm>

#include "tests/support/fake_cuda/fake_kernels.h"

namespace warpscope::testing::fake_driver {
namespace {

Result makeStream(const char* entry, Stream* made, unsigned flags, int priority) {
  const std::lock_guard lock(state().mutex);
  State& s = state();
  // The first one of each GPU is its session's.
  const bool of_session = std::ranges::none_of(
      s.streams, [](const auto& stream) { return stream->number == 0 && stream->gpu == current_gpu; });
  const uint64_t number = of_session ? 0 : 2 + s.streams.size();
  if (const Result failed = note({.entry = entry, .stream = number, .priority = priority, .flags = flags}))
    return failed;
  s.streams.push_back(std::make_unique<FakeStream>(FakeStream{number, flags == kStreamDefault, 0}));
  s.streams.back()->gpu = current_gpu;
  ++s.alive.streams;
  *made = reinterpret_cast<Stream>(s.streams.back().get());
  return kSuccess;
}

}  // namespace
}  // namespace warpscope::testing::fake_driver

#pragma GCC visibility push(default)
extern "C" {

using namespace warpscope::cuda;
using namespace warpscope::testing::fake_driver;

Result cuStreamCreate(Stream* stream, unsigned flags) {
  return makeStream("cuStreamCreate", stream, flags, 0);
}
Result cuStreamCreateWithPriority(Stream* stream, unsigned flags, int priority) {
  return makeStream("cuStreamCreateWithPriority", stream, flags, priority);
}
Result cuStreamDestroy_v2(Stream stream) {
  const std::lock_guard lock(state().mutex);
  note({.entry = "cuStreamDestroy_v2", .stream = streamOf(stream).number});
  --state().alive.streams;
  std::erase_if(state().streams,
                [&](const auto& each) { return each.get() == reinterpret_cast<FakeStream*>(stream); });
  return kSuccess;
}
Result cuStreamSynchronize(Stream handle) {
  return synchronize(handle);
}
Result cuStreamWaitEvent(Stream handle, Event event, unsigned) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed =
          note({.entry = "cuStreamWaitEvent", .stream = stream.number, .event = eventOf(event).number}))
    return failed;
  const FakeEvent& of = eventOf(event);
  if (of.captured != nullptr) {
    stream.captured = of.captured;
    stream.last.insert(stream.last.end(), of.last.begin(), of.last.end());
  } else {
    stream.free_at = std::max(stream.free_at, of.at);
  }
  return kSuccess;
}
Result cuLaunchHostFunc(Stream handle, HostFunction function, void* data) {
  int64_t begin = 0;
  {
    const std::lock_guard lock(state().mutex);
    FakeStream& stream = streamOf(handle);
    if (const Result failed = note({.entry = "cuLaunchHostFunc", .stream = stream.number})) return failed;
    begin = readyAt(stream);
  }
  sleepUntil(begin);
  function(data);
  const std::lock_guard lock(state().mutex);
  streamOf(handle).free_at = now();
  return kSuccess;
}
Result cuEventCreate(Event* event, unsigned flags) {
  const std::lock_guard lock(state().mutex);
  State& s = state();
  const uint64_t number = s.events.size() + 1;
  if (const Result failed = note({.entry = "cuEventCreate", .event = number, .flags = flags})) return failed;
  s.events.push_back(std::make_unique<FakeEvent>(FakeEvent{number, flags != kEventDisableTiming, 0}));
  s.events.back()->gpu = current_gpu;
  ++s.alive.events;
  *event = reinterpret_cast<Event>(s.events.back().get());
  return kSuccess;
}
Result cuEventDestroy_v2(Event) {
  const std::lock_guard lock(state().mutex);
  --state().alive.events;
  return kSuccess;
}
Result cuEventSynchronize(Event) {
  return kSuccess;
}
Result cuEventRecord(Event event, Stream handle) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed =
          note({.entry = "cuEventRecord", .stream = stream.number, .event = eventOf(event).number}))
    return failed;
  if (eventOf(event).gpu != stream.gpu || stream.gpu != current_gpu) return kInvalidHandle;
  eventOf(event).captured = stream.captured;
  eventOf(event).last = stream.last;
  if (stream.captured == nullptr) eventOf(event).at = readyAt(stream);
  stream.triggers_at = 0;
  return kSuccess;
}
Result cuEventElapsedTime(float* ms, Event from, Event to) {
  const std::lock_guard lock(state().mutex);
  if (!eventOf(from).has_time || !eventOf(to).has_time) return kInvalidHandle;
  if (eventOf(from).gpu != eventOf(to).gpu || eventOf(to).gpu != current_gpu) return kInvalidHandle;
  *ms = static_cast<float>(static_cast<double>(eventOf(to).at - eventOf(from).at) / 1e6);
  return kSuccess;
}
Result cuLaunchKernel(Function function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      Stream handle, void** arguments, void**) {
  {
    const std::lock_guard lock(state().mutex);
    FakeStream& stream = streamOf(handle);
    const std::string& name = reinterpret_cast<FakeFunction*>(function)->name;
    const Call call{
        .entry = "cuLaunchKernel", .stream = stream.number, .gpu = static_cast<uint32_t>(stream.gpu)};
    if (const Result failed = note(call)) return failed;
    const int gpu = reinterpret_cast<FakeFunction*>(function)->gpu;
    if (gpu != stream.gpu || gpu != current_gpu) return kInvalidHandle;
    if (stream.captured != nullptr) {
      stream.last = {addNode(*stream.captured, name, arguments, stream.last)};
      return kSuccess;
    }
    launch(name, stream, arguments);
    if (!state().launches_block) return kSuccess;
  }
  return synchronize(handle);
}
Result cuLaunchKernelEx(const LaunchConfig* config, Function function, void** arguments, void**) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(config->stream);
  unsigned attributes = 0;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    if (config->attributes[i].value[0] != 0) attributes |= 1U << config->attributes[i].id;
  }
  if (const Result failed = note({.entry = "cuLaunchKernelEx", .stream = stream.number, .flags = attributes}))
    return failed;
  launch(reinterpret_cast<FakeFunction*>(function)->name, stream, arguments,
         (attributes >> kAttributeProgrammaticStreamSerialization & 1U) != 0);
  return kSuccess;
}
Result cuLaunchCooperativeKernel(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, Stream, void**) {
  return kErrorNotPermitted;
}

}  // extern "C"
#pragma GCC visibility pop
