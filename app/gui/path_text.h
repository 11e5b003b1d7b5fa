// Paths as users type them: "~", relative paths, missing extensions, and completion with Tab.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace warpscope {

// Makes a typed path absolute, from `folder` if it is relative (empty: the current one); "~" is the home
// folder. An empty text gives an empty path.
std::filesystem::path pathOf(const std::string& typed, const std::filesystem::path& folder = {});
// The folder whose entries can complete a typed path: "/a/b" and "/a/" give "/a", "b" gives `folder`.
std::filesystem::path folderOf(const std::string& typed, const std::filesystem::path& folder);
// Appends the ending unless the name has it, or the last part of it: "a" and ".csv" give "a.csv", "a.b" gives
// "a.b.csv", "A.CSV" stays; "t.json" stays as it is with ".trace.json".
std::filesystem::path withEnding(const std::filesystem::path& path, const std::string& ending);
// Whether a file has one of the endings, in upper or lower case; none: every file has.
bool hasEnding(const std::string& name, std::span<const std::string> endings);
// Completes the last name of a typed path as far as all `names` that begin with it agree. Names of folders
// end in "/".
std::string completedPath(const std::string& typed, std::span<const std::string> names);
// The first name that is not one of `names`: "a.csv", then "a-2.csv" ...
std::string freeName(const std::string& stem, const std::string& ending, std::span<const std::string> names);

}  // namespace warpscope
