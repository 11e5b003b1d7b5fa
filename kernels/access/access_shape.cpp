#include "kernels/access/access_shape.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpscope::sim {
namespace {

// Adds the words of lanes that are served together: words in the same bank take successive wavefronts, from
// `first` on.
void addGroup(const MemoryRequest& request, LaneMask lanes, uint32_t first, std::vector<SharedWord>& words) {
  const size_t begin = words.size();
  std::array<uint32_t, kBanks> depth{};
  const uint32_t words_each = std::max(1U, request.bytes / kWordBytes);
  for (LaneMask rest = lanes; !rest.empty(); rest.bits &= rest.bits - 1) {
    const uint64_t from = request.addresses[static_cast<size_t>(rest.lowest())] / kWordBytes;
    for (uint64_t word = from; word < from + words_each; ++word) {
      const LaneMask lane{1U << rest.lowest()};
      const auto known = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(),
                                      [&](const SharedWord& each) { return each.word == word; });
      if (known != words.end()) {
        known->lanes = known->lanes | lane;
        continue;
      }
      const auto bank = static_cast<uint32_t>(word % kBanks);
      words.push_back({word, bank, first + depth[bank], depth[bank] > 0, lane});
      ++depth[bank];
    }
  }
}

uint64_t distinctBytes(const MemoryRequest& request) {
  std::vector<ByteRange> ranges;
  for (LaneMask rest = request.mask; !rest.empty(); rest.bits &= rest.bits - 1) {
    for (const ByteRange& range : bytesOfLane(request, rest.lowest())) ranges.push_back(range);
  }
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  uint64_t sum = 0, end = 0;
  for (const ByteRange& range : ranges) {
    const uint64_t from = std::max(range.begin, end);
    end = std::max(end, range.end);
    sum += end - std::min(from, end);
  }
  return sum;
}

}  // namespace

SharedShape sharedShape(const MemoryRequest& request) {
  SharedShape shape;
  const SharedWavefronts counts =
      sharedWavefronts(request.addresses.data(), request.mask.bits, request.bytes);
  shape.wavefronts = counts.wavefronts;
  shape.ideal = counts.minimum;
  shape.most_lanes = counts.same_word;
  const uint32_t lanes = lanesTogether(request.bytes);
  uint32_t first = 0;
  for (uint32_t lane = 0; lane < kWarpSize; lane += lanes) {
    const LaneMask group{request.mask.bits & static_cast<uint32_t>(((uint64_t{1} << lanes) - 1) << lane)};
    if (group.empty()) continue;
    addGroup(request, group, first, shape.words);
    for (const SharedWord& word : shape.words) first = std::max(first, word.wavefront + 1);
  }
  std::ranges::sort(shape.words, {},
                    [](const SharedWord& word) { return std::pair(word.wavefront, word.bank); });
  return shape;
}

std::vector<ByteRange> bytesOfLane(const MemoryRequest& request, int lane) {
  const uint64_t address = request.addresses[static_cast<size_t>(lane)];
  if (request.space != AccessSpace::kLocal) return {{address, address + request.bytes}};
  std::vector<ByteRange> ranges;
  for (uint64_t at = address, end = address + request.bytes; at < end;) {
    const uint64_t word = at / kWordBytes, next = std::min(end, (word + 1) * kWordBytes);
    const uint64_t begin = word * kLineBytes + static_cast<uint64_t>(lane) * kWordBytes + at % kWordBytes;
    ranges.push_back({begin, begin + (next - at)});
    at = next;
  }
  return ranges;
}

GlobalShape globalShape(const MemoryRequest& request) {
  GlobalShape shape;
  shape.lines.resize(kMaxLines);
  const uint32_t count =
      request.space == AccessSpace::kLocal
          ? coalesceLocal(0, request.addresses.data(), request.mask.bits, request.bytes, shape.lines.data())
          : coalesce(request.addresses.data(), request.mask.bits, request.bytes, shape.lines.data());
  shape.lines.resize(count);
  std::ranges::sort(shape.lines, {}, &LineAccess::line);
  for (const LineAccess& line : shape.lines) shape.sectors += sectorCount(line.sectors);
  shape.bytes_asked = uint64_t{request.bytes} * static_cast<uint64_t>(request.mask.count());
  shape.bytes_distinct = distinctBytes(request);
  shape.bytes_moved = uint64_t{shape.sectors} * kSectorBytes;
  return shape;
}

}  // namespace warpscope::sim
