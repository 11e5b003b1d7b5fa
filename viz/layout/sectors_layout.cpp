#include "viz/layout/sectors_layout.h"

#include <algorithm>
#include <bit>

#include "kernels/access/access_shape.h"

namespace warpscope {
namespace {

struct Placer {
  const SectorsLayout& layout;

  // The line that contains the address; there always is one.
  size_t lineOf(uint64_t address) const {
    const auto after = std::ranges::upper_bound(layout.lines, address, {}, &LineBox::address);
    return static_cast<size_t>(after - layout.lines.begin()) - 1;
  }
  float x(size_t line, uint64_t byte) const {
    const LineBox& box = layout.lines[line];
    return box.left + (box.right - box.left) * static_cast<float>(byte) / float{sim::kLineBytes};
  }
};

// For each sector, the bytes that lanes ask for, as bits.
using SectorBytes = std::vector<uint32_t>;

void addStretch(SectorsLayout& layout, SectorBytes& asked, int lane, sim::ByteRange range) {
  const Placer placer{layout};
  for (uint64_t at = range.begin; at < range.end;) {
    const size_t line = placer.lineOf(at);
    const uint64_t line_begin = layout.lines[line].address;
    const uint64_t end = std::min(range.end, line_begin + sim::kLineBytes);
    layout.stretches.push_back({lane, placer.x(line, at - line_begin), placer.x(line, end - line_begin)});
    for (uint64_t byte = at; byte < end; ++byte) {
      const size_t sector = line * sim::kSectorsPerLine + (byte - line_begin) / sim::kSectorBytes;
      asked[sector] |= 1U << (byte % sim::kSectorBytes);
      layout.sectors[sector].lanes.bits |= 1U << lane;
    }
    at = end;
  }
}

}  // namespace

SectorsLayout layOutSectors(const MemoryRequest& request, float left, float right, float gap) {
  SectorsLayout layout;
  const sim::GlobalShape shape = sim::globalShape(request);
  const auto count = static_cast<float>(shape.lines.size());
  if (shape.lines.empty()) return layout;
  const float width = std::max(1.0F, (right - left - gap * (count - 1)) / count);
  for (size_t i = 0; i < shape.lines.size(); ++i) {
    const uint64_t line = shape.lines[i].line;
    const float x = left + (width + gap) * static_cast<float>(i);
    const bool follows = i == 0 || shape.lines[i - 1].line + 1 == line;
    layout.lines.push_back({x, x + width, line * sim::kLineBytes, follows});
    for (uint32_t sector = 0; sector < sim::kSectorsPerLine; ++sector) {
      const float part = width / float{sim::kSectorsPerLine};
      layout.sectors.push_back({.left = x + part * static_cast<float>(sector),
                                .right = x + part * static_cast<float>(sector + 1),
                                .address = line * sim::kLineBytes + uint64_t{sector} * sim::kSectorBytes,
                                .moved = ((shape.lines[i].sectors >> sector) & 1U) != 0});
    }
  }
  SectorBytes asked(layout.sectors.size());
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!request.mask.has(lane)) continue;
    for (const sim::ByteRange& range : sim::bytesOfLane(request, lane))
      addStretch(layout, asked, lane, range);
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    layout.sectors[i].bytes_asked = static_cast<uint32_t>(std::popcount(asked[i]));
  }
  return layout;
}

}  // namespace warpscope
