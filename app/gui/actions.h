// The actions of the window, each with a name and keys. The keyboard, the list that `?` shows, the search
// field, tooltips and menus all take them from here. action_list.cpp lists the window's own; a page
// adds its own with Page::actions().
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/keys.h"

namespace warpscope {

struct Ui;

enum class ActionGroup { kRun, kTime, kPages, kCompare, kFiles, kWindow };
inline constexpr ActionGroup kActionGroups[]{ActionGroup::kRun,   ActionGroup::kTime,
                                             ActionGroup::kPages, ActionGroup::kCompare,
                                             ActionGroup::kFiles, ActionGroup::kWindow};
const char* titleOf(ActionGroup group);  // translated

struct Action {
  std::string id;    // "run.once": in the settings file and in reports
  const char* name;  // marked with trMark, translated where it is shown
  ActionGroup group;
  std::string keys;  // the default ones, as keyNames() writes them; empty: none
  std::function<void(const Ui&)> act;
  // Why it cannot be done now, translated; empty: it can. Not set: it always can.
  std::function<std::string(const Ui&)> why_not = {};
  bool repeats = false;       // while its key is held down
  const char* also = "";      // other words by which the search field finds it
  bool while_typing = false;  // its key also acts while text is typed, as text fields do not use it
};

class Actions {
 public:
  explicit Actions(std::vector<Action> all);

  std::span<const Action> all() const { return all_; }
  const Action* find(std::string_view id) const;       // null: there is none
  const Action* withKey(const KeyChord& chord) const;  // null: the key does nothing

  std::span<const KeyChord> keysOf(const Action& action) const { return keys_.at(indexOf(action)); }
  std::string shownKeys(std::string_view id) const;  // "? or F1", translated; empty: it has none
  // "Undo (Ctrl+Z)": a translated text with the keys of an action.
  std::string withKeys(const std::string& text, std::string_view id) const;

  // The user's keys. A key does one thing: the action that had it before loses it.
  void setKeys(const Action& action, std::vector<KeyChord> keys);
  bool isChanged(const Action& action) const;
  void reset(const Action& action);
  void resetAll();
  // For the settings file: the names of changed keys by action. Those of actions that this version does not
  // have are kept.
  using Changed = std::map<std::string, std::string>;
  Changed changed() const;
  void take(const Changed& changed);

 private:
  size_t indexOf(const Action& action) const { return static_cast<size_t>(&action - all_.data()); }

  std::vector<Action> all_;
  std::vector<std::vector<KeyChord>> defaults_, keys_;  // by index of the action
  Changed unknown_;
};

// The window's own (action_list.cpp), the first of them those of the time axis (time_actions.cpp).
std::vector<Action> windowActions();
std::vector<Action> timeActions();
std::vector<Action> selectionActions();  // selection_actions.cpp

// Does it if it can be done now; otherwise says why it cannot.
void perform(const Ui& ui, const Action& action);
void perform(const Ui& ui, std::string_view id);

}  // namespace warpscope
