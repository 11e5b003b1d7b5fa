// The parts of a recording that are not a run's columns: the preamble, and sections with codec, sizes and
// checksum. Internal to recordings; docs/recording_format.md describes every byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/recording/columns.h"
#include "kernels/recording/recording.h"
#include "kernels/run/run.h"

namespace warpscope {

class Json;

// The newest version; a recording in which no run has instructions is still written as version 1.
inline constexpr uint32_t kRecordingVersion = 2;
inline constexpr uint32_t kVersionWithoutInstructions = 1;
inline constexpr size_t kPreambleBytes = 56;
// A header or column is never larger than this, so that a damaged size cannot ask for all memory.
inline constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 30;

// Files that begin with a preamble: recordings, and sessions (session_format.h).
struct FileKind {
  std::array<char, 8> magic;
  uint32_t newest_version;
  const char* noun;  // in errors
};
inline constexpr FileKind kRecordingFiles{
    {'W', 'S', 'R', 'E', 'C', '\r', '\n', '\x1A'}, kRecordingVersion, "recording"};

enum class Codec : uint32_t { kRaw = 0, kZstd = 1 };

struct Section {
  Codec codec = Codec::kRaw;
  uint64_t raw_bytes = 0, stored_bytes = 0;
  uint64_t xxh64 = 0;  // of the stored bytes
};

struct Preamble {
  Section header;
  uint64_t file_bytes = 0;
};

struct StoredSection {
  Section section;
  std::vector<std::byte> bytes;
};
// Compresses where that makes it smaller; else the bytes are stored as they are.
Expected<StoredSection> storeSection(std::vector<std::byte> raw, Compression compression);
// Checks size and checksum, then decompresses.
Expected<std::vector<std::byte>> loadSection(const Section& section, std::span<const std::byte> stored);

std::vector<std::byte> writePreamble(uint32_t version, const Section& header, uint64_t file_bytes,
                                     const FileKind& kind = kRecordingFiles);
// `total_bytes` is what is there; a size that differs is an error (truncated, or something appended).
Expected<Preamble> readPreamble(std::span<const std::byte> bytes, uint64_t total_bytes,
                                const FileKind& kind = kRecordingFiles);

// A run's place in a recording.
struct RunEntry {
  Run summary;  // with an empty trace
  size_t warps = 0, events = 0, instructions = 0;
  std::vector<Section> columns;  // columnCount() of them
  uint64_t offset = 0;           // of the first column, from the recording's start
  uint64_t storedBytes() const;
};

uint32_t versionFor(std::span<const Run> runs);

// The header section's text for runs whose columns are stored as said, and back.
std::string writeHeader(std::span<const Run> runs, std::span<const std::vector<Section>> columns);
Expected<std::vector<RunEntry>> readHeader(std::span<const std::byte> text, const Preamble& preamble);

// The run with its trace. `stored` are the run's column bytes.
Expected<Run> readRun(const RunEntry& entry, std::span<const std::byte> stored);

}  // namespace warpscope
