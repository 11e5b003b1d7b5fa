// Loops of compare-and-swap, which ptxas makes of the atomics that shared memory does not have: sums of
// floats and of 64-bit integers. A lane loads the word, computes and swaps (ATOMS.CAST.SPIN), and tries again
// if that fails. Executions and wavefronts of each instruction on an H100 (580.159.04, 2026-11-27):
//   - of a warp's lanes one in each bank succeeds at a time, whether they have one word there or several: 32
//     lanes with random ones of 961 words try 3.95 times (charges_by_copy), with one of six words 8.4 times
//     (pricing_report). A load has its usual wavefronts, a swap always two, of 64 bits four (3.0 a try where
//     no two lanes have different words in a bank).
//   - a lane fails, too, if another warp of its block has written the word since it loaded it: warps whose
//     lanes have a word each, alone in their banks, try 1.9 times (shared_floats).
//   - a lane gives up if a minimum or maximum is beyond its own number already: 32 lanes with one word swap
//     3.95 times (cheapest_drive).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpscope::sim {

// The work of a warp in such a loop.
struct SwapTries {
  uint32_t tries = 0;
  uint32_t departures = 0;  // tries after which some lanes leave the loop, through BSYNC
  uint32_t lanes = 0;       // that try, summed up over all tries
  uint32_t wavefronts = 0;  // of all loads and swaps
};

// The loops of one block's warps.
class SwapLoops {
 public:
  // When a warp loads the words of its lanes for the first time, how long after each load it swaps, and how
  // long a try takes.
  struct Times {
    uint64_t begin = 0, swap_after = 0, period = 0;
    bool always_writes = true;  // a minimum or maximum leaves most words as they are, without a swap
  };
  // `words` may be left in any order.
  SwapTries run(std::span<uint32_t> words, bool wide, Times times);
  void clear() { swaps_.clear(); }

 private:
  // Whether another warp writes the word between a lane's load and its swap, or the other way round: of two
  // such lanes one has to try again: here always the one whose warp came later.
  bool isContended(uint32_t word, uint64_t swap, const Times& times) const;

  std::unordered_map<uint32_t, std::vector<uint64_t>> swaps_;  // by word: the cycles at which it is written
  std::vector<std::pair<uint32_t, uint64_t>> own_;             // by the warp whose loop it is: word and cycle
};

}  // namespace warpscope::sim
