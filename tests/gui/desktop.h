// Acts on the program's window as a desktop does: files are dropped onto it (the source's side of XDND), and
// its user closes it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpscope::testing {

// The reason why this cannot be done here; empty if it can.
std::string missingDesktop();
// Onto the window that takes drops on that display (":93"). True: it took them.
bool dropFiles(const std::string& display, const std::vector<std::filesystem::path>& paths);
// As the button in its title bar. True: the window was asked to close.
bool closeWindow(const std::string& display);

}  // namespace warpscope::testing
