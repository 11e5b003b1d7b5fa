#include "kernels/device/service/frame.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/support/pipe.h"

namespace warpscope {
namespace {

using testing::TestPipe;

std::string textOf(const Frame& frame) {
  return {reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size()};
}

// The bytes that writeFrame writes to a stream.
std::string bytesOf(FrameType type, const std::string& text) {
  TestPipe pipe;
  EXPECT_TRUE(writeFrame(pipe.write, type, text));
  pipe.closeWrite();
  return pipe.readAll();
}

Expected<std::optional<Frame>> parse(const std::string& bytes) {
  TestPipe pipe;
  pipe.send(bytes);
  pipe.closeWrite();
  return FrameReader(pipe.read, "the test").read();
}

TEST(Frame, ComesBackAsItWasSent) {
  TestPipe pipe;
  ASSERT_TRUE(writeFrame(pipe.write, FrameType::kRunRequest, "hello"));
  ASSERT_TRUE(writeFrame(pipe.write, FrameType::kCancel, ""));
  FrameReader reader(pipe.read, "the test");
  const auto first = reader.read();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->type, FrameType::kRunRequest);
  EXPECT_EQ(textOf(**first), "hello");
  const auto second = reader.read();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->type, FrameType::kCancel);
  EXPECT_TRUE((*second)->payload.empty());
  pipe.closeWrite();
  const auto end = reader.read();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
  EXPECT_TRUE(reader.ended());
}

TEST(Frame, LargePayloadsPassThroughASmallPipe) {
  TestPipe pipe;
  std::vector<std::byte> payload(5 << 20);
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i * 7 % 251);
  std::jthread writer([&] { EXPECT_TRUE(writeFrame(pipe.write, FrameType::kRun, payload)); });
  const auto frame = FrameReader(pipe.read, "the test").read();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->payload, payload);
}

TEST(Frame, ArrivesByteByByte) {
  const std::string bytes = bytesOf(FrameType::kError, "slowly");
  TestPipe pipe;
  FrameReader reader(pipe.read, "the test");
  for (size_t i = 0; i < bytes.size(); ++i) {
    pipe.send(bytes.substr(i, 1));
    const auto frame = reader.readSome();
    ASSERT_TRUE(frame) << frame.error().message;
    EXPECT_EQ(frame->has_value(), i + 1 == bytes.size());
  }
}

TEST(Frame, EveryTruncationIsAnError) {
  const std::string bytes = bytesOf(FrameType::kError, "something went wrong");
  for (size_t length = 1; length < bytes.size(); ++length) {
    const auto frame = parse(bytes.substr(0, length));
    ASSERT_FALSE(frame) << length;
    EXPECT_NE(frame.error().message.find("within a message"), std::string::npos) << frame.error().message;
  }
}

TEST(Frame, EveryFlippedBitOfThePayloadOrChecksumIsNoticed) {
  const std::string bytes = bytesOf(FrameType::kError, "text");
  for (size_t bit = 16 * 8; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto frame = parse(damaged);
    ASSERT_FALSE(frame) << bit;
    EXPECT_NE(frame.error().message.find("checksum"), std::string::npos);
  }
}

TEST(Frame, GarbageIsNamedAsSuch) {
  const auto frame = parse("usage: program [options] and so on, as programs print it");
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().message.find("something else than warpscope's protocol"), std::string::npos);
}

TEST(Frame, AHugeLengthIsRefusedBeforeAnythingIsAllocated) {
  for (const FrameType type : {FrameType::kRun, FrameType::kProgress}) {
    std::string bytes = bytesOf(type, "x");
    const uint64_t length = type == FrameType::kRun ? kMaxRunBytes + 1 : kMaxTextBytes + 1;
    std::memcpy(bytes.data() + 8, &length, sizeof length);
    const auto frame = parse(bytes);
    ASSERT_FALSE(frame);
    EXPECT_NE(frame.error().message.find("at most"), std::string::npos) << frame.error().message;
  }
}

TEST(Frame, MemoryGrowsWithWhatArrivedNotWithWhatWasAnnounced) {
  std::string bytes = bytesOf(FrameType::kRun, "x");
  const uint64_t length = kMaxRunBytes;
  std::memcpy(bytes.data() + 8, &length, sizeof length);
  TestPipe pipe;
  pipe.send(bytes);
  pipe.closeWrite();
  FrameReader reader(pipe.read, "the test");
  // An address space of 1 GiB would be necessary to hold the size that the header announces.
  const auto frame = reader.read();
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().message.find("after 25 bytes"), std::string::npos) << frame.error().message;
}

TEST(Frame, UnknownTypesAreLeftToTheCaller) {
  const auto frame = parse(bytesOf(static_cast<FrameType>(4711), "?"));
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ(static_cast<uint32_t>((*frame)->type), 4711U);
}

TEST(Frame, WritingToAReaderThatIsGoneIsAnErrorNotASignal) {
  TestPipe pipe;
  pipe.closeRead();
  const auto written = writeFrame(pipe.write, FrameType::kCancel, "anyone?");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot send"), std::string::npos);
}

}  // namespace
}  // namespace warpscope
