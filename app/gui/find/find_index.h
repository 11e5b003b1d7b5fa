// The index of the search field: everything that has a name. Places and values are not in it; they are read
// from the typed text (find_places.h). It is rebuilt when the run, the family, the devices or the language
// change while the field is open, and searched only when the text changes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/gui/find/find_state.h"
#include "app/gui/ui.h"
#include "viz/text/fuzzy.h"

namespace warpscope {

class FindIndex {
 public:
  // Brings it up to date; returns its version.
  uint64_t update(const Ui& ui);
  // The best `most` entries, best first: places and values as typed, then what is called so.
  std::vector<FindEntry> search(const Ui& ui, const std::string& typed, size_t most) const;
  // The entries with these ids that there are now.
  std::vector<FindEntry> recent(const Ui& ui, const std::vector<std::string>& ids) const;

 private:
  void add(FindEntry entry, const std::string& also, int bonus);
  void addCommands(const Ui& ui);
  void addViews(const Ui& ui);
  void addFamilies(const Ui& ui);
  void addRun(const Run& run);

  std::vector<FindEntry> entries_;
  FuzzyTexts texts_;  // of entries_, in the same order
  uint64_t version_ = 0;
  std::string made_for_;  // what it depends on, as a text
  std::shared_ptr<const Run> run_;
};

const char* titleOf(FindKind kind);  // "warp", translated
// Says what Enter does with the entry, translated; for a term, its explanation.
std::string effectOf(const Ui& ui, const FindEntry& entry);
// Names it, whatever the language, so that it is found again at another time: "action run.live",
// "typed block 512". Empty: it is not worth remembering.
std::string idOf(const Ui& ui, const FindEntry& entry);

}  // namespace warpscope
