#include "viz/layout/row_folds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "viz/layout/warp_life.h"

namespace warpscope {
namespace {

constexpr double kWholeLife = 1e300;

// More blocks than any window shows: then those that were shown before are forgotten.
constexpr size_t kMostBlocks = 512;

// A warp of a block while the block's row is divided from its begin to its end.
struct Member {
  int64_t begin = 0, end = 0;  // its life
  int64_t live = 0;            // its lanes
  std::vector<DrawItem> items;
  size_t next = 0;  // the first item that does not end before what is divided now
};

// An item's lane-cycles until `at`: exact where it begins and ends.
int64_t laneCyclesUntil(const DrawItem& item, int64_t at) {
  if (at <= item.begin) return 0;
  if (at >= item.end) return item.lane_cycles;
  return static_cast<int64_t>(static_cast<double>(item.lane_cycles) * static_cast<double>(at - item.begin) /
                              static_cast<double>(item.end - item.begin));
}

// Calls visit(at) for the instants after `from` at which the member changes, ascending, until it returns
// false.
template <class Visit>
void forEachChange(const Member& member, int64_t from, Visit&& visit) {
  if (member.begin > from && !visit(member.begin)) return;
  for (size_t i = member.next; i < member.items.size(); ++i) {
    const DrawItem& item = member.items[i];
    if (item.begin > from && !visit(item.begin)) return;
    if (item.end > from && !visit(item.end)) return;
  }
  if (member.end > from) visit(member.end);
}

// The last change within the fold that begins at `from`, or else the next one; nullopt: nothing changes any
// more.
std::optional<int64_t> nextCut(std::span<const Member> members, int64_t from, double fold_cycles) {
  const double limit = static_cast<double>(from) + fold_cycles;
  std::optional<int64_t> within, beyond;
  for (const Member& member : members) {
    forEachChange(member, from, [&](int64_t at) {
      if (static_cast<double>(at) <= limit) {
        within = std::max(within.value_or(at), at);
        return true;
      }
      beyond = std::min(beyond.value_or(at), at);
      return false;
    });
  }
  return within ? within : beyond;
}

RowItem sumOf(std::span<Member> members, int64_t begin, int64_t end) {
  RowItem sum{.begin = begin, .end = end};
  RegionSums regions;
  for (Member& member : members) {
    const int64_t there = std::min(end, member.end) - std::max(begin, member.begin);
    sum.live_cycles += std::max<int64_t>(0, there) * member.live;
    for (size_t i = member.next; i < member.items.size() && member.items[i].begin < end; ++i) {
      const DrawItem& item = member.items[i];
      const int64_t cycles = laneCyclesUntil(item, end) - laneCyclesUntil(item, begin);
      sum.lane_cycles += cycles;
      if (cycles > 0) regions.add(item.region, cycles);
    }
    while (member.next < member.items.size() && member.items[member.next].end <= end) ++member.next;
  }
  std::tie(sum.region, sum.region_cycles) = regions.dominant();
  return sum;
}

}  // namespace

RowFolds::RowFolds(const TraceLayout& layout, std::shared_ptr<const RowOrder> order)
    : layout_(&layout), order_(std::move(order)), rows_(order_->rowCount()) {}

double RowFolds::lanesOf(uint32_t row) const {
  return order_->kind() == RowKind::kBlocks
             ? double{kWarpSize} * static_cast<double>(order_->warpsOf(row).size())
             : double{kWarpSize};
}

void RowFolds::Fold::add(const RowItem& item) {
  if (sum.count == 0) sum.first = item.first;
  sum.lane_cycles += item.lane_cycles;
  sum.live_cycles += item.live_cycles;
  sum.count += item.count;
  lane_cycles.add(item.region, item.region_cycles);
}

RowItem RowFolds::Fold::node(int64_t begin, int64_t end) const {
  RowItem item = sum;
  item.begin = begin;
  item.end = end;
  std::tie(item.region, item.region_cycles) = lane_cycles.dominant();
  return item;
}

void RowFolds::addSlot(const Trace& trace, uint32_t row) {
  const auto warps = order_->warpsOf(row);
  for (uint32_t place = 0; place < warps.size(); ++place) {
    const TraceWarp& warp = trace.warps[warps[place]];
    RowItem item{.begin = lifeBegin(warp), .end = lifeEnd(warp), .first = place};
    item.live_cycles = (item.end - item.begin) * warp.live.count();
    // The hardware may hand a slot over a few cycles early.
    if (place + 1 < warps.size()) item.end = std::min(item.end, lifeBegin(trace.warps[warps[place + 1]]));
    whole_.clear();
    layout_->collect(warps[place], -kWholeLife, kWholeLife, kWholeLife, whole_);
    if (!whole_.empty()) {
      item.lane_cycles = whole_.front().lane_cycles;
      item.region = whole_.front().region;
      item.region_cycles = item.lane_cycles;
    }
    items_.push_back(item);
  }
}

const RowFolds::Block& RowFolds::block(const Trace& trace, uint32_t row, double begin, double end,
                                       double fold_cycles) {
  // In powers of two, so that not every zoom divides all blocks anew.
  const double fold = fold_cycles > 0 ? std::exp2(std::floor(std::log2(fold_cycles))) : 0;
  if (blocks_.size() >= kMostBlocks && !blocks_.contains(row)) blocks_.clear();
  Block& block = blocks_[row];
  if (block.fold_cycles == fold && block.begin <= begin && end <= block.end) return block;
  const double margin = (end - begin) / 2;
  block = {begin - margin, end + margin, fold, {}};
  std::vector<Member> members;
  int64_t from = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  for (const uint32_t index : order_->warpsOf(row)) {
    const TraceWarp& warp = trace.warps[index];
    Member& member = members.emplace_back(
        Member{.begin = lifeBegin(warp), .end = lifeEnd(warp), .live = warp.live.count(), .items = {}});
    layout_->collect(index, block.begin, block.end, fold, member.items);
    from = std::min(from, member.begin);
    last = std::max(last, member.end);
  }
  if (static_cast<double>(from) < block.begin) from = static_cast<int64_t>(block.begin);
  while (from < last && static_cast<double>(from) < block.end) {
    const auto cut = nextCut(members, from, fold);
    if (!cut) break;
    const RowItem item = sumOf(members, from, *cut);
    if (item.live_cycles > 0) block.items.push_back(item);
    from = *cut;
  }
  return block;
}

const RowFolds::Prepared& RowFolds::prepare(const Trace& trace, uint32_t row) {
  std::optional<Prepared>& prepared = rows_[row];
  if (prepared) return *prepared;
  const size_t first = items_.size();
  addSlot(trace, row);
  const auto items = std::span<const RowItem>(items_).subspan(first);
  prepared = {first, pyramid_.addRow(StoredItems<RowItem>{items}), static_cast<uint32_t>(items.size())};
  return *prepared;
}

void RowFolds::collect(const Trace& trace, uint32_t row, double begin, double end, double fold_cycles,
                       std::vector<RowItem>& out) {
  if (order_->kind() == RowKind::kBlocks) {
    const auto& items = block(trace, row, begin, end, fold_cycles).items;
    const auto first = std::ranges::partition_point(
        items, [&](const RowItem& item) { return static_cast<double>(item.end) < begin; });
    const auto after = std::partition_point(
        first, items.end(), [&](const RowItem& item) { return static_cast<double>(item.begin) < end; });
    out.insert(out.end(), first, after);
    return;
  }
  const Prepared& prepared = prepare(trace, row);
  const StoredItems<RowItem> items{std::span(items_).subspan(prepared.first_item, prepared.count)};
  pyramid_.collect(items, prepared.first_node, begin, end, fold_cycles,
                   [&](size_t, size_t, int64_t item_begin, int64_t item_end, const Fold& fold) {
                     out.push_back(fold.node(item_begin, item_end));
                   });
}

}  // namespace warpscope
