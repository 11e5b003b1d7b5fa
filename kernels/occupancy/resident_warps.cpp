#include "kernels/occupancy/resident_warps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

namespace warpscope {
namespace {

constexpr uint32_t kFewestSms = 4, kMostSmMask = 15;
constexpr double kTurnOfAnH100 = 335;
// A shorter turn depends on what blocks wait for at their launch; it does not mean that a slot was held.
constexpr double kLongTurns = 2;
// From the probe's last reading of the clock until its store has left the warp, which no clock can show. Like
// the figure above it is fitted to what Nsight Compute counted on an H100: docs/achieved_occupancy_h100.md.
constexpr double kProbeStoreCycles = 80;

// Times are in cycles since the SM's first warp in the log began.
struct WarpStay {
  uint64_t block = 0;
  uint32_t slot = 0;
  int64_t begin = 0, end = 0;
  int64_t left = 0;  // end, plus what the probe took
};

// The stays of a block's warps are consecutive.
struct BlockStay {
  size_t first = 0, count = 0;
  int64_t begin = 0, last_begin = 0, end = 0;
  int64_t given = 0;  // when it was given its warp slots
};

struct SmStays {
  std::vector<WarpStay> stays;
  std::vector<BlockStay> blocks;  // in the order of their begins
};
using Stays = std::map<uint32_t, SmStays>;  // by SM

// The probe's own wait for the load-store unit when nothing was in its way.
uint32_t leastWait(std::span<const ProbeStay> stays) {
  uint32_t least = 0xFFFF;
  for (const ProbeStay& stay : stays) {
    if (stay.place != 0) least = std::min<uint32_t>(least, stay.wait_cycles);
  }
  return least;
}

// Stays are in the order of blocks.
void findBlocks(SmStays& sm) {
  for (size_t i = 0; i < sm.stays.size(); ++i) {
    const WarpStay& stay = sm.stays[i];
    if (i == 0 || sm.stays[i - 1].block != stay.block) {
      sm.blocks.push_back(
          {.first = i, .count = 0, .begin = stay.begin, .last_begin = stay.begin, .end = stay.end});
    }
    BlockStay& block = sm.blocks.back();
    ++block.count;
    block.begin = std::min(block.begin, stay.begin);
    block.last_begin = std::max(block.last_begin, stay.begin);
    block.end = std::max(block.end, stay.end);
  }
  for (BlockStay& block : sm.blocks) block.given = block.begin;
  std::ranges::sort(sm.blocks, {}, &BlockStay::begin);
}

// Clocks differ by less than half of their 32-bit range from the first that is found on the SM. A short wait
// is for other warps' probes, a long one for the warp's own stores.
Stays staysOf(const ResidencyLog& log, double turn) {
  Stays sms;
  std::map<uint32_t, uint32_t> references;
  const uint32_t least_wait = leastWait(log.stays);
  for (size_t i = 0; i < log.stays.size(); ++i) {
    const ProbeStay& stay = log.stays[i];
    if (stay.place == 0) continue;
    const uint32_t sm = (stay.place & ~uint32_t{kProbeStayWritten}) >> 8;
    const uint32_t reference = references.try_emplace(sm, stay.begin_clock).first->second;
    const int64_t begin = static_cast<int32_t>(stay.begin_clock - reference);
    const int64_t through = begin + (stay.through_clock - stay.begin_clock);
    const uint32_t waited = stay.wait_cycles - least_wait;
    sms[sm].stays.push_back({.block = i / log.warps_per_block,
                             .slot = stay.place & 0xFF,
                             .begin = begin,
                             .end = through - (waited > turn ? least_wait : stay.wait_cycles),
                             .left = through + stay.probe_cycles});
  }
  for (auto& [id, sm] : sms) findBlocks(sm);
  return sms;
}

// Calls visit(block, left) for each block that took over the slots of others; `left` is when the last of
// those had left. Two things show that: the hardware slots, and how many warps fit at all.
template <class Visit>
void forEachSuccessor(SmStays& sm, size_t resident_warps, const Visit& visit) {
  std::vector<int64_t> lefts;
  lefts.reserve(sm.stays.size());
  for (const WarpStay& stay : sm.stays) lefts.push_back(stay.left);
  std::ranges::sort(lefts);
  std::array<std::optional<int64_t>, 256> left_slot;
  size_t begun = 0;
  for (BlockStay& block : sm.blocks) {
    std::optional<int64_t> left;
    const auto consider = [&](std::optional<int64_t> at) {
      if (at && *at < block.begin && (!left || *at > *left)) left = at;
    };
    const std::span stays = std::span(sm.stays).subspan(block.first, block.count);
    for (const WarpStay& stay : stays) consider(left_slot.at(stay.slot));
    begun += block.count;
    if (begun > resident_warps) consider(lefts.at(begun - resident_warps - 1));
    for (const WarpStay& stay : stays) left_slot.at(stay.slot) = stay.left;
    if (left) visit(block, *left);
  }
}

double busyCycles(const SmStays& sm) {
  std::vector<std::pair<int64_t, int64_t>> held;
  held.reserve(sm.blocks.size());
  for (const BlockStay& block : sm.blocks) held.emplace_back(block.given, block.end);
  std::ranges::sort(held);
  int64_t reached = held.front().first, busy = 0;
  for (const auto& [given, end] : held) {
    busy += std::max<int64_t>(end - std::max(given, reached), 0);
    reached = std::max(reached, end);
  }
  return static_cast<double>(busy);
}

ResidentWarps meanOf(SmStays& sm, uint32_t resident_warps, double turn) {
  double successors = 0;  // warps
  forEachSuccessor(sm, resident_warps, [&](BlockStay& block, int64_t left) {
    successors += static_cast<double>(block.count);
    // Its warps, launched together, begin far apart if they have to wait for others to issue.
    const bool waits = static_cast<double>(block.last_begin - block.begin) > turn;
    if (static_cast<double>(block.begin - left) > (waits ? 1 : kLongTurns) * turn) {
      block.given = left + static_cast<int64_t>(turn);
    }
  });
  double warp_cycles = 0, held_cycles = 0, probe_cycles = 0;
  for (const BlockStay& block : sm.blocks) {
    for (const WarpStay& stay : std::span(sm.stays).subspan(block.first, block.count)) {
      // A slot that was held was held for all warps of the block.
      const int64_t given = block.given < block.begin ? block.given : stay.begin;
      warp_cycles += static_cast<double>(stay.end - given);
      held_cycles += static_cast<double>(stay.begin - given);
      probe_cycles += static_cast<double>(stay.left - stay.end);
    }
  }
  // The probe costs time whenever a slot is reused.
  const auto warps = static_cast<double>(sm.stays.size());
  const double probe = probe_cycles / warps + kProbeStoreCycles;
  const double busy = busyCycles(sm) - probe * successors / resident_warps;
  const double stay = (warp_cycles - held_cycles) / warps;
  return {.mean = warp_cycles / std::max(busy, 1.0),
          .evidence = {.probe_cycles = probe,
                       .probe_share = probe / (probe + stay),
                       .held_share = held_cycles / std::max(warp_cycles, 1.0)}};
}

ResidencyEvidence evidenceOf(const ResidencyLog& log, const std::vector<ResidentWarps>& sms) {
  ResidencyEvidence all;
  const auto count = static_cast<double>(sms.size());
  double mean = 0, squares = 0;
  for (const ResidentWarps& sm : sms) {
    all.probe_cycles += sm.evidence.probe_cycles / count;
    all.probe_share += sm.evidence.probe_share / count;
    all.held_share += sm.evidence.held_share / count;
    mean += sm.mean / count;
  }
  for (const ResidentWarps& sm : sms) squares += (sm.mean - mean) * (sm.mean - mean);
  if (sms.size() > 1) all.spread_warps = std::sqrt(squares / (count - 1));
  const double blocks = static_cast<double>(log.stays.size()) / log.warps_per_block;
  // A grid smaller than the GPU leaves SMs without blocks, which do not count.
  const double blocks_per_sm = log.sm_count > 0 ? blocks / log.sm_count : 0;
  if (blocks_per_sm > 1) all.uneven_share = 1 - blocks_per_sm / std::ceil(blocks_per_sm);
  return all;
}

}  // namespace

uint32_t residencySmMask(uint32_t sm_count) {
  return std::min(std::bit_floor(std::max(sm_count / kFewestSms, 1U)) - 1, kMostSmMask);
}

std::optional<ResidentWarps> meanResidentWarps(const ResidencyLog& log) {
  if (log.warps_per_block == 0 || log.resident_warps == 0) return std::nullopt;
  const double turn = log.block_turn_cycles > 0 ? log.block_turn_cycles : kTurnOfAnH100;
  Stays sms = staysOf(log, turn);
  if (sms.empty()) return std::nullopt;
  std::vector<ResidentWarps> means;
  means.reserve(sms.size());
  for (auto& [id, sm] : sms) means.push_back(meanOf(sm, log.resident_warps, turn));
  std::ranges::sort(means, {}, &ResidentWarps::mean);
  const double median = (means[(means.size() - 1) / 2].mean + means[means.size() / 2].mean) / 2;
  return ResidentWarps{std::min<double>(median, log.resident_warps), evidenceOf(log, means)};
}

}  // namespace warpscope
