#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "kernels/device/child_process_device.h"
#include "tests/support/fake_backend.h"

namespace warpscope {
namespace {

using testing::fakeRequest;

size_t openDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

bool hasChildren() {
  return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

class ChildProcessDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.server_command = WARPSCOPE_FAKE_SERVER_PROGRAM;
    options_.watchdog_s = 20;
  }
  void TearDown() override {
    device_.reset();
    unsetenv("WARPSCOPE_FAKE_SERVER");
    EXPECT_FALSE(hasChildren());
  }

  void open() {
    auto connection = ServerConnection::start(options_.server_command);
    ASSERT_TRUE(connection) << connection.error().message;
    auto device = ChildProcessDevice::open(std::move(*connection), "fake:0", options_);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
  }
  Expected<warpscope::Run> run(const std::string& variant, const std::stop_token& stop = {}) {
    return device_->run(fakeRequest(variant), {}, stop);
  }
  // The variant's run must fail with a message that contains all of `parts`, and the next run must work.
  void expectFailureAndRecovery(const std::string& variant, const std::vector<std::string>& parts) {
    const auto failed = run(variant);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::kWorkFailed);
    for (const std::string& part : parts) {
      EXPECT_NE(failed.error().message.find(part), std::string::npos) << failed.error().message;
    }
    const auto next = run("copy");
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_TRUE(next->verification.passed);
  }

  DeviceOptions options_;
  std::unique_ptr<Device> device_;
};

TEST_F(ChildProcessDeviceTest, RunsAndReportsProgress) {
  open();
  EXPECT_EQ(device_->description().name, "Fake GPU");
  std::vector<std::string> steps;
  const auto result = device_->run(fakeRequest("copy"),
                                   [&](const Progress& progress) { steps.push_back(progress.step); }, {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->verification.passed);
  EXPECT_EQ(result->request.variant, "copy");
  EXPECT_GE(steps.size(), 3U);
}

TEST_F(ChildProcessDeviceTest, ErrorsKeepKindAndMessage) {
  open();
  const auto failed = run("no such variant");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(failed.error().message.find("no such variant"), std::string::npos);
  EXPECT_TRUE(run("copy"));
}

TEST_F(ChildProcessDeviceTest, KilledInMidRun) {
  open();
  expectFailureAndRecovery("kill", {"was killed (signal 9) while running fake/kill", "will be restarted"});
}
TEST_F(ChildProcessDeviceTest, CrashedInMidRun) {
  open();
  expectFailureAndRecovery("segfault", {"crashed (signal 11) while running fake/segfault"});
}
TEST_F(ChildProcessDeviceTest, ExitedInMidRun) {
  open();
  expectFailureAndRecovery("exit", {"ended with exit status 3 while running fake/exit"});
}
TEST_F(ChildProcessDeviceTest, Poisoned) {
  open();
  expectFailureAndRecovery("poison", {"CUDA_ERROR_ILLEGAL_ADDRESS", "will be restarted"});
}
TEST_F(ChildProcessDeviceTest, TalkingGarbage) {
  open();
  expectFailureAndRecovery("garbage", {"sent garbage", "something else than warpscope's protocol"});
}
TEST_F(ChildProcessDeviceTest, EndingWithinAnAnswer) {
  open();
  expectFailureAndRecovery("truncated", {"ended with exit status 0 while running fake/truncated"});
}

TEST_F(ChildProcessDeviceTest, HungIsKilledByTheWatchdog) {
  options_.watchdog_s = 0.5;
  open();
  expectFailureAndRecovery("hang",
                           {"gave no sign for 0.5 s and was killed", "running fake/hang", "verifying"});
}

TEST_F(ChildProcessDeviceTest, DeadWhileIdleIsReplacedWithoutAWord) {
  open();
  ASSERT_TRUE(run("exit_later"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto next = run("copy");
  EXPECT_TRUE(next) << next.error().message;
}

TEST_F(ChildProcessDeviceTest, WhatLibrariesPrintDoesNotDisturb) {
  open();
  EXPECT_TRUE(run("print"));
  EXPECT_TRUE(run("print"));
}

TEST_F(ChildProcessDeviceTest, AStopIsPassedOn) {
  open();
  std::stop_source stop;
  const auto stopped = device_->run(
      fakeRequest("slow"),
      [&](const Progress& progress) {
        if (progress.fraction > 0.3) stop.request_stop();
      },
      stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(run("copy"));
}

TEST_F(ChildProcessDeviceTest, AHungRunCanBeStopped) {
  open();
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto stopped = run("hang", stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(run("copy"));
}

TEST_F(ChildProcessDeviceTest, LeavesNoDescriptorsBehind) {
  const size_t before = openDescriptors();
  open();
  static_cast<void>(run("kill"));
  static_cast<void>(run("garbage"));
  ASSERT_TRUE(run("copy"));
  device_.reset();
  EXPECT_EQ(openDescriptors(), before);
}

TEST_F(ChildProcessDeviceTest, ProgramsThatAreNoServer) {
  const auto missing = ServerConnection::start("/no/such/program");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNoDevice);
  EXPECT_NE(missing.error().message.find("/no/such/program"), std::string::npos);

  setenv("WARPSCOPE_FAKE_SERVER", "exit", 1);
  const auto ended = ServerConnection::start(options_.server_command);
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("ended with exit status 5 while starting"), std::string::npos)
      << ended.error().message;

  setenv("WARPSCOPE_FAKE_SERVER", "garbage", 1);
  const auto garbage = ServerConnection::start(options_.server_command);
  ASSERT_FALSE(garbage);
  EXPECT_NE(garbage.error().message.find("sent garbage"), std::string::npos) << garbage.error().message;
}

TEST_F(ChildProcessDeviceTest, ListsThroughTheChild) {
  auto connection = ServerConnection::start(options_.server_command);
  ASSERT_TRUE(connection) << connection.error().message;
  const auto listing = (*connection)->list();
  ASSERT_TRUE(listing) << listing.error().message;
  ASSERT_EQ(listing->devices.size(), 1U);
  EXPECT_EQ(listing->devices[0].id, "fake:0");
  const auto missing = (*connection)->open("fake:9");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNoDevice);
  EXPECT_TRUE((*connection)->usable());
}

}  // namespace
}  // namespace warpscope
