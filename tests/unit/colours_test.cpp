// The palette is the only place that names a colour: no source that draws has one of its own.
#include "kernels/core/colours.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace warpscope {
namespace {

// A literal colour: bytes or hex digits written out.
const std::regex kColour(
    R"(IM_COL32\(\s*(0x)?[0-9]|IM_COL32_(WHITE|BLACK)|Rgb\{\s*(0x)?[0-9]|"#[0-9a-fA-F]{6}")");

TEST(PaletteTest, NothingElseThatDrawsNamesAColour) {
  const std::filesystem::path root = WARPSCOPE_SOURCE_FOLDER;
  size_t files = 0;
  for (const char* folder : {"viz", "app", "kernels/export"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".h") continue;
      ++files;
      std::ifstream file(entry.path());
      size_t number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        const std::string code = line.substr(0, line.find("//"));
        EXPECT_FALSE(std::regex_search(code, kColour)) << entry.path() << ":" << number << ": " << line;
      }
    }
  }
  EXPECT_GT(files, 100U) << "the sources were found";
}

TEST(PaletteTest, WhatAWarpWaitsForHasNoRegionsColour) {
  for (const PageColours* page : {&kDarkPage, &kLightPage, &kHighContrastPage}) {
    std::set<std::string> regions, waits;
    for (size_t i = 0; i < 8; ++i) regions.insert(hexColour(regionColour(i, *page)));
    for (size_t i = 0; i < kWaitTones; ++i) waits.insert(hexColour(waitColour(i, *page)));
    EXPECT_EQ(regions.size(), 8U);
    EXPECT_EQ(waits.size(), kWaitTones);
    for (const std::string& wait : waits) EXPECT_FALSE(regions.contains(wait)) << wait;
  }
}

// Runs, blocks and warps are on one page with regions, which nobody must take them for.
TEST(PaletteTest, RunsBlocksAndWarpsHaveNoRegionsColour) {
  const auto distance = [](Rgb a, Rgb b) {
    return std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue);
  };
  for (const PageColours* page : {&kDarkPage, &kLightPage, &kHighContrastPage}) {
    for (size_t i = 0; i < kSeriesColours; ++i) {
      const Rgb series = seriesColour(i, *page);
      for (size_t region = 0; region < 8; ++region) {
        EXPECT_GT(distance(series, regionColour(region, *page)), 50) << i << " and region " << region;
      }
      for (size_t other = 0; other < i; ++other) {
        EXPECT_GT(distance(series, seriesColour(other, *page)), 50) << i << " and " << other;
      }
      EXPECT_EQ(hexColour(seriesColour(i + kSeriesColours, *page)), hexColour(series));
    }
  }
}

}  // namespace
}  // namespace warpscope
