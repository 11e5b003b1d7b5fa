// Keeps track of which thread of a block knows of which others' accesses: the happens-before relation of
// CUDA's memory model, represented by vector clocks whose size depends on what was synchronised, not on the
// number of threads.
//
// Each thread has a clock that is incremented whenever others may learn of its accesses. Thread t knows
// thread u's accesses up to clock c, the largest of
// - floor(t): for all threads of its block, set by block-wide barriers;
// - a row of 32 clocks: for the lanes of its own warp, set by __syncwarp;
// - far(t): for individual threads of its block and of other blocks (Knowledge), set by barriers of part of
// the block, and by atomics and fences.
// Three more values per thread serve atomics. `released_device` and `released_block` are what the thread has
// fenced for the device or its block, which its next strong write publishes; `pending` is what its strong
// reads have seen, which its next fence or barrier makes its own. Barriers pass all of these on, so that the
// usual idioms work: every thread fences and then one signals for the block; one thread acquires and then the
// block synchronises.
//
// Sources: PTX ISA 9.0, 8.9 "Axioms" and 9.7.13 (barrier, bar.warp.sync, fence); Flanagan and Freund,
// "FastTrack: Efficient and Precise Dynamic Race Detection", 2009.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/sim/simt/checks/access_record.h"
#include "kernels/sim/simt/checks/knowledge.h"

namespace warpscope::sim {

// The knowledge that strong writes to one location have published, to everyone and to the writer's own block.
// The latter is everything up to `floor` of that block, and `more`.
struct Published {
  struct ToBlock {
    uint32_t floor = 0;
    Knowledge more;
  };
  Knowledge device;
  std::unordered_map<uint32_t, ToBlock> block;  // by block
};

class BlockClocks {
 public:
  explicit BlockClocks(uint32_t threads);
  void restart(uint32_t block);  // starts over for another block

  uint32_t block() const { return block_; }
  uint32_t clock(uint32_t thread) const { return self_[thread]; }
  // Lanes of the record that are not ordered before `thread`'s next access; the thread's own lane never
  // counts.
  uint32_t unordered(const AccessRecord& earlier, uint32_t thread) const;

  void warpBarrier(uint32_t warp, uint32_t mask);

  // The lanes of one warp that took part in a block barrier.
  struct Part {
    uint32_t warp = 0, mask = 0;
    bool waits = true;  // false: bar.arrive, which signals but does not wait
  };
  // A barrier in which all threads of the block took part (or had exited), or one for some of them.
  void wholeBarrier();
  void partialBarrier(std::span<const Part> parts);

  // After wholeBarrier(): what all threads know and have done, and what they learn of other blocks.
  Knowledge knowledgeOfAll() const;
  void learnAll(const Knowledge& others);

  enum class Scope : uint8_t { kBlock, kDevice };
  // A fence is both: what was read strongly before it is now known, and what was done before it is released.
  void acquire(uint32_t thread, Scope scope);
  void release(uint32_t thread, Scope scope);
  // Whether the thread has fenced and written nothing since.
  bool freshlyFenced(uint32_t thread) const { return fenced_[thread] != 0; }
  void wrote(uint32_t thread) { fenced_[thread] = 0; }
  // A strong read or write of the location that `published` belongs to. A read-modify-write is a read, then a
  // write with `keep`: it passes on what others published; a plain store does not.
  void strongRead(uint32_t thread, Scope scope, const Published& published);
  void strongWrite(uint32_t thread, Scope scope, bool keep, Published& published) const;
  // Whether a strong write would publish anything.
  bool publishes(uint32_t thread) const;

 private:
  struct Strong {
    Knowledge device;          // released to all
    Published::ToBlock block;  // released to the block
    Knowledge pending;
    Published::ToBlock pending_block;
    bool empty() const {
      return device.empty() && block.more.empty() && pending.empty() && pending_block.more.empty() &&
             pending_block.floor == 0;
    }
  };

  uint32_t* row(uint32_t thread) { return rows_.data() + size_t{thread} * 32; }
  const uint32_t* row(uint32_t thread) const { return rows_.data() + size_t{thread} * 32; }
  Knowledge all(uint32_t thread) const;
  void learn(uint32_t thread, const Knowledge& knowledge);
  Knowledge knowledgeOf(std::span<const Part> parts) const;

  uint32_t block_ = 0, threads_ = 0;
  std::vector<uint32_t> self_, floor_, rows_;
  std::vector<Knowledge> far_;
  std::vector<Strong> strong_;
  std::vector<uint8_t> fenced_;
};

}  // namespace warpscope::sim
