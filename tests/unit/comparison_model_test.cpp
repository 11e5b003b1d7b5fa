// The comparisons of the window's model, without a window: kept runs, the pair that is shown by default,
// undo, the race; and how runs are put side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "app/gui/model/model.h"
#include "tests/support/synthetic_trace.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

struct Told {
  std::mutex mutex;
  std::vector<RunRequest> asked;
  std::string wrong;  // the variant whose result is wrong
  size_t runs() {
    const std::lock_guard lock(mutex);
    return asked.size();
  }
};

// Runs immediately; "one" takes 10 µs, "two" 20 µs, "three" 20.1 µs.
class TimedDevice : public Device {
 public:
  TimedDevice(std::shared_ptr<Told> told, const std::string& id) : told_(std::move(told)) {
    description_.id = id;
    description_.name = id + " GPU";
    description_.kind = DeviceKind::kCuda;
    if (id == "model") description_.provenance = Provenance::kModelled;
  }
  const DeviceDescription& description() const override { return description_; }
  Expected<Run> run(const RunRequest& request, const ProgressSink& /*progress*/,
                    const std::stop_token& /*stop*/) override {
    const std::lock_guard lock(told_->mutex);
    told_->asked.push_back(request);
    Run run = testing::makeSyntheticRun(request.family, request.variant, 256);
    run.request = request;
    run.device = description_;
    const double median_us = request.variant == "one" ? 10 : request.variant == "two" ? 20 : 20.1;
    run.timing = {median_us, median_us * 0.98, median_us * 1.02, 20, 1};
    run.verification.passed = request.variant != told_->wrong;
    return run;
  }

 private:
  std::shared_ptr<Told> told_;
  DeviceDescription description_;
};

FamilyInfo makeFamily(const std::string& name) {
  return {.name = name,
          .title = name,
          .summary = "",
          .variants = {{"one", "One", ""}, {"two", "Two", ""}, {"three", "Three", ""}},
          .parameters = {
              {.name = "block", .label = "Block", .min = 32, .max = 1024, .step = 32, .default_value = 256}}};
}

class ComparisonModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    DeviceSource source;
    source.list = [] {
      DeviceListing listing;
      for (const char* id : {"real", "model"}) {
        DeviceDescription device;
        device.id = id;
        listing.devices.push_back(device);
      }
      return listing;
    };
    source.open = [told = told_](const std::string& id) -> Expected<std::unique_ptr<Device>> {
      return std::make_unique<TimedDevice>(told, id);
    };
    source.build_layout = [](auto run) { return std::make_shared<const TraceLayout>(std::move(run)); };
    source.wake = [] {};
    model_ = std::make_unique<Model>(source, std::vector<const FamilyInfo*>{&alpha_, &beta_}, Settings{});
    ASSERT_TRUE(settled());
    model_->wantComparison(true, false);
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      model_->update(now_s_ += 0.001);
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  [[nodiscard]] bool settled() {
    return until([this] {
      return model_->feed().shown().run != nullptr && !model_->feed().busy() && !model_->outdated();
    });
  }
  std::vector<std::string> compared() const {
    std::vector<std::string> names;
    const auto& beside = model_->compare().comparison().shown();
    if (beside == nullptr) return names;
    for (const ComparedRun& run : beside->runs) {
      names.push_back(run.run->request.family + "/" + run.run->request.variant +
                      (run.id == kLiveRun   ? " live"
                       : run.id == kNextRun ? " next"
                                            : ""));
    }
    return names;
  }
  [[nodiscard]] bool untilCompared(const std::vector<std::string>& names) {
    return until([&] { return !model_->compare().comparison().pending() && compared() == names; });
  }

  void makeWrong(const std::string& variant) {
    const std::lock_guard lock(told_->mutex);
    told_->wrong = variant;
  }

  std::shared_ptr<Told> told_ = std::make_shared<Told>();
  FamilyInfo alpha_ = makeFamily("alpha"), beta_ = makeFamily("beta");
  std::unique_ptr<Model> model_;
  double now_s_ = 0;
};

TEST_F(ComparisonModelTest, ThePresentVariantStandsBesideTheNextByItself) {
  ASSERT_TRUE(untilCompared({"alpha/one live", "alpha/two next"}));
  const SideBySide& beside = *model_->compare().comparison().shown();
  EXPECT_EQ(beside.comparison.facts.size(), 2U);
  EXPECT_EQ(beside.runs[0].layout, model_->feed().shown().layout) << "no layout is built twice";
  ASSERT_NE(beside.runs[1].layout, nullptr);
  EXPECT_NEAR(beside.comparison.ranking.runs[1].speed_up->ratio, 0.5, 1e-9);
  model_->selectVariant("three");
  EXPECT_TRUE(untilCompared({"alpha/three live", "alpha/one next"}));
}

TEST_F(ComparisonModelTest, NothingIsComparedWhileThePageIsNotSeen) {
  ASSERT_TRUE(untilCompared({"alpha/one live", "alpha/two next"}));
  model_->wantComparison(false, false);
  const auto before = model_->compare().comparison().shown();
  model_->selectVariant("two");
  ASSERT_TRUE(settled());
  for (int i = 0; i < 20; ++i) model_->update(now_s_ += 0.01);
  EXPECT_EQ(model_->compare().comparison().shown(), before);
}

TEST_F(ComparisonModelTest, KeptRunsSurviveSettingsFamiliesAndDevices) {
  ASSERT_EQ(model_->compare().keep(model_->feed().shown().run), "");
  const auto kept = model_->feed().shown().run;
  model_->setParameter("block", 512);
  ASSERT_TRUE(settled());
  ASSERT_TRUE(untilCompared({"alpha/one", "alpha/one live"}));
  EXPECT_EQ(model_->compare().comparison().shown()->comparison.facts[0].name.full(), "one, block 256");
  model_->selectFamily("beta");
  ASSERT_TRUE(settled());
  ASSERT_TRUE(untilCompared({"alpha/one", "beta/one live"}));
  model_->openDevice("model");
  ASSERT_TRUE(settled());
  ASSERT_TRUE(untilCompared({"alpha/one", "beta/one live"}));
  const SideBySide& beside = *model_->compare().comparison().shown();
  EXPECT_EQ(beside.runs[0].run, kept);
  EXPECT_FALSE(beside.comparison.comparesWithBaseline(1)) << "measured and modelled runs are not compared";
  EXPECT_FALSE(beside.comparison.ranking.runs[1].speed_up);
}

TEST_F(ComparisonModelTest, MeasuredAndModelledOfTheSameKernelShowTheModelsErrors) {
  ASSERT_EQ(model_->compare().keep(model_->feed().shown().run), "");
  model_->openDevice("model");
  ASSERT_TRUE(settled());
  ASSERT_TRUE(untilCompared({"alpha/one", "alpha/one live"}));
  const Comparison& comparison = model_->compare().comparison().shown()->comparison;
  ASSERT_EQ(comparison.model_errors.size(), 1U);
  EXPECT_EQ(comparison.model_errors[0].measured, 0U);
  EXPECT_EQ(comparison.model_errors[0].modelled, 1U);
}

TEST_F(ComparisonModelTest, AVariantIsRunAndKeptWithoutBeingChosen) {
  ASSERT_EQ(model_->keepVariant("three"), "");
  ASSERT_TRUE(until([this] { return model_->compare().kept().runs.size() == 1; }));
  EXPECT_EQ(model_->choice().variant().name, "one");
  EXPECT_FALSE(model_->compare().keepPending());
  EXPECT_TRUE(untilCompared({"alpha/three", "alpha/one live"}));
  EXPECT_NE(model_->keepVariant("four"), "");
  EXPECT_EQ(model_->compare().kept().runs.size(), 1U);
  EXPECT_EQ(model_->compare().keep(model_->feed().shown().run), "");
  EXPECT_NE(model_->compare().keep(model_->feed().shown().run), "") << "the same run is not kept twice";
  EXPECT_EQ(model_->compare().kept().runs.size(), 2U);
}

TEST_F(ComparisonModelTest, RemovingIsUndoneAndLaunchesNothing) {
  ASSERT_EQ(model_->compare().keep(model_->feed().shown().run), "");
  ASSERT_EQ(model_->keepVariant("two"), "");
  ASSERT_TRUE(until([this] { return model_->compare().kept().runs.size() == 2; }));
  ASSERT_TRUE(untilCompared({"alpha/one", "alpha/two"})) << "the present run is not shown twice";
  const uint64_t second = model_->compare().kept().runs[1].id;
  model_->compare().setBaseline(second);
  ASSERT_TRUE(until([this] { return model_->compare().comparison().shown()->comparison.baseline == 1; }));
  model_->compare().remove(second);
  ASSERT_TRUE(untilCompared({"alpha/one", "alpha/two next"}));
  EXPECT_EQ(model_->compare().comparison().shown()->comparison.baseline, 0U);
  ASSERT_TRUE(until([this] { return !model_->pending(); })) << "every bar has run";
  const size_t runs = told_->runs();
  model_->undo();
  ASSERT_TRUE(untilCompared({"alpha/one", "alpha/two"}));
  EXPECT_EQ(model_->compare().kept().baseline, second);
  model_->redo();
  ASSERT_TRUE(untilCompared({"alpha/one", "alpha/two next"}));
  EXPECT_EQ(told_->runs(), runs);
  model_->compare().removeAll();
  EXPECT_TRUE(untilCompared({"alpha/one live", "alpha/two next"}));
}

TEST_F(ComparisonModelTest, ThePresentRunLeavesAndComesBack) {
  ASSERT_EQ(model_->keepVariant("two"), "");
  ASSERT_EQ(model_->keepVariant("three"), "");
  ASSERT_TRUE(until([this] { return model_->compare().kept().runs.size() == 2; }));
  ASSERT_TRUE(until([this] { return compared().size() == 3; }));
  model_->compare().remove(kLiveRun);
  ASSERT_TRUE(until([this] { return compared().size() == 2; }));
  EXPECT_FALSE(model_->compare().kept().live);
  model_->compare().setLive(true);
  EXPECT_TRUE(until([this] { return compared().size() == 3; }));
}

TEST_F(ComparisonModelTest, NoMoreThanCanBeCompared) {
  for (int64_t block = 32; block <= 32 * static_cast<int64_t>(kMostComparedRuns); block += 32) {
    model_->setParameter("block", block);
    ASSERT_TRUE(settled());
    ASSERT_EQ(model_->compare().keep(model_->feed().shown().run), "") << block;
  }
  model_->setParameter("block", 512);
  ASSERT_TRUE(settled());
  EXPECT_NE(model_->compare().keep(model_->feed().shown().run), "");
  ASSERT_TRUE(until([this] { return compared().size() == kMostComparedRuns; }));
  EXPECT_FALSE(model_->compare().comparison().shown()->comparison.regions.empty())
      << "all of them are compared";
}

TEST_F(ComparisonModelTest, TheRaceRanksAllVariantsAndRunsThemAnew) {
  // All of the first runs have arrived.
  ASSERT_TRUE(until([this] {
    return std::ranges::all_of(model_->feed().variants(),
                               [](const auto& entry) { return entry.run != nullptr; });
  }));
  makeWrong("two");
  model_->raceAgain();
  model_->wantComparison(false, true);
  const auto complete = [this] {
    const auto& race = model_->compare().race().shown();
    return race != nullptr && race->runs.size() == 3 && !model_->compare().race().pending() &&
           !model_->feed().busy();
  };
  ASSERT_TRUE(until(complete));
  const auto race = model_->compare().race().shown();
  ComparedRuns runs;
  for (const ComparedRun& run : race->runs) runs.push_back(run.run);
  EXPECT_EQ(race->comparison.ranking.order, rankRuns(runs, 0).order);
  EXPECT_EQ(runs[race->comparison.ranking.order.back()]->request.variant, "two") << "a wrong result is last";
  EXPECT_FALSE(race->comparison.ranking.runs[race->comparison.ranking.order.back()].place);
  EXPECT_EQ(race->runs[0].layout, nullptr) << "a race needs no layouts";
  const size_t before = told_->runs();
  makeWrong("");
  model_->raceAgain();
  ASSERT_TRUE(until([&] { return complete() && told_->runs() >= before + 3; }));
  ASSERT_TRUE(until([&] {
    const auto& again = model_->compare().race().shown();
    return complete() && again->comparison.ranking.runs[again->comparison.ranking.order.back()].place;
  }));
  const Ranking& ranking = model_->compare().race().shown()->comparison.ranking;
  EXPECT_EQ(ranking.runs[ranking.order[1]].ties.size(), 1U) << "20 and 20.1 µs are within the noise";
}

TEST(SideBySideTest, TheAxisHoldsAllRunsInItsUnit) {
  auto run = testing::makeSyntheticRun("divergence", "even_odd", 256);
  auto slow = run;
  slow.trace.clocks.cycles_per_ns = run.trace.clocks.cycles_per_ns / 2;
  const auto build = [](auto of) { return std::make_shared<const TraceLayout>(std::move(of)); };
  const auto beside = makeSideBySide({{3, std::make_shared<const warpscope::Run>(run), nullptr},
                                      {4, std::make_shared<const warpscope::Run>(slow), nullptr}},
                                     4, false, build);
  EXPECT_EQ(beside->comparison.baseline, 1U);
  EXPECT_TRUE(beside->allHaveClocks());
  const TimeExtent cycles = beside->extent(AxisUnit::kCycles), ns = beside->extent(AxisUnit::kNs);
  EXPECT_EQ(cycles.end, static_cast<double>(beside->runs[0].layout->end()));
  EXPECT_NEAR(ns.end, cycles.end / slow.trace.clocks.cycles_per_ns, 1e-6) << "the slower clock takes longer";
  EXPECT_EQ(beside->common.size(), run.trace.warps.size());

  CompareView look;
  EXPECT_EQ(unitOf(look, *beside), AxisUnit::kNs);
  look.view.fitted = false;
  look.view.begin_cycles = 100;
  look.view.end_cycles = 300;
  changeUnit(look, *beside, AxisUnit::kCycles);
  EXPECT_NEAR(look.view.begin_cycles, 100 * slow.trace.clocks.cycles_per_ns, 1e-9) << "of the baseline";
  EXPECT_EQ(otherRun(look, *beside), 0U);
  const auto alone =
      makeSideBySide({{3, std::make_shared<const warpscope::Run>(run), nullptr}}, 0, false, build);
  EXPECT_EQ(alone->comparison.facts.size(), 1U);
  EXPECT_EQ(otherRun(look, *alone), std::nullopt);
}

TEST(SideBySideTest, WithoutAClockRateTheAxisIsInCycles) {
  auto run = testing::makeSyntheticRun("divergence", "even_odd", 256);
  auto unknown = run;
  unknown.trace.clocks.cycles_per_ns = 0;
  const auto build = [](auto of) { return std::make_shared<const TraceLayout>(std::move(of)); };
  const auto beside = makeSideBySide({{3, std::make_shared<const warpscope::Run>(run), nullptr},
                                      {4, std::make_shared<const warpscope::Run>(unknown), nullptr}},
                                     3, false, build);
  EXPECT_FALSE(beside->allHaveClocks());
  EXPECT_EQ(unitOf({}, *beside), AxisUnit::kCycles);
  EXPECT_FALSE(beside->ns.runs[1].units_per_cycle);
  EXPECT_FALSE(beside->ns.runs[1].reason.empty());
}

}  // namespace
}  // namespace warpscope
