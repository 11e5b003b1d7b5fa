// Undo and redo of a value: the states before each edit, and those that undo left. The owner of the value
// passes it in and takes it back; an edit that changed nothing is skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace warpscope {

template <class State>
class UndoHistory {
 public:
  // Begins an edit: `now` is what undo returns to. From then on there is nothing to redo.
  void begin(State now) {
    before_.push_back(std::move(now));
    if (before_.size() > kMostSteps) before_.erase(before_.begin());
    after_.clear();
  }
  bool canUndo() const { return !before_.empty(); }
  bool canRedo() const { return !after_.empty(); }

  // The state to restore in place of `now`; nullopt: there is none.
  std::optional<State> undo(State now) {
    while (!before_.empty() && before_.back() == now) before_.pop_back();
    return step(before_, after_, std::move(now));
  }
  std::optional<State> redo(State now) { return step(after_, before_, std::move(now)); }

  // Changes every state that undo or redo could bring back.
  template <class Change>
  void forEach(const Change& change) {
    for (std::vector<State>* states : {&before_, &after_}) {
      for (State& state : *states) change(state);
    }
  }

 private:
  static constexpr size_t kMostSteps = 200;

  static std::optional<State> step(std::vector<State>& from, std::vector<State>& to, State now) {
    if (from.empty()) return std::nullopt;
    State state = std::move(from.back());
    from.pop_back();
    to.push_back(std::move(now));
    return state;
  }

  std::vector<State> before_, after_;  // the last element is the next to restore
};

}  // namespace warpscope
