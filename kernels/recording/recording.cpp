// Runs as bytes and back. recording_file.cpp writes and reads files.
#include "kernels/recording/recording.h"

#include <algorithm>
#include <array>

#include "kernels/core/parallel.h"
#include "kernels/recording/columns.h"
#include "kernels/recording/recording_format.h"

namespace warpscope {
namespace {

// Fewer bytes are decompressed faster than threads start.
constexpr size_t kBytesForThreads = size_t{1} << 20;

// Checks what readers rely on.
Expected<void> checkListing(const Run& run) {
  const size_t listed = run.listing ? run.listing->size() : 0;
  for (const TraceInstruction& instruction : run.trace.instructions) {
    if (instruction.listed >= listed) {
      return fail(ErrorKind::kWorkFailed, "an instruction refers to number {} of a listing of {}",
                  instruction.listed, listed);
    }
  }
  return {};
}

}  // namespace

Expected<std::vector<std::byte>> encodeRuns(std::span<const Run> runs, Compression compression) {
  std::vector<std::vector<Section>> sections(runs.size());
  std::vector<std::vector<std::byte>> stored_columns;
  stored_columns.reserve(runs.size() * kColumnCount);
  uint64_t column_bytes = 0, raw_bytes = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (auto listed = checkListing(runs[i]); !listed) return tl::unexpected(listed.error());
    auto columns = makeColumns(runs[i].trace);
    if (!columns) return tl::unexpected(columns.error());
    for (size_t column = 0; column < columnCount(instructionsOfWarps(runs[i].trace) > 0); ++column) {
      auto stored = storeSection(std::move((*columns)[column]), compression);
      if (!stored) return tl::unexpected(stored.error());
      sections[i].push_back(stored->section);
      column_bytes += stored->bytes.size();
      raw_bytes += stored->section.raw_bytes;
      stored_columns.push_back(std::move(stored->bytes));
    }
  }
  // Readers would refuse columns that shrink so much.
  if (!isWithin(kColumnGrowth, raw_bytes, column_bytes)) return encodeRuns(runs, Compression::kNone);
  auto header = storeHeader(writeHeader(runs, sections), compression);
  if (!header) return tl::unexpected(header.error());
  const uint64_t total = kPreambleBytes + header->bytes.size() + column_bytes;
  std::vector<std::byte> bytes;
  bytes.reserve(total);
  const std::vector<std::byte> preamble = writePreamble(versionFor(runs), header->section, total);
  bytes.insert(bytes.end(), preamble.begin(), preamble.end());
  bytes.insert(bytes.end(), header->bytes.begin(), header->bytes.end());
  for (const auto& column : stored_columns) bytes.insert(bytes.end(), column.begin(), column.end());
  return bytes;
}

Expected<Columns> loadColumns(const RunEntry& entry, std::span<const std::byte> stored) {
  std::vector<uint64_t> offsets(entry.columns.size() + 1);
  for (size_t i = 0; i < entry.columns.size(); ++i)
    offsets[i + 1] = offsets[i] + entry.columns[i].stored_bytes;
  Columns columns;
  std::array<Expected<void>, kColumnCount> loaded;
  forEachInParallel(
      entry.columns.size(), stored.size() < kBytesForThreads ? 1 : processorCount(), [&](size_t i) {
        auto raw = loadSection(entry.columns[i], stored.subspan(offsets[i], entry.columns[i].stored_bytes));
        if (raw) {
          columns[i] = std::move(*raw);
        } else {
          loaded[i] = fail(ErrorKind::kDamagedFile, "column {} at offset {}: {}", kColumnNames[i],
                           entry.offset + offsets[i], raw.error().message);
        }
      });
  for (const auto& column : loaded) {
    if (!column) return tl::unexpected(column.error());
  }
  return columns;
}

Expected<Run> readRun(const RunEntry& entry, const Columns& columns) {
  ColumnViews views;
  std::ranges::copy(columns, views.begin());
  Run run = entry.summary;
  auto read = readColumns(views, entry.warps, entry.events, run.trace);
  if (read && entry.instructions > 0) {
    read = readInstructionColumns(views, entry.instructions, run.listing->size(), run.trace);
  }
  if (!read) {
    return fail(ErrorKind::kDamagedFile, "{} (columns begin at offset {})", read.error().message,
                entry.offset);
  }
  return run;
}

Expected<std::vector<Run>> decodeRuns(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&](const std::string& message) {
    return fail(ErrorKind::kDamagedFile, "{}: {}", name, message);
  };
  const auto preamble = readPreamble(bytes, bytes.size());
  if (!preamble) return refuse(preamble.error().message);
  const auto header =
      loadSection(preamble->header, bytes.subspan(kPreambleBytes, preamble->header.stored_bytes));
  if (!header) return refuse(fmt::format("header at offset {}: {}", kPreambleBytes, header.error().message));
  const auto entries = readHeader(*header, *preamble);
  if (!entries) return refuse(entries.error().message);
  std::vector<Run> runs;
  runs.reserve(entries->size());
  for (size_t i = 0; i < entries->size(); ++i) {
    const RunEntry& entry = (*entries)[i];
    auto run = loadColumns(entry, bytes.subspan(entry.offset, entry.storedBytes()))
                   .and_then([&](const Columns& columns) { return readRun(entry, columns); });
    if (!run) return refuse(fmt::format("run {}: {}", i, run.error().message));
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace warpscope
