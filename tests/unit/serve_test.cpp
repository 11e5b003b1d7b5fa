#include "kernels/device/service/serve.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <utility>

#include "kernels/device/service/frame.h"
#include "kernels/device/service/wire.h"
#include "tests/support/fake_backend.h"
#include "tests/support/pipe.h"

namespace warpscope {
namespace {

using testing::FakeBackend;
using testing::fakeRequest;
using testing::fakeServerParts;
using testing::TestPipe;

// A server on a thread of this process.
class Serve : public ::testing::Test {
 protected:
  void start(const std::function<void(FakeBackend&)>& prepare = {}) {
    parts_ = fakeServerParts(prepare);
    server_ = std::jthread([this] {
      status_ = serve(to_server_.read, from_server_.write, parts_);
      from_server_.closeWrite();
    });
  }
  void TearDown() override { end(); }

  int end() {
    to_server_.closeWrite();
    if (server_.joinable()) server_.join();
    return status_;
  }
  void send(FrameType type, const std::string& text) {
    ASSERT_TRUE(writeFrame(to_server_.write, type, text));
  }
  Frame receive() {
    auto frame = reader_.read();
    EXPECT_TRUE(frame && *frame);
    return frame && *frame ? std::move(**frame) : Frame{};
  }
  Frame receiveAfterProgress() {
    Frame frame = receive();
    while (frame.type == FrameType::kProgress) frame = receive();
    return frame;
  }
  void greetAndOpen() {
    EXPECT_TRUE(wire::checkHello(receive()));
    send(FrameType::kOpenDevice, wire::openDevice("fake:0"));
    EXPECT_EQ(receive().type, FrameType::kDeviceOpened);
  }
  static wire::ServerError errorIn(const Frame& frame) {
    EXPECT_EQ(frame.type, FrameType::kError);
    auto error = wire::decodeError(frame);
    EXPECT_TRUE(error);
    return error ? *error : wire::ServerError{};
  }

  TestPipe to_server_, from_server_;
  FrameReader reader_{from_server_.read, "the server"};
  ServerParts parts_;
  int status_ = -1;
  std::jthread server_;
};

TEST_F(Serve, GreetsListsOpensAndRuns) {
  start();
  EXPECT_TRUE(wire::checkHello(receive()));
  send(FrameType::kListDevices, "");
  const auto listing = wire::decodeDevices(receive());
  ASSERT_TRUE(listing) << listing.error().message;
  ASSERT_EQ(listing->devices.size(), 1U);
  EXPECT_EQ(listing->devices[0].id, "fake:0");
  EXPECT_EQ(listing->notes, std::vector<std::string>{"a note"});

  send(FrameType::kOpenDevice, wire::openDevice("fake:0"));
  const auto device = wire::decodeDeviceOpened(receive());
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ(device->name, "Fake GPU");

  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("copy")));
  const auto progress = wire::decodeProgress(receive());
  ASSERT_TRUE(progress) << progress.error().message;
  EXPECT_FALSE(progress->step.empty());
  const auto run = wire::decodeRun(receiveAfterProgress());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->verification.passed);
  EXPECT_EQ(run->trace.warps.size(), 1U);
  EXPECT_EQ(end(), 0);
}

TEST_F(Serve, AnswersWhatItCannotDo) {
  start();
  EXPECT_TRUE(wire::checkHello(receive()));
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("copy")));
  EXPECT_NE(errorIn(receive()).error.message.find("before a device was opened"), std::string::npos);
  send(FrameType::kOpenDevice, wire::openDevice("fake:9"));
  EXPECT_EQ(errorIn(receive()).error.kind, ErrorKind::kNoDevice);
  send(static_cast<FrameType>(4711), "?");
  EXPECT_NE(errorIn(receive()).error.message.find("type 4711"), std::string::npos);
  send(FrameType::kOpenDevice, wire::openDevice("fake:0"));
  EXPECT_EQ(receive().type, FrameType::kDeviceOpened);
  send(FrameType::kRunRequest, "{\"family\": 7}");
  EXPECT_EQ(receive().type, FrameType::kError);
  send(FrameType::kRunRequest, "not JSON");
  EXPECT_EQ(receive().type, FrameType::kError);
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("no such variant")));
  EXPECT_EQ(errorIn(receiveAfterProgress()).error.kind, ErrorKind::kBadRequest);
  RunRequest large = fakeRequest("copy");
  large.parameters["block"] = 2000;
  send(FrameType::kRunRequest, wire::runRequest(large));
  EXPECT_EQ(errorIn(receiveAfterProgress()).error.nearest, (ParameterValues{{"block", 1024}}));
  // It must still work afterwards.
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("copy")));
  EXPECT_EQ(receiveAfterProgress().type, FrameType::kRun);
}

TEST_F(Serve, TellsThatItIsPoisoned) {
  start();
  greetAndOpen();
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("poison")));
  const auto error = errorIn(receiveAfterProgress());
  EXPECT_TRUE(error.poisoned);
  EXPECT_NE(error.error.message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}

TEST_F(Serve, HearsACancelWhileAKernelRuns) {
  std::promise<void> launched;
  std::promise<void> cancelled;
  auto may_go_on = cancelled.get_future().share();
  bool first = true;
  start([&](FakeBackend& backend) {
    backend.on_launch = [&](const std::string&) {
      if (!std::exchange(first, false)) return;
      launched.set_value();
      may_go_on.wait();
    };
  });
  greetAndOpen();
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("copy")));
  launched.get_future().wait();
  send(FrameType::kCancel, "");
  // Messages are processed in order: once this one is answered, the cancel request has been received.
  send(static_cast<FrameType>(4711), "");
  Frame frame = receiveAfterProgress();
  EXPECT_NE(errorIn(frame).error.message.find("4711"), std::string::npos);
  cancelled.set_value();
  EXPECT_EQ(errorIn(receiveAfterProgress()).error.kind, ErrorKind::kCancelled);
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("copy")));
  EXPECT_EQ(receiveAfterProgress().type, FrameType::kRun);
}

TEST_F(Serve, GarbageEndsItWithAnError) {
  start();
  EXPECT_TRUE(wire::checkHello(receive()));
  to_server_.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(errorIn(receive()).error.message.find("something else"), std::string::npos);
  EXPECT_EQ(end(), 1);
}

TEST_F(Serve, EveryTruncationOfASmallExchangeEndsIt) {
  std::string exchange;
  {
    TestPipe pipe;
    ASSERT_TRUE(writeFrame(pipe.write, FrameType::kListDevices, ""));
    ASSERT_TRUE(writeFrame(pipe.write, FrameType::kOpenDevice, wire::openDevice("fake:0")));
    ASSERT_TRUE(writeFrame(pipe.write, FrameType::kRunRequest, wire::runRequest(fakeRequest("copy"))));
    pipe.closeWrite();
    exchange = pipe.readAll();
  }
  const size_t second = kFrameHeaderBytes;
  const size_t third = second + kFrameHeaderBytes + wire::openDevice("fake:0").size();
  const ServerParts parts = fakeServerParts();
  for (size_t length = 0; length <= exchange.size(); ++length) {
    TestPipe to_server;
    TestPipe from_server;
    to_server.send(exchange.substr(0, length));
    to_server.closeWrite();
    const bool whole = length == 0 || length == second || length == third || length == exchange.size();
    EXPECT_EQ(serve(to_server.read, from_server.write, parts), whole ? 0 : 1) << length;
  }
}

TEST_F(Serve, EndsWhenTheClientLeavesDuringARun) {
  std::promise<void> launched;
  bool first = true;
  start([&](FakeBackend& backend) {
    backend.on_launch = [&](const std::string&) {
      if (std::exchange(first, false)) launched.set_value();
    };
  });
  greetAndOpen();
  send(FrameType::kRunRequest, wire::runRequest(fakeRequest("copy")));
  launched.get_future().wait();
  from_server_.closeRead();
  EXPECT_EQ(end(), 0);
}

}  // namespace
}  // namespace warpscope
