// Records what some blocks of a launch do to the words in global memory through which blocks learn of each
// other: the counter from which they draw tickets, the count of a barrier of the grid.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace warpscope::sim {

struct SharedWords {
  struct Word {
    uint32_t bytes = 0;
    uint64_t before = 0;   // its value when it was first changed
    bool is_read = false;  // by an atomic that a block's course depends on
  };

  std::vector<bool> reading;       // by instruction: atomics that a block's course depends on
  std::map<uint64_t, Word> words;  // that atomics change, by address
  // The addresses of strong loads. A block that comes to one goes no further: it may wait for other blocks.
  std::set<uint64_t> awaited;

  void changed(uint32_t pc, uint64_t address, uint32_t bytes, uint64_t before) {
    Word& word = words.emplace(address, Word{bytes, before}).first->second;
    word.is_read = word.is_read || reading[pc];
  }
};

}  // namespace warpscope::sim
