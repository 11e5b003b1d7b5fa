// Failures on a real GPU are reported in words and recovered from: a killed process, a hung launch, a sticky
// CUDA error.
#include <unistd.h>

#include <chrono>
#include <csignal>
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

constexpr std::string_view kSpin = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry spin()
{
SPIN:
  bra SPIN;
}
)";

// printf("a kernel\n")
constexpr std::string_view kPrint = R"(.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 format[10] = {97, 32, 107, 101, 114, 110, 101, 108, 10, 0};
.visible .entry print()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  mov.u64 %rd1, format;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, 0;
  { .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;
    call (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }
  ret;
}
)";

// As `warpscope exec` and `calibrate` reach a GPU.
class GpuServed : public GpuFailures {
 protected:
  void SetUp() override {
    GpuFailures::SetUp();
    if (IsSkipped()) return;
    auto backend = openServedBackend("cuda:0", options(2));
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
  }
  Expected<LaunchReport> launch(std::string_view ptx, const std::string& entry,
                                const std::stop_token& stop = {}) {
    const auto kernel = (*backend_)->kernel({.name = entry, .ptx = ptx}, entry);
    if (!kernel) return tl::unexpected(kernel.error());
    return (*backend_)->launch({.kernel = *kernel, .grid = {1}, .block = {1}}, stop);
  }
  std::optional<OpenedBackend> backend_;
};

TEST_F(GpuServed, AnEndlessKernelIsEndedByTheWatchdog) {
  const auto begin = std::chrono::steady_clock::now();
  const auto endless = launch(kSpin, "spin");
  ASSERT_FALSE(endless.has_value());
  EXPECT_NE(endless.error().message.find("gave no sign for 2 s and was killed while running spin"),
            std::string::npos)
      << endless.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
  const auto again = openServedBackend("cuda:0", options(30));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE((*again)->allocate(1024).has_value());
}

TEST_F(GpuServed, AnEndlessKernelCanBeStopped) {
  std::stop_source stop;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(300ms);
    stop.request_stop();
  });
  const auto stopped = launch(kSpin, "spin", stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled) << stopped.error().message;
}

TEST_F(GpuServed, WhatAKernelPrintsIsReported) {
  const auto first = launch(kPrint, "print");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->printed.text, "a kernel\n");
  const auto second = launch(kPrint, "print");
  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_EQ(second->printed.text, "a kernel\n");
}

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
