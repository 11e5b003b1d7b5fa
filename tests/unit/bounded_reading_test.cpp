// Small files whose content claims, rightly, to be large: reading them must not take the memory that it
// would.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "kernels/recording/recording.h"
#include "kernels/recording/recording_format.h"
#include "kernels/recording/session_format.h"
#include "tests/support/parse_json.h"
#include "tests/support/peak_memory.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t kMuch = size_t{512} << 20;

Bytes bytesOf(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string repeated(std::string_view piece, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

StoredSection compressed(Bytes bytes) {
  return storeSection(std::move(bytes), Compression::kZstd).value();
}

// A recording or session with this header and these bytes after it.
Bytes fileOf(const StoredSection& header, const Bytes& rest, const FileKind& kind) {
  const uint64_t total = kPreambleBytes + header.bytes.size() + rest.size();
  Bytes bytes = writePreamble(1, header.section, total, kind);
  bytes.insert(bytes.end(), header.bytes.begin(), header.bytes.end());
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

void expectRefused(const Bytes& recording, const std::string& reason) {
  EXPECT_LT(recording.size(), 100'000U);
  const size_t peak = testing::peakBytesOf([&] {
    const auto runs = decodeRuns(recording, "small.wsrec");
    return !runs && runs.error().message.find(reason) != std::string::npos;
  });
  EXPECT_LT(peak, kMuch);
}

TEST(BoundedReading, AHeaderThatShrankByThousandsIsRefused) {
  const StoredSection lists = compressed(bytesOf("[" + repeated("[],", size_t{64} << 20) + "0]"));
  expectRefused(fileOf(lists, {}, kRecordingFiles), "cannot be in");
}

TEST(BoundedReading, AHeaderOfBracketsIsRefused) {
  const StoredSection nested = compressed(bytesOf(std::string(size_t{4} << 20, '[')));
  expectRefused(fileOf(nested, {}, kRecordingFiles), "nested");
}

// The header of a recording of one run without events, whose column of warps is this.
StoredSection headerWith(const Section& warps, size_t count) {
  warpscope::Run run = testing::makeSyntheticRun();
  run.trace.warps.clear();
  run.trace.events.clear();
  Section empty;
  empty.xxh64 = storeSection({}, Compression::kNone)->section.xxh64;
  const std::vector<std::vector<Section>> columns{{warps, empty, empty, empty}};
  Json header = testing::parseJson(writeHeader({&run, 1}, columns));
  header["runs"][0]["warps"] = count;
  return storeHeader(header.dump(), Compression::kZstd).value();
}

TEST(BoundedReading, WarpsThatTakeNoBytesAreRefused) {
  constexpr size_t kWarpBytes = 9;
  const auto recording_of = [](size_t warps) {
    const StoredSection column = compressed(Bytes(warps * kWarpBytes));
    return fileOf(headerWith(column.section, warps), column.bytes, kRecordingFiles);
  };
  const auto some = decodeRuns(recording_of(100'000), "some.wsrec");
  ASSERT_TRUE(some.has_value()) << some.error().message;
  EXPECT_EQ(some->front().trace.warps.size(), 100'000U);
  expectRefused(recording_of(10'000'000), "cannot be in");
}

TEST(BoundedReading, ASessionOfTextsThatShrankByThousandsIsRefused) {
  const StoredSection part = compressed(bytesOf(repeated("[],", size_t{128} << 20)));
  const auto session_of = [&](const StoredSection& notes) {
    const Json header{{"parts", Json::array({{{"name", "notes"},
                                              {"kind", "text"},
                                              {"codec", static_cast<uint32_t>(notes.section.codec)},
                                              {"bytes", notes.section.raw_bytes},
                                              {"stored_bytes", notes.section.stored_bytes},
                                              {"xxh64", notes.section.xxh64}}})}};
    return fileOf(compressed(bytesOf(header.dump())), notes.bytes, kSessionFiles);
  };
  ASSERT_TRUE(decodeSession(session_of(compressed(bytesOf(repeated("x", 100'000)))), "a").has_value());
  const Bytes session = session_of(part);
  EXPECT_LT(session.size(), 100'000U);
  const size_t peak = testing::peakBytesOf([&] {
    const auto parts = decodeSession(session, "small.wssession");
    return !parts && parts.error().message.find("cannot be in") != std::string::npos;
  });
  EXPECT_LT(peak, kMuch);
}

// Without the check these would wait for a writer, or read for ever.
TEST(BoundedReading, NeitherWaitsForPipesNorReadsDevices) {
  const auto pipe = std::filesystem::path(::testing::TempDir()) / "warpscope_pipe.wsrec";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& path : {pipe, std::filesystem::path("/dev/zero")}) {
    EXPECT_FALSE(readRecording(path).has_value());
    EXPECT_FALSE(RecordingIndex::open(path).has_value());
    EXPECT_FALSE(readSessionFile(path).has_value());
    EXPECT_FALSE(isSessionFile(path));
  }
  std::filesystem::remove(pipe);
}

// Whatever is written can be read again, however well it compresses.
TEST(BoundedReading, WhatShrinksTooMuchIsWrittenWithoutCompression) {
  warpscope::Run run = testing::makeSyntheticRun();
  run.trace.events.clear();
  run.trace.warps.assign(3'000'000, {});
  const auto bytes = encodeRuns({&run, 1}, Compression::kZstd);
  ASSERT_TRUE(bytes.has_value());
  const auto back = decodeRuns(*bytes, "regular.wsrec");
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->front().trace.warps.size(), run.trace.warps.size());

  run.source = std::make_shared<const std::string>(repeated("__syncthreads();\n", size_t{8} << 20));
  run.trace.warps.clear();
  const auto large = encodeRuns({&run, 1}, Compression::kZstd);
  ASSERT_TRUE(large.has_value());
  const auto again = decodeRuns(*large, "source.wsrec");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again->front().source, *run.source);

  const std::vector<SessionPart> parts{
      textPart("notes", SessionPartKind::kText, repeated("the same ", size_t{8} << 20))};
  const auto session = encodeSession(parts);
  ASSERT_TRUE(session.has_value());
  const auto read = decodeSession(*session, "s");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(textOf(read->front()), textOf(parts.front()));
}

}  // namespace
}  // namespace warpscope
