#include "kernels/program/launch_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warpscope {
namespace {

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool isOneOf(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool isSide(const std::string& lower) {
  return isOneOf(lower, {"width", "height", "w", "h", "rows", "cols", "columns", "nx", "ny", "m", "k", "dim",
                         "side", "pitch", "stride"});
}
bool countsRows(const std::string& lower) {
  return isOneOf(lower, {"height", "h", "rows", "ny"});
}
bool isCount(const std::string& lower) {
  return isOneOf(lower, {"n", "size", "count", "len", "length", "num", "elements", "total"}) ||
         lower.starts_with("num") || lower.starts_with("n_") || lower.ends_with("size") ||
         lower.ends_with("count") || lower.ends_with("length") || lower.ends_with("_n");
}

// The names of sizes that are sides; first those that x runs along, as it runs along a row.
std::vector<std::string> sidesAmong(const std::vector<SizeRule>& sizes) {
  std::vector<std::string> sides;
  for (const SizeRule& size : sizes) {
    if (isSide(lowerCase(size.name)) || lowerCase(size.name) == "n") sides.push_back(size.name);
  }
  std::stable_partition(sides.begin(), sides.end(),
                        [](const std::string& side) { return !countsRows(lowerCase(side)); });
  return sides;
}

}  // namespace

int64_t guessedSize(std::string_view name, size_t integers, uint32_t dimensions) {
  constexpr int64_t kSide = 256;
  const std::string lower = lowerCase(name);
  if (isSide(lower)) return kSide;
  if (isCount(lower)) return lower == "n" && (integers > 1 || dimensions > 1) ? kSide : kGuessedElements;
  return integers == 1 ? kGuessedElements : 1;
}

std::string guessedCount(const std::vector<SizeRule>& sizes) {
  std::vector<std::string> sides;
  for (const SizeRule& size : sizes) {
    const std::string lower = lowerCase(size.name);
    if (isCount(lower) && size.default_value >= kGuessedElements) return size.name;
    if (isSide(lower) || lower == "n") sides.push_back(size.name);
  }
  if (sides.size() == 1) return fmt::format("{0} * {0}", sides.front());
  if (sides.size() == 2) return fmt::format("{} * {}", sides[0], sides[1]);
  // Which two of three sides an array has is unknown: as large as the largest two.
  if (sides.size() > 2) {
    return fmt::format("max({0} * {1}, max({1} * {2}, {0} * {2}))", sides[0], sides[1], sides[2]);
  }
  if (!sizes.empty() && sizes.front().default_value >= kGuessedElements) return sizes.front().name;
  return "threads";
}

InitialContent guessedContent(const KernelParameter& parameter) {
  constexpr uint64_t kSeed = 1;
  if (!parameter.is_read) return {};
  InitialContent content{.kind = InitialContent::Kind::kRandom, .seed = kSeed};
  // Whole numbers are often indices or bins.
  if (parameter.value && parameter.value->element.kind != ElementType::Kind::kFloat) {
    content.range = InitialContent::Range{0, parameter.value->element.bytes == 1 ? 127.0 : 255.0};
  }
  return content;
}

std::array<std::string, 3> guessedGrid(const std::vector<SizeRule>& sizes, uint32_t dimensions) {
  std::array<std::string, 3> grid{"1", "1", "1"};
  if (dimensions == 1) {
    const std::string count = guessedCount(sizes);
    grid[0] = count == "threads" ? "32" : fmt::format("ceil({} / block)", count);
    return grid;
  }
  constexpr std::string_view kSides = "xyz";
  const std::vector<std::string> sides = sidesAmong(sizes);
  for (uint32_t i = 0; i < dimensions; ++i) {
    const std::string side = sides.empty() ? "" : sides[std::min<size_t>(i, sides.size() - 1)];
    grid[i] = side.empty() ? "8" : fmt::format("ceil({} / block.{})", side, kSides[i]);
  }
  return grid;
}

std::vector<std::string> guessedSides(const std::vector<SizeRule>& sizes, uint32_t dimensions) {
  if (dimensions == 1) {
    const std::string count = guessedCount(sizes);
    return {count == "threads" ? "1024" : count};
  }
  const std::vector<std::string> named = sidesAmong(sizes);
  std::vector<std::string> sides(dimensions, named.empty() ? "64" : named.back());
  std::copy_n(named.begin(), std::min<size_t>(named.size(), dimensions), sides.begin());
  return sides;
}

std::array<int64_t, 3> guessedBlock(const KernelSignature& kernel) {
  const int64_t most = kernel.most_threads.value_or(1024);
  if (kernel.block_dimensions == 1) return {std::min<int64_t>(256, most), 1, 1};
  if (kernel.block_dimensions == 2)
    return most >= 256 ? std::array<int64_t, 3>{16, 16, 1}
                       : std::array<int64_t, 3>{8, std::max<int64_t>(most / 8, 1), 1};
  return {8, 8, std::clamp<int64_t>(most / 64, 1, 4)};
}

}  // namespace warpscope
