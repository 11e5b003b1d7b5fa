#include "kernels/sim/sm/modelled_addresses.h"

#include <algorithm>

#include "kernels/access/coalescer.h"

namespace warpscope::sim {
namespace {

constexpr uint64_t kFirstLine = kGlobalBase / kLineBytes;
constexpr uint64_t kElsewhere = (uint64_t{1} << 44) / kLineBytes;  // more than there is memory
// Allocations begin at every other line, and there is a gap between two of them.
constexpr uint64_t kUnitLines = 2, kGapLines = 2;

}  // namespace

void ModelledAddresses::clear() {
  placed_.clear();
  next_ = 0;
}

void ModelledAddresses::add(const AddressRange& allocation, uint64_t used_bytes) {
  const uint64_t first = allocation.begin / kLineBytes;
  const uint64_t end = (allocation.end + kLineBytes - 1) / kLineBytes;
  const auto after = std::ranges::upper_bound(placed_, first, {}, &Placed::first);
  if (end <= first || (after != placed_.begin() && std::prev(after)->end > first)) return;
  placed_.insert(after, {first, end, kFirstLine + next_});
  const uint64_t used = (used_bytes + kLineBytes - 1) / kLineBytes;
  next_ += (used + kUnitLines - 1) / kUnitLines * kUnitLines + kGapLines;
}

uint64_t ModelledAddresses::lineOf(uint64_t line) const {
  const auto after = std::ranges::upper_bound(placed_, line, {}, &Placed::first);
  if (after == placed_.begin() || std::prev(after)->end <= line) return line + kElsewhere;
  const Placed& placed = *std::prev(after);
  return placed.to + (line - placed.first);
}

uint64_t ModelledAddresses::of(uint64_t address) const {
  return lineOf(address / kLineBytes) * kLineBytes + address % kLineBytes;
}

}  // namespace warpscope::sim
