// Text that is safe to send to a terminal: a recording's names may hold anything, and a terminal obeys
// control characters.
#pragma once

#include <string>
#include <string_view>

namespace warpscope {

// Control characters become visible ("\x1b", "\u009b"), except line ends and tabs.
std::string terminalText(std::string_view text);
// The same for one line or cell: line ends and tabs become visible too.
std::string terminalLine(std::string_view text);
// JSON escapes control characters below U+0020 itself; the others become "\u009b", which means the same.
std::string terminalJson(std::string json);

}  // namespace warpscope
