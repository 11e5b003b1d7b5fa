// The truth suite's kernels have no hazards, and judged ones are shown only to who asks for them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

#include "kernels/device/device.h"
#include "kernels/run/hazard.h"
#include "tests/support/plan_runner.h"
#include "tests/truth/compare.h"
#include "tests/truth/suite.h"

namespace warpscope::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const fs::path kSuite = fs::path(WARPSCOPE_SOURCE_FOLDER) / "tests" / "truth";

class TruthFile : public testing::TestWithParam<fs::path> {};
const auto kNameOf = [](const auto& file) { return file.param.stem().string(); };
INSTANTIATE_TEST_SUITE_P(Suite, TruthFile, testing::ValuesIn(suiteFiles(kSuite)), kNameOf);
INSTANTIATE_TEST_SUITE_P(Images, TruthFile, testing::ValuesIn(suiteFiles(kSuite / "images")), kNameOf);

// All blocks would take minutes: `truth_suite check` looks at them.
TEST_P(TruthFile, FirstBlocksHaveNoHazards) {
  auto backend = openModel("sim:h100");
  ASSERT_TRUE(backend.has_value()) << backend.error().message;
  const std::vector<SuiteKernel> kernels = readSuite(GetParam());
  EXPECT_FALSE(kernels.empty());
  for (const SuiteKernel& kernel : kernels) {
    SCOPED_TRACE(kernel.name);
    LaunchPlan plan = planOf(kernel, (*backend)->description().limits);
    plan.grid = {std::min(plan.grid.x, 4U), std::min(plan.grid.y, 2U), std::min(plan.grid.z, 2U)};
    const PreparedLaunch prepared(**backend, plan, ProbeKind::kBare, {});
    const auto report = (*backend)->launchChecked(prepared.spec(), 0);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (const Hazard& hazard : report->hazards) ADD_FAILURE() << formatHazard(hazard);
  }
}

TEST(TruthSuite, HasTwoPartsOfManyKernels) {
  const std::vector<SuiteKernel> kernels = readSuite(kSuite);
  const auto judged = std::ranges::count(kernels, Part::kJudged, &SuiteKernel::part);
  EXPECT_GE(judged, 132);
  EXPECT_GE(static_cast<long>(kernels.size()) - judged, 132);
}

TEST(TruthSuite, LaunchesAreNotGuessed) {
  const fs::path alone = fs::path(testing::TempDir()) / fmt::format("alone_{}", getpid());
  fs::create_directory(alone);
  fs::copy_file(kSuite / "open" / "ptx" / "access.ptx", alone / "access.ptx");
  try {
    readSuite(alone);
    ADD_FAILURE() << "launched in any way";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no launch comment (// warpscope: ...) in it, and no access.cu"));
  }
  fs::remove_all(alone);
}

TEST(TruthSuite, LaunchesAreFoundFromWithinTheFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(kSuite / "open" / "ptx");
  const std::vector<SuiteKernel> kernels = readSuite("access.ptx");
  const auto wide = std::ranges::find(kernels, "wide_copy", &SuiteKernel::name);
  ASSERT_NE(wide, kernels.end());
  EXPECT_EQ(planOf(*wide, DeviceLimits{}).grid.x, (1 << 20) / 256);  // what its comment says, not guessed
  fs::current_path(before);
}

// A suite of one open and one judged kernel, and figures of them.
class SmallTruthSuite : public testing::Test {
 protected:
  SmallTruthSuite() {
    writeKernel("open", "plain");
    writeKernel("judged", "secret");
    std::ofstream(measured_) << "# a GPU, Nsight\nkernel,caches,sm__cycles_elapsed.max\nplain,warm,4321\n"
                                "secret,warm,8765\n";
  }
  ~SmallTruthSuite() override { fs::remove_all(folder_); }

  void writeKernel(const std::string& part, const std::string& name) const {
    const fs::path place = folder_ / part / "ptx";
    fs::create_directories(place);
    std::ofstream(place / (part + ".ptx"))
        << "// warpscope: block = 32, grid = 1, arg0 = zeros[32]\n.version 7.0\n.target sm_80\n"
           ".address_size 64\n.visible .entry "
        << name << "(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n"
        << "  st.global.u32 [%rd1], 1;\n  ret;\n}\n";
  }
  // What `compare` prints.
  std::string compared(const CompareOptions& options) const {
    testing::internal::CaptureStdout();
    try {
      EXPECT_EQ(compareSuite(folder_, measured_, options), 0);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    return testing::internal::GetCapturedStdout();
  }

  const fs::path folder_ = fs::temp_directory_path() / ("truth_suite_" + std::to_string(::getpid()));
  const fs::path measured_ = folder_ / "measured.csv";
};

TEST_F(SmallTruthSuite, JudgedKernelsHaveTotalsOnly) {
  EXPECT_THAT(compared({.part = Part::kOpen}), AllOf(HasSubstr("plain"), HasSubstr("| 1 open kernels"),
                                                     Not(HasSubstr("judged")), Not(HasSubstr("secret"))));
  EXPECT_THAT(compared({.part = Part::kJudged, .details = true}),
              AllOf(HasSubstr("| 1 judged kernels"), Not(HasSubstr("secret")), Not(HasSubstr("8765"))));
  EXPECT_THAT(compared({.part = {}}), AllOf(HasSubstr("plain"), HasSubstr("| 1 open kernels"),
                                            HasSubstr("| 1 judged kernels"), Not(HasSubstr("secret"))));
  EXPECT_THAT(compared({.part = {}, .each = true}), AllOf(HasSubstr("plain"), HasSubstr("secret")));
}

TEST_F(SmallTruthSuite, JudgedKernelsArePointsWithoutNames) {
  const fs::path picture = folder_ / "truth.svg";
  compared({.svg = picture.string(), .part = {}});
  std::ifstream file(picture);
  const std::string svg(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(svg, AllOf(HasSubstr("plain: 4321 cycles measured"), Not(HasSubstr("secret"))));
}

TEST_F(SmallTruthSuite, FewJudgedKernelsMustBeAskedFor) {
  EXPECT_THROW(compared({.kernel = "secret", .part = Part::kJudged}), std::runtime_error);
  EXPECT_THROW(compared({.file = "judged", .part = {}}), std::runtime_error);
  EXPECT_THAT(compared({.kernel = "secret", .part = Part::kJudged, .each = true}), HasSubstr("secret"));
}

TEST_F(SmallTruthSuite, TheFolderTellsThePart) {
  EXPECT_EQ(readSuite(folder_).size(), 2);
  EXPECT_EQ(readSuite(folder_ / "judged").front().part, Part::kJudged);
  EXPECT_EQ(readSuite(folder_ / "judged" / "ptx").front().part, Part::kJudged);
  EXPECT_EQ(readSuite(folder_ / "open" / "ptx" / "open.ptx").front().part, Part::kOpen);
  EXPECT_THROW(readSuite(folder_ / "nothing"), std::runtime_error);
}

TEST_F(SmallTruthSuite, NamesAreOfOneKernelInBothParts) {
  writeKernel("judged", "plain");
  try {
    readSuite(folder_);
    ADD_FAILURE() << "two kernels with one name";
  } catch (const std::runtime_error& problem) {
    EXPECT_THAT(problem.what(), AllOf(HasSubstr("'plain'"), HasSubstr("judged.ptx"), HasSubstr("open.ptx")));
  }
}

}  // namespace
}  // namespace warpscope::test
