// Paths as they are typed: "~", relative ones, endings left out, and Tab.
#pragma once

#include <filesystem>
#include <string>

namespace warpscope {

// Absolute; "~" is the home folder. Empty of an empty text.
std::filesystem::path pathOf(const std::string& typed);
// With the ending where the name has none at all, or not this one: "a" and ".csv" give "a.csv", "a.b" gives
// "a.b.csv", "A.CSV" stays.
std::filesystem::path withEnding(const std::filesystem::path& path, const std::string& ending);
// As far as all that is there and begins like it agrees; of a single folder with its "/".
std::string completedPath(const std::string& typed);
// Of names that do not exist yet: "a.csv", then "a-2.csv" ...
std::filesystem::path freeName(const std::filesystem::path& folder, const std::string& stem,
                               const std::string& ending);

}  // namespace warpscope
