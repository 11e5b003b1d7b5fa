#include "kernels/access/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warpscope::sim {
namespace {

// Lines in the order of first access, each with the words accessed. Most requests access lines in ascending
// order, so the last line and the highest one are checked before searching.
class LineList {
 public:
  explicit LineList(LineAccess* lines) : lines_(lines) {}

  void add(uint64_t line, uint32_t words) {
    if (count_ > 0 && lines_[last_].line == line) {
      words_[last_] |= words;
      return;
    }
    if (count_ > 0 && line <= highest_) {
      for (uint32_t i = 0; i < count_; ++i) {
        if (lines_[i].line == line) {
          last_ = i;
          words_[i] |= words;
          return;
        }
      }
    }
    highest_ = count_ == 0 ? line : std::max(highest_, line);
    last_ = count_;
    words_[count_] = words;
    lines_[count_++].line = line;
  }

  // `whole_words`: every byte of each accessed word was accessed.
  uint32_t finish(bool whole_words) {
    for (uint32_t i = 0; i < count_; ++i) {
      LineAccess& line = lines_[i];
      line.sectors = line.full = 0;
      line.words = words_[i];
      for (uint32_t sector = 0; sector < kSectorsPerLine; ++sector) {
        const uint32_t words = (words_[i] >> (8 * sector)) & 0xFFU;
        if (words != 0) line.sectors = static_cast<uint8_t>(line.sectors | 1U << sector);
        if (words == 0xFFU && whole_words) line.full = static_cast<uint8_t>(line.full | 1U << sector);
      }
    }
    return count_;
  }

 private:
  LineAccess* lines_;
  std::array<uint32_t, kMaxLines> words_;  // only entries below count_ are set
  uint32_t count_ = 0, last_ = 0;
  uint64_t highest_ = 0;
};

uint32_t wordMask(uint32_t offset, uint32_t bytes) {
  const uint32_t first = offset / kWordBytes, last = (offset + bytes - 1) / kWordBytes;
  return static_cast<uint32_t>(((uint64_t{2} << (last - first)) - 1) << first);
}

struct Group {
  uint32_t most_words = 0, most_lanes = 0;
};

// Counts distinct words by bank, and the lanes of each word. Words are found in a hash table, since 32 lanes
// may access as many words of one bank.
Group conflictsOfGroup(const uint64_t* addresses, uint32_t mask, uint32_t words_each) {
  struct Word {
    uint64_t word;
    uint32_t lanes;
  };
  constexpr uint32_t kPlaceBits = 8, kPlaces = 1U << kPlaceBits, kMostWords = kPlaces / 2;
  std::array<uint8_t, kPlaces> index_of{};  // plus 1; 0: nothing is there
  std::array<Word, kMostWords> words;
  std::array<uint32_t, kBanks> words_of{};
  uint32_t count = 0;
  Group group;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint64_t first = addresses[std::countr_zero(rest)] / kWordBytes;
    for (uint64_t word = first; word < first + words_each; ++word) {
      constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;  // Fibonacci hashing (Knuth, TAOCP 3, 6.4)
      auto place = static_cast<uint32_t>(word * kGolden >> (64 - kPlaceBits));
      while (index_of[place] != 0 && words[index_of[place] - 1U].word != word) place = (place + 1) % kPlaces;
      if (index_of[place] == 0) {
        words[count] = {word, 0};
        index_of[place] = static_cast<uint8_t>(++count);
        group.most_words = std::max(group.most_words, ++words_of[word % kBanks]);
      }
      group.most_lanes = std::max(group.most_lanes, ++words[index_of[place] - 1U].lanes);
    }
  }
  return group;
}

// Whether all lanes access memory, each behind the one before it.
bool consecutive(const uint64_t* addresses, uint32_t mask, uint32_t bytes) {
  if (mask != ~0U || addresses[31] != addresses[0] + uint64_t{31} * bytes) return false;
  uint64_t differences = 0;
  for (uint32_t lane = 0; lane < 30; ++lane)
    differences |= (addresses[lane + 1] - addresses[lane]) ^ uint64_t { bytes };
  return differences == 0 && addresses[30] + bytes == addresses[31];
}

// The lines of the bytes from `begin` up to `end`.
void addRange(LineList& list, uint64_t begin, uint64_t end) {
  for (uint64_t address = begin; address < end;) {
    const auto offset = static_cast<uint32_t>(address % kLineBytes);
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(end - address, kLineBytes - offset));
    list.add(address / kLineBytes, wordMask(offset, here));
    address += here;
  }
}

// Whether each lane accesses a word of another bank.
bool banksDiffer(const uint64_t* addresses, uint32_t mask) {
  uint32_t banks = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    banks |= 1U << addresses[std::countr_zero(rest)] / kWordBytes % kBanks;
  return std::popcount(banks) == std::popcount(mask);
}

}  // namespace

uint32_t coalesce(const uint64_t* addresses, uint32_t mask, uint32_t bytes, LineAccess* lines) {
  LineList list(lines);
  if (consecutive(addresses, mask, bytes)) {
    addRange(list, addresses[0], addresses[0] + uint64_t{32} * bytes);
    return list.finish(bytes >= kWordBytes);
  }
  for (uint32_t rest = mask; rest != 0 && bytes != 0; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    const auto offset = static_cast<uint32_t>(address % kLineBytes);
    const uint32_t here = std::min(bytes, kLineBytes - offset);
    list.add(address / kLineBytes, wordMask(offset, here));
    if (here < bytes) list.add(address / kLineBytes + 1, wordMask(0, bytes - here));
  }
  return list.finish(bytes >= kWordBytes);
}

uint32_t coalesceLocal(uint64_t base, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
                       LineAccess* lines) {
  LineList list(lines);
  for (uint32_t rest = mask; rest != 0 && bytes != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t first = addresses[lane] / kWordBytes, last = (addresses[lane] + bytes - 1) / kWordBytes;
    for (uint64_t word = first; word <= last; ++word) list.add(base / kLineBytes + word, 1U << lane);
  }
  return list.finish(bytes >= kWordBytes);
}

SharedWavefronts sharedWavefronts(const uint64_t* addresses, uint32_t mask, uint32_t bytes) {
  SharedWavefronts result;
  if (mask == 0 || bytes == 0) return result;
  if (bytes == kWordBytes && banksDiffer(addresses, mask)) return {1, 1, 1};
  const uint32_t lanes = lanesTogether(bytes), groups = 32 / lanes;
  const uint32_t words_each = std::clamp(bytes / kWordBytes, 1U, kBanks);
  for (uint32_t group = 0; group < groups; ++group) {
    const uint32_t members = mask & static_cast<uint32_t>(((uint64_t{1} << lanes) - 1) << (group * lanes));
    if (members == 0) continue;
    const Group conflicts = conflictsOfGroup(addresses, members, words_each);
    result.wavefronts += conflicts.most_words;
    ++result.minimum;
    result.same_word = std::max(result.same_word, conflicts.most_lanes);
  }
  return result;
}

}  // namespace warpscope::sim
