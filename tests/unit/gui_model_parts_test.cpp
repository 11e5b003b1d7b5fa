// The parts of the window's model, each by itself: what is selected and undone, the runs that came back, what
// is kept to compare, and what the occupancy lab knows without a launch.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "app/gui/model/choice.h"
#include "app/gui/model/compare_model.h"
#include "app/gui/model/device_model.h"
#include "app/gui/model/lab_model.h"
#include "app/gui/model/lesson_model.h"
#include "app/gui/model/run_logs.h"
#include "app/gui/model/sweep_model.h"
#include "app/gui/model/undo_history.h"
#include "tests/unit/scripted_model.h"

namespace warpscope {
namespace {

class ChoiceTest : public ::testing::Test {
 protected:
  FamilyInfo alpha_ = makeFamily("alpha"), beta_ = makeFamily("beta");
  Choice choice_{{&alpha_, &beta_}};
};

TEST_F(ChoiceTest, BeginsWithTheFirstFamilyAndItsDefaults) {
  EXPECT_EQ(choice_.family().name, "alpha");
  EXPECT_EQ(choice_.variant().name, "one");
  EXPECT_EQ(choice_.request().parameters, (ParameterValues{{"block", 256}})) << "ways is another variant's";
  EXPECT_EQ(choice_.requestOf(1).parameters, (ParameterValues{{"block", 256}, {"ways", 4}}));
}

TEST_F(ChoiceTest, SaysWhetherAnythingChanged) {
  EXPECT_FALSE(choice_.selectFamily("alpha")) << "it is selected";
  EXPECT_FALSE(choice_.selectFamily("gamma")) << "there is none";
  EXPECT_FALSE(choice_.selectVariant("one"));
  EXPECT_FALSE(choice_.selectVariant("four"));
  EXPECT_FALSE(choice_.setValue("block", 256));
  EXPECT_FALSE(choice_.setValue("stride", 2));
  EXPECT_EQ(choice_.value("stride"), 0);
  EXPECT_TRUE(choice_.selectVariant("two"));
  EXPECT_TRUE(choice_.setValue("ways", 8));
  EXPECT_TRUE(choice_.selectFamily("beta"));
}

TEST_F(ChoiceTest, EveryFamilyKeepsItsOwnSelection) {
  choice_.selectVariant("two");
  choice_.setValue("block", 64);
  choice_.chooseLanesTab("banks");
  choice_.selectFamily("beta");
  EXPECT_EQ(choice_.variant().name, "one");
  EXPECT_EQ(choice_.value("block"), 256);
  EXPECT_EQ(choice_.lanesTab(), beta_.view);
  choice_.selectFamily("alpha");
  EXPECT_EQ(choice_.variant().name, "two");
  EXPECT_EQ(choice_.value("block"), 64);
  EXPECT_EQ(choice_.lanesTab(), "banks");
}

TEST_F(ChoiceTest, SelectsWhatARequestNamesAsFarAsItIsKnown) {
  EXPECT_TRUE(
      choice_.select({.family = "beta", .variant = "two", .parameters = {{"ways", 2}, {"depth", 9}}}));
  EXPECT_EQ(choice_.request(),
            (RunRequest{.family = "beta", .variant = "two", .parameters = {{"block", 256}, {"ways", 2}}}));
  EXPECT_FALSE(choice_.select({.family = "gamma", .variant = "one", .parameters = {}}));
  EXPECT_FALSE(choice_.select({.family = "alpha", .variant = "nine", .parameters = {{"block", 32}}}));
  EXPECT_EQ(choice_.family().name, "beta") << "nothing changed";
}

TEST_F(ChoiceTest, DefaultsMoveToThoseOfTheKindOfDeviceAndOtherValuesStay) {
  alpha_.parameters[0].simulated_default = 64;
  choice_.selectFamily("alpha");
  const Choice::State before = choice_.state();
  choice_.moveDefaults(DeviceKind::kCuda, DeviceKind::kSimulated);
  EXPECT_EQ(choice_.value("block"), 64);
  choice_.setValue("block", 512);
  choice_.moveDefaults(DeviceKind::kSimulated, DeviceKind::kCuda);
  EXPECT_EQ(choice_.value("block"), 512);
  Choice::State state = before;
  Choice::moveDefaults(state, DeviceKind::kCuda, DeviceKind::kSimulated);
  EXPECT_EQ(state.values.at("block"), 64);
  choice_.resetValues(DeviceKind::kCuda);
  EXPECT_EQ(choice_.state(), before);
}

TEST_F(ChoiceTest, SettingsBringItBack) {
  choice_.selectFamily("beta");
  choice_.selectVariant("three");
  choice_.setValue("block", 96);
  Settings settings;
  choice_.storeInto(settings);
  Choice other({&alpha_, &beta_});
  other.take(settings);
  EXPECT_EQ(other.state(), choice_.state());
}

TEST(UndoHistoryTest, StepsBackAndForth) {
  UndoHistory<int> history;
  EXPECT_FALSE(history.undo(0));
  history.begin(1);
  history.begin(2);
  EXPECT_EQ(history.undo(3), 2);
  EXPECT_EQ(history.undo(2), 1);
  EXPECT_FALSE(history.canUndo());
  EXPECT_EQ(history.redo(1), 2);
  EXPECT_EQ(history.redo(2), 3);
  EXPECT_FALSE(history.canRedo());
}

TEST(UndoHistoryTest, AnEditThatChangedNothingIsPassedOver) {
  UndoHistory<int> history;
  history.begin(1);
  history.begin(2);
  history.begin(2);
  EXPECT_EQ(history.undo(2), 1);
  EXPECT_FALSE(history.canUndo());
}

TEST(UndoHistoryTest, ANewEditForgetsWhatCouldBeRedone) {
  UndoHistory<int> history;
  history.begin(1);
  EXPECT_EQ(history.undo(2), 1);
  history.begin(1);
  EXPECT_FALSE(history.canRedo());
  history.forEach([](int& state) { state += 10; });
  EXPECT_EQ(history.undo(5), 11);
}

TEST(UndoHistoryTest, ForgetsTheOldestStepsInTheEnd) {
  UndoHistory<int> history;
  for (int i = 0; i < 1000; ++i) history.begin(i);
  int steps = 0, last = 0;
  for (std::optional<int> state = history.undo(1000); state; state = history.undo(last)) {
    last = *state;
    ++steps;
  }
  EXPECT_EQ(steps, 200);
  EXPECT_EQ(last, 800);
}

std::shared_ptr<const warpscope::Run> runOf(const std::string& variant, double gb_per_s = 1) {
  auto run = std::make_shared<warpscope::Run>();
  run->request = {.family = "alpha", .variant = variant, .parameters = {{"block", 256}}};
  run->bandwidth.gb_per_s = gb_per_s;
  run->grid = {4, 1, 1};
  return run;
}

class RunFeedTest : public ::testing::Test {
 protected:
  FamilyInfo family_ = makeFamily("alpha");
  RunFeed feed_{family_};
};

TEST_F(RunFeedTest, EachVariantIsMissingUntilItRanOrFailed) {
  EXPECT_EQ(feed_.missing(0), (std::vector<size_t>{1, 2}));
  feed_.takeRun(1, runOf("two"), false);
  EXPECT_EQ(feed_.missing(0), (std::vector<size_t>{2}));
  feed_.takeError(2, {ErrorKind::kWorkFailed, "the kernel failed"});
  EXPECT_FALSE(feed_.variants()[2].impossible);
  EXPECT_TRUE(feed_.missing(0).empty());
  feed_.clearError(2);
  EXPECT_EQ(feed_.missing(0), (std::vector<size_t>{2}));
}

TEST_F(RunFeedTest, RunsOfOtherSettingsAreStaleButStay) {
  feed_.takeRun(1, runOf("two"), false);
  feed_.takeError(2, {ErrorKind::kBadRequest, "block 2048 is too large"});
  EXPECT_TRUE(feed_.variants()[2].impossible);
  feed_.markStale([](const RunRequest&) { return false; });
  EXPECT_TRUE(feed_.variants()[1].stale);
  EXPECT_NE(feed_.variants()[1].run, nullptr);
  EXPECT_TRUE(feed_.variants()[2].error.empty()) << "it may be possible now";
  EXPECT_EQ(feed_.missing(0), (std::vector<size_t>{1, 2}));
  feed_.resetVariants(family_);
  EXPECT_EQ(feed_.variants()[1].run, nullptr);
}

TEST_F(RunFeedTest, KeepsAHistoryOfWhatWasShown) {
  for (int i = 0; i < 300; ++i) feed_.show({.run = runOf("one", i)}, i);
  EXPECT_EQ(feed_.history().size(), 240U);
  EXPECT_EQ(feed_.history().back().gb_per_s, 299);
  feed_.show({}, 300);
  EXPECT_EQ(feed_.history().size(), 240U) << "no run, no sample";
  feed_.showNothing();
  EXPECT_EQ(feed_.shown().run, nullptr);
  EXPECT_TRUE(feed_.history().empty());
}

TEST_F(RunFeedTest, AwaitsTheNewestLaunchSinceTheFirst) {
  EXPECT_FALSE(feed_.busy());
  feed_.await(7, 1.0);
  feed_.await(8, 1.5);
  EXPECT_TRUE(feed_.isAwaited(8));
  EXPECT_FALSE(feed_.isAwaited(7)) << "superseded";
  EXPECT_EQ(feed_.busyFor(2.0), 1.0) << "a drag has been busy since it began";
  feed_.stopWaiting();
  EXPECT_FALSE(feed_.isAwaited(8));
  EXPECT_EQ(feed_.busyFor(3.0), 0);
}

class CompareModelTest : public ::testing::Test {
 protected:
  int edits_ = 0;
  CompareModel compare_{[](auto run) { return std::make_shared<const TraceLayout>(std::move(run)); }, [] {},
                        [this] { ++edits_; }};
};

TEST_F(CompareModelTest, KeepingIsOneEditAndNothingIsKeptTwice) {
  const auto run = runOf("one");
  EXPECT_NE(compare_.keep(nullptr), "");
  EXPECT_EQ(compare_.keep(run), "");
  EXPECT_NE(compare_.keep(run), "");
  EXPECT_EQ(edits_, 1);
  ASSERT_EQ(compare_.kept().runs.size(), 1U);
  const uint64_t id = compare_.kept().runs.front().id;
  EXPECT_GE(id, kFirstKeptRun);
  compare_.setBaseline(id);
  compare_.setLive(true);
  EXPECT_EQ(edits_, 2) << "it was live already";
  compare_.remove(id);
  EXPECT_TRUE(compare_.kept().runs.empty());
  EXPECT_EQ(compare_.kept().baseline, 0U);
  EXPECT_EQ(compare_.keep(run), "");
  EXPECT_NE(compare_.kept().runs.front().id, id) << "an id is never given twice";
}

TEST_F(CompareModelTest, AVariantIsKeptOnceItRan) {
  compare_.keepLater("two");
  EXPECT_TRUE(compare_.keepPending());
  compare_.takeVariant({.variant = "three", .title = "Three", .run = runOf("three")});
  EXPECT_TRUE(compare_.kept().runs.empty()) << "nobody asked for it";
  compare_.takeVariant({.variant = "two", .title = "Two", .run = runOf("two")});
  EXPECT_FALSE(compare_.keepPending());
  EXPECT_EQ(compare_.kept().runs.size(), 1U);
  compare_.keepLater("one");
  compare_.takeVariant({.variant = "one", .title = "One", .run = nullptr, .error = "failed"});
  EXPECT_FALSE(compare_.keepPending()) << "it will not come";
  EXPECT_EQ(compare_.kept().runs.size(), 1U);
}

TEST_F(CompareModelTest, ASessionsRunsAreNoEdit) {
  compare_.restore({runOf("one"), runOf("two")});
  EXPECT_EQ(compare_.kept().runs.size(), 2U);
  EXPECT_EQ(edits_, 0);
}

TEST(SweepModelPartTest, WithoutADeviceNothingIsPlanned) {
  const FamilyInfo family = makeFamily("alpha");
  const Choice choice({&family});
  SweepModel sweep;
  EXPECT_TRUE(sweep.want(SweepWish{.parameter = "block"}));
  EXPECT_FALSE(sweep.want(SweepWish{.parameter = "block"})) << "the same";
  sweep.plan(choice, nullptr);
  EXPECT_TRUE(sweep.lines().empty());
  ScriptedDevice device(std::make_shared<Script>());
  sweep.plan(choice, &device);
  ASSERT_EQ(sweep.lines().size(), 1U);
  EXPECT_EQ(sweep.runs().missing(), 32U);
}

class LabModelTest : public ::testing::Test {
 protected:
  LabModelTest() {
    device_.kind = DeviceKind::kSimulated;
    device_.limits = limits();
  }
  static DeviceLimits limits() {
    DeviceLimits limits;
    limits.compute_capability = {9, 0};
    limits.sm_count = 132;
    limits.max_threads_per_block = 1024;
    limits.max_threads_per_sm = 2048;
    limits.max_blocks_per_sm = 32;
    limits.registers_per_sm = limits.registers_per_block = 65536;
    limits.shared_bytes_per_block = 48 << 10;
    limits.shared_bytes_per_sm = 228 << 10;
    return limits;
  }
  RunRequest request_{.family = "divergence", .variant = "even_odd", .parameters = {{"block", 128}}};
  DeviceDescription device_;
  LabModel lab_;
};

TEST_F(LabModelTest, KnowsAKernelOnceSomethingRan) {
  EXPECT_FALSE(lab_.kernel(request_, nullptr, nullptr)) << "no device";
  lab_.settingsChanged();
  EXPECT_FALSE(lab_.kernel(request_, &device_, nullptr)) << "its registers are not known";
  lab_.settingsChanged();
  warpscope::Run run;
  run.request = request_;
  run.resources.registers_per_thread = 40;
  const auto& borrowed = lab_.kernel(request_, &device_, &run);
  ASSERT_TRUE(borrowed);
  EXPECT_FALSE(borrowed->compiled) << "another kernel's, until this one ran";
  EXPECT_EQ(borrowed->block.count(), 128U);
  lab_.learn(run, &device_);
  const auto& own = lab_.kernel(request_, &device_, nullptr);
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->compiled);
  EXPECT_EQ(own->resources.registers_per_thread, 40U);
  lab_.deviceChanged();
  EXPECT_FALSE(lab_.kernel(request_, &device_, nullptr)) << "another device compiles it anew";
}

TEST_F(LabModelTest, FindsTheValueThatLaunchesTheNearestBlock) {
  const auto experiment = findExperiment("divergence");
  ASSERT_TRUE(experiment);
  const ParameterSpec* control = launchControl((*experiment)->info(), "even_odd", OccupancyAxis::kBlock);
  ASSERT_NE(control, nullptr);
  EXPECT_EQ(control->name, "block");
  EXPECT_EQ(
      LabModel::nearestOffered(OccupancyAxis::kBlock, *control, 300, {64, 256, 512}, request_, &device_),
      256);
  EXPECT_EQ(LabModel::nearestOffered(OccupancyAxis::kBlock, *control, 300, {}, request_, &device_),
            std::nullopt);
  EXPECT_EQ(launchControl((*experiment)->info(), "even_odd", OccupancyAxis::kRegisters), nullptr);
}

TEST(LaneModelTest, WithoutARunNothingIsWanted) {
  LaneModel lanes([] {});
  lanes.want(nullptr, std::nullopt);
  EXPECT_FALSE(lanes.pending());
  EXPECT_EQ(lanes.log(), nullptr);
  EXPECT_FALSE(lanes.refreshing(nullptr));
}

class DeviceModelTest : public ScriptedModelTest {
 protected:
  template <class Kind>
  [[nodiscard]] bool untilNews(DeviceModel& devices) {
    for (int i = 0; i < 5000; ++i) {
      while (const auto news = devices.next()) {
        if (std::holds_alternative<Kind>(*news)) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
};

TEST_F(DeviceModelTest, ListsOpensAndListsWhatWasOpened) {
  DeviceModel devices(source(), "");
  EXPECT_TRUE(devices.listing());
  EXPECT_FALSE(devices.isOpen());
  ASSERT_TRUE(untilNews<DeviceModel::Listed>(devices));
  EXPECT_TRUE(devices.isListed("scripted"));
  devices.open("");
  EXPECT_EQ(devices.id(), "scripted") << "the default is the first";
  EXPECT_TRUE(devices.opening());
  ASSERT_TRUE(untilNews<DeviceModel::Opened>(devices));
  EXPECT_EQ(devices.description()->name, "Scripted GPU");
  devices.open("file:/tmp/lesson.wsrec");
  EXPECT_FALSE(devices.isOpen()) << "closed at once";
  ASSERT_TRUE(untilNews<DeviceModel::Opened>(devices));
  EXPECT_TRUE(devices.isListed("file:/tmp/lesson.wsrec"));
  EXPECT_EQ(devices.listed().devices.back().name, "Scripted GPU in lesson.wsrec");
}

// The window repeats a computation that depends on the devices only when this number changes.
TEST_F(DeviceModelTest, CountsItsChanges) {
  DeviceModel devices(source(), "");
  uint64_t last = devices.version();
  const auto changed = [&] { return std::exchange(last, devices.version()) != devices.version(); };
  ASSERT_TRUE(untilNews<DeviceModel::Listed>(devices));
  EXPECT_TRUE(changed()) << "the list";
  EXPECT_FALSE(devices.next());
  EXPECT_FALSE(changed());
  devices.choose("scripted");
  EXPECT_TRUE(changed()) << "the choice";
  devices.open("scripted");
  EXPECT_TRUE(changed()) << "the old device is closed";
  ASSERT_TRUE(untilNews<DeviceModel::Opened>(devices));
  EXPECT_TRUE(changed()) << "the new one is open";
  devices.cancel();
  static_cast<void>(devices.arrivals());
  static_cast<void>(devices.progress());
  EXPECT_FALSE(changed()) << "runs come and go";
}

TEST_F(DeviceModelTest, SaysWhyADeviceDidNotOpen) {
  script_->open_fails = true;
  DeviceModel devices(source(), "");
  devices.open("cuda:7");
  for (int i = 0; i < 5000 && devices.opening(); ++i) {
    while (const auto news = devices.next()) {
      if (const auto* failed = std::get_if<DeviceModel::Failed>(&*news)) {
        EXPECT_EQ(failed->why, "cuda:7 has no driver");
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(devices.opening());
  EXPECT_EQ(devices.description(), nullptr);
  EXPECT_TRUE(devices.arrivals().empty());
}

class LessonModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(file_)
        << "# A\n\n## B\n\n```show\nfamily: divergence\nvariant: even_odd\nblock: 64\nsize: "
           "256\nwork: 8\n```\n\n## C\n\n```show\nvariant: warp_aligned\n```\n\n{even_odd.time}\n\n"
           "```ask\nquestion: a\nnumber: counter.nothing\n```\n\n## D\n\n"
           "```ask\nquestion: a\ndrag: block\nwhere: counter.nothing > 1\n```\n";
    auto lesson = readLesson(file_);
    ASSERT_TRUE(lesson) << lesson.error().message;
    lesson_.open(std::move(*lesson), file_);
  }
  void TearDown() override { std::filesystem::remove(file_); }
  void awaitRuns() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!lesson_.ready() && std::chrono::steady_clock::now() < end) {
      if (!lesson_.update()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_TRUE(lesson_.ready());
  }
  std::string caption() { return plainText(lesson_.told().caption.at(0)); }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("lesson_model_" + std::to_string(::getpid()) + ".md");
  LessonModel lesson_{[](const std::string& id) { return openDevice(id, {}); }, [] {}};
};

// No two runs on a GPU take equally long, so that a second one would contradict what was on screen.
TEST_F(LessonModelTest, ACaptionSaysOfAnEarlierStepWhatThatStepShowed) {
  const auto device = openDevice("sim:teaching", {});
  ASSERT_TRUE(device);
  const auto request = requestOn(**device, lesson_.step().scene.request());
  ASSERT_TRUE(request);
  auto run = (*device)->run(*request, [](const Progress&) {}, {});
  ASSERT_TRUE(run) << run.error().message;
  run->timing.median_us = 12345;
  lesson_.follow("sim:teaching", std::make_shared<const warpscope::Run>(*run));
  awaitRuns();
  lesson_.go(1);
  lesson_.follow("sim:teaching", nullptr);
  awaitRuns();
  EXPECT_EQ(caption(), "12.35 ms");

  run->verification.pending = true;  // it was seen before its result was checked
  run->timing.median_us = 500;
  lesson_.go(0);
  lesson_.follow("sim:teaching", std::make_shared<const warpscope::Run>(*run));
  awaitRuns();
  lesson_.go(1);
  lesson_.follow("sim:teaching", nullptr);
  awaitRuns();
  EXPECT_NE(caption(), "500.0 µs");
}

// A bar of the page, or a setting that was dragged, may be launched after the text was made.
TEST_F(LessonModelTest, ACaptionSaysOfAnotherLaunchWhatTheWindowSays) {
  const auto device = openDevice("sim:teaching", {});
  ASSERT_TRUE(device);
  const auto request = requestOn(**device, lesson_.step().scene.request());
  ASSERT_TRUE(request);
  auto bar = (*device)->run(*request, [](const Progress&) {}, {});
  ASSERT_TRUE(bar) << bar.error().message;
  lesson_.go(1);
  lesson_.follow("sim:teaching", nullptr);
  awaitRuns();
  ASSERT_NE(caption(), "12.35 ms");
  bar->timing.median_us = 12345;
  warpscope::Run elsewhere = *bar, untraced = *bar;
  elsewhere.device.id = "cuda:0";
  untraced.trace.warps.clear();
  lesson_.saw(std::make_shared<const warpscope::Run>(elsewhere));
  EXPECT_NE(caption(), "12.35 ms") << "another device's";
  lesson_.saw(std::make_shared<const warpscope::Run>(untraced));
  EXPECT_NE(caption(), "12.35 ms") << "claims are about what a trace shows";
  lesson_.saw(std::make_shared<const warpscope::Run>(*bar));
  EXPECT_EQ(caption(), "12.35 ms");
}

// Names of counters say nothing to a student.
TEST_F(LessonModelTest, SaysInPlainWordsThatADeviceCannotTellWhatIsRight) {
  lesson_.go(1);
  lesson_.follow("sim:teaching", nullptr);
  awaitRuns();
  const auto answered = lesson_.answer({.number = 1});
  ASSERT_FALSE(answered);
  EXPECT_TRUE(answered.error().message.starts_with("This device cannot tell"));
  EXPECT_FALSE(lesson_.given().done());

  lesson_.go(2);
  lesson_.follow("sim:teaching", nullptr);
  awaitRuns();
  lesson_.answerDragged("sim:teaching", lesson_.step().scene.request(), std::nullopt);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (lesson_.pending() && std::chrono::steady_clock::now() < end) {
    if (!lesson_.update()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(lesson_.problem().starts_with("This device cannot tell")) << lesson_.problem();
  EXPECT_TRUE(lesson_.hasOpenQuestion());
}

}  // namespace
}  // namespace warpscope
