#include "tests/support/fake_cuda/fake_driver.h"

#include <cstdlib>
#include <utility>

#include "tests/support/fake_cuda/fake_gpu.h"

namespace warpscope::testing::fake_driver {

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
