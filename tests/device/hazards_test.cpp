// The simulated GPU's checks find nothing wrong with the experiments' own kernels.
#include "tests/device/device_fixture.h"
#include "tests/support/launch_sweep.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {
namespace {

class Hazards : public DeviceTest, public testing::WithParamInterface<FamilyVariant> {};

TEST_P(Hazards, ThereAreNone) {
  const Experiment& experiment = *findExperiment(GetParam().family).value();
  const RunRequest request{.family = GetParam().family,
                           .variant = GetParam().variant,
                           .parameters = launchOf(experiment.info(), GetParam().variant, 1000)};
  const auto complete = completeRequest(experiment.info(), request, DeviceKind::kSimulated);
  ASSERT_TRUE(complete.has_value()) << complete.error().message;
  const auto plan = experiment.plan(*complete, backend().description().limits);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  runPlan(backend(), *plan, ProbeKind::kBare, Bytes(1), [](LaunchSpec& spec) { spec.checked = true; });
  for (const sim::Hazard& hazard : backend().lastLaunch()->hazards) {
    ADD_FAILURE() << sim::formatHazard(hazard);
  }
}
INSTANTIATE_TEST_SUITE_P(Device, Hazards, testing::ValuesIn(allVariants()), testName);

}  // namespace
}  // namespace warpscope::test
