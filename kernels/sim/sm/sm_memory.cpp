// The load-store unit of an SM: its queues, shared-memory wavefronts, L1, and requests to L2.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "kernels/sim/sm/ceiling.h"
#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {
namespace {

// An access to L1 has read its registers so long after it left the queue, one to shared memory so long.
constexpr uint64_t kLongReadCycles = 10, kShortReadCycles = 2;

// L1 looks up four lines a cycle and reads a word from each of its 32 banks; words of these four lines that
// are in one bank are read one after another. On an H100 (580.159.04, 2026-11-26; loads that hit, 32 warps)
// 32 lanes take 8.0 cycles at a stride of 132 bytes, 9.0 to 9.8 at 144, 160, 272, 624 and at random words, 16
// at a stride of 64 and 32 at 128. A load by itself takes two cycles for each of these wavefronts.
constexpr uint32_t kLinesAtOnce = 4;
constexpr uint32_t kWavefrontCycles = 2;

uint32_t wavefrontsOf(std::span<const LineAccess> lines) {
  uint32_t wavefronts = 0;
  for (size_t first = 0; first < lines.size(); first += kLinesAtOnce) {
    std::array<uint32_t, kLinesAtOnce> in_so_many{};  // by the number of lines, less one: their common banks
    for (size_t i = first; i < std::min(first + kLinesAtOnce, lines.size()); ++i) {
      for (size_t k = kLinesAtOnce; --k > 0;) in_so_many[k] |= in_so_many[k - 1] & lines[i].words;
      in_so_many[0] |= lines[i].words;
    }
    wavefronts += 1;
    for (size_t k = 1; k < kLinesAtOnce; ++k) wavefronts += in_so_many[k] != 0 ? 1 : 0;
  }
  return wavefronts;
}

// A warp that ends with a store or a reduction waits 20 to 25 cycles until it has left (drain: 200 kernels of
// the truth suite's open half on an H100, 580.159.04, 2026-11-26), which is so many after it was issued.
constexpr uint64_t kStoreWayCycles = 32;

// Before so many lines are looked up in L1, their tags are brought into the host's caches, all at once.
constexpr uint32_t kManyLines = 4;

// A store to a part of a sector waits kMergeCycles for stores to its other words, and up to kMostMergeCycles
// if it cannot leave before. Both times were chosen with `voting`, `inverse3`, `attend` and `demosaic` of the
// truth suite's open half (sectors written on an H100, 580.159.04, 2026-11-26). Bytes merge, too: without
// that, `soft_bits_of_64` would write 3.6 times as many sectors, and `stemmed_words` 1.8 times (as above,
// 2026-11-27).
// But what one lane writes of a sector, if it is less than a word, goes by itself (`byte_store_loop`,
// `bfs_step`, `tag_depths`).
constexpr uint64_t kMergeCycles = 32, kMostMergeCycles = 48;

// Stores meet at the end of L1's queue. A store is there when the path to L2 takes it within so many cycles.
constexpr double kWayBacklogCycles = 64;

// A load of local memory, whose address is one word, takes so much less than one of global memory, if L1 has
// the data: 28 to 31 cycles until the reader issues in 9 kernels of the truth suite whose warps do not wait
// for each other (shell_sort, front_mover, queens_by_masks and others by PC samples; H100, 580.159.04,
// 2026-11-27), where a chain of global loads takes 36.
constexpr uint32_t kLocalSoonerCycles = 6;

// A warp takes so long when some of its lanes leave a loop of compare-and-swap in shared memory.
constexpr uint64_t kDepartureCycles = 20;

// Each of eight bits four times.
constexpr uint32_t bytesOfWords(uint32_t words) {
  uint32_t spread = words & 0xFFU;
  spread = (spread | spread << 12U) & 0x000F000FU;
  spread = (spread | spread << 6U) & 0x03030303U;
  spread = (spread | spread << 3U) & 0x11111111U;
  return spread * 0xFU;
}
static_assert(bytesOfWords(0xA1) == 0xF0F0000FU);

StoredBytes writtenBytes(const AccessLog& log, const WarpAccess& access, uint32_t line) {
  if (access.first_written != WarpAccess::kNoBytes) return log.written[access.first_written + line];
  const uint32_t words = log.lines[access.first_line + line].words;
  return {bytesOfWords(words), bytesOfWords(words >> 8U), bytesOfWords(words >> 16U),
          bytesOfWords(words >> 24U)};
}

}  // namespace

uint32_t SmCore::newFlight(Flight::Kind kind, uint32_t slot, const IssueOp* op) {
  uint32_t index = 0;
  if (free_flights_.empty()) {
    index = static_cast<uint32_t>(flights_.size());
    flights_.emplace_back();
  } else {
    index = free_flights_.back();
    free_flights_.pop_back();
  }
  slots_[slot].home->asked |= WakeTimes::Bits{1} << slots_[slot].local;
  Flight& flight = flights_[index];
  flight = {.kind = kind, .slot = slot, .generation = slots_[slot].generation, .number = next_flight_++};
  if (op != nullptr) {
    flight.destination_count = op->destination_count;
    std::copy(std::begin(op->destinations), std::end(op->destinations), flight.destinations);
  }
  return index;
}

void SmCore::issueMemory(Partition& partition, uint32_t slot, const IssueOp& op, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  const WarpAccess* access = warp.accesses.find(op.pc, op.trip);
  if (access == nullptr) {  // the guard let no lane through
    const uint64_t begin = leaveQueue(partition, cycle);
    if (op.is_shared) issueWithoutLanes(op, cycle);
    const uint32_t latency = op.is_shared
                                 ? model_.profile.shared_latency_cycles
                                 : model_.profile.pipes[static_cast<size_t>(Pipe::kLoadStore)].latency_cycles;
    setScores(warp, op, begin + latency, ScoreClass::kShort);
    return;
  }
  switch (access->kind) {
    case WarpAccess::Kind::kShared:
      return issueShared(partition, warp, op, *access, cycle);
    case WarpAccess::Kind::kGlobal:
      return issueGlobal(partition, slot, op, *access, cycle);
    case WarpAccess::Kind::kTexture:
    case WarpAccess::Kind::kSurface:
      return issueImage(partition, slot, op, *access, cycle);
    case WarpAccess::Kind::kConstant:
      return issueConstant(partition, warp, op, *access, cycle);
    case WarpAccess::Kind::kNone:
      return setScores(warp, op, cycle + model_.profile.constant_latency_cycles, ScoreClass::kConstant);
  }
}

// Loads a constant at an address in a register. On an H100 (580.159.04) a warp of scheduled_digest (truth
// suite) waits 36 cycles for LDC; the SM's first load of a line takes longer. If the lanes' addresses differ,
// they are read one after another: 32 of them take one warp 377 cycles, and 16 warps of an SM 1,104
// (2026-11-26); a load of 4 keeps an SM busy for
// 8.2 cycles, one of 32 for 65.6 (2026-11-27). ULDC, where all
// lanes have one address, is hardly waited for: 12 cycles are an estimate.
void SmCore::issueConstant(Partition& partition, WarpSlot& warp, const IssueOp& op, const WarpAccess& access,
                           uint64_t cycle) {
  constexpr double kFurtherCycles = 10.8, kBusyCycles = 2.05;
  constexpr uint64_t kLatencyCycles = 36, kUniformCycles = 12;
  if (op.loads_uniform) {
    const uint64_t ready = std::max(cycle + kUniformCycles, constantLineReady(access.first_line, cycle));
    return setScores(warp, op, ready, ScoreClass::kConstant);
  }
  const uint32_t further = access.wavefronts - 1U;
  uint64_t begin = leaveQueue(partition, cycle);
  if (further > 0) {
    constants_free_ = std::max(constants_free_, static_cast<double>(begin));
    begin = ceiling(constants_free_);
    constants_free_ += kBusyCycles * access.wavefronts;
  }
  // The load stays in the queue until then.
  partition.constants_queue.take(begin);
  const uint64_t ready = begin + kLatencyCycles + ceiling(kFurtherCycles * further);
  setScores(warp, op, std::max(ready, constantLineReady(access.first_line, begin)), ScoreClass::kShort);
}

// When a line is in the SM's cache of constants, if a load asks for it at `cycle`.
uint64_t SmCore::constantLineReady(uint32_t line, uint64_t cycle) {
  constexpr size_t kLines = 65536 / kConstantLineBytes;  // a kernel's constants are 64 KiB at most
  if (constant_lines_.empty()) constant_lines_.assign(kLines, 0);
  uint64_t& ready = constant_lines_[line % kLines];
  if (ready == 0) ready = cycle + model_.profile.constant_latency_cycles;
  return ready;
}

// It takes its turn all the same (block_sum, many_barriers and lu16 of the truth suite, counted on an H100
// with 580.159.04, 2026-11-24).
void SmCore::issueWithoutLanes(const IssueOp& op, uint64_t cycle) {
  SharedCounters& counters = op.destination_count > 0 ? counters_.shared_load : counters_.shared_store;
  ++counters.requests;
  ++counters.wavefronts;
  data_.take(cycle, 1);
}

// Returns how many wavefronts the loop takes.
double SmCore::runSwapLoop(WarpSlot& warp, const IssueOp& op, const WarpAccess& access, uint64_t begin) {
  // LDS, the operation, ATOMS, ISETP and BRA follow each other. With 64 bits the operation and the comparison
  // have further instructions.
  constexpr uint64_t kOperationCycles = 7, kAroundCycles = 28, kInstructions = 5, kFurtherCycles = 4;
  const uint64_t load = model_.profile.shared_latency_cycles;
  const uint64_t period = load + model_.profile.shared_atomic_latency_cycles + kAroundCycles +
                          kFurtherCycles * (op.retried - kInstructions);
  const Instruction& in = model_.code.instructions[op.pc];
  const bool extremum =
      in.modifiers.atom_op == ptx::AtomOp::kMin || in.modifiers.atom_op == ptx::AtomOp::kMax;
  const bool wide = ptx::bytesOf(in.type) == 8;
  const std::span<uint32_t> words =
      std::span(warp.accesses.words).subspan(access.first_word, access.word_count);
  const SwapTries done = blocks_[warp.block].swaps.run(
      words, wide,
      {.begin = begin, .swap_after = load + kOperationCycles, .period = period, .always_writes = !extremum});
  counters_.instructions += uint64_t{op.retried} * (done.tries - 1) + (done.departures - 1);
  counters_.branch_instructions += done.tries + done.departures;
  counters_.thread_instructions += uint64_t{op.retried} * (done.lanes - access.word_count);
  warp.loop_done =
      begin + done.wavefronts - access.wavefronts + period * done.tries + kDepartureCycles * done.departures;
  countSwapLoop(warp, op, done);
  return done.wavefronts;
}

// The states of a warp in the loop, until it is over: what is not counted here it waits for shared memory.
// From samples of an H100 (580.159.04, 2026-11-27) of group_aggregate, nearest_centre, photons_in_layers and
// pricing_report of the truth suite: ATOMS, the comparison and the branch wait 5, 1 and 12 cycles, the branch
// back takes 5. When lanes leave, BSYNC waits 5 cycles, and 15 pass until the others, or what follows, go on.
void SmCore::countSwapLoop(WarpSlot& warp, const IssueOp& op, const SwapTries& done) {
  constexpr uint64_t kWaits = 19, kFurtherWaits = 3, kBranches = 3, kFetches = 2, kInstructions = 5;
  constexpr uint64_t kDepartureWaits = 9, kDepartureBranches = kDepartureCycles - kDepartureWaits - 1;
  const uint64_t tries = done.tries, departures = done.departures;
  uint64_t left = warp.loop_done - std::min(warp.loop_done, warp.accounted);
  const auto count = [&](WarpState state, uint64_t cycles) {
    const uint64_t counted = std::min(left, cycles);
    counters_.state_cycles[static_cast<size_t>(state)] += counted;
    left -= counted;
  };
  if (warp.logged) noteWait(warp, WarpState::kShortScoreboard, left);
  count(WarpState::kSelected, op.retried * tries + departures);
  count(WarpState::kWait,
        (kWaits + kFurtherWaits * (op.retried - kInstructions)) * tries + kDepartureWaits * departures);
  count(WarpState::kBranchResolve, kBranches * tries + kDepartureBranches * departures);
  count(WarpState::kNoInstruction, kFetches * tries);
  count(WarpState::kShortScoreboard, left);
  warp.accounted = std::max(warp.accounted, warp.loop_done);
}

void SmCore::issueShared(Partition& partition, WarpSlot& warp, const IssueOp& op, const WarpAccess& access,
                         uint64_t cycle) {
  const uint64_t begin = leaveQueue(partition, cycle);
  noteReads(warp, op, begin + kShortReadCycles, ScoreClass::kShort);
  uint64_t remote_ready = 0;
  if (access.remote_wavefronts > 0) {
    remote_ready = issueRemote(warp, access, begin);
    if (access.wavefronts == 0) return setScores(warp, op, remote_ready, ScoreClass::kShort);
  }
  SharedCounters& counters = access.atomic   ? counters_.shared_atomic
                             : access.writes ? counters_.shared_store
                                             : counters_.shared_load;
  counters.requests += access.requests;
  counters.wavefronts += access.wavefronts;
  counters.conflicts += access.wavefronts - access.minimum;
  double busy = access.wavefronts;
  uint64_t latency = model_.profile.shared_latency_cycles;
  double extra = (access.wavefronts - 1) * model_.profile.shared_extra_way_cycles;
  if (access.atomic) {
    latency = model_.profile.shared_atomic_latency_cycles;
    if (op.retried > 0) {
      busy = runSwapLoop(warp, op, access, begin);
      counters.wavefronts += static_cast<uint64_t>(busy) - access.wavefronts;
    } else if (!op.counts_lanes && !op.aggregates) {
      const uint32_t further = access.same_word - 1U;  // each further lane on a word takes a wavefront
      counters.wavefronts += further;
      busy += further;
      extra += further * model_.profile.shared_atomic_interval_cycles;
    }
  }
  data_.take(cycle, busy);
  const uint64_t ready = begin + latency + ceiling(std::max(extra, 0.0));
  setScores(warp, op, std::max(ready, remote_ready), ScoreClass::kShort);
}

L1Counters& SmCore::counterOf(const WarpAccess& access, const IssueOp& op) {
  if (access.is_local) return access.writes ? counters_.local_store : counters_.local_load;
  if (access.atomic) {
    return op.reduces ? counters_.global_reduction : counters_.global_atomic;
  }
  return access.writes && !access.asynchronous ? counters_.global_store : counters_.global_load;
}

void SmCore::issueGlobal(Partition& partition, uint32_t slot, const IssueOp& op, const WarpAccess& access,
                         uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  const uint64_t left = leaveForL1(partition, op, access, cycle);
  noteReads(warp, op, left + kLongReadCycles, ScoreClass::kLong);
  const double line_cycles = 1.0 / (std::max(model_.profile.l1_tag_requests_per_cycle, 1U) * kLinesAtOnce);
  const bool loads = !access.atomic && (access.reads || access.asynchronous);
  BlockStay& stay = blocks_[warp.block].stay;
  if (loads && stay.first_load == 0) stay.first_load = cycle;
  const auto kind = access.asynchronous                 ? Flight::Kind::kCopy
                    : loads || op.destination_count > 0 ? Flight::Kind::kRegisters
                                                        : Flight::Kind::kStore;
  const bool reads = loads && kind == Flight::Kind::kRegisters;
  const double from = lookedUpFrom(left, access, reads);
  tags_free_ = std::max(tags_free_, static_cast<double>(cycle)) + line_cycles * access.line_count;
  const uint32_t index = newFlight(kind, slot, &op);
  L1Counters& counters = counterOf(access, op);
  counters.requests += access.requests;
  const auto first_request = static_cast<uint32_t>(batch_.size());
  const uint64_t asked_before = lines_asked_for_;
  uint64_t hit_ready = 0;
  double tag_cycle = static_cast<double>(ceiling(from));
  double sectors = 0;
  if (access.line_count >= kManyLines && !access.bypasses_l1) prefetchTags(warp, access);
  for (uint32_t i = 0; i < access.line_count; ++i, tag_cycle += line_cycles) {
    const LineAccess& line = warp.accesses.lines[access.first_line + i];
    sectors += sectorCount(line.sectors);
    if (!access.atomic) counters.sectors += sectorCount(line.sectors);
    if (access.atomic) {
      AtomicWork work = warp.accesses.atomics[access.first_atomic + i];
      if (op.aggregates)
        std::ranges::transform(work.serial, work.serial.begin(), [](uint8_t n) { return n > 0; });
      work.reduces = op.reduces;
      for (const uint8_t passes : work.serial) counters.sectors += passes;
      if (work.reduces) {
        for (const uint8_t passes : work.serial) reductions_sent_ += passes;
        reductions_.push_back({reductions_sent_});
        warp.reductions = reductions_sent_;
      }
      ++flights_[index].parts;
      send({.line = line.line,
            .flight = index,
            .sectors = line.sectors,
            .full = line.full,
            .atomic = work,
            .kind = RequestKind::kAtomic},
           static_cast<uint64_t>(tag_cycle));
    } else if (loads) {
      loadLine(line, access, index, static_cast<uint64_t>(tag_cycle), hit_ready, counters);
    } else {
      const bool whole = line.sectors == line.full;
      const StoredBytes written = whole ? StoredBytes{} : writtenBytes(warp.accesses, access, i);
      storeLine(line, written, access.least_merged, index, static_cast<uint64_t>(tag_cycle), counters);
    }
  }
  const double served = std::max(from, data_.free());
  const bool waits = reads && (flights_[index].parts > 0 ||
                               static_cast<double>(hit_ready) > served + model_.profile.l1.latency_cycles);
  const uint64_t begin = ceiling(waits ? from : served);
  queueInL1(access, left, begin);
  if (op.pc == warp.stop_pc && op.destination_count > 0) {
    warp.stop_requests = first_request;
    warp.stop_requests_end = static_cast<uint32_t>(batch_.size());
    warp.stop_epoch = epoch_end_;
  }
  const double line_data_cycles = kLineBytes / std::max(model_.profile.l1.bytes_per_cycle, 1.0);
  uint32_t wavefronts = 1;
  if (reads) {
    wavefronts = wavefrontsOf(std::span(warp.accesses.lines).subspan(access.first_line, access.line_count));
    if (waits) {
      flights_[index].data_cycles = wavefronts * line_data_cycles;
      waiting_loads_.add(static_cast<uint32_t>(lines_asked_for_ - asked_before));
    } else {
      data_.take(cycle, wavefronts * line_data_cycles);
    }
  } else {
    data_.take(cycle, sectors / kSectorsPerLine * line_data_cycles);
  }
  // The sectors of a copy are written to shared memory one after another.
  if (access.asynchronous) counters_.other_wavefronts += static_cast<uint64_t>(sectors);
  if (op.acquires) emptyL1();
  Flight& flight = flights_[index];
  const uint64_t last_tag = static_cast<uint64_t>(tag_cycle - line_cycles);
  const uint64_t last_read = std::max(last_tag, begin + kWavefrontCycles * (wavefronts - 1));
  const uint32_t sooner = access.is_local ? kLocalSoonerCycles : 0;
  flight.done = std::max(hit_ready, last_read + model_.profile.l1.latency_cycles - sooner);
  if (kind == Flight::Kind::kStore) {
    ++warp.stores_pending;
    warp.stores_left = std::max(ceiling(outward_free_), begin + kStoreWayCycles);
  }
  if (kind == Flight::Kind::kCopy) {
    flight.copy_group = warp.copy_groups_gone + static_cast<uint32_t>(warp.copy_groups.size()) - 1;
    ++warp.copy_groups.back().pending;
  }
  if (flight.parts > 0) {
    if (kind == Flight::Kind::kRegisters) {
      for (uint32_t i = 0; i < op.destination_count; ++i) {
        warp.scores[op.destinations[i]] = kPendingScore | static_cast<uint64_t>(ScoreClass::kLong);
      }
    }
    return;
  }
  completeFlight(index);
}

void SmCore::prefetchTags(const WarpSlot& warp, const WarpAccess& access) const {
  const auto lines = std::span(warp.accesses.lines).subspan(access.first_line, access.line_count);
  for (const LineAccess& line : lines) l1_.prefetch(line.line);
  for (const LineAccess& line : lines) l1_.prefetchLine(line.line);
}

// A word of the frame for each lane, interleaved as all local memory.
void SmCore::issueStack(Partition& partition, uint32_t slot, const IssueOp& op, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  const bool pushes = op.stack.kind == StackAccess::Kind::kPush;
  const uint32_t lanes = warp.member_masks[op.member];
  const int stored_bytes = pushes ? 4 * std::popcount(lanes) : 0;
  const WarpAccess access{.pc = op.pc,
                          .first_line = static_cast<uint32_t>(warp.accesses.lines.size()),
                          .line_count = 1,
                          .stored_bytes = static_cast<uint16_t>(stored_bytes),
                          .kind = WarpAccess::Kind::kGlobal,
                          .reads = !pushes,
                          .writes = pushes,
                          .is_local = true};
  warp.accesses.lines.push_back(stackLine(localMemoryOf(slot), warp.call_depth, op.stack.word, lanes));
  issueGlobal(partition, slot, op, access, cycle);
}

LineAccess SmCore::stackLine(uint64_t local_memory, uint32_t depth, uint32_t word, uint32_t lanes) {
  constexpr uint64_t kBeforeFrames = kWindowBytes / 2 * 32, kFrameWords = 128;
  LineAccess line{.line = (local_memory + kBeforeFrames) / kLineBytes + depth * kFrameWords + word};
  constexpr uint32_t kLanes = kSectorBytes / 4;
  for (uint32_t sector = 0; sector < kSectorsPerLine; ++sector) {
    const uint32_t of_sector = (lanes >> (sector * kLanes)) & ((1U << kLanes) - 1);
    if (of_sector != 0) line.sectors = static_cast<uint8_t>(line.sectors | 1U << sector);
    if (of_sector == (1U << kLanes) - 1) line.full = static_cast<uint8_t>(line.full | 1U << sector);
  }
  line.words = lanes;
  return line;
}

void SmCore::loadLine(const LineAccess& line, const WarpAccess& access, uint32_t flight, uint64_t cycle,
                      uint64_t& hit_ready, L1Counters& counters) {
  L2Request request{.line = line.line, .flight = flight, .sectors = line.sectors, .kind = RequestKind::kLoad};
  if (access.bypasses_l1) {
    ++flights_[flight].parts;
    return send(request, cycle);
  }
  l1_used_ = true;
  CacheLine evicted{};
  CacheLine& cached = l1_.findOrReplace(line.line, evicted);
  const auto missing = static_cast<uint8_t>(line.sectors & ~cached.valid);
  counters.hits += sectorCount(line.sectors) - sectorCount(missing);
  if (missing != line.sectors) {
    if ((cached.fill & kPendingFill) != 0) {
      request.kind = RequestKind::kMerged;
      request.merged_with = static_cast<uint32_t>(cached.fill);
      ++flights_[flight].parts;
      batch_.push_back(request);
    } else {
      hit_ready = std::max(hit_ready, cached.fill);
    }
  }
  if (missing == 0) return;
  request.kind = RequestKind::kLoad;
  request.sectors = missing;
  cached.valid = static_cast<uint8_t>(cached.valid | missing);
  cached.fill = kPendingFill | batch_.size();
  ++flights_[flight].parts;
  send(request, cycle);
}

// Stores are written through to L2, those of local memory, too; sectors that they wrote completely can be
// read from L1 (as counters on an H100 show).
void SmCore::storeLine(const LineAccess& line, const StoredBytes& written, uint8_t least_merged,
                       uint32_t flight, uint64_t cycle, L1Counters& counters) {
  l1_used_ = true;
  CacheLine evicted{};
  CacheLine& cached = l1_.findOrReplace(line.line, evicted);
  counters.hits += sectorCount(static_cast<uint8_t>(line.sectors & (cached.valid | cached.written)));
  cached.valid = static_cast<uint8_t>(cached.valid | line.full);
  cached.written = static_cast<uint8_t>(cached.written | line.sectors);
  const uint8_t sectors =
      line.sectors != line.full ? mergeWithEarlier(line, written, least_merged, cycle) : line.sectors;
  if (sectors == 0) return;
  ++flights_[flight].parts;
  send({.line = line.line,
        .flight = flight,
        .sectors = sectors,
        .full = line.full,
        .kind = RequestKind::kStore},
       cycle);
}

// Returns the sectors that go to L2 by themselves.
uint8_t SmCore::mergeWithEarlier(const LineAccess& line, const StoredBytes& written, uint8_t least_merged,
                                 uint64_t cycle) {
  // The store meets others only when it has come to the end of L1's queue.
  cycle = std::max(cycle, static_cast<uint64_t>(std::max(outward_free_ - kWayBacklogCycles, 0.0)));
  uint8_t sectors = line.sectors;
  for (uint32_t i = 0; i < kSectorsPerLine; ++i) {
    const auto bit = static_cast<uint8_t>(1U << i);
    if ((line.sectors & ~line.full & bit) == 0 || std::popcount(written[i]) < least_merged) continue;
    const uint64_t sector = line.line * kSectorsPerLine + i;
    PartOfSector& part = partOf(sector);
    if (part.sector == sector && cycle < part.leaves && (part.bytes & written[i]) == 0) {
      sectors = static_cast<uint8_t>(sectors & ~bit);
      part.bytes |= written[i];
    } else {
      part = {
          sector,
          std::clamp(static_cast<uint64_t>(outward_free_), cycle + kMergeCycles, cycle + kMostMergeCycles),
          written[i]};
    }
  }
  return sectors;
}

// Sectors at the same place of rows, whose distance is often a power of two, do not share a place here.
SmCore::PartOfSector& SmCore::partOf(uint64_t sector) {
  static_assert(std::tuple_size_v<decltype(parts_of_sectors_)> == 256);
  return parts_of_sectors_[(sector ^ sector >> 8) % parts_of_sectors_.size()];
}

// Requests that are under way find no line when they come back.
void SmCore::emptyL1() {
  if (l1_used_) l1_.clear();
  l1_used_ = false;
}

// A load takes the way out for a cycle, an atomic for longer, a store for twice as long (one SM of an H100
// with random lines, 580.159.04, 2026-11-26: 1.0 cycles a load of 1 or 2 sectors; reductions of 1 sector 1.0,
// of 4 5.0; atomics that return something 1.27 and 5.1; of compare-and-swap 1.39 and 10).
double SmCore::outwardCycles(const L2Request& request) const {
  const uint32_t sectors = sectorCount(request.sectors);
  if (request.kind == RequestKind::kStore) return model_.store_cycles.of(sectors);
  if (request.kind == RequestKind::kLoad) return 1;
  if (request.atomic.reduces) return 1 + 1.3 * (sectors - 1);
  return request.atomic.compares ? 1.39 + 2.9 * (sectors - 1) : 1.27 * sectors;
}

void SmCore::send(L2Request request, uint64_t cycle) {
  const auto from = static_cast<double>(cycle);
  const double way_cycles = outwardCycles(request);
  outward_free_ = std::max(outward_free_, from) + way_cycles;
  if (request.kind == RequestKind::kLoad) {
    loads_outward_free_ = std::max(loads_outward_free_, from) + way_cycles;
    ++lines_asked_for_;
  }
  request.arrival = static_cast<uint64_t>(outward_free_) + model_.request_outward_cycles;
  // Which SMs belong to which partition and GPC is not known.
  request.partition = smid_ % 2;
  request.gpc = static_cast<uint8_t>(smid_ % std::max(model_.profile.gpc_count, 1U));
  batch_.push_back(request);
}

uint64_t SmCore::localMemoryOf(uint32_t slot) const {
  constexpr uint64_t kWarpBytes = kWindowBytes * 32;
  const uint64_t slots = uint64_t{model_.slots_per_partition} * partitions_.size();
  return kLocalMemories + (smid_ * slots + slot) * kWarpBytes;
}

}  // namespace warpscope::sim
