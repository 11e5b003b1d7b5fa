// The events of a trace from their columns.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "kernels/core/large_vector.h"
#include "kernels/core/parallel.h"
#include "kernels/recording/byte_io.h"
#include "kernels/recording/columns.h"

namespace warpscope {
namespace {

constexpr size_t kLeastEvents = size_t{1} << 16, kMostEvents = size_t{1} << 20;  // of a chunk
constexpr size_t kBytesAtATime = size_t{1} << 18;

// Consecutive events: their columns as they are before they are decoded.
struct Chunk {
  size_t first = 0, count = 0;
  LargeVector<std::byte> clocks, masks, regions;
  size_t clock_bytes = 0;  // of these events; the rest belongs to those after them
};

// The bytes that so many variable-length integers take, all if there are fewer; `integers` becomes how many
// are missing.
size_t bytesOf(std::span<const std::byte> bytes, size_t& integers) {
  constexpr size_t kBlock = 1024;
  const auto ends = [](std::byte byte) { return byte < std::byte{0x80}; };
  size_t at = 0;
  while (bytes.size() - at > kBlock) {
    const auto block = bytes.subspan(at, kBlock);
    const auto count = static_cast<size_t>(std::count_if(block.begin(), block.end(), ends));
    if (count >= integers) break;
    integers -= count;
    at += kBlock;
  }
  while (at < bytes.size() && integers > 0) integers -= ends(bytes[at++]) ? 1 : 0;
  return at;
}

// Continues with the bytes that the chunk before did not need.
Expected<void> takeClocks(SectionStream& stream, const Chunk& before, Chunk& chunk) {
  const auto rest = std::span(before.clocks).subspan(before.clock_bytes);
  chunk.clocks.assign(rest.begin(), rest.end());
  chunk.clock_bytes = 0;
  for (size_t missing = chunk.count;;) {
    chunk.clock_bytes += bytesOf(std::span(chunk.clocks).subspan(chunk.clock_bytes), missing);
    if (missing == 0 || stream.remaining() == 0) return {};
    const size_t more = std::min<uint64_t>(kBytesAtATime, stream.remaining()), had = chunk.clocks.size();
    chunk.clocks.resize(had + more);
    if (auto read = stream.read(std::span(chunk.clocks).subspan(had)); !read) return read;
  }
}

// Tells which column was wrong.
Expected<void> ofColumn(ColumnIndex column, const Expected<void>& result) {
  if (result) return {};
  return fail(result.error().kind, "column {}: {}", kColumnNames[column], result.error().message);
}

Expected<void> takeMasksAndRegions(EventStreams& streams, Chunk& chunk) {
  chunk.masks.resize(chunk.count * sizeof(uint32_t));
  chunk.regions.resize(chunk.count);
  if (auto read = ofColumn(kMaskColumn, streams.masks.read(chunk.masks)); !read) return read;
  return ofColumn(kRegionColumn, streams.regions.read(chunk.regions));
}

// Decodes chunk after chunk.
class EventDecoder {
 public:
  explicit EventDecoder(Trace& trace) : trace_(trace) {}

  void decode(const Chunk& chunk);
  std::optional<size_t> wrongEvent() const { return wrong_event_; }
  bool exact() const { return exact_; }  // the clocks were as many as the events

 private:
  bool decodeWarp(const Chunk& chunk, ByteReader& clocks, size_t count);

  Trace& trace_;
  size_t warp_ = 0, of_warp_ = 0, at_ = 0;  // the next event
  uint64_t clock_ = 0;
  std::optional<size_t> wrong_event_;
  bool exact_ = true;
};

bool EventDecoder::decodeWarp(const Chunk& chunk, ByteReader& clocks, size_t count) {
  const int64_t end = trace_.warps[warp_].end_cycles;
  const std::byte* masks = chunk.masks.data() + (at_ - chunk.first) * sizeof(uint32_t);
  const std::byte* regions = chunk.regions.data() + (at_ - chunk.first);
  uint64_t clock = clock_;
  for (size_t i = 0; i < count; ++i) {
    const auto later = static_cast<uint64_t>(unzigzag(clocks.variable()));
    clock += later;
    if (static_cast<int64_t>(later) < 0 || static_cast<int64_t>(clock) > end) {
      wrong_event_ = at_ + i;
      return false;
    }
    TraceEvent event{.clock_cycles = static_cast<int64_t>(clock)};
    std::memcpy(&event.mask.bits, masks + i * sizeof(uint32_t), sizeof(uint32_t));
    event.region = {static_cast<uint32_t>(regions[i])};
    trace_.events[at_ + i] = event;
  }
  clock_ = clock;
  at_ += count;
  of_warp_ += count;
  return true;
}

void EventDecoder::decode(const Chunk& chunk) {
  ByteReader clocks(std::span(chunk.clocks).first(chunk.clock_bytes));
  const size_t last = chunk.first + chunk.count;
  while (at_ < last && warp_ < trace_.warps.size()) {
    const TraceWarp& warp = trace_.warps[warp_];
    if (of_warp_ == 0) clock_ = static_cast<uint64_t>(warp.begin_cycles);
    if (!decodeWarp(chunk, clocks, std::min(last - at_, warp.event_count - of_warp_))) return;
    if (of_warp_ == warp.event_count) {
      ++warp_;
      of_warp_ = 0;
    }
  }
  exact_ = exact_ && clocks.ok() && clocks.remaining() == 0;
}

}  // namespace

Expected<void> readEvents(EventStreams& streams, Trace& trace) {
  const size_t events =
      trace.warps.empty() ? 0 : trace.warps.back().first_event + size_t{trace.warps.back().event_count};
  const size_t size = std::clamp(events / 64, kLeastEvents, kMostEvents);
  const size_t threads = events > kLeastEvents ? processorCount() : 1;
  trace.events.resize(events);
  EventDecoder decoder(trace);
  std::array<Chunk, 2> chunks;
  const Chunk* ready = nullptr;  // for decoding, while the other one is filled
  size_t next = 0;
  for (size_t step = 0; ready != nullptr || next < events; ++step) {
    const Chunk& before = chunks[(step + 1) % 2];
    Chunk* filled = next < events ? &chunks[step % 2] : nullptr;
    if (filled != nullptr) {
      filled->first = next;
      next += filled->count = std::min(size, events - next);
    }
    std::array<Expected<void>, 3> done;
    forEachInParallel(done.size(), threads, [&](size_t task) {
      if (task == 0 && ready != nullptr) decoder.decode(*ready);
      if (task == 1 && filled != nullptr)
        done[task] = ofColumn(kClockColumn, takeClocks(streams.clocks, before, *filled));
      if (task == 2 && filled != nullptr) done[task] = takeMasksAndRegions(streams, *filled);
    });
    for (const auto& result : done) {
      if (!result) return result;
    }
    if (decoder.wrongEvent()) {
      return fail(ErrorKind::kDamagedFile, "column event_clocks: event {} is not between its neighbours",
                  *decoder.wrongEvent());
    }
    ready = filled;
  }
  const bool left_over = std::ranges::any_of(chunks, [&](const Chunk& chunk) {
    return chunk.first + chunk.count == events && chunk.clocks.size() > chunk.clock_bytes;
  });
  if (!decoder.exact() || left_over || streams.clocks.remaining() > 0) {
    return fail(ErrorKind::kDamagedFile, "column event_clocks: it does not hold {} clocks exactly", events);
  }
  return {};
}

}  // namespace warpscope
