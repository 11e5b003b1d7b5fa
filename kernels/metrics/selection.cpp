#include "kernels/metrics/selection.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace warpscope {

std::vector<CycleRange> unionOf(std::vector<CycleRange> ranges) {
  std::ranges::sort(ranges);
  std::vector<CycleRange> merged;
  for (const CycleRange& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

int64_t overlap(const CycleRange& range, std::span<const CycleRange> others) {
  int64_t sum = 0;
  for (const CycleRange& other : others) {
    sum += CycleRange{std::max(range.begin, other.begin), std::min(range.end, other.end)}.length();
  }
  return sum;
}

bool SelectedPart::has(BlockId block, uint32_t warp_in_block) const {
  auto range = std::ranges::partition_point(
      warps, [&](const WarpRange& other) { return other.last_block < block.value; });
  for (; range != warps.end() && range->first_block <= block.value; ++range) {
    if (range->first_warp <= warp_in_block && warp_in_block <= range->last_warp) return true;
  }
  return false;
}

TraceSelection selectAll() {
  return {{SelectedPart{}}};
}

TraceSelection scaled(TraceSelection selection, double factor) {
  const auto scale = [&](int64_t cycle) -> int64_t {
    return std::llround(static_cast<double>(cycle) * factor);
  };
  for (auto& [cycles, warps] : selection.parts) {
    if (cycles.begin != CycleRange{}.begin) cycles.begin = scale(cycles.begin);
    if (cycles.end != CycleRange{}.end) cycles.end = std::max(scale(cycles.end), cycles.begin + 1);
  }
  return selection;
}

TraceSelection selectWarp(BlockId block, uint32_t warp_in_block, const CycleRange& cycles) {
  return {{{cycles, {{block.value, block.value, warp_in_block, warp_in_block}}}}};
}

std::vector<CycleRange> selectedCycles(const TraceSelection& selection, const TraceWarp& warp) {
  std::vector<CycleRange> ranges;
  for (const SelectedPart& part : selection.parts) {
    if (!part.has(warp.block, warp.warp_in_block)) continue;
    const CycleRange range{std::max(part.cycles.begin, warp.begin_cycles),
                           std::min(part.cycles.end, warp.end_cycles)};
    // A warp that began and ended in one cycle is selected with that cycle.
    const bool instant = warp.begin_cycles == warp.end_cycles && part.cycles.begin <= warp.begin_cycles &&
                         warp.begin_cycles < part.cycles.end;
    if (range.length() > 0 || instant) ranges.push_back(range);
  }
  return ranges.size() < 2 ? ranges : unionOf(std::move(ranges));
}

std::optional<CycleRange> extentOf(const TraceSelection& selection, const Trace& trace) {
  std::optional<CycleRange> extent;
  for (const TraceWarp& warp : trace.warps) {
    for (const CycleRange& range : selectedCycles(selection, warp)) {
      if (!extent) extent = range;
      extent->begin = std::min(extent->begin, range.begin);
      extent->end = std::max(extent->end, range.end);
    }
  }
  return extent;
}

namespace {

// The union of intervals of warps in a block.
void addUnion(std::vector<WarpRange>& to, uint32_t first_block, uint32_t last_block,
              std::vector<std::pair<uint32_t, uint32_t>>& warps) {
  std::ranges::sort(warps);
  const size_t first = to.size();
  for (const auto& [from, last] : warps) {
    if (to.size() > first && (to.back().last_warp == WarpRange::kLast || from <= to.back().last_warp + 1)) {
      to.back().last_warp = std::max(to.back().last_warp, last);
    } else {
      to.push_back({first_block, last_block, from, last});
    }
  }
}

bool areDisjoint(const std::vector<WarpRange>& ranges) {
  return std::ranges::adjacent_find(ranges, [](const WarpRange& a, const WarpRange& b) {
           const bool same_blocks = a.first_block == b.first_block && a.last_block == b.last_block;
           return !(a.last_block < b.first_block || (same_blocks && a.last_warp < b.first_warp));
         }) == ranges.end();
}

}  // namespace

std::vector<WarpRange> warpRanges(std::vector<WarpRange> ranges) {
  if (areDisjoint(ranges)) return ranges;  // as whatever was written by selectionText
  std::ranges::sort(ranges);
  // The first block of each stretch of blocks in which the same ranges apply.
  std::vector<uint64_t> firsts;
  for (const WarpRange& range : ranges) {
    firsts.push_back(range.first_block);
    firsts.push_back(uint64_t{range.last_block} + 1);
  }
  std::ranges::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  std::vector<WarpRange> disjoint;
  for (size_t i = 0; i + 1 < firsts.size(); ++i) {
    std::vector<std::pair<uint32_t, uint32_t>> warps;
    for (const WarpRange& range : ranges) {
      if (range.first_block > firsts[i]) break;
      if (firsts[i] <= range.last_block) warps.emplace_back(range.first_warp, range.last_warp);
    }
    addUnion(disjoint, static_cast<uint32_t>(firsts[i]), static_cast<uint32_t>(firsts[i + 1] - 1), warps);
  }
  return disjoint;
}

std::vector<WarpRange> warpRanges(std::span<const TraceWarp* const> warps, uint32_t warps_per_block) {
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> blocks;
  for (const TraceWarp* warp : warps)
    blocks[warp->block.value].emplace_back(warp->warp_in_block, warp->warp_in_block);
  std::vector<WarpRange> ranges;
  bool last_is_single = false;  // the block before has one range
  for (auto& [block, intervals] : blocks) {
    const size_t first = ranges.size();
    addUnion(ranges, block, block, intervals);
    WarpRange& added = ranges[first];
    if (added.first_warp == 0 && added.last_warp + 1 >= warps_per_block) added.last_warp = WarpRange::kLast;
    const bool is_single = ranges.size() == first + 1;
    if (first > 0 && is_single && last_is_single) {
      WarpRange& before = ranges[first - 1];
      if (before.last_block + 1 == block && before.first_warp == added.first_warp &&
          before.last_warp == added.last_warp) {
        before.last_block = block;
        ranges.pop_back();
      }
    }
    last_is_single = is_single;
  }
  return ranges;
}

namespace {

std::string rangeText(char letter, uint32_t first, uint32_t last) {
  if (first == last) return fmt::format("{}{}", letter, first);
  if (last == WarpRange::kLast) return fmt::format("{}{}-", letter, first);
  return fmt::format("{}{}-{}{}", letter, first, letter, last);
}

std::string warpsText(const WarpRange& range) {
  std::string text = "all";
  if (range.first_block > 0 || range.last_block != WarpRange::kLast)
    text = rangeText('b', range.first_block, range.last_block);
  if (range.first_warp > 0 || range.last_warp != WarpRange::kLast)
    text += ' ' + rangeText('w', range.first_warp, range.last_warp);
  return text;
}

constexpr std::string_view kHow =
    "write warps and cycles: 'b12 w3 @1200..2400', 'b0-b3', 'all @0..900'; a comma adds warps, a semicolon "
    "another part";

// Takes what it understands off the front of a text.
class SelectionWords {
 public:
  explicit SelectionWords(std::string_view text) : text_(text) {}
  bool atEnd() { return skipSpaces(), text_.empty(); }
  bool begins(std::string_view word) { return skipSpaces(), text_.starts_with(word); }
  bool take(std::string_view word) {
    if (!begins(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  template <class Number>
  bool takeNumber(Number& number) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return true;
  }
  // "b3", "b3-b7", "b3-7", "b3-": to the last.
  bool takeRange(char letter, uint32_t& first, uint32_t& last) {
    if (!take({&letter, 1})) return false;
    if (!takeNumber(first)) return false;
    last = first;
    if (!text_.starts_with('-')) return true;
    text_.remove_prefix(1);
    if (text_.starts_with(letter)) text_.remove_prefix(1);
    if (!takeNumber(last)) last = WarpRange::kLast;
    return first <= last;
  }
  bool takeCycles(CycleRange& cycles) {
    takeNumber(cycles.begin);
    if (!take("..")) return false;
    takeNumber(cycles.end);
    return cycles.begin < cycles.end;
  }
  std::string_view rest() const { return text_; }

 private:
  void skipSpaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) text_.remove_prefix(1);
  }
  std::string_view text_;
};

bool takeWarps(SelectionWords& words, std::vector<WarpRange>& warps) {
  do {
    WarpRange range;
    const bool all = words.take("all");
    if (words.begins("b") && (all || !words.takeRange('b', range.first_block, range.last_block)))
      return false;
    const bool blocks = all || range != WarpRange{};
    if (words.begins("w")) {
      if (!words.takeRange('w', range.first_warp, range.last_warp)) return false;
    } else if (!blocks) {
      return false;
    }
    warps.push_back(range);
  } while (words.take(","));
  return true;
}

}  // namespace

std::string cycleRangeText(const CycleRange& cycles) {
  std::string text;
  if (cycles.begin != CycleRange{}.begin) text += std::to_string(cycles.begin);
  text += "..";
  if (cycles.end != CycleRange{}.end) text += std::to_string(cycles.end);
  return text;
}

Expected<CycleRange> parseCycleRange(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');  // "1,200..2,400"
  SelectionWords words(digits);
  CycleRange cycles;
  if (!words.atEnd() && words.takeCycles(cycles) && words.atEnd() && cycles.bounded()) return cycles;
  return fail(ErrorKind::kBadRequest, "'{}' is not a range of cycles such as 100..900", text);
}

std::string selectionText(const TraceSelection& selection, size_t longest) {
  std::string text;
  for (const SelectedPart& part : selection.parts) {
    if (!text.empty()) text += "; ";
    for (const WarpRange& range : part.warps) {
      if (text.size() > longest) return text.substr(0, longest) + " ...";
      if (&range != part.warps.data()) text += ", ";
      text += warpsText(range);
    }
    if (part.cycles.bounded()) text += " @" + cycleRangeText(part.cycles);
  }
  return text.size() > longest ? text.substr(0, longest) + " ..." : text;
}

Expected<TraceSelection> parseSelection(std::string_view text) {
  constexpr size_t kLongest = 1U << 22;
  constexpr size_t kMostToMerge = 4096;  // ranges that overlap, or are not in order
  const auto refuse = [&](std::string_view rest) {
    constexpr size_t kShown = 40;
    return fail(ErrorKind::kBadRequest, "'{}' is not understood as a selection: {}",
                rest.empty() ? text.substr(0, kShown) : rest.substr(0, kShown), kHow);
  };
  if (text.size() > kLongest) return refuse({});
  SelectionWords words(text);
  words.take("warpscope:");
  TraceSelection selection;
  do {
    SelectedPart part;
    part.warps.clear();
    const bool only_cycles = words.take("@");
    if (only_cycles) {
      part.warps.push_back({});
    } else if (!takeWarps(words, part.warps)) {
      return refuse(words.rest());
    }
    if ((only_cycles || words.take("@")) && !words.takeCycles(part.cycles)) return refuse(words.rest());
    if (part.warps.size() > kMostToMerge && !areDisjoint(part.warps)) return refuse({});
    part.warps = warpRanges(std::move(part.warps));
    selection.parts.push_back(std::move(part));
  } while (words.take(";") && !words.atEnd());
  if (!words.atEnd()) return refuse(words.rest());
  return selection;
}

}  // namespace warpscope
