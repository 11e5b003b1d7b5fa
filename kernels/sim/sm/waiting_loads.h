// The loads of an SM that wait for data from L2. L1 looks loads up in order, and keeps a place for each that
// waits, and one for each line that is under way; no more than kMostLoads and kMostLines may be.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace warpscope::sim {

class WaitingLoads {
 public:
  // A load begins to wait, for so many lines.
  void add(uint32_t lines) {
    ++waiting_.loads;
    waiting_.lines += lines;
  }

  // A line comes at `cycle`; the last line that a load waits for comes at `cycle`.
  void lineArrives(uint64_t cycle) {
    ++arrivalsAt(cycle).lines;
    ++known_;
  }
  void loadArrives(uint64_t cycle) {
    ++arrivalsAt(cycle).loads;
    ++known_;
  }

  // From when a load of `lines` may wait, if not before `from`. What is not known to arrive does so at
  // `unknown`.
  double room(double from, uint32_t lines, uint64_t unknown) {
    from_ = std::max(from_, from);
    passUntil(static_cast<uint64_t>(from_) / kSlotCycles + 1);
    while (!fits(lines) && known_ > 0) {
      from_ = std::max(from_, static_cast<double>(next_slot_ * kSlotCycles));
      pass();
    }
    if (!fits(lines)) from_ = std::max(from_, static_cast<double>(unknown));
    return from_;
  }

 private:
  // If all SMs of an H200 (580.159.04, 2026-11-28) load from DRAM again and again, the warps of an SM stop
  // before the first data come: after 544 to 576 loads of one or two lines, and after 380, 195, 137 and 100
  // loads of 4, 8, 16 and 32 lines. About 64 of these loads are in the queues before L1, so that 512 loads
  // and about 1,200 lines wait. With 1,280 lines, however, `gather` of the truth suite's open part takes 20 %
  // too long here, and with 1,600 lines 1 %.
  static constexpr int32_t kMostLoads = 512, kMostLines = 1600;
  // Arrivals are counted by slots of time. The last slot also counts those that come after it.
  static constexpr uint64_t kSlotCycles = 16, kSlots = 1024;

  struct Counts {
    int32_t loads = 0, lines = 0;
  };

  bool fits(uint32_t lines) const {
    return waiting_.loads < kMostLoads && waiting_.lines + static_cast<int32_t>(lines) <= kMostLines;
  }

  Counts& arrivalsAt(uint64_t cycle) {
    return arrivals_[std::clamp(cycle / kSlotCycles, next_slot_, next_slot_ + kSlots - 1) % kSlots];
  }

  // Passes the slots before this one.
  void passUntil(uint64_t slot) {
    while (next_slot_ < slot && known_ > 0) pass();
    next_slot_ = std::max(next_slot_, slot);
  }
  void pass() {
    const Counts arrived = std::exchange(arrivals_[next_slot_++ % kSlots], {});
    waiting_.loads -= arrived.loads;
    waiting_.lines -= arrived.lines;
    known_ -= arrived.loads + arrived.lines;
  }

  Counts waiting_;
  int32_t known_ = 0;  // how many of the waiting loads and lines have an arrival time
  std::array<Counts, kSlots> arrivals_{};
  uint64_t next_slot_ = 0;
  double from_ = 0;  // what room() returned last
};

}  // namespace warpscope::sim
