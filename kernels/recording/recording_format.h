// The parts of a recording that are not a run's columns: the preamble, and sections with codec, sizes and
// checksum. Internal to recordings; docs/recording_format.md describes every byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/recording/columns.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/section_stream.h"
#include "kernels/run/run.h"

namespace warpscope {

class Json;

// The newest version; a recording in which no run has instructions is still written as version 1.
inline constexpr uint32_t kRecordingVersion = 2;
inline constexpr uint32_t kVersionWithoutInstructions = 1;
inline constexpr size_t kPreambleBytes = 56;
// Headers and columns are never larger than this, so that a damaged size cannot exhaust memory.
inline constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 30;

// Files that begin with a preamble: recordings, and sessions (session_format.h).
struct FileKind {
  std::array<char, 8> magic;
  uint32_t newest_version;
  const char* noun;  // for errors
};
inline constexpr FileKind kRecordingFiles{
    {'W', 'S', 'R', 'E', 'C', '\r', '\n', '\x1A'}, kRecordingVersion, "recording"};

// The limits on how much larger data may be in memory than in its file, so that a small file cannot take all
// memory: so many bytes in any case, and this many times the bytes that are stored. What would grow more is
// written without compression.
struct Growth {
  uint64_t free_bytes, factor;
};
inline constexpr Growth kTextGrowth{uint64_t{4} << 20, 200};     // headers, and the texts of a session
inline constexpr Growth kColumnGrowth{uint64_t{16} << 20, 500};  // all columns of a recording together
bool isWithin(const Growth& growth, uint64_t raw_bytes, uint64_t stored_bytes);

struct Preamble {
  Section header;
  uint64_t file_bytes = 0;
};

struct StoredSection {
  Section section;
  std::vector<std::byte> bytes;
};
// Compresses the bytes if that makes them smaller; otherwise stores them as they are.
Expected<StoredSection> storeSection(std::vector<std::byte> raw, Compression compression);
// The text of a header.
Expected<StoredSection> storeHeader(std::string_view text, Compression compression);
// Checks size and checksum, then decompresses.
Expected<std::vector<std::byte>> loadSection(const Section& section, std::span<const std::byte> stored);

std::vector<std::byte> writePreamble(uint32_t version, const Section& header, uint64_t file_bytes,
                                     const FileKind& kind = kRecordingFiles);
// `total_bytes` is the actual size; another size in the preamble is an error (truncated, or something
// appended).
Expected<Preamble> readPreamble(std::span<const std::byte> bytes, uint64_t total_bytes,
                                const FileKind& kind = kRecordingFiles);

// The position of a run in a recording.
struct RunEntry {
  Run summary;  // with an empty trace
  size_t warps = 0, events = 0, instructions = 0;
  std::vector<Section> columns;  // columnCount() of them
  uint64_t offset = 0;           // of the first column, from the recording's start
  uint64_t storedBytes() const;
};

uint32_t versionFor(std::span<const Run> runs);

// The text of the header section for runs whose columns are stored as given, and back.
std::string writeHeader(std::span<const Run> runs, std::span<const std::vector<Section>> columns);
Expected<std::vector<RunEntry>> readHeader(std::span<const std::byte> text, const Preamble& preamble);

// The run with its trace, from the stored bytes of its columns, by several threads.
Expected<Run> readRun(const RunEntry& entry, std::span<const std::byte> stored);

}  // namespace warpscope
