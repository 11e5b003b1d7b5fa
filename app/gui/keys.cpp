#include "app/gui/keys.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "app/gui/window.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

struct NamedKey {
  int key;
  const char* name;
};

constexpr std::array kNamedKeys{
    NamedKey{GLFW_KEY_SPACE, trMark("Space")},
    NamedKey{GLFW_KEY_ESCAPE, trMark("Escape")},
    NamedKey{GLFW_KEY_ENTER, trMark("Enter")},
    NamedKey{GLFW_KEY_TAB, trMark("Tab")},
    NamedKey{GLFW_KEY_BACKSPACE, trMark("Backspace")},
    NamedKey{GLFW_KEY_INSERT, trMark("Insert")},
    NamedKey{GLFW_KEY_DELETE, trMark("Delete")},
    NamedKey{GLFW_KEY_LEFT, trMark("Left")},
    NamedKey{GLFW_KEY_RIGHT, trMark("Right")},
    NamedKey{GLFW_KEY_UP, trMark("Up")},
    NamedKey{GLFW_KEY_DOWN, trMark("Down")},
    NamedKey{GLFW_KEY_PAGE_UP, trMark("PageUp")},
    NamedKey{GLFW_KEY_PAGE_DOWN, trMark("PageDown")},
    NamedKey{GLFW_KEY_HOME, trMark("Home")},
    NamedKey{GLFW_KEY_END, trMark("End")},
    NamedKey{GLFW_KEY_PAUSE, trMark("Pause")},
    NamedKey{GLFW_KEY_MENU, trMark("Menu")},
    NamedKey{GLFW_KEY_KP_ADD, trMark("Keypad+")},
    NamedKey{GLFW_KEY_KP_SUBTRACT, trMark("Keypad-")},
    NamedKey{GLFW_KEY_KP_MULTIPLY, trMark("Keypad*")},
    NamedKey{GLFW_KEY_KP_DIVIDE, trMark("Keypad/")},
    NamedKey{GLFW_KEY_KP_DECIMAL, trMark("Keypad.")},
    NamedKey{GLFW_KEY_KP_ENTER, trMark("KeypadEnter")},
};
// GLFW's keys of these are the characters themselves; Shift makes the characters below of them.
constexpr std::string_view kSigns = "`1234567890-=[]\\;',./";
constexpr std::string_view kShifted = "~!@#$%^&*()_+{}|:\"<>?";
constexpr int kFunctionKeys = 25, kKeypadDigits = 10;

std::string nameOf(int key) {
  const bool letter = key >= GLFW_KEY_A && key <= GLFW_KEY_Z;
  if (letter || (key > 0 && key < 128 && kSigns.find(static_cast<char>(key)) != std::string_view::npos))
    return {static_cast<char>(key)};
  if (key >= GLFW_KEY_F1 && key < GLFW_KEY_F1 + kFunctionKeys)
    return "F" + std::to_string(key - GLFW_KEY_F1 + 1);
  if (key >= GLFW_KEY_KP_0 && key < GLFW_KEY_KP_0 + kKeypadDigits)
    return "Keypad" + std::to_string(key - GLFW_KEY_KP_0);
  const auto named = std::ranges::find(kNamedKeys, key, &NamedKey::key);
  return named == kNamedKeys.end() ? "" : named->name;
}

std::string withModifiers(const KeyChord& chord, const std::string& name) {
  std::string text;
  if (chord.control) text += "Ctrl+";
  if (chord.alt) text += "Alt+";
  if (chord.shift) text += "Shift+";
  return text + name;
}

bool takePrefix(std::string_view& text, std::string_view prefix) {
  const bool found = text.starts_with(prefix) && text.size() > prefix.size();
  if (found) text.remove_prefix(prefix.size());
  return found;
}

}  // namespace

KeyChord chordOf(const KeyPress& press) {
  return {press.key, press.control, press.shift, press.alt};
}

bool isModifier(int key) {
  return (key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER) || key == GLFW_KEY_CAPS_LOCK ||
         key == GLFW_KEY_NUM_LOCK || key == GLFW_KEY_SCROLL_LOCK;
}

std::string keyName(const KeyChord& chord) {
  const std::string name = nameOf(chord.key);
  return name.empty() ? "" : withModifiers(chord, name);
}

std::optional<KeyChord> findKey(std::string_view name) {
  KeyChord chord;
  chord.control = takePrefix(name, "Ctrl+");
  chord.alt = takePrefix(name, "Alt+");
  chord.shift = takePrefix(name, "Shift+");
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
    if (name.empty() || nameOf(key) != name) continue;
    chord.key = key;
    return chord;
  }
  return std::nullopt;
}

std::string shownKey(const KeyChord& chord) {
  KeyChord shown = chord;
  std::string name = tr(nameOf(chord.key));
  if (chord.shift && name.size() == 1) {
    if (const size_t sign = kSigns.find(name.front()); sign != std::string_view::npos) {
      name = kShifted[sign];
      shown.shift = false;
    }
  }
  return withModifiers(shown, name);
}

std::string keyNames(std::span<const KeyChord> chords) {
  std::string names;
  for (const KeyChord& chord : chords) names += (names.empty() ? "" : " ") + keyName(chord);
  return names;
}

std::vector<KeyChord> findKeys(std::string_view names) {
  std::vector<KeyChord> chords;
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    if (const auto chord = findKey(names.substr(0, end))) chords.push_back(*chord);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return chords;
}

}  // namespace warpscope
