// The simulated GPU writes the same bytes as an H100, for every variant.
#include "tests/golden/output_digests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>

#include "kernels/device/device.h"

namespace warpscope::test {
namespace {

std::map<std::string, uint64_t> goldenDigests() {
  std::ifstream file(WARPSCOPE_SOURCE_FOLDER "/tests/golden/output_digests_h100.txt");
  std::map<std::string, uint64_t> digests;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.size() < 18) continue;
    uint64_t digest = 0;
    std::from_chars(line.data(), line.data() + 16, digest, 16);
    digests.emplace(line.substr(17), digest);
  }
  return digests;
}

class OutputDigests : public testing::TestWithParam<std::string> {};

TEST_P(OutputDigests, EqualAnH100s) {
  static const auto kGolden = goldenDigests();
  static const auto kBackend = openBackend("sim:h100");
  ASSERT_TRUE(kBackend.has_value()) << kBackend.error().message;
  const auto of_variant = [&](const auto& entry) { return entry.first.starts_with(GetParam() + " "); };
  if (std::ranges::none_of(kGolden, of_variant)) GTEST_SKIP() << GetParam() << " was never run on an H100";
  size_t compared = 0;
  for (const OutputCase& which : outputCases()) {
    if (which.family + " " + which.variant != GetParam()) continue;
    const auto expected = kGolden.find(which.name());
    ASSERT_NE(expected, kGolden.end()) << which.name() << " was not run on the H100";
    EXPECT_EQ(outputDigest(kBackend->any(), which), expected->second) << which.name();
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

std::vector<std::string> variants() {
  std::vector<std::string> names;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      names.push_back(experiment->info().name + " " + variant.name);
    }
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Simulated, OutputDigests, testing::ValuesIn(variants()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, ' ', '_');
  return name;
});

}  // namespace
}  // namespace warpscope::test
