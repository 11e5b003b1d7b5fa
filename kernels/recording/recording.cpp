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
  for (const WaitSample& sample : run.wait_samples ? run.wait_samples->places : std::vector<WaitSample>{}) {
    if (sample.listed >= listed) {
      return fail(ErrorKind::kWorkFailed, "a sample refers to number {} of a listing of {}", sample.listed,
                  listed);
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

namespace {

// The columns of a run as they are stored, checked and opened by several threads. Those of events are
// decompressed later, piece by piece.
struct OpenColumns {
  Columns whole;
  EventStreams events;
};
Expected<OpenColumns> openColumns(const RunEntry& entry, std::span<const std::byte> stored) {
  std::vector<uint64_t> offsets(entry.columns.size() + 1);
  for (size_t i = 0; i < entry.columns.size(); ++i)
    offsets[i + 1] = offsets[i] + entry.columns[i].stored_bytes;
  OpenColumns columns;
  std::array<SectionStream*, kColumnCount> streams{};
  streams[kClockColumn] = &columns.events.clocks;
  streams[kMaskColumn] = &columns.events.masks;
  streams[kRegionColumn] = &columns.events.regions;
  std::array<Expected<void>, kColumnCount> opened;
  forEachInParallel(
      entry.columns.size(), stored.size() < kBytesForThreads ? 1 : processorCount(), [&](size_t i) {
        const auto bytes = stored.subspan(offsets[i], entry.columns[i].stored_bytes);
        if (streams[i] != nullptr) {
          opened[i] = SectionStream::open(entry.columns[i], bytes).map([&](SectionStream&& stream) {
            *streams[i] = std::move(stream);
          });
        } else {
          opened[i] = loadSection(entry.columns[i], bytes).map([&](std::vector<std::byte>&& raw) {
            columns.whole[i] = std::move(raw);
          });
        }
        if (!opened[i])
          opened[i] = fail(ErrorKind::kDamagedFile, "column {} at offset {}: {}", kColumnNames[i],
                           entry.offset + offsets[i], opened[i].error().message);
      });
  for (const auto& column : opened) {
    if (!column) return tl::unexpected(column.error());
  }
  return columns;
}

Expected<void> readTrace(const RunEntry& entry, OpenColumns& columns, Run& run) {
  const EventStreams& streams = columns.events;
  const uint64_t clocks = streams.clocks.remaining(), masks = streams.masks.remaining(),
                 regions = streams.regions.remaining();
  if (clocks < entry.events || masks != entry.events * sizeof(uint32_t) || regions != entry.events) {
    return fail(ErrorKind::kDamagedFile,
                "columns of events: {} events cannot be in {} bytes of clocks, {} of masks and {} of regions",
                entry.events, clocks, masks, regions);
  }
  if (auto read = readWarps(columns.whole[kWarpColumn], entry.warps, entry.events, run.trace); !read)
    return read;
  if (auto read = readEvents(columns.events, run.trace); !read) return read;
  if (entry.instructions == 0) return {};
  ColumnViews views;
  std::ranges::copy(columns.whole, views.begin());
  return readInstructionColumns(views, entry.instructions, run.listing->size(), run.trace);
}

}  // namespace

Expected<Run> readRun(const RunEntry& entry, std::span<const std::byte> stored) {
  auto columns = openColumns(entry, stored);
  if (!columns) return tl::unexpected(columns.error());
  Run run = entry.summary;
  if (auto read = readTrace(entry, *columns, run); !read) {
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
    auto run = readRun(entry, bytes.subspan(entry.offset, entry.storedBytes()));
    if (!run) return refuse(fmt::format("run {}: {}", i, run.error().message));
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace warpscope
