// Failures on a real GPU are reported in words and recovered from: a killed process, a hung launch, a sticky
// CUDA error.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/device/device.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using namespace std::chrono_literals;

class GpuFailures : public DeviceTest {
 protected:
  // The program next to this test serves the GPU, as it does for the window.
  static DeviceOptions options(double watchdog_s) {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return {.watchdog_s = watchdog_s, .server_command = (here / "warpscope").string()};
  }
  static std::unique_ptr<Device> open(double watchdog_s) {
    auto device = openDevice("cuda:0", options(watchdog_s));
    EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
    return device ? std::move(*device) : nullptr;
  }
  static RunRequest shortRun() {
    return {.family = "reduction", .variant = "grid_stride", .parameters = {{"size", 1 << 20}}};
  }
  // About ten seconds of launches.
  static RunRequest longRun() {
    RunRequest request = shortRun();
    request.parameters["size"] = int64_t{1} << 26;
    request.repeats = 80000;
    return request;
  }
};

const ProgressSink kNoProgress = [](const Progress&) {};

std::vector<pid_t> childProcesses() {
  std::vector<pid_t> children;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

TEST_F(GpuFailures, AKilledProcessIsReportedAndReplaced) {
  const auto device = open(30);
  ASSERT_NE(device, nullptr);
  ASSERT_TRUE(device->run(shortRun(), kNoProgress, {}).has_value());
  const auto children = childProcesses();
  ASSERT_EQ(children.size(), 1U);
  std::jthread killer([&] {
    std::this_thread::sleep_for(500ms);
    kill(children.front(), SIGKILL);
  });
  const auto killed = device->run(longRun(), kNoProgress, {});
  ASSERT_FALSE(killed.has_value());
  EXPECT_NE(killed.error().message.find("killed"), std::string::npos) << killed.error().message;
  const auto again = device->run(shortRun(), kNoProgress, {});
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(again->verification.passed);
}

TEST_F(GpuFailures, AHungLaunchIsStoppedByTheWatchdogAndTheNextOneRuns) {
  const auto device = open(1);
  ASSERT_NE(device, nullptr);
  const auto hung = device->run(longRun(), kNoProgress, {});
  ASSERT_FALSE(hung.has_value());
  EXPECT_NE(hung.error().message.find("1 s"), std::string::npos) << hung.error().message;
  const auto again = device->run(shortRun(), kNoProgress, {});
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(again->verification.passed);
}

TEST_F(GpuFailures, ALongRunCanBeCancelled) {
  const auto device = open(30);
  ASSERT_NE(device, nullptr);
  std::stop_source stop;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(300ms);
    stop.request_stop();
  });
  const auto cancelled = device->run(longRun(), kNoProgress, stop.get_token());
  ASSERT_FALSE(cancelled.has_value());
  EXPECT_EQ(cancelled.error().kind, ErrorKind::kCancelled) << cancelled.error().message;
  EXPECT_TRUE(device->run(shortRun(), kNoProgress, {}).has_value());
}

constexpr std::string_view kWildStore = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry wild_store()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// In a separate process, because the error is sticky.
void launchWildStore() {
  const auto backend = openCudaBackend(0);
  if (!backend) std::_Exit(3);
  const auto kernel = (*backend)->kernel({.name = "wild", .ptx = kWildStore}, "wild_store");
  if (!kernel) {
    fmt::print(stderr, "{}\n", kernel.error().message);
    std::_Exit(4);
  }
  const auto done = (*backend)->launch({.kernel = *kernel, .grid = {1}, .block = {32}});
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  std::_Exit(!done && (*backend)->poisoned() ? 0 : 5);
}

TEST_F(GpuFailures, AnIllegalAddressNamesTheKernelAndPoisonsTheBackend) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(launchWildStore(), testing::ExitedWithCode(0), "wild_store.*\n?.*ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace warpscope::test
