// What the search field (Ctrl+P) has found, and what F3 walks through.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viz/layout/trace_hits.h"

namespace warpscope {

enum class FindKind {
  kSetting,
  kWarp,
  kBlock,
  kSm,
  kLine,
  kPage,
  kView,
  kAction,
  kFamily,
  kVariant,
  kRegion,
  kInstruction,
  kDevice,
  kTerm
};

// Something that can be found. `name` and `number` say what, by kind: an action's, page's, family's,
// device's, region's or parameter's name, "page/panel", "family/variant", a term; a value, block, SM, line or
// index into Run::listing.
struct FindEntry {
  FindKind kind = FindKind::kAction;
  std::string title;  // as shown
  std::string name;
  int64_t number = 0;
  std::optional<uint32_t> warp;  // in block `number`; absent: all of them
  std::string problem;           // why it cannot be chosen, translated; empty: it can
  bool to_complete = false;      // Enter completes what is typed, so that a value can follow
  bool operator==(const FindEntry&) const = default;
};

inline constexpr size_t kMostFound = 60, kMostRecentFinds = 10;

struct FindState {
  bool open = false;
  std::array<char, 256> typed{};
  int field = 0;                  // a new number is a new text field, which takes `typed` anew
  bool begins = false;            // the cursor goes to the end of the field
  std::string searched;           // what `found` was found for
  uint64_t searched_version = 0;  // of the index
  std::vector<FindEntry> found;
  size_t marked = 0;
  bool to_marked = false;           // scroll to it
  bool accepted = false;            // Enter was pressed
  std::vector<std::string> recent;  // idOf() what was chosen, the latest first; kept in the settings

  // What F3 walks through: the places of an entry in the shown run.
  std::optional<FindEntry> walked;
  std::shared_ptr<const Run> walked_run;
  std::string walked_alone;  // the view that had the whole window when the walk began
  TraceHits hits;
  std::optional<size_t> hit;  // shown now
  bool jump_wanted = false;   // to the first one, as soon as there is one
};

}  // namespace warpscope
