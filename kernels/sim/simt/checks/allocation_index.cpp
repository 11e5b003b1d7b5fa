#include "kernels/sim/simt/checks/allocation_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"

namespace warpscope::sim {
namespace {

// An address farther than this from an allocation is not described relative to it.
constexpr uint64_t kNearBytes = uint64_t{1} << 30;

}  // namespace

std::string bytesText(uint64_t bytes) {
  return fmt::format("{} byte{}", formatCount(static_cast<int64_t>(bytes)), bytes == 1 ? "" : "s");
}

AllocationIndex::AllocationIndex(const GlobalMemory& memory) {
  for (const auto& [address, allocation] : memory.allocations()) {
    ranges_.push_back({address, address + allocation.bytes, allocation.freed, allocation.name});
  }
}

const AllocationIndex::Range* AllocationIndex::below(uint64_t address) const {
  const auto above =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](uint64_t wanted, const Range& range) { return wanted < range.begin; });
  return above == ranges_.begin() ? nullptr : &*(above - 1);
}

AllocationIndex::Verdict AllocationIndex::judge(uint64_t address, uint32_t bytes) {
  auto holds = [&](const Range& range) {
    return address >= range.begin && address < range.end && bytes <= range.end - address;
  };
  if (last_ >= ranges_.size() || !holds(ranges_[last_])) {
    const Range* range = below(address);
    if (range == nullptr || !holds(*range)) return Verdict::kOutside;
    last_ = static_cast<size_t>(range - ranges_.data());
  }
  return ranges_[last_].freed ? Verdict::kFreed : Verdict::kInside;
}

uint64_t AllocationIndex::idOf(uint64_t address) const {
  const Range* range = below(address);
  return range != nullptr && address < range->end ? range->begin : 0;
}

AllocationIndex::Place AllocationIndex::describe(uint64_t address, uint32_t bytes) const {
  const Range* below = this->below(address);
  const Range* next = below == nullptr ? ranges_.data() : below + 1;
  if (next == ranges_.data() + ranges_.size()) next = nullptr;
  auto named = [](const Range& range) {
    return fmt::format("{} ({})", range.name, bytesText(range.end - range.begin));
  };
  auto offset_in = [&](const Range& range) { return static_cast<int64_t>(address - range.begin); };
  if (below != nullptr && address < below->end && bytes <= below->end - address) {
    return {named(*below), offset_in(*below), "in " + named(*below)};
  }
  const uint64_t past = below != nullptr ? address + bytes - below->end : ~uint64_t{0};
  const uint64_t before = next != nullptr ? next->begin - address : ~uint64_t{0};
  if (std::min(past, before) > kNearBytes) {
    return {"", 0, address < 65536 ? "close to 0: a null pointer" : "in no allocation, nor near one"};
  }
  if (past <= before) {
    return {named(*below), offset_in(*below),
            fmt::format("{} past the end of {}", bytesText(past), named(*below))};
  }
  return {named(*next), offset_in(*next),
          fmt::format("{} before the start of {}", bytesText(before), named(*next))};
}

}  // namespace warpscope::sim
