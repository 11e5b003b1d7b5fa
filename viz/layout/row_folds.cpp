#include "viz/layout/row_folds.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "viz/layout/warp_life.h"

namespace warpscope {
namespace {

constexpr double kWholeLife = 1e300;

// At `at`, a warp begins or ceases to do something.
struct Change {
  int64_t at = 0;
  int executing = 0, live = 0;  // lanes that begin (or cease) to execute, or to be there
  RegionIndex region = kNoRegion;
};

void addChanges(const WarpSpans& spans, const TraceWarp& warp, std::vector<Change>& changes) {
  const int live = warp.live.count();
  changes.push_back({lifeBegin(warp), 0, live, kNoRegion});
  changes.push_back({lifeEnd(warp), 0, -live, kNoRegion});
  for (const LayoutSpan& span : spans) {
    if (span.region == kNoRegion || span.end <= span.begin) continue;
    const int lanes = span.mask.count();
    changes.push_back({span.begin, lanes, 0, span.region});
    changes.push_back({span.end, -lanes, 0, span.region});
  }
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

void RowFolds::addBlock(const Trace& trace, uint32_t row) {
  std::vector<Change> changes;
  for (const uint32_t warp : order_->warpsOf(row))
    addChanges(layout_->spansOf(warp), trace.warps[warp], changes);
  std::ranges::sort(changes, {}, &Change::at);
  int executing = 0, live = 0;
  std::map<RegionIndex, int> lanes;  // that execute, by region
  for (size_t i = 0; i < changes.size();) {
    const int64_t at = changes[i].at;
    for (; i < changes.size() && changes[i].at == at; ++i) {
      executing += changes[i].executing;
      live += changes[i].live;
      if (changes[i].region != kNoRegion) lanes[changes[i].region] += changes[i].executing;
    }
    if (i == changes.size() || live == 0) continue;
    const int64_t cycles = changes[i].at - at;
    RowItem item{
        .begin = at, .end = changes[i].at, .lane_cycles = cycles * executing, .live_cycles = cycles * live};
    const auto most = std::ranges::max_element(lanes, {}, [](const auto& entry) { return entry.second; });
    if (most != lanes.end() && most->second > 0) {
      item.region = most->first;
      item.region_cycles = cycles * most->second;
    }
    items_.push_back(item);
  }
}

const RowFolds::Prepared& RowFolds::prepare(const Trace& trace, uint32_t row) {
  std::optional<Prepared>& prepared = rows_[row];
  if (prepared) return *prepared;
  const size_t first = items_.size();
  order_->kind() == RowKind::kBlocks ? addBlock(trace, row) : addSlot(trace, row);
  const auto items = std::span<const RowItem>(items_).subspan(first);
  prepared = {first, pyramid_.addRow(StoredItems<RowItem>{items}), static_cast<uint32_t>(items.size())};
  return *prepared;
}

void RowFolds::collect(const Trace& trace, uint32_t row, double begin, double end, double fold_cycles,
                       std::vector<RowItem>& out) {
  const Prepared& prepared = prepare(trace, row);
  const StoredItems<RowItem> items{std::span(items_).subspan(prepared.first_item, prepared.count)};
  pyramid_.collect(items, prepared.first_node, begin, end, fold_cycles,
                   [&](size_t, size_t, int64_t item_begin, int64_t item_end, const Fold& fold) {
                     out.push_back(fold.node(item_begin, item_end));
                   });
}

}  // namespace warpscope
