#include "tests/gui/key_names.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <map>
#include <string_view>

namespace warpscope::testing {
namespace {

// GLFW's keys of letters, digits and most signs are the characters that they type without Shift.
constexpr std::string_view kUnshifted = "`1234567890-=[]\\;',./";
constexpr std::string_view kShifted = "~!@#$%^&*()_+{}|:\"<>?";

}  // namespace

std::optional<NamedKey> keyOfCharacter(char character) {
  if (character == ' ') return NamedKey{GLFW_KEY_SPACE};
  if (character >= 'a' && character <= 'z') return NamedKey{GLFW_KEY_A + (character - 'a')};
  if (character >= 'A' && character <= 'Z')
    return NamedKey{.key = GLFW_KEY_A + (character - 'A'), .shift = true};
  if (kUnshifted.find(character) != std::string_view::npos) return NamedKey{character};
  if (const size_t at = kShifted.find(character); at != std::string_view::npos)
    return NamedKey{.key = kUnshifted[at], .shift = true};
  return std::nullopt;
}

std::optional<NamedKey> keyOfName(const std::string& name) {
  static const std::map<std::string, NamedKey> kNamed{
      {"space", {GLFW_KEY_SPACE}},   {"Escape", {GLFW_KEY_ESCAPE}},
      {"Return", {GLFW_KEY_ENTER}},  {"Tab", {GLFW_KEY_TAB}},
      {"Left", {GLFW_KEY_LEFT}},     {"Right", {GLFW_KEY_RIGHT}},
      {"Up", {GLFW_KEY_UP}},         {"Down", {GLFW_KEY_DOWN}},
      {"Home", {GLFW_KEY_HOME}},     {"End", {GLFW_KEY_END}},
      {"Prior", {GLFW_KEY_PAGE_UP}}, {"Next", {GLFW_KEY_PAGE_DOWN}},
      {"F1", {GLFW_KEY_F1}},         {"F3", {GLFW_KEY_F3}},
      {"F5", {GLFW_KEY_F5}},         {"F6", {GLFW_KEY_F6}},
      {"F10", {GLFW_KEY_F10}},       {"F11", {GLFW_KEY_F11}},
      {"Menu", {GLFW_KEY_MENU}},     {"BackSpace", {GLFW_KEY_BACKSPACE}},
      {"Delete", {GLFW_KEY_DELETE}},
  };
  static const std::map<std::string, char> kSigns{
      {"plus", '+'},   {"minus", '-'},       {"question", '?'},     {"comma", ','},
      {"period", '.'}, {"bracketleft", '['}, {"bracketright", ']'}, {"slash", '/'},
  };
  std::string rest = name;
  bool control = false, shift = false;
  while (rest.starts_with("ctrl+") || rest.starts_with("shift+")) {
    (rest.starts_with("ctrl+") ? control : shift) = true;
    rest.erase(0, rest.find('+') + 1);
  }
  std::optional<NamedKey> found;
  if (const auto named = kNamed.find(rest); named != kNamed.end()) {
    found = named->second;
  } else if (const auto sign = kSigns.find(rest); sign != kSigns.end()) {
    found = keyOfCharacter(sign->second);
  } else if (rest.size() == 1) {
    found = keyOfCharacter(rest.front());
  }
  if (found) {
    found->control = found->control || control;
    found->shift = found->shift || shift;
  }
  return found;
}

}  // namespace warpscope::testing
