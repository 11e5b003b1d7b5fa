// Keys by the names that X gives them, on an American keyboard.
#pragma once

#include <optional>
#include <string>

namespace warpscope::testing {

struct NamedKey {
  int key = 0;  // GLFW_KEY_*
  bool control = false, shift = false;
};

// "ctrl+shift+z", "Escape", "question". nullopt: there is no such key.
std::optional<NamedKey> keyOfName(const std::string& name);
// The key that types it. nullopt: there is none.
std::optional<NamedKey> keyOfCharacter(char character);

}  // namespace warpscope::testing
