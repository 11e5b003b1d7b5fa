// A GPU's backend in a child process, with the fake server in the GPU's place.
#include "kernels/device/served_backend.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "kernels/execute/parameter_bytes.h"
#include "tests/support/fake_backend.h"

namespace warpscope {
namespace {

class ServedBackendTest : public ::testing::Test {
 protected:
  void open(double watchdog_s = 20) {
    auto connection = ServerConnection::start(WARPSCOPE_FAKE_SERVER_PROGRAM);
    ASSERT_TRUE(connection) << connection.error().message;
    auto backend = ServedBackend::open(std::move(*connection), "fake:0", {.watchdog_s = watchdog_s});
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
  }
  // The fake device's kernels take (probe, in, out, count).
  LaunchSpec spec(const std::string& entry) {
    from_ = backend_->allocate(sizeof(uint32_t) * 4).value();
    to_ = backend_->allocate(sizeof(uint32_t) * 4).value();
    const std::vector<uint32_t> values{1, 2, 3, 4};
    EXPECT_TRUE(backend_->upload(from_, std::as_bytes(std::span(values))));
    EXPECT_TRUE(backend_->fill(to_, 0, sizeof(uint32_t) * 4));
    return {.kernel = backend_->kernel({"module", "text", {}}, entry).value(),
            .parameters = {std::vector<std::byte>(1), parameterBytes(from_), parameterBytes(to_),
                           parameterBytes(uint32_t{4})}};
  }
  std::vector<uint32_t> output() {
    std::vector<uint32_t> values(4);
    EXPECT_TRUE(backend_->download(std::as_writable_bytes(std::span(values)), to_));
    return values;
  }

  std::unique_ptr<Backend> backend_;
  DeviceAddress from_ = 0, to_ = 0;
};

TEST_F(ServedBackendTest, DoesWhatTheBackendInTheChildDoes) {
  open();
  EXPECT_EQ(backend_->description().name, "Fake GPU");
  const LaunchSpec launch = spec("copy");
  ASSERT_TRUE(backend_->launch(launch));
  EXPECT_EQ(output(), (std::vector<uint32_t>{1, 2, 3, 4}));
  ASSERT_TRUE(backend_->fill(from_, 0xFF, 4));
  ASSERT_TRUE(backend_->copy(to_, from_, 4));
  EXPECT_EQ(output(), (std::vector<uint32_t>{0xFFFFFFFF, 2, 3, 4}));
  const auto resources = backend_->resources(launch.kernel, 7);
  ASSERT_TRUE(resources);
  EXPECT_EQ(resources->registers_per_thread, 32U);
  EXPECT_EQ(resources->dynamic_shared_bytes, 7U);
  const auto times = backend_->time(launch, 1, 3, {});
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<double>{10, 11, 12}));
  const auto view = backend_->downloadView(0, from_, 4);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->front(), std::byte{0xFF});
  const auto memory = backend_->memory();
  ASSERT_TRUE(memory);
  EXPECT_LT(memory->free_bytes, memory->total_bytes);
  EXPECT_FALSE(backend_->poisoned());
}

TEST_F(ServedBackendTest, LargeContentsGoInPieces) {
  open();
  std::vector<uint32_t> values(calls::kPieceBytes / sizeof(uint32_t) + 1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(i);
  const auto bytes = std::as_bytes(std::span(values));
  const auto address = backend_->allocate(bytes.size());
  ASSERT_TRUE(address);
  ASSERT_TRUE(backend_->upload(*address, bytes));
  std::vector<uint32_t> back(values.size());
  ASSERT_TRUE(backend_->download(std::as_writable_bytes(std::span(back)), *address));
  EXPECT_EQ(back, values);
}

TEST_F(ServedBackendTest, WhatAKernelPrintsIsInTheReport) {
  ::testing::internal::CaptureStderr();  // the child inherits it
  open();
  const LaunchSpec launch = spec("say");
  for (int times = 0; times < 2; ++times) {
    const auto report = backend_->launch(launch);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->printed.text, "hello from the kernel\n");
  }
  ASSERT_TRUE(backend_->time(launch, 0, 2, {}));
  EXPECT_EQ(output(), (std::vector<uint32_t>{1, 2, 3, 4}))
      << "what is printed while timing is in nobody's way";
  backend_.reset();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "nor is it shown a second time";
}

TEST_F(ServedBackendTest, WhatAKernelPrintsGoesToWhoListens) {
  open();
  std::string heard;
  LaunchListener listener;
  listener.printed = [&](std::string_view text) { heard += text; };
  const auto report = backend_->launch(spec("say_much"), {}, listener);
  ASSERT_TRUE(report) << report.error().message;
  std::string expected(300'000, 'x');
  expected += '\n';
  EXPECT_EQ(heard, expected);
  EXPECT_TRUE(report->printed.empty());
}

TEST_F(ServedBackendTest, WhatIsPrintedWithoutEndIsNotAllKept) {
  PrintedText printed;
  printed.append(std::string(PrintedText::kMostBytes - 1, 'a'));
  printed.append("bc");
  printed.append("d");
  EXPECT_EQ(printed.text.size(), PrintedText::kMostBytes);
  EXPECT_EQ(printed.text.back(), 'b');
  EXPECT_EQ(printed.dropped_bytes, 2U);
}

TEST_F(ServedBackendTest, AnEndlessKernelIsEndedByTheWatchdog) {
  open(0.5);
  const auto report = backend_->launch(spec("hang"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kWorkFailed);
  for (const char* part : {"gave no sign for 0.5 s and was killed", "running hang", "--watchdog"}) {
    EXPECT_NE(report.error().message.find(part), std::string::npos) << report.error().message;
  }
  EXPECT_TRUE(backend_->poisoned());
  const auto next = backend_->memory();
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().message.find("has ended"), std::string::npos) << next.error().message;
}

TEST_F(ServedBackendTest, AnEndlessKernelCanBeStopped) {
  open();
  std::stop_source stop;
  const LaunchSpec launch = spec("hang");
  std::jthread stopper([&] { stop.request_stop(); });
  const auto report = backend_->launch(launch, stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kCancelled) << report.error().message;
}

TEST_F(ServedBackendTest, AProcessThatIsKilledIsReported) {
  open();
  const auto report = backend_->launch(spec("kill"));
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("was killed (signal 9) while running kill"), std::string::npos)
      << report.error().message;
  EXPECT_TRUE(backend_->poisoned());
}

TEST_F(ServedBackendTest, ErrorsOfTheDeviceKeepTheirWords) {
  open();
  const auto wild = backend_->fill(DeviceAddress{12345}, 0, 4);
  ASSERT_FALSE(wild);
  EXPECT_NE(wild.error().message.find("a fill is out of bounds"), std::string::npos) << wild.error().message;
  EXPECT_FALSE(backend_->poisoned());
  const auto poison = backend_->launch(spec("poison"));
  ASSERT_FALSE(poison);
  EXPECT_NE(poison.error().message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  EXPECT_TRUE(backend_->poisoned());
}

// The server's side, with what no client of ours sends.
TEST(BackendCalls, EveryCutOffCallIsAnErrorAndNoMore) {
  testing::FakeBackend backend;
  LaunchSpec spec{.parameters = {std::vector<std::byte>(8)}};
  spec.following.push_back(spec);
  std::vector<calls::Writer> all(4);
  all[0] = calls::Writer(calls::Call::kModule).text("m").text("ptx").bytes({});
  all[1] = calls::Writer(calls::Call::kUpload).number(1).text("bytes");
  all[2] = calls::Writer(calls::Call::kLaunch).launch(spec);
  all[3] = calls::Writer(calls::Call::kFill).number(1).number(2).number(3);
  for (const calls::Writer& call : all) {
    for (size_t length = 0; length < call.payload().size(); ++length) {
      calls::Callee callee;
      EXPECT_FALSE(callee.answer(backend, std::span(call.payload()).first(length), {}, {})) << length;
    }
  }
  calls::Callee callee;
  EXPECT_TRUE(callee.answer(backend, all[0].payload(), {}, {}));
  EXPECT_FALSE(callee.answer(backend, all[0].payload(), {}, {})) << "a name cannot change its meaning";
  EXPECT_FALSE(callee.answer(backend, calls::Writer(static_cast<calls::Call>(4711)).payload(), {}, {}));
}

TEST(BackendCalls, ALaunchArrivesAsItWasSent) {
  LaunchSpec spec{.kernel = {7}, .grid = {1, 2, 3}, .block = {4, 5, 6}, .dynamic_shared_bytes = 8};
  spec.parameters = {parameterBytes(uint32_t{9}), {}};
  spec.cooperative = true;
  spec.following.push_back({.kernel = {10}, .grid = {11}});
  calls::Writer writer;
  writer.launch(spec);
  calls::Reader reader(writer.payload());
  const LaunchSpec read = reader.launch();
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(read.kernel.value, 7U);
  EXPECT_EQ(read.grid, (Dim3{1, 2, 3}));
  EXPECT_EQ(read.block, (Dim3{4, 5, 6}));
  EXPECT_EQ(read.dynamic_shared_bytes, 8U);
  EXPECT_EQ(read.parameters, spec.parameters);
  EXPECT_TRUE(read.cooperative);
  ASSERT_EQ(read.following.size(), 1U);
  EXPECT_EQ(read.following[0].kernel.value, 10U);
  EXPECT_EQ(read.following[0].grid, Dim3{11});
}

}  // namespace
}  // namespace warpscope
