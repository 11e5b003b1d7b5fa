// Files dropped onto the program's window, as a file manager drops them: the source's side of XDND.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpscope::testing {

// Why it cannot be done here; empty: it can.
std::string missingForDrops();
// Onto the window that takes drops on that display (":93"). True: it took them.
bool dropFiles(const std::string& display, const std::vector<std::filesystem::path>& paths);

}  // namespace warpscope::testing
