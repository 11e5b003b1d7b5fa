// The range that a run shows for its achieved occupancy, compared with what Nsight Compute counted on an
// H100: achieved_h100.csv, which tests/gpu/occupancy_grid.py prints. The range was fitted to its first half.
#include "kernels/metrics/achieved.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace warpscope {
namespace {

constexpr uint32_t kMostWarps = 64;  // on an H100's SM
constexpr double kRounded = 0.05;    // percent: of the columns

using Row = std::map<std::string, std::string>;

std::vector<Row> readRows() {
  std::ifstream file(WARPSCOPE_ACHIEVED_CSV);
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    std::vector<std::string> values;
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(cell);
    if (names.empty()) {
      names = values;
      continue;
    }
    Row row;
    for (size_t i = 0; i < std::min(names.size(), values.size()); ++i) row[names[i]] = values[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Half {
  size_t launches = 0, within = 0;
  size_t numbers = 0, numbers_within = 0;  // shown as a number and points
  double width = 0;                        // in percent, summed up
  double withinShare() const { return static_cast<double>(within) / static_cast<double>(launches); }
  double meanWidth() const { return width / static_cast<double>(launches); }
};

// As a run of the catalog has it, so that what is judged is what is shown.
Run runOf(const Row& row) {
  const auto number = [&](const char* name) { return std::stod(row.at(name)); };
  Run run;
  run.device.provenance = Provenance::kMeasured;
  run.occupancy.max_warps_per_sm = kMostWarps;
  run.occupancy.theoretical = number("theoretical") / 100;
  run.trace.mean_resident_warps = number("estimate") / 100 * kMostWarps;
  run.trace.residency_evidence = ResidencyEvidence{.probe_cycles = number("probe_cycles"),
                                                   .probe_share = number("probe_share"),
                                                   .held_share = number("held_share"),
                                                   .uneven_share = number("uneven_share"),
                                                   .spread_warps = number("spread_warps")};
  return run;
}

TEST(AchievedOfAnH100, IsWithinTheRangeThatIsShown) {
  const std::vector<Row> rows = readRows();
  ASSERT_EQ(rows.size(), 146U);
  std::map<std::string, Half> halves;
  for (const Row& row : rows) {
    Half& half = halves[row.at("half")];
    const auto found = achievedOf(runOf(row));
    ASSERT_TRUE(found);
    const double counted = std::stod(row.at("ncu"));
    const bool within = counted >= 100 * found->low - kRounded && counted <= 100 * found->high + kRounded;
    const std::string text = shareText(found->share, found->low, found->high);
    ++half.launches;
    half.within += within ? 1 : 0;
    half.width += 100 * (found->high - found->low);
    if (text.find("±") != std::string::npos) {
      ++half.numbers;
      half.numbers_within += within ? 1 : 0;
    }
    if (!within) {
      std::printf("not within, %s: %s/%s, block %s, size %s: %s, counted %.1f\n", row.at("half").c_str(),
                  row.at("family").c_str(), row.at("variant").c_str(), row.at("block").c_str(),
                  row.at("size").c_str(), text.c_str(), counted);
    }
  }
  ASSERT_EQ(halves.size(), 2U);
  for (const auto& [name, half] : halves) {
    std::printf("%s: %zu of %zu within, mean width %.1f points; of those shown as a number %zu of %zu\n",
                name.c_str(), half.within, half.launches, half.meanWidth(), half.numbers_within,
                half.numbers);
    EXPECT_GE(half.launches, 60U);
    EXPECT_LT(half.meanWidth(), 15) << "everything is within a range that is wide enough";
  }
  EXPECT_GE(halves.at("judge").withinShare(), 0.9);
}

}  // namespace
}  // namespace warpscope
