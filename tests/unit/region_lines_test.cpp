// The scanner that finds where kernels mark their regions.
#include "kernels/experiments/region_lines.h"

#include <gtest/gtest.h>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr const char* kSource = R"(// log.mark(kComment) in a comment
/* __global__ void first() { log.mark(kBlockComment); } */
template <class Log>
__device__ void helper(Log& log) {
  log.mark(kInHelper);
}
__device__ int declared(int);
template <class Probe>
__global__ void __launch_bounds__(1024)
    first(Probe probe, int n) {
  auto log = probe.begin();
  log.mark(kLoad);
  if (n > 0) {  // { in a comment
    log.mark(kPath);
    helper(log);
  }
  log.mark(kStore);
}
template <class Probe>
__global__ void second(Probe probe) {
  log.mark(kLoad);
  log.mark(kStep);
  log.mark(kLoad);
}
)";

TEST(FindMarkSites, ListsAKernelsMarksWithTheirLinesThenThoseOfWhatItCalls) {
  const auto sites = findMarkSites(kSource, "first");
  ASSERT_TRUE(sites.has_value()) << sites.error().message;
  ASSERT_EQ(sites->size(), 4U);
  const auto expect = [&](size_t i, const char* region, uint32_t first, uint32_t last) {
    EXPECT_EQ((*sites)[i].region, region);
    EXPECT_EQ((*sites)[i].first_line, first) << region;
    EXPECT_EQ((*sites)[i].last_line, last) << region;
  };
  expect(0, "kLoad", 12, 13);
  expect(1, "kPath", 14, 16);
  expect(2, "kStore", 17, 18);
  expect(3, "kInHelper", 5, 6);
}

TEST(FindMarkSites, ListsARegionMarkedTwiceOnce) {
  const auto sites = findMarkSites(kSource, "second");
  ASSERT_TRUE(sites.has_value());
  ASSERT_EQ(sites->size(), 2U);
  EXPECT_EQ((*sites)[0].region, "kLoad");
  EXPECT_EQ((*sites)[0].first_line, 21U);
  EXPECT_EQ((*sites)[0].last_line, 21U);
}

TEST(FindMarkSites, RefusesAnUnknownKernelAndSurvivesNonsense) {
  const auto none = findMarkSites(kSource, "third");
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("third"), std::string::npos);
  for (const char* text : {"", "__global__", "__global__ void f(", "__global__ void f() {", "/*",
                           "__device__ {}", "__global__ void f() { log.mark("}) {
    const auto sites = findMarkSites(text, "f");
    EXPECT_TRUE(!sites.has_value() || sites->empty()) << text;
  }
}

TEST(FindMarkSites, FindsTheMarksOfTheFamilies) {
  const Experiment& divergence = *findExperiment("divergence").value();
  const auto regions = divergence.regions("nested");
  ASSERT_TRUE(regions.has_value()) << regions.error().message;
  std::vector<std::string> names;
  for (const Region& region : *regions) names.push_back(region.name);
  EXPECT_EQ(names, (std::vector<std::string>{"load", "store", "one of the ways"}));
}

}  // namespace
}  // namespace warpscope
