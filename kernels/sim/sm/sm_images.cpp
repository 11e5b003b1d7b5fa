// The texture units of an SM: fetches, and loads and stores of surfaces. They take instructions one after
// another, look up their lines in L1 long after that, and ask L2 for what is missing.
//
// The figures are those of an H200 (580.159.04, 2026-11-28). In a chain of fetches that hit, each takes 127
// cycles with its FADD; in a chain of loads, 37. A fetch takes the units 8 or 4 cycles (texel_tiles.h), or a
// cycle for each wavefront of the data stage, whichever is more. The first fetch from an image takes 235
// cycles longer in each SM and launch: for so long Nsight Compute counts the units' input as stalled
// (texin_cycles_stalled_on_tsl1_miss).
#include <algorithm>
#include <span>

#include "kernels/sim/sm/ceiling.h"
#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

// From the input to L1, and what an image's header takes to come from L2.
constexpr double kWayCycles = 86, kHeaderCycles = 235;

}  // namespace

// When the texture units know the image.
double SmCore::headerReady(uint64_t image, double cycle) {
  const auto known = std::ranges::find(image_headers_, image, &ImageHeader::image);
  if (known != image_headers_.end()) return std::max(known->ready, cycle);
  image_headers_.push_back({image, cycle + kHeaderCycles});
  return image_headers_.back().ready;
}

void SmCore::issueImage(Partition& partition, uint32_t slot, const IssueOp& op, const WarpAccess& access,
                        uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  data_.pass(cycle);
  const uint64_t left = leaveQueueFrom(0, partition, cycle, false);
  const double begin = headerReady(access.image, std::max(static_cast<double>(left), images_input_free_));
  images_input_free_ = begin + access.input_cycles;
  image_queue_.take(ceiling(begin));
  noteReads(warp, op, ceiling(begin), ScoreClass::kLong);
  const auto kind = access.writes ? Flight::Kind::kStore : Flight::Kind::kRegisters;
  const uint32_t index = newFlight(kind, slot, &op);
  L1Counters& counters = access.kind == WarpAccess::Kind::kTexture ? counters_.texture_load
                         : access.writes                           ? counters_.surface_store
                                                                   : counters_.surface_load;
  counters.requests += access.requests;
  BlockStay& stay = blocks_[warp.block].stay;
  if (access.reads && stay.first_load == 0) stay.first_load = cycle;
  double lookup = std::max(begin + kWayCycles, images_free_);
  const double busy = std::max<double>(access.least_cycles, access.wavefronts);
  images_free_ = lookup + busy;
  if (access.reads) lookup = waiting_loads_.room(lookup, access.line_count, epoch_end_);
  const double line_cycles = busy / std::max<double>(access.line_count, 1);
  uint64_t hit_ready = 0;
  const uint64_t asked_before = lines_asked_for_;
  for (uint32_t i = 0; i < access.line_count; ++i, lookup += line_cycles) {
    const LineAccess& line = warp.accesses.lines[access.first_line + i];
    counters.sectors += sectorCount(line.sectors);
    const auto at = static_cast<uint64_t>(lookup);
    if (access.reads) {
      loadLine(line, access, index, at, hit_ready, counters);
    } else {
      storeLine(line, warp.accesses.written[access.first_written + i], access.least_merged, index, at,
                counters);
    }
  }
  Flight& flight = flights_[index];
  if (access.writes) {
    ++warp.stores_pending;
    warp.stores_left = std::max(ceiling(outward_free_), ceiling(lookup));
  } else if (flight.parts > 0) {
    flight.data_cycles = access.wavefronts;
    waiting_loads_.add(static_cast<uint32_t>(lines_asked_for_ - asked_before));
  } else {
    data_.take(cycle, access.wavefronts);
  }
  flight.done = std::max(hit_ready, static_cast<uint64_t>(lookup) + model_.profile.l1.latency_cycles);
  if (flight.parts == 0) return completeFlight(index);
  for (const uint16_t value : std::span(op.destinations).first(op.destination_count))
    warp.scores[value] = kPendingScore | static_cast<uint64_t>(ScoreClass::kLong);
}

}  // namespace warpscope::sim
