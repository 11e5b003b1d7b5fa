// Opening a recording in the window's model: its first run is shown, whatever was selected before, with its
// family, variant and parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/gui/model/model.h"
#include "kernels/device/recorded_device.h"
#include "kernels/recording/recording.h"
#include "tests/support/synthetic_trace.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

std::vector<std::filesystem::path> bundledRecordings() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "assets/recordings";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".wsrec") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<const FamilyInfo*> everyFamily() {
  std::vector<const FamilyInfo*> families;
  for (const Experiment* experiment : allExperiments()) families.push_back(&experiment->info());
  return families;
}

// Lists no device but opens every file: as if a file were dropped onto a window.
DeviceSource filesOnly() {
  DeviceSource source;
  source.list = [] { return DeviceListing{}; };
  source.open = [](const std::string& id) { return openRecordedDevice(id.substr(id.find(':') + 1)); };
  source.build_layout = [](auto run) { return std::make_shared<const TraceLayout>(std::move(run)); };
  source.wake = [] {};
  return source;
}

class OpenedRecording {
 public:
  explicit OpenedRecording(const Settings& settings = {}) : model_(filesOnly(), everyFamily(), settings) {}
  Model& model() { return model_; }
  [[nodiscard]] bool open(const std::filesystem::path& file) {
    model_.openDevice("file:" + file.string());
    return until([this] {
      return (model_.feed().shown().run != nullptr || model_.impossible() != nullptr || model_.problem()) &&
             !model_.feed().busy() && !model_.devices().opening() && !model_.devices().listing();
    });
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      model_.update(now_s_ += 0.001);
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

 private:
  Model model_;
  double now_s_ = 0;
};

// Parameters that the run does not name are at their defaults, as in what the program records.
void completeParameters(warpscope::Run& run) {
  const auto experiment = findExperiment(run.request.family);
  ASSERT_TRUE(experiment);
  for (const ParameterSpec* spec : parametersOf((*experiment)->info(), run.request.variant)) {
    run.request.parameters.try_emplace(spec->name, spec->default_value);
  }
}

class BundledRecording : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(BundledRecording, ShowsItsFirstRun) {
  const auto index = RecordingIndex::open(GetParam());
  ASSERT_TRUE(index) << index.error().message;
  const RunRequest first = index->summary(0).request;
  Settings settings;  // neither the family nor the variant that the file holds
  settings.family = first.family == "divergence" ? "mapping" : "divergence";
  OpenedRecording opened(settings);
  ASSERT_TRUE(opened.open(GetParam()));
  Model& model = opened.model();
  ASSERT_NE(model.feed().shown().run, nullptr)
      << (model.impossible() != nullptr ? model.impossible()->reason : model.problem()->detail);
  EXPECT_EQ(model.choice().family().name, first.family);
  EXPECT_EQ(model.choice().variant().name, first.variant);
  EXPECT_EQ(model.feed().shown().run->request.parameters, first.parameters);
  EXPECT_EQ(model.request().parameters, first.parameters) << "the controls follow";
  EXPECT_FALSE(model.outdated());
  EXPECT_EQ(model.impossible(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, BundledRecording, ::testing::ValuesIn(bundledRecordings()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(OpenedRecordingTest, KeepsASelectionThatTheFileHolds) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "window_two_runs.wsrec";
  warpscope::Run one = testing::makeSyntheticRun("divergence", "even_odd", 256);
  warpscope::Run two = testing::makeSyntheticRun("divergence", "warp_aligned", 128);
  for (warpscope::Run* run : {&one, &two}) completeParameters(*run);
  ASSERT_TRUE(writeRecording(path, std::vector{one, two}));
  Settings settings;
  settings.family = "divergence";
  settings.families["divergence"].variant = "warp_aligned";
  OpenedRecording opened(settings);
  ASSERT_TRUE(opened.open(path));
  ASSERT_NE(opened.model().feed().shown().run, nullptr);
  EXPECT_EQ(opened.model().feed().shown().run->request, two.request);

  settings.families["divergence"].variant = "nested";
  OpenedRecording other(settings);
  ASSERT_TRUE(other.open(path));
  ASSERT_NE(other.model().feed().shown().run, nullptr);
  EXPECT_EQ(other.model().feed().shown().run->request, one.request) << "the first";
}

TEST(OpenedRecordingTest, ASelectionNamedByTheUserStaysAndSaysWhatTheFileHolds) {
  const auto files = bundledRecordings();
  const auto transpose =
      std::ranges::find(files, "transpose_shared", [](const auto& path) { return path.stem(); });
  ASSERT_NE(transpose, files.end());
  Settings settings;
  settings.family = "reduction";
  OpenedRecording opened(settings);
  opened.model().keepSelection();
  ASSERT_TRUE(opened.open(*transpose));
  EXPECT_EQ(opened.model().choice().family().name, "reduction");
  ASSERT_NE(opened.model().impossible(), nullptr);
  EXPECT_NE(opened.model().impossible()->reason.find("transpose"), std::string::npos)
      << opened.model().impossible()->reason;
  ASSERT_TRUE(opened.open(*transpose)) << "the next file is no longer held to it";
  EXPECT_EQ(opened.model().choice().family().name, "transpose");
}

TEST(OpenedRecordingTest, AnotherFileMovesOn) {
  const auto files = bundledRecordings();
  OpenedRecording opened;
  ASSERT_TRUE(opened.open(files.front()));
  const std::string first = opened.model().choice().variant().name;
  ASSERT_TRUE(opened.open(files.back()));
  ASSERT_NE(opened.model().feed().shown().run, nullptr);
  EXPECT_NE(opened.model().choice().family().name + opened.model().choice().variant().name, first);
  EXPECT_EQ(opened.model().feed().shown().run->request.variant, opened.model().choice().variant().name);
}

}  // namespace
}  // namespace warpscope
