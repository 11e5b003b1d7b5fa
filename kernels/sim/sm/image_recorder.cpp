// Records which lines a texture or surface instruction looks up, request by request (texel_tiles.h).
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "kernels/sim/simt/image_access.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/access_recorder.h"
#include "kernels/sim/sm/modelled_addresses.h"
#include "kernels/sim/sm/texel_tiles.h"

namespace warpscope::sim {
namespace {

constexpr uint32_t kColumns = 8;  // TexelPlace::column is less

// The lines that some lanes of an instruction look up together.
class Lookup {
 public:
  Lookup(const ImageAccess& image, const ModelledAddresses* addresses)
      : image_(image), addresses_(addresses) {}

  // The bytes from `begin` on of the lane's image.
  void add(uint32_t lane, uint64_t begin, uint32_t bytes) {
    const BoundImage& bound = *image_.images[lane];
    const TexelPlace place = placeOf(bound.description, begin);
    const uint64_t first = bound.texels / kLineBytes;
    const uint64_t line = addresses_ == nullptr ? first : addresses_->lineOf(first);
    const uint64_t offset = bound.texels % kLineBytes + place.offset;
    addPart(line + offset / kLineBytes, static_cast<uint32_t>(offset % kLineBytes), bytes, place.column);
  }

  // The cycles that the data stage takes: it reads the sectors of one column one after another.
  uint32_t wavefronts() const { return std::max(*std::ranges::max_element(lines_of_), 1U); }
  std::span<LineAccess> lines() { return std::span(lines_).first(count_); }
  // Which of their bytes are accessed.
  std::span<const StoredBytes> bytes() const { return std::span(bytes_).first(count_); }

 private:
  void addPart(uint64_t line, uint32_t offset, uint32_t bytes, uint32_t column) {
    const auto known = std::ranges::find(lines(), line, &LineAccess::line);
    const auto index = static_cast<size_t>(known - lines().begin());
    if (index == count_) {
      lines_[count_] = {.line = line};
      bytes_[count_++] = {};
    }
    LineAccess& access = lines_[index];
    const uint32_t sector = offset / kSectorBytes;
    const auto bit = static_cast<uint8_t>(1U << sector);
    if ((access.sectors & bit) == 0) ++lines_of_[column];
    access.sectors |= bit;
    const uint32_t last = (offset + bytes - 1) / kWordBytes;
    for (uint32_t word = offset / kWordBytes; word <= last; ++word) access.words |= 1U << word;
    const auto mask = static_cast<uint32_t>((uint64_t{1} << bytes) - 1);
    bytes_[index][sector] |= mask << offset % kSectorBytes;
    if (bytes_[index][sector] == ~uint32_t{0}) access.full |= bit;
  }

  const ImageAccess& image_;
  const ModelledAddresses* addresses_;
  static constexpr size_t kMostLines = 8 * kMostTexels;  // of eight lanes at most
  std::array<LineAccess, kMostLines> lines_;
  std::array<StoredBytes, kMostLines> bytes_;
  std::array<uint32_t, kColumns> lines_of_{};
  uint32_t count_ = 0;
};

// Texels without a weight are not looked up. For a texel outside of an array, the nearest one inside is: an
// H200 (580.159.04, 2026-11-28) counts 105,332 sectors of `tx_rotate` (512 x 256), this rule 105,485, and
// without the border there would be 91,602.
void addLane(Lookup& lookup, const ImageAccess& image, uint32_t lane) {
  const BoundImage& bound = *image.images[lane];
  if (bound.description.use == ImageDescription::Use::kSurface) {
    const LaneSpan& span = image.spans[0];
    if ((span.mask >> lane & 1U) != 0) lookup.add(lane, span.addresses[lane] - bound.texels, span.bytes);
    return;
  }
  const Footprint& footprint = image.footprints[lane];
  const uint32_t bytes = bound.description.texel.bytes();
  for (uint32_t i = 0; i < footprint.count; ++i) {
    const bool is_read =
        footprint.weights[i] != 0 && !(footprint.isBorder(i) && bound.description.linear_memory);
    if (is_read) lookup.add(lane, footprint.texels[i] * bytes, bytes);
  }
}

}  // namespace

void AccessRecorder::imageAccess(const Warp& /*warp*/, const MemoryAccess& access, const ImageAccess& image) {
  if (access.instruction->op == ptx::Op::kImageQuery) return;
  const auto first_lane = static_cast<uint32_t>(std::countr_zero(access.mask));
  const ImageDescription& description = image.images[first_lane]->description;
  const bool is_texture = description.use == ImageDescription::Use::kTexture;
  WarpAccess& record = log->records.emplace_back();
  record.pc = access.pc;
  record.trip = log->trip;
  record.kind = is_texture ? WarpAccess::Kind::kTexture : WarpAccess::Kind::kSurface;
  record.reads = access.reads;
  record.writes = access.writes;
  record.image = image.images[first_lane]->texels;
  record.least_cycles = static_cast<uint8_t>(leastCycles(description));
  record.first_line = static_cast<uint32_t>(log->lines.size());
  if (access.writes) {
    log->has_others = true;
    record.first_written = static_cast<uint32_t>(log->written.size());
    const uint32_t bytes = access.bytes;
    if (bytes < kWordBytes) record.least_merged = static_cast<uint8_t>(2 * bytes);
    record.stored_bytes =
        static_cast<uint16_t>(bytes * static_cast<uint32_t>(std::popcount(image.spans[0].mask)));
  }
  record.requests = 0;
  const uint32_t of_request = lanesOfRequest(description), together = lanesLookedUp(description),
                 times = lookups(description);
  for (uint32_t lane = 0; lane < 32; lane += of_request) {
    if ((access.mask >> lane & ((1U << of_request) - 1)) != 0) ++record.requests;
  }
  record.input_cycles = std::min(record.requests, record.least_cycles);
  for (uint32_t begin = 0; begin < 32; begin += together) {
    const uint32_t lanes = ((1U << together) - 1) << begin;
    if ((access.mask & lanes) == 0) continue;
    Lookup lookup(image, addresses);
    for (uint32_t rest = access.mask & lanes; rest != 0; rest &= rest - 1)
      addLane(lookup, image, static_cast<uint32_t>(std::countr_zero(rest)));
    if (access.writes) log->written.insert(log->written.end(), lookup.bytes().begin(), lookup.bytes().end());
    // Each lookup is for a part of the channels.
    for (uint32_t time = 0; time < times; ++time) {
      record.wavefronts =
          static_cast<uint16_t>(record.wavefronts + (lookup.wavefronts() + times - 1) / times);
      log->lines.insert(log->lines.end(), lookup.lines().begin(), lookup.lines().end());
    }
  }
  record.line_count = static_cast<uint16_t>(log->lines.size() - record.first_line);
}

}  // namespace warpscope::sim
