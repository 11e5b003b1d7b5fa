#include "kernels/compile/local_headers.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/compile/host_part.h"
#include "kernels/core/files.h"

namespace warpscope {
namespace {

constexpr size_t kMostHeaders = 500;
constexpr uint64_t kMostHeaderBytes = uint64_t{4} << 20;

// "util.h" of each line '#include "util.h"'.
std::vector<std::string> includedNames(std::string_view source) {
  std::vector<std::string> names;
  constexpr std::string_view kInclude = "include";
  for (size_t at = source.find('#'); at != std::string_view::npos; at = source.find('#', at + 1)) {
    const std::string_view line = source.substr(at + 1, source.find('\n', at) - at - 1);
    const size_t word = line.find_first_not_of(" \t");
    if (word == std::string_view::npos || !line.substr(word).starts_with(kInclude)) continue;
    const size_t open = line.find_first_not_of(" \t", word + kInclude.size());
    if (open == std::string_view::npos || line[open] != '"') continue;
    const size_t close = line.find('"', open + 1);
    if (close != std::string_view::npos) names.emplace_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

void collect(std::string_view source, const std::filesystem::path& folder,
             const std::vector<std::filesystem::path>& folders, std::vector<LocalHeader>& found) {
  for (const std::string& name : includedNames(source)) {
    if (found.size() >= kMostHeaders || std::ranges::find(found, name, &LocalHeader::name) != found.end())
      continue;
    std::vector<std::filesystem::path> places{folder / name};
    for (const auto& other : folders) places.push_back(other / name);
    for (const auto& place : places) {
      std::error_code error;
      if (!std::filesystem::is_regular_file(place, error)) continue;
      const auto text = readFile(place, kMostHeaderBytes);
      if (!text) continue;
      found.push_back({name, fmt::format("#line 1 \"{}\"\n{}", place.string(), withoutHostPart(*text).text)});
      collect(*text, place.parent_path(), folders, found);
      break;
    }
  }
}

}  // namespace

std::vector<LocalHeader> localHeaders(std::string_view source, const std::filesystem::path& folder,
                                      const std::vector<std::filesystem::path>& folders) {
  std::vector<LocalHeader> found;
  collect(source, folder, folders, found);
  return found;
}

}  // namespace warpscope
