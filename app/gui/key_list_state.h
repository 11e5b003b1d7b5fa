// What the list of keys shows, and which key is being changed.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "app/gui/keys.h"

namespace warpscope {

struct KeyListState {
  std::array<char, 64> search{};
  std::string marked;              // the action that Enter changes; empty, or not in the list: the first
  bool to_marked = false;          // scroll to it
  std::string changing;            // the action whose key is pressed next; empty: none
  std::optional<KeyChord> wanted;  // pressed, but another action has it
  bool begins = true;              // the cursor goes into the search field
};

}  // namespace warpscope
