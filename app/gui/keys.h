// Keys and what is held with them, as values, as text in the settings file, and as users read them. Letters
// and signs are those of an American keyboard, as GLFW names them.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

struct KeyPress;

struct KeyChord {
  int key = 0;  // GLFW_KEY_*
  bool control = false, shift = false, alt = false;
  auto operator<=>(const KeyChord&) const = default;
};

KeyChord chordOf(const KeyPress& press);
// Shift, Ctrl and the like: pressed for the sake of the next key.
bool isModifier(int key);
// "Ctrl+Shift+S", "F3", "Left": in the settings file; empty: the key has no name.
std::string keyName(const KeyChord& chord);
std::optional<KeyChord> findKey(std::string_view name);
// As users read it, translated: "?" for Shift+/.
std::string shownKey(const KeyChord& chord);

// Several, with a space between them: "Ctrl+Shift+Z Ctrl+Y".
std::string keyNames(std::span<const KeyChord> chords);
// Words that name no key are left out.
std::vector<KeyChord> findKeys(std::string_view names);

}  // namespace warpscope
