// What the fake driver has instead of GPUs: streams, events, modules and graphs, and when operations on
// streams begin and end. Whatever reads or changes the state holds its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/backend/cuda/driver_api.h"
#include "tests/support/fake_cuda/fake_driver.h"

namespace warpscope::testing::fake_driver {

using namespace warpscope::cuda;

constexpr int64_t kStamp_ns = 1000;       // of the kernels that read the timer, and of fills
constexpr Result kInvalidHandle = 400;    // CUDA_ERROR_INVALID_HANDLE
inline thread_local int current_gpu = 0;  // whose context is current

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
State& state();

int64_t now();                             // the host's clock, which all times are of
uint64_t timer(int64_t host_ns, int gpu);  // %globaltimer of a GPU

// Counts the call, and says whether it fails.
Result note(const Call& call);

FakeStream& streamOf(Stream handle);
FakeEvent& eventOf(Event handle);

// When the next operation of a stream may begin.
int64_t readyAt(const FakeStream& stream);
// Lets an operation of `lasts_ns` run, after `*engine` is free.
Record run(FakeStream& stream, int64_t lasts_ns, int64_t* engine);
int64_t copyLasts(size_t bytes);
void keep(const Record& record);  // for CUPTI, while it records

// These take the mutex themselves.
void sleepUntil(int64_t host_ns);
Result synchronize(Stream handle);  // cuStreamSynchronize

}  // namespace warpscope::testing::fake_driver
