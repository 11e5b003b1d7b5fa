// Sweeps in the background: what is still to be launched, what is kept, and how a model with a scripted
// device uses it.
#include "app/gui/model/background_sweep.h"

#include <gtest/gtest.h>

#include "app/gui/model/sweep_plan.h"
#include "app/gui/pages/plots_data.h"
#include "tests/unit/scripted_model.h"

namespace warpscope {
namespace {

RunRequest requestOf(int64_t block, const std::string& variant = "one") {
  return {
      .family = "alpha", .variant = variant, .parameters = {{"block", block}}, .sampling = kSweptSampling};
}

Arrival arrivalOf(const RunRequest& request, double median_us = 10) {
  auto run = std::make_shared<Run>();
  run->request = request;
  run->timing = {.median_us = median_us, .min_us = median_us / 2, .max_us = median_us * 2, .repeats = 20};
  run->bandwidth.gb_per_s = 100;
  Arrival arrival;
  arrival.result.request = request;
  arrival.result.run = std::shared_ptr<const Run>(run);
  arrival.metrics = MetricValues(*run);
  return arrival;
}

Arrival failureOf(const RunRequest& request, ErrorKind kind) {
  Arrival arrival;
  arrival.result.request = request;
  arrival.result.run = fail(kind, "no such block");
  return arrival;
}

TEST(BackgroundSweep, LaunchesWhatIsMissingInOrder) {
  BackgroundSweep sweep;
  sweep.want({requestOf(32), requestOf(64), requestOf(128)});
  EXPECT_EQ(sweep.toLaunch(0).size(), 3U);
  EXPECT_EQ(sweep.secondsLeft(), std::nullopt);
  sweep.take(arrivalOf(requestOf(32)), 2);
  EXPECT_EQ(sweep.missing(), 2U);
  ASSERT_TRUE(sweep.secondsLeft());
  EXPECT_DOUBLE_EQ(*sweep.secondsLeft(), 4);
  const auto left = sweep.toLaunch(2);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].parameters.at("block"), 64);
  ASSERT_NE(sweep.find(requestOf(32)), nullptr);
  EXPECT_EQ(sweep.find(requestOf(32))->timing.median_us, 10);
  EXPECT_EQ(sweep.find(requestOf(64)), nullptr);
}

TEST(BackgroundSweep, ALongOneAsksBeforeItGoesOn) {
  BackgroundSweep sweep;
  std::vector<RunRequest> many;
  for (int64_t block = 32; block <= 1024; block += 32) many.push_back(requestOf(block));
  sweep.want(many);
  EXPECT_FALSE(sweep.asks()) << "nothing is known of how long one takes";
  EXPECT_EQ(sweep.toLaunch(0).size(), 32U);
  sweep.take(arrivalOf(many[0]), 1);
  EXPECT_FALSE(sweep.asks()) << "31 s more";
  sweep.take(arrivalOf(many[1]), 41);
  EXPECT_TRUE(sweep.asks()) << "40 s for one";
  EXPECT_TRUE(sweep.paused());
  EXPECT_TRUE(sweep.toLaunch(41).empty());
  ASSERT_TRUE(sweep.expectedSeconds());
  EXPECT_GT(*sweep.expectedSeconds(), kLongSweep_s);
  sweep.resume();
  EXPECT_FALSE(sweep.asks());
  EXPECT_EQ(sweep.toLaunch(41).size(), 30U);
  sweep.take(arrivalOf(many[2]), 81);
  EXPECT_FALSE(sweep.asks()) << "the user has agreed";
  many.push_back(requestOf(33));
  sweep.want(many);
  EXPECT_TRUE(sweep.asks()) << "another sweep asks before it starts";
  sweep.want({requestOf(33)});
  EXPECT_FALSE(sweep.paused()) << "a short one does not";
}

TEST(BackgroundSweep, TheRunThatIsLookedAtTellsHowLongOthersTake) {
  BackgroundSweep sweep;
  Arrival shown = arrivalOf(requestOf(32));
  shown.result.foreground = true;
  shown.result.elapsed_ms = 30'000;
  sweep.take(shown, 30);
  sweep.want({requestOf(64), requestOf(96), requestOf(128), requestOf(160), requestOf(192)});
  EXPECT_TRUE(sweep.asks());
  EXPECT_DOUBLE_EQ(*sweep.expectedSeconds(), 150);
}

TEST(BackgroundSweep, AFailureIsKnownWithItsReasonAndACancelledRunIsStillMissing) {
  BackgroundSweep sweep;
  sweep.want({requestOf(32), requestOf(64)});
  sweep.take(failureOf(requestOf(32), ErrorKind::kBadRequest), 1);
  sweep.take(failureOf(requestOf(64), ErrorKind::kCancelled), 1);
  ASSERT_NE(sweep.find(requestOf(32)), nullptr);
  EXPECT_EQ(sweep.find(requestOf(32))->problem, "no such block");
  EXPECT_EQ(valueOf(*sweep.find(requestOf(32)), "time"), std::nullopt);
  EXPECT_EQ(sweep.find(requestOf(64)), nullptr);
  EXPECT_EQ(sweep.missing(), 1U);
  // It runs when it is tried again in order to be shown.
  auto looked_at = arrivalOf(requestOf(32));
  looked_at.result.foreground = true;
  sweep.take(looked_at, 2);
  EXPECT_TRUE(sweep.find(requestOf(32))->problem.empty());
}

TEST(BackgroundSweep, ARunToBeLookedAtIsShownAndRunAgainWhole) {
  BackgroundSweep sweep;
  sweep.want({requestOf(32)});
  auto arrival = arrivalOf(requestOf(32), 10);
  arrival.result.foreground = true;  // and its achieved occupancy is not known
  sweep.take(arrival, 1);
  EXPECT_NE(sweep.find(requestOf(32)), nullptr);
  EXPECT_EQ(sweep.missing(), 1U);
  auto bar = arrivalOf(requestOf(32), 11);
  bar.result.request.sampling = {};
  sweep.take(bar, 1);
  EXPECT_EQ(sweep.missing(), 1U) << "nor does a bar's run record every wave";
  auto whole = arrivalOf(requestOf(32), 12);
  warpscope::Run counted = **whole.result.run;
  counted.counters["sm__warps_active.avg.pct_of_peak_sustained_active"] = 50;
  counted.occupancy.max_warps_per_sm = 64;
  whole.metrics = MetricValues(counted);
  sweep.take(whole, 2);
  EXPECT_EQ(sweep.missing(), 0U);
  sweep.take(arrival, 3);
  EXPECT_EQ(sweep.find(requestOf(32))->timing.median_us, 12) << "what is whole stays";
  EXPECT_EQ(sweep.find(requestOf(32))->metrics.value("achieved"), 0.5);
}

TEST(BackgroundSweep, PauseHoldsWhatIsMissingBackUntilSomethingElseIsWanted) {
  BackgroundSweep sweep;
  sweep.want({requestOf(32), requestOf(64)});
  sweep.pause();
  EXPECT_TRUE(sweep.toLaunch(0).empty());
  sweep.want({requestOf(32), requestOf(64)});
  EXPECT_TRUE(sweep.paused()) << "the same";
  sweep.resume();
  EXPECT_EQ(sweep.toLaunch(0).size(), 2U);
  sweep.pause();
  sweep.want({requestOf(128)});
  EXPECT_FALSE(sweep.paused());
  sweep.take(arrivalOf(requestOf(128)), 1);
  sweep.pause();
  EXPECT_FALSE(sweep.paused()) << "there is nothing to hold back";
}

TEST(BackgroundSweep, EarlierSettingsAreKeptAndTheOldestGiveWay) {
  BackgroundSweep sweep;
  sweep.want({requestOf(1)});
  sweep.take(arrivalOf(requestOf(1)), 1);
  for (int64_t block = 2; block < 4000; ++block) sweep.take(arrivalOf(requestOf(block)), 1);
  EXPECT_NE(sweep.find(requestOf(1)), nullptr) << "wanted";
  EXPECT_NE(sweep.find(requestOf(3999)), nullptr);
  EXPECT_EQ(sweep.find(requestOf(2)), nullptr);
  EXPECT_EQ(sweep.missing(), 0U);
}

TEST(SweptValues, AreFewAndHoldTheEndsAndThePresentOne) {
  const ParameterSpec percent{.name = "share", .min = 0, .max = 100, .default_value = 50};
  const auto values = sweptValues(percent, everyValue(percent), 37, DeviceKind::kCuda, 11);
  EXPECT_EQ(values.size(), 11U);
  EXPECT_EQ(values.front(), 0);
  EXPECT_EQ(values.back(), 100);
  EXPECT_NE(std::ranges::find(values, 37), values.end());
  EXPECT_TRUE(std::ranges::is_sorted(values));
}

TEST(SweptValues, OnASimulatedGpuSizesStopWhereALaunchWouldTakeMinutes) {
  ParameterSpec size{.name = "size",
                     .kind = ParameterKind::kLog2,
                     .min = 1,
                     .max = 1 << 28,
                     .default_value = 1 << 24,
                     .simulated_default = 1 << 12};
  EXPECT_EQ(sweptValues(size, everyValue(size), 1 << 12, DeviceKind::kSimulated, 33).back(), 1 << 16);
  EXPECT_EQ(sweptValues(size, everyValue(size), 1 << 20, DeviceKind::kSimulated, 33).back(), 1 << 20);
  EXPECT_EQ(sweptValues(size, everyValue(size), 1 << 12, DeviceKind::kCuda, 33).back(), 1 << 28);
}

TEST(ControlAxis, ChoicesHaveNamesAndSizesAreLogarithmic) {
  const ParameterSpec shape{
      .name = "block", .label = "Block", .kind = ParameterKind::kChoice, .choices = {"32x8", "16x16"}};
  const ControlAxis named = controlAxis(shape, {0, 1});
  EXPECT_EQ(axisValueText(named.axis, 1), "16x16");
  const AxisTicks ticks = axisTicks(named.axis, 8);
  ASSERT_EQ(ticks.ticks.size(), 2U);
  EXPECT_EQ(ticks.ticks[0].text, "32x8");

  const ParameterSpec size{.name = "size", .label = "Elements", .kind = ParameterKind::kLog2, .max = 1 << 20};
  const ControlAxis log = controlAxis(size, {1 << 10, 1 << 20});
  EXPECT_EQ(log.axis.scale, ScaleKind::kLog2);
  EXPECT_LT(log.axis.min, 1 << 10);

  const ParameterSpec blocks{.name = "blocks",
                             .label = "Blocks",
                             .kind = ParameterKind::kLog2,
                             .max = 64,
                             .zero_means = "automatic"};
  const ControlAxis with_zero = controlAxis(blocks, {0, 8, 16});
  EXPECT_GT(with_zero.place(0), 0) << "it has a place on a logarithmic axis";
  EXPECT_LT(with_zero.place(0), with_zero.place(8));
  EXPECT_EQ(axisValueText(with_zero.axis, with_zero.place(0)), "automatic");
}

// The model's part, with a scripted device.
class SweepModelTest : public ScriptedModelTest {
 protected:
  void wantBlocks(bool all_variants = false) { model_->wantSweep(SweepWish{"block", all_variants}); }
  [[nodiscard]] bool swept() {
    return until(
        [this] { return model_->sweep().runs().wanted() > 0 && model_->sweep().runs().missing() == 0; });
  }
  const SweptRun* at(int64_t block) const {
    return model_->sweep().runs().find(model_->sweep().lines().front().at("block", block));
  }
};

TEST_F(SweepModelTest, RunsEveryValueAndKeepsNumbersOnly) {
  make();
  ASSERT_TRUE(settled());
  wantBlocks();
  ASSERT_TRUE(swept());
  EXPECT_EQ(model_->sweep().runs().wanted(), 32U);
  ASSERT_NE(at(992), nullptr);
  EXPECT_EQ(at(992)->bandwidth.gb_per_s, 992);
  EXPECT_EQ(valueOf(*at(992), "bandwidth")->value, 992e9);
  EXPECT_EQ(shownBlock(), 256) << "the shown run stays";
  const std::lock_guard lock(script_->mutex);
  for (const RunRequest& request : script_->asked) {
    if (request.parameters.at("block") != 992) continue;
    EXPECT_EQ(request.sampling, kSweptSampling);
    EXPECT_FALSE(request.log_instructions);
  }
}

TEST_F(SweepModelTest, AllVariantsAreALineEachThePresentOneFirst) {
  make();
  ASSERT_TRUE(settled());
  model_->selectVariant("two");
  wantBlocks(true);
  ASSERT_EQ(model_->sweep().lines().size(), 3U);
  EXPECT_EQ(model_->sweep().lines()[0].variant, 1U);
  EXPECT_EQ(model_->sweep().lines()[0].values.size(), 17U) << "fewer of each";
  model_->wantSweep(SweepWish{"ways", true});
  EXPECT_EQ(model_->sweep().lines().size(), 1U) << "the others have no such control";
}

TEST_F(SweepModelTest, FailedPointsHaveTheirReason) {
  script_->largest_block = 512;
  make();
  ASSERT_TRUE(settled());
  wantBlocks();
  ASSERT_TRUE(swept());
  ASSERT_NE(at(1024), nullptr);
  EXPECT_EQ(at(1024)->problem, "too many threads");
  EXPECT_TRUE(at(512)->problem.empty());
}

TEST_F(SweepModelTest, ForegroundGoesFirstAndTheSweepGoesOn) {
  make();
  ASSERT_TRUE(settled());
  ASSERT_TRUE(until([this] { return asked() == 3; })) << "the bars of the other variants";
  hold(true);
  wantBlocks();
  ASSERT_TRUE(until([this] { return asked() == 4; })) << "the first of the sweep runs";
  model_->setParameter("ways", 5);  // of another variant: the settings of this one stay
  model_->launch();
  ASSERT_TRUE(until([this] { return asked() == 5; })) << "it stopped the sweep";
  {
    const std::lock_guard lock(script_->mutex);
    EXPECT_EQ(script_->asked.back().parameters.at("block"), 256);
    EXPECT_EQ(script_->asked.back().sampling.mode, Sampling::Mode::kAuto) << "to be looked at";
  }
  EXPECT_GE(model_->sweep().runs().missing(), 31U);
  hold(false);
  ASSERT_TRUE(swept());
}

TEST_F(SweepModelTest, StopsAndGoesOn) {
  make();
  ASSERT_TRUE(settled());
  ASSERT_TRUE(until([this] { return asked() == 3; }));
  hold(true);
  wantBlocks();
  ASSERT_TRUE(until([this] { return asked() == 4; }));
  model_->pauseSweep();
  hold(false);
  EXPECT_TRUE(model_->sweep().runs().paused());
  EXPECT_FALSE(until([this] { return asked() > 4; }, 0.3)) << "nothing more is launched";
  EXPECT_EQ(model_->sweep().runs().missing(), 32U) << "the one that ran was stopped";
  model_->resumeSweep();
  ASSERT_TRUE(swept());
  EXPECT_FALSE(model_->sweep().runs().paused());
}

TEST_F(SweepModelTest, GoingBackShowsEarlierSettingsAtOnce) {
  make();
  ASSERT_TRUE(settled());
  model_->selectVariant("two");
  ASSERT_TRUE(settled());
  wantBlocks();
  ASSERT_TRUE(swept());
  model_->setParameter("ways", 8);
  EXPECT_GT(model_->sweep().runs().missing(), 30U) << "other settings";
  ASSERT_TRUE(swept());
  ASSERT_TRUE(settled());
  const size_t before = asked();
  model_->setParameter("ways", 4);
  EXPECT_EQ(model_->sweep().runs().missing(), 0U);
  ASSERT_TRUE(settled());
  EXPECT_FALSE(until([&] { return asked() > before + 1 + 2; }, 0.2)) << "the shown run and two bars";
  model_->wantSweep(std::nullopt);
  EXPECT_EQ(model_->sweep().runs().wanted(), 0U);
  wantBlocks();
  EXPECT_EQ(model_->sweep().runs().missing(), 0U) << "the page was left and opened again";
}

TEST_F(SweepModelTest, RecordedDevicesAreSweptWhereTheyHaveRuns) {
  script_->offered = {64, 128, 512};
  make();
  ASSERT_TRUE(settled());
  wantBlocks();
  ASSERT_TRUE(swept());
  EXPECT_EQ(model_->sweep().lines().front().values, (std::vector<int64_t>{64, 128, 512}));
}

}  // namespace
}  // namespace warpscope
