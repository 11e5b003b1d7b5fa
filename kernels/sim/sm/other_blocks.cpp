#include "kernels/sim/sm/other_blocks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>

#include "kernels/sim/sm/sampled_sms.h"

namespace warpscope::sim {
namespace {

// Two groups of different sizes, both prime: a word that wraps around, or that does not change steadily, is
// told from one that grows by the same amount with each block.
constexpr uint64_t kFirstGroup = 7, kSecondGroup = 11;

using Changes = std::map<uint64_t, uint64_t>;  // by the word's address

uint64_t valueOf(const GlobalMemory& memory, uint64_t address, uint32_t bytes) {
  uint64_t value = 0;
  if (const std::byte* at = memory.at(address, bytes)) std::memcpy(&value, at, bytes);
  return value;
}

uint64_t lowBytes(uint64_t value, uint32_t bytes) {
  return bytes >= 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

// The end of the range of blocks from `begin` on that has `count` blocks outside `timed`; the grid's if it
// has fewer.
uint64_t endOf(uint64_t begin, uint64_t count, uint64_t grid, const BlockSelection& timed) {
  uint64_t end = begin;
  for (uint64_t found = 0; end < grid && found < count; ++end) found += timed.contains(end) ? 0 : 1;
  return end;
}

class Scouts {
 public:
  Scouts(const Launch& launch, const BlockSelection& timed, FunctionalOptions options, std::stop_token stop)
      : launch_(launch), options_(std::move(options)), stop_(std::move(stop)) {
    options_.left_out = timed;
    words_.reading = atomicsThatOrder(*launch.code);
  }

  // Executes the blocks up to `end`. Returns how each word has changed on which another block may depend.
  Expected<Changes> executeUntil(uint64_t end, uint64_t blocks) {
    words_.words.clear();
    launch_.shared_words = &words_;
    options_.begin_block = done_.executed_until;
    options_.end_block = end;
    const auto result = runFunctional(launch_, options_, stop_);
    launch_.shared_words = nullptr;
    if (!result) return tl::unexpected(result.error());
    done_.executed_until = end;
    done_.executed_blocks += blocks;
    done_.executed.warp_instructions += result->warp_instructions;
    done_.executed.thread_instructions += result->thread_instructions;
    Changes changes;
    for (const auto& [address, word] : words_.words) {
      if (!word.is_read && !words_.awaited.contains(address)) continue;
      const uint64_t change = valueOf(*launch_.memory, address, word.bytes) - word.before;
      changes[address] = lowBytes(change, word.bytes);
    }
    return changes;
  }

  bool waitForNothingElse(const Changes& changes) const {
    return std::ranges::all_of(words_.awaited, [&](uint64_t address) { return changes.contains(address); });
  }

  void add(const Changes& changes_of_block, uint64_t blocks) const {
    for (const auto& [address, change] : changes_of_block) {
      const uint32_t bytes = words_.words.at(address).bytes;
      const uint64_t value = valueOf(*launch_.memory, address, bytes) + change * blocks;
      std::memcpy(launch_.memory->at(address, bytes), &value, bytes);
      launch_.memory->noteWritten(address, bytes);
    }
  }

  OtherBlocks& done() { return done_; }

 private:
  Launch launch_;
  FunctionalOptions options_;
  std::stop_token stop_;
  SharedWords words_;
  OtherBlocks done_;
};

// The change by one block, where `blocks` have changed each word by a multiple of it.
std::optional<Changes> changesOfBlock(Changes changes, uint64_t blocks) {
  for (auto& [address, change] : changes) {
    if (change % blocks != 0) return std::nullopt;
    change /= blocks;
  }
  return changes;
}

}  // namespace

Expected<OtherBlocks> foreseeOthers(const Launch& launch, const BlockSelection& timed,
                                    const FunctionalOptions& options, const std::stop_token& stop) {
  Scouts scouts(launch, timed, options, stop);
  const uint64_t grid = launch.grid.count();
  // The first block often does more than the others, and is simulated.
  const uint64_t middle = endOf(0, kFirstGroup, grid, timed);
  const auto first = scouts.executeUntil(middle, kFirstGroup);
  if (!first) return tl::unexpected(first.error());
  const uint64_t end = endOf(middle, kSecondGroup, grid, timed);
  const auto second = scouts.executeUntil(end, kSecondGroup);
  if (!second) return tl::unexpected(second.error());
  const auto of_first = changesOfBlock(*first, kFirstGroup),
             of_second = changesOfBlock(*second, kSecondGroup);
  OtherBlocks& done = scouts.done();
  if (end < grid && of_first && of_first == of_second && scouts.waitForNothingElse(*second)) {
    scouts.add(*of_second, grid - timed.count(grid) - kFirstGroup - kSecondGroup);
    done.foreseen = true;
  }
  return done;
}

}  // namespace warpscope::sim
