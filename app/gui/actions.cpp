#include "app/gui/actions.h"

#include <algorithm>
#include <utility>

#include "app/gui/ui.h"
#include "viz/text/translate.h"

namespace warpscope {

const char* titleOf(ActionGroup group) {
  switch (group) {
    case ActionGroup::kRun:
      return tr("Run and settings");
    case ActionGroup::kTime:
      return tr("Timeline and selection");
    case ActionGroup::kPages:
      return tr("Pages");
    case ActionGroup::kCompare:
      return tr("Comparison");
    case ActionGroup::kFiles:
      return tr("Files");
    case ActionGroup::kWindow:
      return tr("Window");
  }
  return "";
}

Actions::Actions(std::vector<Action> all) : all_(std::move(all)) {
  for (const Action& action : all_) defaults_.push_back(findKeys(action.keys));
  keys_ = defaults_;
}

const Action* Actions::find(std::string_view id) const {
  const auto found = std::ranges::find(all_, id, &Action::id);
  return found == all_.end() ? nullptr : &*found;
}

const Action* Actions::withKey(const KeyChord& chord) const {
  const auto found = std::ranges::find_if(
      keys_, [&](const auto& keys) { return std::ranges::find(keys, chord) != keys.end(); });
  return found == keys_.end() ? nullptr : &all_[static_cast<size_t>(found - keys_.begin())];
}

std::string Actions::shownKeys(std::string_view id) const {
  const Action* action = find(id);
  if (action == nullptr) return {};
  std::string text;
  for (const KeyChord& chord : keysOf(*action))
    text = text.empty() ? shownKey(chord) : trf("{} or {}", text, shownKey(chord));
  return text;
}

std::string Actions::withKeys(const std::string& text, std::string_view id) const {
  const Action* action = find(id);
  if (action == nullptr || keysOf(*action).empty()) return text;
  return text + " (" + shownKey(keysOf(*action).front()) + ")";
}

void Actions::setKeys(const Action& action, std::vector<KeyChord> keys) {
  for (auto& others : keys_) {
    std::erase_if(others,
                  [&](const KeyChord& chord) { return std::ranges::find(keys, chord) != keys.end(); });
  }
  keys_[indexOf(action)] = std::move(keys);
}

bool Actions::isChanged(const Action& action) const {
  return keys_[indexOf(action)] != defaults_[indexOf(action)];
}

void Actions::reset(const Action& action) {
  setKeys(action, defaults_[indexOf(action)]);
}

void Actions::resetAll() {
  keys_ = defaults_;
}

Actions::Changed Actions::changed() const {
  Changed changed = unknown_;
  for (const Action& action : all_) {
    if (isChanged(action)) changed[action.id] = keyNames(keysOf(action));
  }
  return changed;
}

void Actions::take(const Changed& changed) {
  resetAll();
  unknown_.clear();
  for (const auto& [id, names] : changed) {
    const Action* action = find(id);
    if (action == nullptr) {
      unknown_[id] = names;
    } else {
      setKeys(*action, findKeys(names));
    }
  }
}

void perform(const Ui& ui, const Action& action) {
  const std::string why_not = action.why_not ? action.why_not(ui) : std::string();
  if (!why_not.empty()) {
    notify(ui, why_not, 8);
  } else {
    action.act(ui);
  }
}

void perform(const Ui& ui, std::string_view id) {
  if (const Action* action = ui.actions.find(id); action != nullptr) perform(ui, *action);
}

}  // namespace warpscope
