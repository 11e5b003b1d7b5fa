#include "viz/layout/instruction_layout.h"

#include <algorithm>

namespace warpscope {
namespace {

WarpState knownState(WarpState state) {
  return static_cast<size_t>(state) < kWarpStates ? state : WarpState::kSelected;
}

}  // namespace

std::vector<RegionIndex> regionsOfListing(const Run& run) {
  std::vector<RegionIndex> regions;
  if (run.listing == nullptr) return regions;
  regions.reserve(run.listing->size());
  for (const ListedInstruction& instruction : *run.listing) {
    RegionIndex region = regionOfLine(run.regions, lineIn(run.source_file, instruction));
    // A function of the same file, inlined into a region.
    if (region == kNoRegion && instruction.inlined_file == run.source_file)
      region = regionOfLine(run.regions, instruction.inlined_line);
    regions.push_back(region);
  }
  return regions;
}

InstructionLayout::InstructionLayout(const Run& run) {
  const Trace& trace = run.trace;
  if (trace.instructions.empty() || run.listing == nullptr) return;
  const std::vector<RegionIndex> regions = regionsOfListing(run);
  slots_.reserve(trace.instructions.size());
  warps_.reserve(trace.warps.size());
  std::array<int64_t, kWarpStates> waited{};
  for (const TraceWarp& warp : trace.warps) {
    WarpRow row{.first_slot = static_cast<uint32_t>(slots_.size())};
    const bool readable =
        size_t{warp.first_instruction} + warp.instruction_count <= trace.instructions.size();
    const auto issued = readable ? trace.instructionsOf(warp) : std::span<const TraceInstruction>();
    int64_t free_from = clampTime(std::numeric_limits<int64_t>::min());  // end of the previous slot
    for (const TraceInstruction& instruction : issued) {
      const int64_t issue = std::max(clampTime(instruction.issue_cycles), free_from);
      const WarpState waited_for = knownState(instruction.waited_for);
      const bool waits = waited_for != WarpState::kSelected;
      const int64_t begin = waits ? std::max(issue - int64_t{instruction.waited_cycles}, free_from) : issue;
      InstructionSlot slot{begin, issue + 1, instruction.mask, instruction.listed};
      if (instruction.listed < regions.size()) slot.region = regions[instruction.listed];
      if (slot.waited() > 0) slot.waited_for = waited_for;
      waited[static_cast<size_t>(slot.waited_for)] += slot.waited();
      free_from = slot.end;
      slots_.push_back(slot);
    }
    row.slot_count = static_cast<uint32_t>(slots_.size()) - row.first_slot;
    warps_.push_back(row);
  }
  for (uint32_t warp = 0; warp < warps_.size(); ++warp)
    warps_[warp].first_node = pyramid_.addRow(StoredItems<InstructionSlot>{slotsOf(warp)});
  for (size_t i = 0; i < kWarpStates; ++i) {
    if (waited[i] > 0) waits_.push_back(static_cast<WarpState>(i));
  }
  std::stable_sort(waits_.begin(), waits_.end(), [&](WarpState a, WarpState b) {
    return waited[static_cast<size_t>(a)] > waited[static_cast<size_t>(b)];
  });
}

std::span<const InstructionSlot> InstructionLayout::slotsOf(uint32_t warp) const {
  if (warp >= warps_.size()) return {};
  return std::span(slots_).subspan(warps_[warp].first_slot, warps_[warp].slot_count);
}

void InstructionLayout::Fold::add(const InstructionSlot& slot) {
  ++count;
  lanes += static_cast<uint64_t>(slot.mask.count());
  waited_cycles += slot.waited();
  mask = mask | slot.mask;
  state_cycles[static_cast<size_t>(slot.waited_for)] += slot.waited();
  compete(slot.region, 1);
}

void InstructionLayout::Fold::add(const Node& node) {
  count += node.count;
  lanes += node.lanes;
  waited_cycles += node.waited_cycles;
  mask = mask | node.mask;
  state_cycles[static_cast<size_t>(node.waited_for)] += node.state_cycles;
  compete(node.region, node.region_count);
}

void InstructionLayout::Fold::compete(RegionIndex region, uint64_t instructions) {
  for (size_t i = 0; i < candidates; ++i) {
    if (regions[i].first == region) {
      regions[i].second += instructions;
      return;
    }
  }
  if (candidates < kCandidates) regions[candidates++] = {region, instructions};
}

// No cycle is spent waiting in kSelected, so it is the answer only if there was no wait at all.
WarpState InstructionLayout::Fold::state() const {
  const auto longest = std::max_element(state_cycles.begin(), state_cycles.end());
  return *longest > 0 ? static_cast<WarpState>(longest - state_cycles.begin()) : WarpState::kSelected;
}

std::pair<RegionIndex, uint64_t> InstructionLayout::Fold::region() const {
  std::pair<RegionIndex, uint64_t> best{kNoRegion, 0};
  for (size_t i = 0; i < candidates; ++i) {
    if (regions[i].second > best.second) best = regions[i];
  }
  return best;
}

InstructionLayout::Node InstructionLayout::Fold::node(int64_t begin, int64_t end) const {
  const auto [best_region, region_count] = region();
  const WarpState longest = state();
  return {begin,        end,  count,       lanes,  waited_cycles, state_cycles[static_cast<size_t>(longest)],
          region_count, mask, best_region, longest};
}

void InstructionLayout::collect(uint32_t warp, double begin, double end, double fold_cycles,
                                std::vector<InstructionItem>& out) const {
  if (warp >= warps_.size()) return;
  const WarpRow& row = warps_[warp];
  const StoredItems<InstructionSlot> items{slotsOf(warp)};
  pyramid_.collect(items, row.first_node, begin, end, fold_cycles,
                   [&](size_t first, size_t count, int64_t item_begin, int64_t item_end, const Fold& fold) {
                     out.push_back({item_begin, item_end, row.first_slot + static_cast<uint32_t>(first),
                                    static_cast<uint32_t>(count), fold.lanes, fold.waited_cycles, fold.mask,
                                    fold.region().first, fold.state()});
                   });
}

std::optional<uint32_t> InstructionLayout::pick(uint32_t warp, double cycle) const {
  const auto slots = slotsOf(warp);
  const auto found = std::partition_point(slots.begin(), slots.end(), [&](const InstructionSlot& slot) {
    return static_cast<double>(slot.end) <= cycle;
  });
  if (found == slots.end() || static_cast<double>(found->begin) > cycle) return std::nullopt;
  return warps_[warp].first_slot + static_cast<uint32_t>(found - slots.begin());
}

}  // namespace warpscope
