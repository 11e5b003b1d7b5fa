// Each variant's runs show what theory predicts for its settings: at the defaults and at both ends of every
// control. What a real GPU does not report is not compared there; a simulated one reports everything.
#include "kernels/experiments/prediction.h"
#include "tests/device/device_fixture.h"
#include "tests/support/launch_sweep.h"

namespace warpscope::test {
namespace {

class Predictions : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {};
INSTANTIATE_TEST_SUITE_P(Device, Predictions, testing::ValuesIn(allVariants()), testName);

// Records everything possible. The first launches of a kernel on a real GPU are slower (an H100 executes
// multiply-adds at half its rate for some ten microseconds), so it is warmed up there.
Run runWhole(const FamilyVariant& of, ParameterValues parameters) {
  RunRequest request{.family = of.family, .variant = of.variant, .parameters = std::move(parameters)};
  request.sampling.mode = Sampling::Mode::kAll;
  request.warm_ups = isSimulated() ? 0 : 1;
  request.repeats = isSimulated() ? 1 : 20;
  return runOnDevice(request);
}

void expectFulfilled(const Run& run, bool all_known) {
  for (const PredictionResult& result : predictionResults(run)) {
    EXPECT_FALSE(result.label.empty());
    EXPECT_FALSE(result.reason.empty()) << result.label;
    if (!result.measured && (!isSimulated() || !all_known)) continue;
    ASSERT_TRUE(result.measured) << result.label << ": the run does not tell";
    EXPECT_TRUE(result.fulfilled()) << result.label << ": predicted " << result.predicted << " within "
                                    << 100 * result.tolerance << " %, shown " << *result.measured;
  }
}

TEST_P(Predictions, AreFulfilledAtTheDefaults) {
  const auto run = runWhole(GetParam(), {});
  ASSERT_FALSE(HasFailure());
  EXPECT_TRUE(run.verification.passed || plantedIn(GetParam())) << run.verification.detail;
  EXPECT_FALSE(predictionResults(run).empty()) << "theory says nothing of it";
  expectFulfilled(run, true);
}

TEST_P(Predictions, AreFulfilledAtTheEndsOfEveryControl) {
  const auto& [family, variant] = GetParam();
  const FamilyInfo& info = findExperiment(family).value()->info();
  for (const ParameterSpec* spec : parametersOf(info, variant)) {
    if (spec->name == "size") continue;
    const int64_t last = spec->kind == ParameterKind::kChoice ? std::ssize(spec->choices) - 1 : spec->max;
    const bool sampled = !spec->samples.empty();
    for (const int64_t value :
         {sampled ? spec->samples.front() : spec->min, sampled ? spec->samples.back() : last}) {
      SCOPED_TRACE(fmt::format("{} {}", spec->name, value));
      ParameterValues values = launchOf(info, variant, 1 << 12);
      values[spec->name] = value;
      const auto run = runWhole(GetParam(), values);
      ASSERT_FALSE(HasFailure());
      expectFulfilled(run, false);
    }
  }
}

}  // namespace
}  // namespace warpscope::test
