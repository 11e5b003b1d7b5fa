// Paths as users type them: "~", relative paths, missing extensions, and completion with Tab.
#pragma once

#include <filesystem>
#include <string>

namespace warpscope {

// Makes a typed path absolute; "~" is the home folder. An empty text gives an empty path.
std::filesystem::path pathOf(const std::string& typed);
// Appends the ending unless the name has it: "a" and ".csv" give "a.csv", "a.b" gives "a.b.csv", "A.CSV"
// stays.
std::filesystem::path withEnding(const std::filesystem::path& path, const std::string& ending);
// Completes a typed path as far as all existing names that begin with it agree; a single folder gets its "/".
std::string completedPath(const std::string& typed);
// The first name that does not exist yet: "a.csv", then "a-2.csv" ...
std::filesystem::path freeName(const std::filesystem::path& folder, const std::string& stem,
                               const std::string& ending);

}  // namespace warpscope
