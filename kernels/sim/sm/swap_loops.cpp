#include "kernels/sim/sm/swap_loops.h"

#include <algorithm>
#include <array>

#include "kernels/access/coalescer.h"

namespace warpscope::sim {
namespace {

constexpr uint32_t kNoWord = 0xFFFFFFFFU;

// Words of 64 bits lie in two banks, which are counted as one.
uint32_t bankOf(uint32_t word, bool wide) {
  return wide ? word / 2 % (kBanks / 2) : word % kBanks;
}

// A load takes a wavefront for each different word in the bank that has most of them. `words` are sorted.
uint32_t loadWavefronts(std::span<const uint32_t> words, bool wide) {
  std::array<uint32_t, kBanks> of_bank{};
  uint32_t most = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && words[i] == words[i - 1]) continue;
    most = std::max(most, ++of_bank[bankOf(words[i], wide)]);
  }
  return most;
}

// Lanes look for the minimum or maximum in one word. Only those go on that surpass what was just written
// there. Of n lanes in any order, 1 + 1/2 + ... + 1/n write, so that e times fewer are left each time.
// `words` are sorted; those that go on come first. Returns how many they are.
size_t dropSurpassed(std::span<uint32_t> words, const std::array<uint32_t, kBanks>& written, bool wide) {
  constexpr size_t kOf = 5, kGoOn = 2;
  size_t kept = 0;
  for (size_t first = 0; first < words.size();) {
    size_t end = first + 1;
    while (end < words.size() && words[end] == words[first]) ++end;
    const bool is_written = written[bankOf(words[first], wide)] == words[first];
    const size_t count = end - first, on = is_written ? count * kGoOn / kOf : count;
    std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(kept), on, words[first]);
    kept += on;
    first = end;
  }
  return kept;
}

}  // namespace

SwapTries SwapLoops::run(std::span<uint32_t> words, bool wide, Times times) {
  SwapTries result;
  std::ranges::sort(words);
  uint64_t swap = times.begin + times.swap_after;
  for (size_t left = words.size(); left > 0; swap += times.period) {
    ++result.tries;
    result.lanes += static_cast<uint32_t>(left);
    result.wavefronts += loadWavefronts(words.first(left), wide) + (wide ? 4 : 2);
    std::array<uint32_t, kBanks> written{};  // by bank: the word that a lane of this try has written
    written.fill(kNoWord);
    size_t kept = 0;
    for (size_t i = 0; i < left; ++i) {
      const uint32_t word = words[i];
      uint32_t& by_bank = written[bankOf(word, wide)];
      if (by_bank != kNoWord || isContended(word, swap, times)) {
        words[kept++] = word;
      } else {
        by_bank = word;
        own_.emplace_back(word, swap);
      }
    }
    if (!times.always_writes) kept = dropSurpassed(words.first(kept), written, wide);
    result.departures += kept < left ? 1 : 0;
    left = kept;
  }
  if (!times.always_writes) own_.clear();
  for (const auto& [word, cycle] : own_) {
    std::vector<uint64_t>& cycles = swaps_[word];
    std::erase_if(cycles, [&](uint64_t old) { return old + times.swap_after < times.begin; });
    cycles.push_back(cycle);
  }
  own_.clear();
  return result;
}

bool SwapLoops::isContended(uint32_t word, uint64_t swap, const Times& times) const {
  const auto found = swaps_.find(word);
  return found != swaps_.end() && std::ranges::any_of(found->second, [&](uint64_t other) {
           return std::max(swap, other) - std::min(swap, other) < times.swap_after;
         });
}

}  // namespace warpscope::sim
