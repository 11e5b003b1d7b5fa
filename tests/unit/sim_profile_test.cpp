// Device profiles: the bundled ones, their text form, and the errors for a damaged one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {
namespace {

const std::filesystem::path kDevices = std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "assets/devices";

std::string textOf(const std::string& name) {
  std::ifstream file(kDevices / (name + ".json"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The H100's profile with one piece of its text replaced.
std::string damaged(const std::string& from, const std::string& to) {
  std::string text = textOf("h100_sxm");
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problemOf(const std::string& text) {
  const auto profile = parseProfile(text, "a.json");
  if (profile) return "none";
  EXPECT_EQ(profile.error().kind, ErrorKind::kDamagedFile);
  EXPECT_TRUE(profile.error().message.starts_with("a.json: ")) << profile.error().message;
  return profile.error().message;
}

TEST(BundledProfiles, AreTheSevenWithTheH100First) {
  std::vector<std::string> ids;
  for (const auto& profile : bundledProfiles()) {
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    ids.push_back(profile->id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"sim:h100", "sim:h200", "sim:a100", "sim:v100", "sim:rtx4090",
                                           "sim:rtx5070m", "sim:teaching"}));
}

TEST(BundledProfiles, SayOfEachFigureWhereItIsFrom) {
  for (const auto& profile : bundledProfiles()) {
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    SCOPED_TRACE(profile->id);
    for (const std::string& figure : profileFigures()) {
      EXPECT_GE(profile->sources.at(figure).size(), 3U) << figure;
    }
    EXPECT_EQ(profile->sources.size(), profileFigures().size());
  }
}

TEST(BundledProfiles, AreWrittenAsFormatProfileWritesThem) {
  for (const char* name : {"h100_sxm", "h200", "a100", "v100", "rtx_4090", "rtx_5070_laptop", "teaching"}) {
    const auto profile = readProfile(kDevices / (std::string(name) + ".json"));
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_EQ(formatProfile(*profile), textOf(name)) << name;
  }
}

TEST(BundledProfiles, DescribeASimulatedDevice) {
  const auto profile = readProfile(kDevices / "h100_sxm.json");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  const DeviceDescription device = describe(*profile);
  EXPECT_EQ(device.id, "sim:h100");
  EXPECT_EQ(device.name, "Simulated H100 SXM");
  EXPECT_EQ(device.kind, DeviceKind::kSimulated);
  EXPECT_EQ(device.provenance, Provenance::kModelled);
  EXPECT_EQ(device.limits.sm_count, 132U);
  EXPECT_EQ(device.limits.compute_capability, (ComputeCapability{9, 0}));
  EXPECT_EQ(device.limits.shared_bytes_per_block_opt_in, 227U * 1024);
  EXPECT_EQ(device.limits.l2_bytes, 50U << 20);
  EXPECT_EQ(device.sm_clock_khz, 1'980'000U);
  EXPECT_TRUE(device.driver.empty());
}

TEST(Profile, SurvivesBeingWrittenAndRead) {
  auto profile = readProfile(kDevices / "v100.json");
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  profile->name = "a \"quoted\" name";
  double value = 100;
  for (const std::string& figure : profileFigures()) {
    if (!figure.ends_with("_cycles") || figure.find("latency") != std::string::npos) continue;
    value += 0.125;
    ASSERT_TRUE(setProfileFigure(*profile, figure, value, "test").has_value()) << figure;
  }
  const auto again = parseProfile(formatProfile(*profile), "again");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->name, profile->name);
  EXPECT_EQ(again->sources, profile->sources);
  EXPECT_EQ(again->references, profile->references);
  for (const std::string& figure : profileFigures()) {
    EXPECT_EQ(profileFigure(*again, figure).value(), profileFigure(*profile, figure).value()) << figure;
  }
}

TEST(Profile, FiguresAreSetWithinReason) {
  DeviceProfile profile;
  ASSERT_TRUE(setProfileFigure(profile, "l1.latency_cycles", 33.6, "here").has_value());
  EXPECT_EQ(profile.l1.latency_cycles, 34U);  // whole numbers are rounded
  EXPECT_EQ(profile.sources.at("l1.latency_cycles"), "here");
  EXPECT_FALSE(setProfileFigure(profile, "l1.latency_cycles", -1, "here").has_value());
  EXPECT_FALSE(setProfileFigure(profile, "l3.latency_cycles", 1, "here").has_value());
  EXPECT_FALSE(profileFigure(profile, "l3.latency_cycles").has_value());
}

TEST(DamagedProfile, IsNamedWithFileAndField) {
  const std::string sms = R"("sm_count": {"value": 132, )";
  EXPECT_NE(problemOf("{").find("is not JSON"), std::string::npos);
  EXPECT_NE(problemOf("[]").find("not a JSON object"), std::string::npos);
  EXPECT_NE(problemOf(damaged("profile 1", "profile 2")).find("'format'"), std::string::npos);
  EXPECT_NE(problemOf(damaged("\"sim:h100\"", "\"h100\"")).find("'id'"), std::string::npos);
  EXPECT_NE(problemOf(damaged("\"id\"", "\"idea\"")).find("'idea' is not a field"), std::string::npos);
  EXPECT_NE(problemOf(damaged("\"sm_count\"", "\"sms\"")).find("'sm_count' is missing"), std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sms": {"value": 1, "source": "x"}, )" + sms)).find("'sms'"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {)")).find("'sm_count' has no value"), std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": "132", )")).find("not a number"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": 0, )")).find("'sm_count' is 0"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": -3, )")).find("'sm_count' is -3"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": 1.5, )")).find("whole number"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": 1e300, )")).find("'sm_count'"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms + "\"source\"", sms + "\"origin\"")).find("'origin'"), std::string::npos);
}

TEST(DamagedProfile, NeedsASourceForEachFigure) {
  const std::string sms = R"x("sm_count": {"value": 132, "source": "reported by the driver (calibrate)"})x";
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": 132})")).find("where it is from"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": {"value": 132, "source": ""})")).find("where it is from"),
            std::string::npos);
  EXPECT_NE(problemOf(damaged(sms, R"("sm_count": 132)")).find("'sm_count' is not {"), std::string::npos);
}

TEST(DamagedProfile, MayNotContradictItself) {
  const auto with = [](const char* figure, double value) {
    auto profile = readProfile(kDevices / "h100_sxm.json");
    EXPECT_TRUE(setProfileFigure(*profile, figure, value, "test").has_value()) << figure;
    return problemOf(formatProfile(*profile));
  };
  EXPECT_NE(with("max_threads_per_sm", 100).find("max_threads_per_sm"), std::string::npos);
  EXPECT_NE(with("max_threads_per_sm", 512).find("max_threads_per_block"), std::string::npos);
  EXPECT_NE(with("shared_bytes_per_block_opt_in", 1024).find("opt_in"), std::string::npos);
  EXPECT_NE(with("l1.bytes", 65536).find("l1.bytes"), std::string::npos);
  EXPECT_NE(with("l1.line_bytes", 100).find("l1.line_bytes"), std::string::npos);
  EXPECT_NE(with("l2.bytes", 100'000).find("l2.bytes"), std::string::npos);
  EXPECT_NE(with("l2.latency_cycles", 10).find("latencies"), std::string::npos);
}

TEST(DamagedProfile, AFileThatIsNotThereIsAnError) {
  const auto profile = readProfile(kDevices / "voodoo2.json");
  ASSERT_FALSE(profile.has_value());
  EXPECT_NE(profile.error().message.find("voodoo2.json"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::sim
