#include "app/gui/path_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace warpscope {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string withoutBlanks(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

}  // namespace

std::filesystem::path pathOf(const std::string& typed, const std::filesystem::path& folder) {
  std::string text = withoutBlanks(typed);
  if (text.empty()) return {};
  const char* home = std::getenv("HOME");
  if (home != nullptr && (text == "~" || text.starts_with("~/"))) text = home + text.substr(1);
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(folder / text, error);
  return error ? folder / text : absolute.lexically_normal();
}

std::filesystem::path folderOf(const std::string& typed, const std::filesystem::path& folder) {
  const size_t slash = typed.rfind('/');
  if (slash == std::string::npos) return folder;
  const std::filesystem::path path = pathOf(typed.substr(0, slash + 1), folder);
  return path.has_filename() ? path : path.parent_path();  // "/a/" is "/a"
}

std::filesystem::path withEnding(const std::filesystem::path& path, const std::string& ending) {
  const std::string name = lower(path.filename().string()), wanted = lower(ending);
  if (name.ends_with(wanted)) return path;
  // For ".trace.json.gz", a typed ".json" or ".gz" is enough: the user wants no compression, or a shorter
  // name.
  for (size_t dot = wanted.find('.', 1); dot != std::string::npos; dot = wanted.find('.', dot + 1)) {
    if (name.ends_with(wanted.substr(dot, wanted.find('.', dot + 1) - dot))) return path;
  }
  return path.string() + ending;
}

bool hasEnding(const std::string& name, std::span<const std::string> endings) {
  return endings.empty() || std::ranges::any_of(endings, [name = lower(name)](const std::string& ending) {
           return name.ends_with(lower(ending));
         });
}

std::string completedPath(const std::string& typed, std::span<const std::string> names) {
  const size_t slash = typed.rfind('/');
  const std::string before = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  const std::string begin = typed.substr(before.size());
  std::vector<std::string> fitting;
  for (const std::string& name : names) {
    if (name.starts_with(begin) && !(begin.empty() && name.starts_with("."))) fitting.push_back(name);
  }
  if (fitting.empty()) return typed;
  const auto [least, most] = std::ranges::minmax(fitting);
  const auto differ = std::ranges::mismatch(least, most).in1;
  std::string common(least.begin(), differ);
  // The text must not end within a character.
  while (common.size() > begin.size() && common.size() < least.size() &&
         (static_cast<unsigned char>(least[common.size()]) & 0xC0U) == 0x80) {
    common.pop_back();
  }
  return before + common;
}

std::string freeName(const std::string& stem, const std::string& ending, std::span<const std::string> names) {
  std::string name = stem + ending;
  for (int i = 2; std::ranges::find(names, name) != names.end(); ++i)
    name = fmt::format("{}-{}{}", stem, i, ending);
  return name;
}

}  // namespace warpscope
