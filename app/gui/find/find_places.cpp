#include "app/gui/find/find_places.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "app/gui/family_lookup.h"
#include "kernels/core/units.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/fuzzy.h"
#include "viz/text/words.h"

namespace warpscope {
namespace {

constexpr uint32_t kMostWarpsOfBlock = 8;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the letters at the front, then the number after them; false: there is no such pair.
bool takePair(std::string_view& text, std::string& word, uint32_t& number) {
  const auto skip = [&] {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',' || text.front() == '='))
      text.remove_prefix(1);
  };
  skip();
  word.clear();
  while (!text.empty() && !isDigit(text.front()) && text.front() != ' ' && text.front() != '=') {
    word += text.front();
    text.remove_prefix(1);
  }
  skip();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (word.empty() || error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  skip();
  return true;
}

bool isOneOf(const std::string& word, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, word) != names.end();
}

std::string warpTitleOf(int64_t block, uint32_t warp) {
  return fmt::format("b{} w{}", block, warp);
}

FindEntry warpEntry(const ShownRun& shown, uint32_t block, uint32_t warp) {
  FindEntry entry{
      .kind = FindKind::kWarp, .title = warpTitleOf(block, warp), .name = {}, .number = block, .warp = warp};
  if (shown.layout == nullptr) {
    entry.problem = tr("There is no run yet.");
  } else if (!shown.layout->findWarp(BlockId{block}, warp)) {
    entry.problem = tr("This warp is not in the trace: it does not exist, or was not recorded.");
  }
  return entry;
}

template <class Wanted>
std::string notInTrace(const ShownRun& shown, const Wanted& wanted) {
  if (shown.run == nullptr) return tr("There is no run yet.");
  return std::ranges::any_of(shown.run->trace.warps, wanted)
             ? std::string()
             : tr("No warp of it is in the trace: it does not exist, or was not recorded.");
}

void addPlace(const ShownRun& shown, const TypedPlace& place, std::vector<FindEntry>& found) {
  if (place.block && place.warp) {
    found.push_back(warpEntry(shown, *place.block, *place.warp));
  } else if (place.block) {
    found.push_back({.kind = FindKind::kBlock,
                     .title = fmt::format("b{}", *place.block),
                     .name = {},
                     .number = *place.block,
                     .warp = {},
                     .problem = notInTrace(
                         shown, [&](const TraceWarp& warp) { return warp.block.value == *place.block; })});
    for (uint32_t warp = 0; warp < kMostWarpsOfBlock && found.front().problem.empty(); ++warp) {
      if (FindEntry entry = warpEntry(shown, *place.block, warp); entry.problem.empty())
        found.push_back(std::move(entry));
    }
  } else if (place.warp) {
    found.push_back({.kind = FindKind::kWarp,
                     .title = fmt::format("w{}", *place.warp),
                     .name = "all",
                     .number = *place.warp,
                     .warp = {},
                     .problem = notInTrace(
                         shown, [&](const TraceWarp& warp) { return warp.warp_in_block == *place.warp; })});
  }
  if (place.sm) {
    const DeviceLimits limits = shown.run == nullptr ? DeviceLimits{} : shown.run->device.limits;
    const SmId sm = place.gpu ? smOf(limits, {*place.gpu, *place.sm}) : SmId{*place.sm};
    found.push_back({.kind = FindKind::kSm,
                     .title = trSm(limits, sm),
                     .name = {},
                     .number = sm.value,
                     .warp = {},
                     .problem = notInTrace(shown, [&](const TraceWarp& warp) { return warp.sm == sm; })});
  }
  if (place.line) {
    const bool known = shown.run != nullptr && shown.run->source != nullptr && *place.line > 0 &&
                       std::ranges::count(*shown.run->source, '\n') + 1 >= *place.line;
    found.push_back({.kind = FindKind::kLine,
                     .title = trf("line {}", *place.line),
                     .name = {},
                     .number = *place.line,
                     .warp = {},
                     .problem = known ? "" : tr("The source has no such line.")});
  }
}

// How well words name a parameter; 0: they do not.
int scoreOf(const ParameterSpec& spec, const std::string& words) {
  FuzzyTexts names;
  names.add(spec.name, fmt::format("{} {}", spec.label, tr(spec.label)));
  const auto hits = names.search(words, 1);
  return hits.empty() ? 0 : hits.front().score;
}

FindEntry settingEntry(const Ui& ui, const ParameterSpec& spec, const std::string& value) {
  FindEntry entry{.kind = FindKind::kSetting, .title = {}, .name = spec.name, .number = 0, .warp = {}};
  const Expected<int64_t> number = parseParameter(spec, value);
  if (!number) {
    entry.title = fmt::format("{} {}", tr(spec.label), value);
    entry.problem = trMessage(number.error().message);
    return entry;
  }
  // The nearest offered value will be set.
  const std::vector<int64_t>& offered = ui.model.offeredValues(spec);
  entry.number = *number;
  if (!offered.empty()) {
    entry.number = *std::ranges::min_element(
        offered, {}, [&](int64_t other) { return other < *number ? *number - other : other - *number; });
  }
  entry.title = fmt::format("{} {}", tr(spec.label), tr(formatParameter(spec, entry.number)));
  return entry;
}

// "block 512", "size=2^20", "bl 512"
void addSettings(const Ui& ui, const std::string& typed, std::vector<FindEntry>& found) {
  const size_t end = typed.find_last_not_of(' ');
  if (end == std::string::npos) return;
  const size_t at = typed.find_last_of(" =", end);
  if (at == std::string::npos || at == 0 || at == end) return;
  const std::string value = typed.substr(at + 1, end - at);
  const std::string words = typed.substr(0, typed.find_last_not_of(" =", at) + 1);
  std::vector<std::pair<int, const ParameterSpec*>> named;
  for (const ParameterSpec* spec : ui.model.choice().controls()) {
    if (const int score = scoreOf(*spec, words); score > 0) named.emplace_back(-score, spec);
  }
  std::ranges::stable_sort(named, {}, &std::pair<int, const ParameterSpec*>::first);
  for (const auto& [score, spec] : named) {
    FindEntry entry = settingEntry(ui, *spec, value);
    // A word that is no value at all is no value: it may be part of a name.
    if (!entry.problem.empty() && !isDigit(value.front()) && value.front() != '-') continue;
    found.push_back(std::move(entry));
  }
}

}  // namespace

std::optional<TypedPlace> typedPlace(const std::string& typed) {
  const std::string text = folded(typed);
  std::string_view rest = text;
  TypedPlace place;
  std::string word;
  uint32_t number = 0;
  while (rest.find_first_not_of(' ') != std::string_view::npos) {
    if (!takePair(rest, word, number)) return std::nullopt;
    std::optional<uint32_t>* part = nullptr;
    if (isOneOf(word, {"b", "block", "线程块"})) part = &place.block;
    if (isOneOf(word, {"w", "warp", "线程束"})) part = &place.warp;
    if (isOneOf(word, {"sm"})) part = &place.sm;
    if (isOneOf(word, {"gpu"})) part = &place.gpu;
    if (isOneOf(word, {"l", "line", "行"})) part = &place.line;
    if (part == nullptr || *part) return std::nullopt;
    *part = number;
  }
  if (place == TypedPlace{} || (place.gpu && !place.sm)) return std::nullopt;
  return place;
}

std::vector<FindEntry> placesIn(const Ui& ui, const std::string& typed) {
  std::vector<FindEntry> found;
  const auto place = typedPlace(typed);
  // "b12" is a block, "block 512" rather the block size.
  const bool short_name =
      place && place->block && !place->warp && folded(typed).find("block") != std::string::npos;
  if (place) addPlace(ui.model.feed().shown(), *place, found);
  const auto places = static_cast<std::ptrdiff_t>(found.size());
  addSettings(ui, typed, found);
  if (short_name) std::rotate(found.begin(), found.begin() + places, found.end());
  return found;
}

}  // namespace warpscope
