#include "tests/support/fake_driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "kernels/backend/cuda/driver_api.h"

namespace warpscope::testing::fake_driver {
namespace {

using namespace warpscope::cuda;

constexpr int64_t kStampMargin_ns = 200, kStamp_ns = 1000;
constexpr int64_t kTimerStep_ns = 32;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
uint64_t timer(int64_t host_ns, int gpu) {
  const int64_t ahead = gpu == 0 ? kTimerAhead_ns : kPeerTimerAhead_ns;
  return static_cast<uint64_t>((host_ns + ahead) / kTimerStep_ns * kTimerStep_ns);
}
constexpr Result kInvalidHandle = 400;  // CUDA_ERROR_INVALID_HANDLE
thread_local int current_gpu = 0;       // whose context is current

// A launch of a graph, with its arguments as they were when it was added.
struct FakeNode {
  std::string kernel;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<size_t> after;  // indices of the graph's nodes
  uint64_t number = 0;
  uint64_t condition = 0;  // of an IF node: its handle
  std::shared_ptr<struct FakeGraph> body{};
};
struct FakeGraph {
  std::vector<FakeNode> nodes;
  std::vector<Graph> bodies;  // what cuGraphAddNode gives for the last IF node
};

struct FakeStream {
  uint64_t number = 0;
  bool blocking = false;  // synchronises with the legacy default stream
  int64_t free_at = 0;
  FakeGraph* captured = nullptr;
  std::vector<size_t> last{};  // while it is captured: the nodes that the next one follows
  int64_t triggers_at = 0;     // when the kernel that was enqueued last lets the next begin; 0: it was none
  int gpu = 0;
};
struct FakeEvent {
  uint64_t number = 0;
  bool has_time = false;
  int64_t at = 0;
  FakeGraph* captured = nullptr;
  std::vector<size_t> last{};
  int gpu = 0;
};
struct FakeFunction {
  std::string name;
  int gpu = 0;
};
struct FakeModule {
  int gpu = 0;
  std::map<std::string, std::unique_ptr<FakeFunction>> functions;
};

struct State {
  std::mutex mutex;
  std::vector<Call> calls;
  Alive alive;
  struct Failure {
    int nth = 0, result = 0;
    bool of_plan = false;  // calls on the session's stream do not count
  };
  std::map<std::string, Failure> failures;
  std::map<void*, size_t> pinned;
  std::vector<std::unique_ptr<FakeStream>> streams;  // 0: the session's, the first that is created
  FakeStream legacy{1, true, 0}, per_thread{2, true, 0};
  std::vector<std::unique_ptr<FakeEvent>> events;
  int64_t to_device_free[2] = {}, to_host_free[2] = {}, to_gpu_free[2] = {};  // by GPU
  int gpus = 1;
  bool peer_access = false;
  std::vector<std::thread> answering;
  bool recording = false;
  uint32_t correlation = 0;
  std::vector<Record> records;
  std::set<void*> allocations;
  std::set<void*> freed_on_streams;  // are the host's until the process begins anew
  std::set<FakeModule*> modules;
  std::map<uint64_t, uint32_t> conditions;  // by handle
  Cupti cupti = Cupti::kWorks;
  bool launches_block = false;
};
State& state() {
  static State all;
  return all;
}

// Counts the call, and says whether it fails.
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

// When the next operation of a stream may begin.
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

// Lets an operation of `lasts_ns` run, after `*engine` is free.
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
void keep(const Record& record) {
  if (state().recording) state().records.push_back(record);
}

void sleepUntil(int64_t host_ns) {
  while (now() < host_ns) std::this_thread::sleep_for(std::chrono::microseconds(1));
}

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
    const auto lasts = static_cast<int64_t>(kCopyLatency_ns + static_cast<double>(bytes) / kCopyBytesPerNs);
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

// Answers as long as questions come; each a moment after it was asked.
void answerQuestions(uint32_t* mailbox, uint32_t first, uint32_t count, uint64_t give_up_ns, int gpu) {
  const int64_t until = now() + static_cast<int64_t>(give_up_ns);
  auto* answers = reinterpret_cast<uint64_t*>(reinterpret_cast<std::byte*>(mailbox) + 128);
  for (uint32_t i = 0; i < count; ++i) {
    while (std::atomic_ref(*mailbox).load(std::memory_order_acquire) != first + i) {
      if (now() > until) return;
      std::this_thread::yield();
    }
    std::atomic_ref(answers[i]).store(timer(now(), gpu), std::memory_order_release);
  }
}

template <class T>
T argument(void** arguments, size_t i) {
  T value;
  std::memcpy(&value, arguments[i], sizeof value);
  return value;
}

int64_t lastsOf(const std::string& kernel) {
  if (kernel == "add_one" || kernel == "decide") return kKernel_ns;
  if (kernel == "plug" || kernel == "clock_rate") return kPlug_ns;
  return kernel == "hold" ? kHold_ns : kStamp_ns;
}

void addOne(void** arguments) {
  auto* words = reinterpret_cast<uint32_t*>(argument<Address>(arguments, 0));
  for (uint32_t i = 0; i < argument<uint32_t>(arguments, 1); ++i) ++words[i];
}

size_t addNode(FakeGraph& graph, const std::string& kernel, void** arguments, std::vector<size_t> after) {
  static uint64_t numbers = 0;
  FakeNode node{.kernel = kernel, .arguments = {}, .after = std::move(after), .number = ++numbers};
  std::vector<size_t> sizes;
  if (kernel == "add_one") sizes = {sizeof(Address), sizeof(uint32_t)};
  if (kernel == "decide") sizes = {sizeof(uint32_t), sizeof(uint64_t)};
  for (const size_t bytes : sizes) {
    const auto* from = static_cast<const std::byte*>(arguments[node.arguments.size()]);
    node.arguments.emplace_back(from, from + bytes);
  }
  graph.nodes.push_back(std::move(node));
  return graph.nodes.size() - 1;
}

// Returns when it ends.
int64_t runNode(FakeNode& node, int64_t begin_ns) {
  Record record;
  record.kind = 10;
  record.correlation = state().correlation;
  record.node = node.number;
  record.begin_ns = begin_ns;
  record.end_ns = begin_ns + lastsOf(node.kernel);
  std::vector<void*> arguments;
  for (auto& each : node.arguments) arguments.push_back(each.data());
  if (node.kernel == "add_one") addOne(arguments.data());
  if (node.kernel == "decide") {
    const auto handle = argument<uint64_t>(arguments.data(), 1);
    if (handle != 0) state().conditions.at(handle) = argument<uint32_t>(arguments.data(), 0);
  }
  keep(record);
  return record.end_ns;
}

// Nodes that follow none begin as any operation of the stream does. Conditions are 0 at first.
void runGraph(FakeGraph& graph, FakeStream& stream) {
  const int64_t ready = readyAt(stream);
  for (const FakeNode& node : graph.nodes) {
    if (node.body) state().conditions.at(node.condition) = 0;
  }
  std::vector<int64_t> ends;
  for (FakeNode& node : graph.nodes) {
    int64_t before_ns = ready, begin_ns = ready + kStart_ns;
    for (const size_t before : node.after) {
      before_ns = std::max(before_ns, ends[before]);
      begin_ns = std::max(begin_ns, ends[before] + kNodeStart_ns);
    }
    if (state().cupti == Cupti::kHasNoNodeTimes) begin_ns = ready + kStart_ns;
    if (!node.body) {
      ends.push_back(runNode(node, begin_ns));
    } else if (state().conditions.at(node.condition) == 0) {
      ends.push_back(before_ns + kSkip_ns);
    } else {
      ends.push_back(runNode(node.body->nodes.at(0), begin_ns + kCondition_ns));
    }
    stream.free_at = std::max(stream.free_at, ends.back());
  }
}

void launch(const std::string& name, FakeStream& stream, void** arguments, bool programmatic = false) {
  const int64_t before_ends = stream.free_at;
  if (programmatic && stream.triggers_at != 0) stream.free_at = stream.triggers_at;
  Record record = run(stream, lastsOf(name), nullptr);
  record.kind = 10;
  record.end_ns = stream.free_at = std::max(record.end_ns, before_ends);
  stream.triggers_at = record.begin_ns + kTrigger_ns;
  if (name == "answer") {
    state().answering.emplace_back(answerQuestions,
                                   reinterpret_cast<uint32_t*>(argument<Address>(arguments, 0)),
                                   argument<uint32_t>(arguments, 1), argument<uint32_t>(arguments, 2),
                                   argument<uint64_t>(arguments, 3), stream.gpu);
  } else if (name == "stamp") {
    auto* place = reinterpret_cast<uint64_t*>(argument<Address>(arguments, 0));
    place[0] = timer(record.begin_ns + kStampMargin_ns, stream.gpu);
    place[1] = timer(record.end_ns - kStampMargin_ns, stream.gpu);
  } else if (name == "add_one") {
    addOne(arguments);
  }
  keep(record);
}

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

std::vector<Call> calls() {
  const std::lock_guard lock(state().mutex);
  return state().calls;
}
Alive alive() {
  const std::lock_guard lock(state().mutex);
  return state().alive;
}
void failAt(const std::string& entry, int nth, int result) {
  const std::lock_guard lock(state().mutex);
  state().failures[entry] = {.nth = nth, .result = result};
}
void failAtOfPlan(const std::string& entry, int nth, int result) {
  const std::lock_guard lock(state().mutex);
  state().failures[entry] = {.nth = nth, .result = result, .of_plan = true};
}
void setCupti(Cupti mode) {
  const std::lock_guard lock(state().mutex);
  state().cupti = mode;
}
Cupti cuptiMode() {
  const std::lock_guard lock(state().mutex);
  return state().cupti;
}
void setGpus(int count, bool peer_access) {
  const std::lock_guard lock(state().mutex);
  state().gpus = count;
  state().peer_access = peer_access;
}
void setLaunchesBlock(bool block) {
  const std::lock_guard lock(state().mutex);
  state().launches_block = block;
}
void reset() {
  const std::lock_guard lock(state().mutex);
  state().launches_block = false;
  state().calls.clear();
  state().failures.clear();
  state().cupti = Cupti::kWorks;
}
void unload() {
  reset();
  std::vector<std::thread> answering;
  {
    const std::lock_guard lock(state().mutex);
    answering.swap(state().answering);
  }
  for (std::thread& each : answering) each.join();
  const std::lock_guard lock(state().mutex);
  State& s = state();
  for (const auto& [memory, bytes] : s.pinned) std::free(memory);
  for (const auto* memories : {&s.allocations, &s.freed_on_streams}) {
    for (void* memory : *memories) std::free(memory);
  }
  for (FakeModule* module : s.modules) delete module;
  s.pinned.clear();
  s.allocations.clear();
  s.freed_on_streams.clear();
  s.modules.clear();
  s.streams.clear();
  s.events.clear();
  s.records.clear();
  s.conditions.clear();
  s.alive = {};
}
void setRecording(bool on) {
  const std::lock_guard lock(state().mutex);
  state().recording = on;
}
std::vector<Record> takeRecords() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().records, {});
}

}  // namespace warpscope::testing::fake_driver

#pragma GCC visibility push(default)
extern "C" {

using namespace warpscope::cuda;
using namespace warpscope::testing::fake_driver;

Result cuInit(unsigned) {
  return kSuccess;
}
Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** name) {
  *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                        : "CUDA_ERROR_OF_TEST";
  return kSuccess;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "the fake driver was told so";
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  *count = state().gpus;
  return kSuccess;
}
Result cuDeviceGetName(char* name, int bytes, DeviceOrdinal) {
  std::strncpy(name, "Fake H100", static_cast<size_t>(bytes));
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceOrdinal) {
  switch (attribute) {
    case DeviceAttribute::kComputeCapabilityMajor:
      *value = 9;
      break;
    case DeviceAttribute::kComputeCapabilityMinor:
      *value = 0;
      break;
    case DeviceAttribute::kMultiprocessorCount:
      *value = 4;
      break;
    case DeviceAttribute::kClockRateKhz:
      *value = 1'980'000;
      break;
    default:
      *value = 1024;
  }
  return kSuccess;
}
Result cuDeviceTotalMem_v2(size_t* bytes, DeviceOrdinal) {
  *bytes = size_t{1} << 30;
  return kSuccess;
}
// A context's handle is its GPU's number and 1.
Result cuDevicePrimaryCtxRetain(Context* context, DeviceOrdinal gpu) {
  *context = reinterpret_cast<Context>(static_cast<uintptr_t>(gpu) + 1);
  return kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal) {
  return kSuccess;
}
Result cuCtxSetCurrent(Context context) {
  current_gpu = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  return kSuccess;
}
Result cuDeviceCanAccessPeer(int* can, DeviceOrdinal, DeviceOrdinal) {
  *can = state().peer_access ? 1 : 0;
  return kSuccess;
}
Result cuCtxEnablePeerAccess(Context, unsigned) {
  const std::lock_guard lock(state().mutex);
  return note({.entry = "cuCtxEnablePeerAccess", .event = ~uint64_t{0}});
}
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
  const auto lasts = static_cast<int64_t>(kCopyLatency_ns + static_cast<double>(bytes) / kCopyBytesPerNs);
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
  const auto lasts = static_cast<int64_t>(kCopyLatency_ns + static_cast<double>(bytes) / kCopyBytesPerNs);
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
Result cuModuleLoadDataEx(Module* module, const void*, unsigned, JitOption*, void**) {
  const std::lock_guard lock(state().mutex);
  auto* made = new FakeModule;
  made->gpu = current_gpu;
  state().modules.insert(made);
  *module = reinterpret_cast<Module>(made);
  ++state().alive.modules;
  return kSuccess;
}
Result cuModuleUnload(Module module) {
  const std::lock_guard lock(state().mutex);
  state().modules.erase(reinterpret_cast<FakeModule*>(module));
  delete reinterpret_cast<FakeModule*>(module);
  --state().alive.modules;
  return kSuccess;
}
Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  auto& functions = reinterpret_cast<FakeModule*>(module)->functions;
  auto& known = functions[name];
  if (known == nullptr)
    known = std::make_unique<FakeFunction>(FakeFunction{name, reinterpret_cast<FakeModule*>(module)->gpu});
  *function = reinterpret_cast<Function>(known.get());
  return kSuccess;
}
Result cuFuncGetAttribute(int* value, FunctionAttribute, Function) {
  *value = 0;
  return kSuccess;
}
Result cuFuncSetAttribute(Function, FunctionAttribute, int) {
  return kSuccess;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int, size_t) {
  *blocks = 1;
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
  return cuStreamSynchronize(handle);
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
Result cuStreamBeginCapture_v2(Stream handle, int) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuStreamBeginCapture_v2", .stream = stream.number}))
    return failed;
  stream.captured = new FakeGraph;
  return kSuccess;
}
Result cuStreamEndCapture(Stream handle, Graph* graph) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  FakeGraph* captured = stream.captured;
  for (const auto& each : state().streams) {
    if (each->captured != captured) continue;
    each->captured = nullptr;
    each->last.clear();
  }
  if (const Result failed = note({.entry = "cuStreamEndCapture", .stream = stream.number})) {
    delete captured;
    return failed;
  }
  *graph = reinterpret_cast<Graph>(captured);
  ++state().alive.graphs;
  return kSuccess;
}
Result cuGraphCreate(Graph* graph, unsigned) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphCreate"})) return failed;
  *graph = reinterpret_cast<Graph>(new FakeGraph);
  ++state().alive.graphs;
  return kSuccess;
}
Result cuGraphAddKernelNode_v2(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                               const KernelNode* launch) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphAddKernelNode_v2"})) return failed;
  // A node's handle is its index and 1.
  std::vector<size_t> before;
  for (size_t i = 0; i < count; ++i) before.push_back(reinterpret_cast<uintptr_t>(after[i]) - 1);
  const std::string& name = reinterpret_cast<FakeFunction*>(launch->function)->name;
  const size_t index =
      addNode(*reinterpret_cast<FakeGraph*>(graph), name, launch->arguments, std::move(before));
  *node = reinterpret_cast<GraphNode>(uintptr_t{index + 1});
  return kSuccess;
}
Result cuGraphConditionalHandleCreate(uint64_t* handle, Graph, Context, unsigned value, unsigned flags) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphConditionalHandleCreate"})) return failed;
  if (value != 0 || flags != kAssignDefault) return kErrorNotPermitted;
  *handle = 100 + state().conditions.size();
  state().conditions[*handle] = 0;
  return kSuccess;
}
Result cuGraphAddNode_v2(GraphNode* made, Graph handle, const GraphNode* after, const void*, size_t count,
                         ConditionalNode* conditional) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphAddNode_v2"})) return failed;
  if (!state().conditions.contains(conditional->handle)) return kInvalidHandle;
  FakeGraph& graph = *reinterpret_cast<FakeGraph*>(handle);
  FakeNode node{.kernel = {}, .arguments = {}, .after = {}, .condition = conditional->handle};
  for (size_t i = 0; i < count; ++i) node.after.push_back(reinterpret_cast<uintptr_t>(after[i]) - 1);
  node.body = std::make_shared<FakeGraph>();
  graph.bodies = {reinterpret_cast<Graph>(node.body.get())};
  conditional->bodies = graph.bodies.data();
  graph.nodes.push_back(std::move(node));
  *made = reinterpret_cast<GraphNode>(uintptr_t{graph.nodes.size()});
  return kSuccess;
}
Result cuLinkCreate_v2(unsigned, JitOption*, void**, LinkState* linker) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuLinkCreate_v2"})) return failed;
  *linker = reinterpret_cast<LinkState>(&state());
  ++state().alive.linkers;
  return kSuccess;
}
Result cuLinkAddData_v2(LinkState, LinkInput input, void*, size_t, const char*, unsigned, JitOption*,
                        void**) {
  const std::lock_guard lock(state().mutex);
  return input == LinkInput::kPtx ? note({.entry = "cuLinkAddData_v2"}) : kErrorNotPermitted;
}
Result cuLinkAddFile_v2(LinkState, LinkInput input, const char*, unsigned, JitOption*, void**) {
  const std::lock_guard lock(state().mutex);
  return input == LinkInput::kLibrary ? note({.entry = "cuLinkAddFile_v2"}) : kErrorNotPermitted;
}
Result cuLinkComplete(LinkState, void** cubin, size_t*) {
  const std::lock_guard lock(state().mutex);
  *cubin = &state();
  return note({.entry = "cuLinkComplete"});
}
Result cuLinkDestroy(LinkState) {
  const std::lock_guard lock(state().mutex);
  --state().alive.linkers;
  return kSuccess;
}
Result cuGraphInstantiateWithFlags(GraphExec* executable, Graph graph, unsigned long long) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphInstantiateWithFlags"})) return failed;
  *executable = reinterpret_cast<GraphExec>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
  ++state().alive.executable_graphs;
  return kSuccess;
}
Result cuGraphUpload(GraphExec, Stream handle) {
  const std::lock_guard lock(state().mutex);
  return note({.entry = "cuGraphUpload", .stream = streamOf(handle).number});
}
Result cuGraphLaunch(GraphExec executable, Stream handle) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuGraphLaunch", .stream = stream.number})) return failed;
  runGraph(*reinterpret_cast<FakeGraph*>(executable), stream);
  return kSuccess;
}
Result cuGraphExecDestroy(GraphExec executable) {
  const std::lock_guard lock(state().mutex);
  delete reinterpret_cast<FakeGraph*>(executable);
  --state().alive.executable_graphs;
  return kSuccess;
}
Result cuGraphDestroy(Graph graph) {
  const std::lock_guard lock(state().mutex);
  delete reinterpret_cast<FakeGraph*>(graph);
  --state().alive.graphs;
  return kSuccess;
}
Result cuModuleGetGlobal_v2(Address*, size_t*, Module, const char*) {
  return kErrorNotPermitted;
}

}  // extern "C"
#pragma GCC visibility pop
