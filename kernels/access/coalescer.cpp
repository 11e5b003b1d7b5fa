#include "kernels/access/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace warpscope::sim {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;  // Fibonacci hashing (Knuth, TAOCP 3, 6.4)

// A bit for each byte of `bytes` whose lowest bit is set.
uint8_t lowestBits(uint32_t bytes) {
  return static_cast<uint8_t>(((bytes & 0x01010101U) * 0x01020408U) >> 24);
}

// The sectors (8 words each) of which some words are accessed, and those of which all are.
uint8_t sectorsOfAny(uint32_t words) {
  words |= words >> 4;
  words |= words >> 2;
  return lowestBits(words | words >> 1);
}
uint8_t sectorsOfAll(uint32_t words) {
  words &= words >> 4;
  words &= words >> 2;
  return lowestBits(words & words >> 1);
}

// Lines in the order of first access, each with the words accessed. Most requests access lines in ascending
// order, so the last line and the highest one are checked before searching. Most of the others are not in the
// list either, which a hash tells without searching.
class LineList {
 public:
  explicit LineList(LineAccess* lines) : lines_(lines) {}

  void add(uint64_t line, uint32_t words) {
    if (count_ > 0 && lines_[last_].line == line) {
      lines_[last_].words |= words;
      return;
    }
    const uint64_t hash = uint64_t{1} << (line * kGolden >> 58);
    if (count_ > 0 && line <= highest_ && (hashes_ & hash) != 0) {
      for (uint32_t i = 0; i < count_; ++i) {
        if (lines_[i].line == line) {
          last_ = i;
          lines_[i].words |= words;
          return;
        }
      }
    }
    highest_ = std::max(highest_, line);
    hashes_ |= hash;
    last_ = count_;
    lines_[count_++] = {.line = line, .sectors = 0, .full = 0, .words = words};
  }

  // `whole_words`: every byte of each accessed word was accessed.
  uint32_t finish(bool whole_words) {
    for (LineAccess& line : std::span(lines_, count_)) {
      line.sectors = sectorsOfAny(line.words);
      line.full = whole_words ? sectorsOfAll(line.words) : uint8_t{0};
    }
    return count_;
  }

 private:
  LineAccess* lines_;
  uint32_t count_ = 0, last_ = 0;
  uint64_t highest_ = 0;
  uint64_t hashes_ = 0;  // a bit for each hash of a line
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
