// The hooks of a timed launch for the warps whose values are wanted: those of AccessRecorder, and a log of
// what each instruction wrote into registers and shared memory (run/value_log.h).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/run/value_log.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/access_recorder.h"

namespace warpscope::sim {

// The block whose values are recorded, and where they go. One SM simulates it, so one thread uses this.
class ValueRecording {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;  // of the log

  // `snapshot_after`: takes a snapshot when the block has executed so many steps; 0: none.
  explicit ValueRecording(uint32_t block, uint64_t snapshot_after = 0)
      : block_(block), snapshot_after_(snapshot_after) {
    log_.block = BlockId{block};
  }

  uint32_t block() const { return block_; }
  void begins(Block& block);  // before its first instruction
  uint32_t stepsOf(uint32_t warp) const { return static_cast<uint32_t>(log_.warps[warp].steps.size()); }
  // The warp has issued the instruction of a step; `cycle` is of the device's clock.
  void issued(uint32_t warp, int64_t step, uint64_t cycle);

  // `reduces`: it is an atomic without a result, whatever register PTX names for that.
  void step(const Warp& warp, const Frame& frame, uint32_t pc, uint32_t mask, bool done, bool reduces);
  void storing(const Warp& warp, const MemoryAccess& access);
  void copied(const Warp& warp, const PendingCopy& copy, uint32_t mask);

  // The log, complete; to be called once, after the launch.
  ValueLog take();

 private:
  // An instruction whose effect comes later than its step.
  struct Awaited {
    uint32_t pc = 0, mask = 0;
    Frame frame;
    uint32_t answer = 0;  // of an mbarrier, so far
  };
  struct PendingStore {
    uint32_t pc = 0, bytes = 0, elements = 1, mask = 0;
    bool shared = true;
    std::array<uint64_t, 32> offsets{};
  };

  uint32_t slotOfFrame(const Frame& frame);
  void writeRegisters(const Warp& warp, const Frame& frame, uint32_t pc, uint32_t mask);
  void writeShared(uint32_t warp, uint64_t offset, uint32_t bytes);
  void writeGlobal(uint32_t warp, const PendingStore& store, uint32_t lane);
  void takeSnapshot(const Warp& warp);

  uint32_t block_;
  uint64_t snapshot_after_, steps_ = 0;
  const Code* code_ = nullptr;
  Block* running_ = nullptr;
  ValueLog log_;
  size_t bytes_ = 0;
  struct Place {
    uint32_t slot = 0, frame = 0;
  };
  std::map<std::pair<uint32_t, uint32_t>, Place> places_;  // of calls: by function and instance
  uint32_t slots_ = 0;
  std::vector<std::vector<Awaited>> awaited_;      // by warp: at a barrier that brings a result
  std::vector<std::vector<PendingStore>> stores_;  // by warp: not executed yet
};

struct ValueRecorder : AccessRecorder {
  static constexpr bool kValues = true;
  ValueRecording* values = nullptr;

  void access(const Warp& warp, const MemoryAccess& access) {
    AccessRecorder::access(warp, access);
    values->storing(warp, access);
  }
  void executed(const Warp& warp, const Frame& frame, uint32_t pc, uint32_t mask, bool done) {
    values->step(warp, frame, pc, mask, done, reducesNow(pc));
  }
  void copied(const Warp& warp, const PendingCopy& copy, uint32_t mask) { values->copied(warp, copy, mask); }
};

}  // namespace warpscope::sim
