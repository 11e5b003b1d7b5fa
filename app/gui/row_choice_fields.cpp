#include "app/gui/row_choice_fields.h"

#include <algorithm>
#include <limits>
#include <string>

#include "app/gui/lenient_fields.h"

namespace warpscope {
namespace {

constexpr double kLongestWarp = 1e15;  // cycles

// One of a list of names, as an enumerator.
template <class Enum, size_t kCount>
void describeNamed(LenientFields& fields, const char* key, Enum& value, const char* const (&names)[kCount]) {
  std::string name = names[static_cast<size_t>(value)];
  fields.text(key, name);
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) {
    fields.reader()->wrong(key);
  } else {
    value = static_cast<Enum>(found - std::begin(names));
  }
}

void describeRange(LenientFields& fields, const char* key, std::optional<NumberRange>& range) {
  if (!fields.has(range.has_value())) return;
  std::string text = numberRangeText(range);
  fields.text(key, text);
  if (fields.reader() == nullptr) return;
  range = parseNumberRange(text);
  if (!text.empty() && !range) fields.reader()->wrong(key);
}

}  // namespace

void describe(LenientFields& fields, RowFilter& filter) {
  std::optional<decltype(RegionId::value)> region;
  if (filter.region) region = filter.region->value;
  describeRange(fields, "sms", filter.sms);
  describeRange(fields, "blocks", filter.blocks);
  if (fields.has(region.has_value()))
    fields.optional("region", region, 0, std::numeric_limits<decltype(RegionId::value)>::max());
  if (fields.has(filter.least_cycles.has_value()))
    fields.optional("least_cycles", filter.least_cycles, 0, kLongestWarp);
  if (fields.has(filter.most_cycles.has_value()))
    fields.optional("most_cycles", filter.most_cycles, 0, kLongestWarp);
  if (fields.reader() != nullptr && region) filter.region = RegionId{*region};
}

void describe(LenientFields& fields, RowChoice& rows) {
  describeNamed(fields, "grouping", rows.kind, kRowKindNames);
  describeNamed(fields, "row_sort", rows.sort, kRowSortNames);
  fields.flag("rows_reversed", rows.reversed);
  fields.object("row_filter", rows.filter);
}

}  // namespace warpscope
