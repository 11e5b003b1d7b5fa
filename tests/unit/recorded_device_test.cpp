// The recorded device: it answers with what was recorded, snaps to recorded values, and refuses the rest,
// naming what it has.
#include "kernels/device/recorded_device.h"

#include <gtest/gtest.h>

#include <fstream>

#include "kernels/recording/recording.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

class RecordedDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpscope-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::vector<warpscope::Run> runs;
    for (const int64_t block : {64, 128, 1024}) {
      for (const int64_t size : {1 << 16, 1 << 22})
        runs.push_back(makeSyntheticRun("divergence", "even_odd", block, size));
    }
    ASSERT_TRUE(writeRecording(folder_ / "divergence_even_odd.wsrec", runs).has_value());
    const warpscope::Run other = makeSyntheticRun("divergence", "warp_aligned", 96);
    ASSERT_TRUE(writeRecording(folder_ / "divergence_warp_aligned.wsrec", {&other, 1}).has_value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Device> open() {
    auto device = openRecordedDevice(folder_);
    EXPECT_TRUE(device.has_value()) << device.error().message;
    return std::move(*device);
  }

  static RunRequest request(ParameterValues parameters, const std::string& variant = "even_odd") {
    return {.family = "divergence", .variant = variant, .parameters = std::move(parameters)};
  }

  std::filesystem::path folder_;
};

TEST_F(RecordedDeviceTest, DescribesTheGpuThatWasRecorded) {
  const auto device = open();
  EXPECT_EQ(device->description().id, "recorded");
  EXPECT_EQ(device->description().kind, DeviceKind::kRecorded);
  EXPECT_EQ(device->description().provenance, Provenance::kMeasured);
  EXPECT_EQ(device->description().name, "Synthetic H100");
  EXPECT_EQ(device->description().recorded_on, "2026-11-21");
  EXPECT_TRUE(device->notes().empty());
}

TEST_F(RecordedDeviceTest, NamesTheFirstAndTheLastDayOnWhichItsRunsWereRecorded) {
  warpscope::Run later = makeSyntheticRun("reduction", "shared", 128);
  later.device.recorded_on.clear();
  later.created = "2026-11-25T09:30:00Z";
  ASSERT_TRUE(writeRecording(folder_ / "reduction_shared.wsrec", {&later, 1}).has_value());
  const auto device = open();
  EXPECT_EQ(device->description().recorded_on, "2026-11-21 – 2026-11-25");
  const auto run = device->run(request({{"block", 128}, {"size", 1 << 22}}), {}, {});
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(run->device.recorded_on, "2026-11-21") << "a run is of one day";
}

TEST_F(RecordedDeviceTest, AnswersWithTheRecordedRun) {
  const auto device = open();
  const auto run = device->run(request({{"block", 128}, {"size", 1 << 22}}), {}, {});
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(run->request.parameters.at("block"), 128);
  EXPECT_EQ(run->request.parameters.at("size"), 1 << 22);
  EXPECT_EQ(run->device.kind, DeviceKind::kRecorded);
  EXPECT_EQ(run->trace.events.size(),
            makeSyntheticRun("divergence", "even_odd", 128, 1 << 22).trace.events.size());
}

TEST_F(RecordedDeviceTest, RefusesAnotherValueAndSaysWhatThereIs) {
  const auto device = open();
  const auto run = device->run(request({{"block", 96}, {"size", 1 << 16}}), {}, {});
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(run.error().message.find("64, 128, 1024"), std::string::npos) << run.error().message;
  EXPECT_NE(run.error().message.find("nearest"), std::string::npos) << run.error().message;
}

TEST_F(RecordedDeviceTest, RefusesOtherVariantsAndFamilies) {
  const auto device = open();
  const auto variant = device->run(request({}, "nested"), {}, {});
  ASSERT_FALSE(variant.has_value());
  EXPECT_NE(variant.error().message.find("even_odd, warp_aligned"), std::string::npos)
      << variant.error().message;
  const auto family = device->run({.family = "reduction", .variant = "shared"}, {}, {});
  ASSERT_FALSE(family.has_value());
  EXPECT_NE(family.error().message.find("divergence"), std::string::npos) << family.error().message;
  EXPECT_EQ(family.error().kind, ErrorKind::kBadRequest);
}

TEST_F(RecordedDeviceTest, OffersJustWhatWasRecorded) {
  const auto device = open();
  const RunRequest near = request({{"block", 100}, {"size", 1 << 20}});
  EXPECT_EQ(device->offeredValues(near, "block"), (std::vector<int64_t>{64, 128, 1024}));
  EXPECT_EQ(device->offeredValues(near, "size"), (std::vector<int64_t>{1 << 16, 1 << 22}));
  EXPECT_EQ(device->offeredValues(request({}, "warp_aligned"), "block"), (std::vector<int64_t>{96}));
  EXPECT_EQ(device->offeredValues(near, "ways"), std::vector<int64_t>{});
  EXPECT_EQ(device->offeredValues(request({}, "nested"), "block"), std::vector<int64_t>{});
}

TEST_F(RecordedDeviceTest, SnapsToTheNearestRun) {
  const auto device = open();
  EXPECT_EQ(device->nearestOffered(request({{"block", 96}, {"size", 1 << 21}})).parameters,
            (ParameterValues{{"block", 128}, {"size", 1 << 22}}));
  EXPECT_EQ(device->nearestOffered(request({{"block", 32}, {"size", 1}})).parameters,
            (ParameterValues{{"block", 64}, {"size", 1 << 16}}));
  const auto snapped = device->nearestOffered(request({{"block", 512}, {"size", 1 << 16}}));
  EXPECT_TRUE(device->run(snapped, {}, {}).has_value());
}

TEST_F(RecordedDeviceTest, LeavesADamagedFileOutWithANote) {
  std::ofstream(folder_ / "a_broken.wsrec") << "this is not one";
  std::ofstream(folder_ / "notes.txt") << "neither is this, but nobody said so";
  const auto device = open();
  ASSERT_EQ(device->notes().size(), 1U);
  EXPECT_NE(device->notes()[0].find("a_broken.wsrec"), std::string::npos);
  EXPECT_TRUE(device->run(request({{"block", 64}, {"size", 1 << 16}}), {}, {}).has_value());
}

TEST_F(RecordedDeviceTest, OneFileIsADeviceOfItsOwn) {
  const auto path = folder_ / "divergence_warp_aligned.wsrec";
  const auto device = openRecordedDevice(path);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ((*device)->description().id, "file:" + path.string());
  EXPECT_FALSE((*device)->run(request({{"block", 64}}), {}, {}).has_value());
}

TEST_F(RecordedDeviceTest, SaysWhatItHoldsInTheOrderOfTheFiles) {
  const std::vector<RunRequest> held = open()->recordedRequests();
  ASSERT_EQ(held.size(), 7U);
  EXPECT_EQ(held.front().variant, "even_odd");
  EXPECT_EQ(held.front().parameters.at("block"), 64);
  EXPECT_EQ(held.back().variant, "warp_aligned");
}

TEST_F(RecordedDeviceTest, NothingThereIsNoDevice) {
  EXPECT_EQ(openRecordedDevice(folder_ / "nowhere").error().kind, ErrorKind::kNoDevice);
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_EQ(openRecordedDevice(folder_ / "empty").error().kind, ErrorKind::kNoDevice);
}

TEST_F(RecordedDeviceTest, AStoppedRunIsCancelled) {
  std::stop_source source;
  source.request_stop();
  const auto run = open()->run(request({{"block", 64}}), {}, source.get_token());
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace warpscope
