#include "kernels/sim/sm/l2_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace warpscope::sim {
namespace {

// The share of an L1 miss's unloaded latency until its slice looks it up; the rest is the way back. Only the
// sum can be measured.
constexpr double kOutwardShare = 0.5;

// More latency of a load whose line is at home in the other partition and has no copy in the SM's own: an
// estimate from loops with one load of a thread in flight (an H100 that finds the copy takes 40 cycles more
// for half of all lines than for the other half, which the latency of L2 includes).
constexpr double kOtherPartitionCycles = 150;

// The wait for DRAM at a load of one half, as of a queue with one server. Fitted to `reduction grid_stride`
// with 2^24 elements and 1, 2, 4 and 8 blocks per SM on an H100 (driver 580.159.04, 2026-11-23): each thread
// has one load in flight, which takes 775, 800, 874 and 1,087 cycles at 11, 21, 38 and 61 % of the DRAM's
// peak throughput.
// Beyond the highest of these loads the wait no longer grows; with more than 0.75 `coarsened` would be slower
// than there.
constexpr double kDramWaitCycles = 165;
constexpr double kMostDramLoad = 0.75;
constexpr double kDramMemoryCycles = 2000;  // the load is that of about so many cycles

// A written sector occupies the DRAM channel this many times as long as one that is read, because the channel
// loses time when it turns from reads to writes and back. Chosen with two copies of 2^24 floats recorded on
// an H100 on 2026-11-22: launches of 48.8 µs with 16 bytes a lane and of 198.9 with a stride of 8. The model
// takes 40.9 and 194.8 with a factor of 1, 44.4 and 199.0 with 1.25, 48.0 and 203.0 with 1.5. With 1.5,
// `occupancy registers` with 128 registers, too slow already, would be slower still. docs/simulated_gpu.md
// has others.
constexpr double kTurnaround = 1.25;

// A profile that does not say how many single sectors all slices look up in a cycle has one for each so many
// bytes of its throughput of whole lines, as an H100 has.
constexpr double kBytesForLookup = 54;

// The time that a slice takes for a load, by the number of sectors that it reads of a line, in that of one
// sector: each lookup finds two. More than two take at least as long as the profile's throughput of whole
// lines says. On an H100 (580.159.04, 2026-11-27) all SMs together get 67 to 70 sectors a cycle from random
// words of 1 to 16 MiB of which both partitions have copies, and (2026-11-26) 0.55 lines per cycle and SM
// with one sector of each, 0.51 with two; an H200 (2026-11-28) looks up 83 to 88 lines for one sector of each
// and 70 to 75 for two.
constexpr std::array<double, kSectorsPerLine + 1> kLookups{0, 1, 1.12, 2, 2};
// The additional time if the line's home in the other partition must be asked as well. On the same H100 each
// sector that is read there for the first time takes all slices together 0.018 cycles more (random words of 1
// to 16 MiB that were uploaded before the launch).
constexpr std::array<double, kSectorsPerLine + 1> kLookupsAtHome{0, 1.24, 1.24, 0.7, 0};

// SMs read and write lines of the other partition over the connection between the two. A sector occupies it
// this many times as long as a slice takes to write one sector of a whole line. An H100 (580.159.04,
// 2026-11-27) reads 4 to 16 MiB of whole lines at 3,150 bytes per cycle if both partitions have copies, but
// at 2,020 to 2,260 after an upload, when half of the lines come from the other partition. If the kernel also
// writes each line, it reads 1,500 to 1,690 bytes per cycle with copies and 1,050 without. So about 1,050
// bytes per cycle pass the connection.
constexpr double kCrossingTimes = 1.73;

// The same of an atomic; on the same H100 and in the same way 30 to 48 lines with one word of each, and 5 to
// 14 with four sectors of each, are served a cycle.
double lookupsOf(uint32_t sectors, const AtomicWork& work) {
  constexpr double kReduced = 1.65, kReturned = 2.4, kComparedFurther = 3.85;
  if (work.reduces) return kReduced * sectors;
  return kReturned + (work.compares ? kComparedFurther : kReturned) * (sectors - 1);
}

// A share that depends on how much a launch uses (lines as a share of the cache's), between measured points.
template <size_t Count>
double shareAt(const std::array<std::pair<double, double>, Count>& points, double used) {
  if (used <= points.front().first) return points.front().second;
  for (size_t i = 1; i < Count; ++i) {
    const auto& [at, share] = points[i];
    const auto& [at_before, share_before] = points[i - 1];
    if (used <= at) return share_before + (share - share_before) * (used - at_before) / (at - at_before);
  }
  return points.back().second;
}

// Of what a launch reads and the launch before it has used, too: the share that is gone. Measured as DRAM
// reads of 4 to 64 MiB that are read again and again, and of 2 to 24 MiB that are copied, on an H100 (driver
// 580.159.04, 2026-11-24): none up to 24 MiB, 4 % with 28, 16 with 32, 86 with 40, all with 48; of copies 1 %
// with 12 MiB, 21 with 16, all with 24. Copies for the other partition take room, too.
constexpr std::array<std::pair<double, double>, 6> kGone{
    {{0.45, 0}, {0.48, 0.015}, {0.56, 0.04}, {0.64, 0.17}, {0.80, 0.86}, {0.96, 1}}};

// Of what a launch writes, the share that is written on to DRAM while it runs (measured as above, with
// copies: 8 % of 8 MiB, 12 of 12, 27 of 16, 46 of 24).
constexpr std::array<std::pair<double, double>, 6> kWrittenOn{
    {{0.25, 0}, {0.32, 0.06}, {0.48, 0.12}, {0.64, 0.27}, {0.96, 0.46}, {1.6, 1}}};

// The share of the other partition's lines of which an SM's own partition has no copy, if other SMs than in
// this launch read them before: a quarter after two launches, each of which leaves copies of half of them.
// (The same H100, 2026-11-27, looks up 4 to 10 % more sectors than a launch reads of 8 and 16 MiB, after two
// to six launches.)
constexpr double kNotCopied = 0.25;

// Like lotOf(), but spread evenly: any few neighbouring lines have their share.
double evenLotOf(uint64_t line) {
  return static_cast<double>(hashLine(line) >> 11) * 0x1p-53;
}

bool isLocal(uint64_t line) {
  return line >= kLocalMemories / kLineBytes && line < kGlobalBase / kLineBytes;
}

}  // namespace

StoreCycles::StoreCycles(double bytes_per_cycle, double requests_per_cycle) {
  const double line = kSectorBytes * kSectorsPerLine / bytes_per_cycle;
  const double one_sector = 1 / requests_per_cycle;
  sector_cycles = std::max(line - one_sector, 0.0) / (kSectorsPerLine - 1);
  request_cycles = std::max(one_sector - sector_cycles, 0.0);
}

L2Cache::L2Cache(const DeviceProfile& profile)
    : slice_count_(std::max(profile.l2_slices, 1U)),
      store_cycles_(profile.l2_write_bytes_per_cycle / slice_count_,
                    profile.l2_write_requests_per_cycle / slice_count_) {
  const double slices = slice_count_;
  outward_cycles_ = static_cast<uint32_t>(profile.l2.latency_cycles * kOutwardShare);
  return_cycles_ = profile.l2.latency_cycles - outward_cycles_;
  gpcs_of_partition_ = std::max(1.0, profile.gpc_count / 2.0);
  sector_cycles_ = kSectorBytes * slices / std::max(profile.l2.bytes_per_cycle, 1.0);
  const double lookups = profile.l2_read_requests_per_cycle > 0
                             ? profile.l2_read_requests_per_cycle
                             : profile.l2.bytes_per_cycle / kBytesForLookup;
  lookup_cycles_ = slices / std::max(lookups, 0.01);
  crossing_sector_cycles_ =
      kCrossingTimes * kSectorBytes * slices / std::max(profile.l2_write_bytes_per_cycle, 1.0);
  dram_sector_cycles_ = kSectorBytes * slices / std::max(profile.dram_bytes_per_cycle, 1.0);
  // The latency of DRAM was measured with half of the lines at home in the other partition.
  dram_extra_cycles_ = std::max(
      0.0, double{1} * profile.dram_latency_cycles - profile.l2.latency_cycles - kOtherPartitionCycles / 2);
  const double cycles_per_ns = profile.sm_clock_mhz / 1e3;
  link_sector_cycles_ =
      kSectorBytes * slices * cycles_per_ns / std::max(profile.peer_load_bytes_per_ns, 0.001);
  link_extra_cycles_ =
      std::max(0.0, profile.peer_load_latency_ns * cycles_per_ns - profile.l2.latency_cycles);
  atomic_extra_cycles_ =
      std::max(0.0, double{1} * profile.global_atomic_latency_cycles - profile.l2.latency_cycles);
  atomic_interval_cycles_ = profile.global_atomic_interval_cycles;
  for (uint32_t i = 0; i < slice_count_; ++i)
    slices_.push_back(Slice{SectoredTags(profile.l2.bytes / slice_count_, profile.l2.ways)});
  warm_ = WarmRanges(slice_count_ * slices_.front().tags.lineCount());
  beginLaunch(1);
}

void L2Cache::clear() {
  warm_.clear();
  forgetLaunches();
}

void L2Cache::forgetLaunches() {
  for (Slice& slice : slices_) {
    slice.tags.clear();
    slice.used.assign(warm_.size() + 1, 0);
  }
  warm_.settle();
  written_on_ = 0;
}

void L2Cache::touch(uint64_t address, uint64_t bytes, bool written, double share) {
  if (bytes == 0) return;
  const uint64_t first = address / kLineBytes, last = (address + bytes - 1) / kLineBytes;
  warm_.touch(first, last, written, share);
  for (Slice& slice : slices_) {
    WarmRanges::Used used;
    for (const std::optional<size_t>& former : warm_.formerIndices())
      used.push_back(former ? slice.used[*former] : 0);
    used.push_back(slice.used.back());
    slice.used = std::move(used);
  }
  written_on_ = shareAt(kWrittenOn, freshShare());
}

double L2Cache::freshShare() const {
  return warm_.freshLines() / static_cast<double>(slice_count_ * slices_.front().tags.lineCount());
}

bool L2Cache::hasLost() const {
  return freshShare() > kGone.front().first;
}

double L2Cache::usedShareOf(uint64_t address) const {
  const std::optional<size_t> range = warm_.find(address / kLineBytes);
  if (!range) return 1;
  double used = 0;
  for (const Slice& slice : slices_) used += slice.used[*range];
  return std::min(used / static_cast<double>(warm_.linesOf(*range)), 1.0);
}

void L2Cache::noteUse() {
  for (Slice& slice : slices_) {
    slice.used_before = slice.used;
    slice.filling_before = slice.filling;
    slice.atomics_before = slice.atomics;
    slice.atomics_free_before = slice.atomics_free;
  }
}

// Where warps wait for the atomics, the queue does not grow: one that grew by little was only unsteady.
void L2Cache::extendQueue(double& free, double before, double times, uint64_t cycles) {
  constexpr double kLeastGrowth = 0.1;  // of the time
  const auto passed = static_cast<double>(cycles);
  const double growth = (free - before) * times - passed;
  if (growth > kLeastGrowth * passed) free += growth;
}

void L2Cache::skip(double times, uint64_t cycles) {
  for (Slice& slice : slices_) {
    extendQueue(slice.atomics_free, slice.atomics_free_before, times, cycles);
    for (size_t i = 0; i < slice.atomics.size(); ++i) {
      if (slice.atomics[i].sector == slice.atomics_before[i].sector)
        extendQueue(slice.atomics[i].free, slice.atomics_before[i].free, times, cycles);
    }
    for (size_t i = 0; i < slice.used.size(); ++i)
      slice.used[i] += times * (slice.used[i] - slice.used_before[i]);
    slice.filling.lines += times * (slice.filling.lines - slice.filling_before.lines);
    slice.filling.dirty_sectors += times * (slice.filling.dirty_sectors - slice.filling_before.dirty_sectors);
  }
}

void L2Cache::beginLaunch(double share, const std::vector<AddressRange>& of_those_only,
                          double dynamic_share) {
  dynamic_share_ = dynamic_share;
  lines_of_those_only_.clear();
  for (const AddressRange& range : of_those_only) {
    lines_of_those_only_.push_back({range.begin / kLineBytes, (range.end + kLineBytes - 1) / kLineBytes});
  }
  for (const uint64_t latest : latest_of_group_) latest_ = std::max(latest_, latest);
  life_cycles_ += latest_ + 1;
  latest_ = 0;
  latest_of_group_.fill(0);
  const bool all = share >= 1;
  const double queues = std::clamp(std::round(slice_count_ * share), 1.0, double{kSliceGroups});
  group_count_ = static_cast<uint32_t>(queues);
  slower_ = queues / (slice_count_ * std::min(share, 1.0));
  queues_.fill({});
  atomics_slower_ = all ? 1 : 1 / share;
  share_ = all ? 1 : share;
  ++launch_;
  for (size_t i = 0; i < slices_.size(); ++i) {
    Slice& slice = slices_[i];
    slice.queues = &queues_[i % group_count_];
    slice.free = 0;
    if (slice.atomics_used) slice.atomics.fill({});
    slice.atomics_used = false;
    slice.atomics_free = 0;
    slice.coalescer.clear();
    slice.counters = {};
    slice.filling = {};
  }
}

void L2Cache::setPeerMemory(const std::vector<AddressRange>& ranges) {
  lines_of_peer_.clear();
  for (const AddressRange& range : ranges)
    lines_of_peer_.push_back({range.begin / kLineBytes, (range.end + kLineBytes - 1) / kLineBytes});
}

void L2Cache::take(std::span<const SentRequests> sent, uint32_t part) {
  for (const SentRequests& of_sm : sent) {
    for (L2Request& request : *of_sm.batch) {
      if (request.kind == RequestKind::kMerged) continue;
      const uint32_t slice = sliceOf(request.line);
      taken_[part][slice % group_count_].push_back({&request, slice, of_sm.sm});
    }
  }
}

void L2Cache::serveAll(std::span<const SentRequests> sent) {
  take(sent, 0);
  for (uint32_t group = 0; group < group_count_; ++group) serve(group, 1);
}

// Requests come by SM and in the order of issue; those that arrive in the same cycle are served in that
// order.
void L2Cache::serve(uint32_t group, uint32_t parts) {
  std::vector<Arrived>& requests = requests_[group];
  for (uint32_t part = 0; part < parts; ++part) {
    std::vector<Arrived>& taken = taken_[part][group];
    requests.insert(requests.end(), taken.begin(), taken.end());
    taken.clear();
  }
  if (requests.empty()) return;
  for (uint32_t i = 0; i < requests.size(); ++i) arrivals_[group].add(requests[i].request->arrival, i);
  const std::vector<TimeOrder::Key>& sorted = arrivals_[group].sorted();
  // A large cache's tags are not in the host's caches.
  constexpr size_t kFarAhead = 16, kAhead = 8;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i + kFarAhead < sorted.size()) {
      const Arrived& later = requests[sorted[i + kFarAhead].item];
      slices_[later.slice].tags.prefetch(later.request->line);
    }
    if (i + kAhead < sorted.size()) {
      const Arrived& later = requests[sorted[i + kAhead].item];
      slices_[later.slice].tags.prefetchLine(later.request->line);
    }
    const Arrived& arrived = requests[sorted[i].item];
    L2Request& request = *arrived.request;
    serve(slices_[arrived.slice], request, arrived.sm);
    latest_of_group_[group] = std::max(latest_of_group_[group], request.done);
  }
  arrivals_[group].clear();
  requests.clear();
}

bool L2Cache::isOfPeer(uint64_t line) const {
  const auto contains = [line](const AddressRange& lines) { return line >= lines.begin && line < lines.end; };
  return std::ranges::any_of(lines_of_peer_, contains);
}

// The other GPU's L2 and memory are taken to be no narrower than the link.
double L2Cache::overLink(Slice& slice, const L2Request& request, double start) {
  const uint32_t sectors = sectorCount(request.sectors);
  const bool stores = request.kind == RequestKind::kStore;
  slice.counters.lookups += sectors;
  (stores ? slice.counters.writes : slice.counters.reads) += sectors;
  double& free = stores ? slice.queues->link_out_free : slice.queues->link_in_free;
  free = std::max(free, start) + weightOf(request.line) * slower_ * link_sector_cycles_ * sectors;
  return free + link_extra_cycles_;
}

double L2Cache::weightOf(uint64_t line) const {
  const auto contains = [line](const AddressRange& lines) { return line >= lines.begin && line < lines.end; };
  return std::ranges::any_of(lines_of_those_only_, contains) ? share_ : 1;
}

void L2Cache::serve(Slice& slice, L2Request& request, uint32_t sm) {
  if (request.kind == RequestKind::kLoad && meetsAnother(slice, request, sm)) return;
  const bool stores = request.kind == RequestKind::kStore;
  double& free = stores ? slice.queues->store_free : slice.queues->free;
  const auto arrival = static_cast<double>(request.arrival);
  double& turns_free = slice.queues->turns_free;
  double& crossing_free = slice.queues->crossing_free;
  const double start = std::max({arrival, free, slice.free, turns_free, stores ? crossing_free : 0});
  const double weight = weightOf(request.line) * slower_;
  const uint32_t sectors = sectorCount(request.sectors);
  free = start + weight * sliceCyclesOf(request);
  // Half of all stores cross the connection of the partitions.
  if (stores) {
    crossing_free = std::max(crossing_free, arrival) + weight * crossing_sector_cycles_ * sectors / 2;
  }
  // A slice takes a store each two cycles, and other requests each cycle: 75,000 stores to one word take
  // 140,000 cycles on an H100 (driver 580.159.04, 2026-11-24).
  const double turn = stores ? 1.9 : 1.0;
  slice.free = std::max(slice.free, arrival) + turn;
  // Few SMs rarely meet at one of the many slices, so the turns are taken at the queue, which stands for one.
  if (share_ < 1) turns_free = std::max(turns_free, arrival) + turn * weight;
  double ready = start;
  if (!lines_of_peer_.empty() && isOfPeer(request.line)) {
    ready = overLink(slice, request, start);
  } else {
    CacheLine& line = lineFor(slice, request.line, start);
    if (share_ < 1) slice.free += turn * (requestsOnLine(slice, line, request, sm) - 1);
    if (request.kind == RequestKind::kLoad) ready = load(slice, line, request, start);
    if (request.kind == RequestKind::kAtomic) ready = atomic(slice, line, request, start);
    if (stores) store(slice, line, request, start);
  }
  request.done = static_cast<uint64_t>(std::ceil(ready)) + return_cycles_;
  if (request.kind == RequestKind::kLoad) remember(slice, request, sm);
}

// Whether another SM has just asked for the same sectors, whose reply this load gets, too.
bool L2Cache::meetsAnother(Slice& slice, L2Request& request, uint32_t sm) const {
  const auto* other = slice.coalescer.last(request.line, groupOf(request));
  if (other == nullptr || !RequestCoalescer::meets(*other, sm, request.sectors, request.arrival))
    return false;
  request.effect = request.arrival;
  request.done = std::max(other->done, request.arrival + return_cycles_);
  if (share_ < 1) {
    if (CacheLine* line = slice.tags.find(request.line)) noteUser(slice, *line, sm);
  }
  return true;
}

void L2Cache::remember(Slice& slice, const L2Request& request, uint32_t sm) const {
  slice.coalescer.add({.line = request.line,
                       .done = request.done,
                       .until = request.arrival + RequestCoalescer::kMeetingCycles,
                       .sm = sm,
                       .sectors = request.sectors,
                       .group = groupOf(request)});
}

double L2Cache::sliceCyclesOf(const L2Request& request) const {
  const uint32_t sectors = sectorCount(request.sectors);
  if (request.kind == RequestKind::kStore) return store_cycles_.of(sectors);
  if (request.kind == RequestKind::kAtomic) return lookup_cycles_ * lookupsOf(sectors, request.atomic);
  const double looked_up = lookup_cycles_ * kLookups[sectors];
  return sectors > 2 ? std::max(looked_up, sector_cycles_ * sectors) : looked_up;
}

double L2Cache::load(Slice& slice, CacheLine& line, L2Request& request, double start) {
  request.effect = static_cast<uint64_t>(start);
  const uint32_t sectors = sectorCount(request.sectors);
  const auto missing = static_cast<uint8_t>(request.sectors & ~line.valid);
  slice.counters.reads += sectors;
  slice.counters.lookups += sectors;
  slice.counters.hits += sectors - sectorCount(missing);
  if (!isAtHomeIn(request.line, request.partition)) {
    auto fetched = static_cast<uint8_t>(request.sectors & ~line.copied);
    if (fetched != 0 && othersRead(slice, line, sectors)) fetched = 0;
    slice.counters.reads += sectorCount(fetched);
    slice.counters.lookups += sectorCount(fetched);
    line.copied = static_cast<uint8_t>(line.copied | fetched);
    if (fetched != 0) {
      const double weight = weightOf(request.line) * slower_;
      slice.queues->free += weight * lookup_cycles_ * kLookupsAtHome[sectors];
      double& free = slice.queues->crossing_free;
      const double crosses = std::max(free, start);
      free = crosses + weight * crossing_sector_cycles_ * sectorCount(fetched);
      start = crosses + kOtherPartitionCycles;
    }
  }
  if (missing != 0) return fetch(slice, line, missing, start);
  // Present, or being fetched from DRAM for another request.
  const double fill = line.fill > life_cycles_ ? static_cast<double>(line.fill - life_cycles_) : 0;
  return std::max(start, fill);
}

// Partly written sectors are merged with the rest when the rest is needed.
void L2Cache::store(Slice& slice, CacheLine& line, const L2Request& request, double start) {
  const uint32_t sectors = sectorCount(request.sectors);
  const uint32_t passed = isAtHomeIn(request.line, request.partition) ? sectors : 2 * sectors;
  slice.counters.writes += passed;
  slice.counters.lookups += passed;
  slice.counters.hits += passed;  // a write needs nothing from DRAM, so Nsight Compute counts it as a hit
  const uint8_t kept = passed > sectors ? request.full : 0;
  line.copied = static_cast<uint8_t>((line.copied & ~request.sectors) | kept);
  line.valid = static_cast<uint8_t>(line.valid | request.full);
  // A load that follows at once waits until the store has reached the line's home.
  if (passed > sectors) {
    const double there = start + kOtherPartitionCycles;
    line.fill = std::max(line.fill, static_cast<uint64_t>(std::ceil(there)) + life_cycles_);
  }
  makeDirty(slice, line, request.sectors, start, weightOf(request.line));
}

// The time for which a warp's operations on one sector keep the slice's unit. On an H100 (driver 580.159.04,
// 2026-11-24; 8,192 warps) operations on one word take 1.45 cycles, those on all eight words of a sector 1.2;
// compare-and-swap 1.9 and 2.45; sums of four doubles 2.3.
double L2Cache::atomicCycles(const AtomicWork& work, uint32_t sector) const {
  constexpr double kAllWords = 0.82, kComparesWord = 1.3, kComparesAll = 1.7, kDoubles = 1.56;
  const bool all = work.addresses[sector] * (work.is_wide ? 16 : 8) > static_cast<int>(kSectorBytes);
  double times = all ? kAllWords : 1;
  if (work.compares) times = all ? kComparesAll : work.serial[sector] > 1 ? 1 : kComparesWord;
  if (work.adds_floats && work.is_wide && all) times = kDoubles;
  return atomic_interval_cycles_ * times;
}

double L2Cache::atomic(Slice& slice, CacheLine& line, L2Request& request, double start) {
  // Where floats are added to one word again and again, each sum waits for the one before (measured as
  // above).
  constexpr double kFloatSumTimes = 2.35;
  slice.atomics_used = true;
  const auto missing = static_cast<uint8_t>(request.sectors & ~line.valid);
  uint32_t operations = 0;
  for (const uint8_t serial : request.atomic.serial) operations += serial;
  const uint32_t passed = isAtHomeIn(request.line, request.partition) ? operations : 2 * operations;
  (request.atomic.reduces ? slice.counters.reductions : slice.counters.atomics) += passed;
  slice.counters.lookups += passed;
  slice.counters.hits += passed - sectorCount(missing);
  line.copied = static_cast<uint8_t>(line.copied & ~request.sectors);
  double ready = missing != 0 ? fetch(slice, line, missing, start) : start;
  makeDirty(slice, line, request.sectors, start, weightOf(request.line));
  const double slower = std::max(atomics_slower_ * weightOf(request.line), 1.0);
  double last = ready;
  for (uint32_t sector = 0; sector < kSectorsPerLine; ++sector) {
    if (((request.sectors >> sector) & 1U) == 0) continue;
    const uint64_t key = request.line * kSectorsPerLine + sector;
    AtomicSector& at = slice.atomics[key % slice.atomics.size()];
    if (at.sector != key) at = {key, 0};
    const double unit_cycles = slower * atomicCycles(request.atomic, sector);
    const double float_cycles = slower * kFloatSumTimes * atomic_interval_cycles_;
    const double sector_cycles =
        request.atomic.adds_floats ? std::max(unit_cycles, float_cycles) : unit_cycles;
    for (uint32_t i = 0; i < request.atomic.serial[sector]; ++i) {
      const double begin = std::max({ready, slice.atomics_free, at.free});
      // The unit works on other sectors while a sum is under way.
      slice.atomics_free = std::max(ready, slice.atomics_free) + unit_cycles;
      at.free = begin + sector_cycles;
      last = std::max(last, begin);
    }
  }
  request.effect = static_cast<uint64_t>(last);
  return last + atomic_extra_cycles_;
}

CacheLine& L2Cache::lineFor(Slice& slice, uint64_t line, double now) {
  if (CacheLine* known = slice.tags.find(line)) return *known;
  CacheLine evicted{};
  CacheLine& found = slice.tags.replace(line, evicted);
  if (const auto range = warmRangeOf(slice, line)) {
    found.valid = (1U << kSectorsPerLine) - 1;
    if (!warm_.isWritten(*range) && evenLotOf(line) >= kNotCopied * dynamic_share_)
      found.copied = found.valid;
  }
  // The launches before have used local memory, too, and written what they read there.
  if (warm_.size() > 0 && isLocal(line)) found.valid = (1U << kSectorsPerLine) - 1;
  if (evicted.dirty != 0 && !isWrittenOn(evicted.line)) writeBack(slice, sectorCount(evicted.dirty), now, 1);
  if (share_ < 1) evictForOthers(slice, now);
  return found;
}

// The range of a line that is there from before, when it is looked up for the first time. Takes note that it
// is used.
std::optional<size_t> L2Cache::warmRangeOf(Slice& slice, uint64_t line) {
  const std::optional<size_t> range = warm_.find(line);
  const bool warm =
      range && lotOf(line, 0) >= shareAt(kGone, warm_.usedSince(*range, line, slice.used, slice_count_));
  slice.used[range.value_or(warm_.size())] += 1 / share_;
  return warm ? range : std::nullopt;
}

bool L2Cache::isWrittenOn(uint64_t line) const {
  return written_on_ > 0 && lotOf(line, 2) < written_on_;
}

void L2Cache::makeDirty(Slice& slice, CacheLine& line, uint8_t sectors, double now, double weight) {
  const auto fresh = static_cast<uint8_t>(sectors & ~line.dirty);
  line.dirty = static_cast<uint8_t>(line.dirty | sectors);
  if (fresh == 0) return;
  if (isWrittenOn(line.line)) return writeBack(slice, sectorCount(fresh), now, weight);
  slice.filling.dirty_sectors += sectorCount(fresh);
}

void L2Cache::writeBack(Slice& slice, double sectors, double now, double weight) {
  double& free = slice.queues->dram_free;
  free = std::max(free, now) + kTurnaround * weight * slower_ * dram_sector_cycles_ * sectors;
  slice.counters.dram_write_bytes += bytesOf(sectors);
}

double L2Cache::fetch(Slice& slice, CacheLine& line, uint8_t sectors, double now) {
  const uint32_t count = sectorCount(sectors);
  const double service = slower_ * dram_sector_cycles_ * count;
  double& free = slice.queues->dram_free;
  free = std::max(free, now) + service;
  slice.counters.dram_read_bytes += bytesOf((isShared(line) ? share_ : 1) * count);
  line.fetched = static_cast<uint8_t>(line.fetched | sectors);
  const double ready = free + dram_extra_cycles_ + dramWait(*slice.queues, now, service);
  line.valid = static_cast<uint8_t>(line.valid | sectors);
  line.fill = static_cast<uint64_t>(std::ceil(ready)) + life_cycles_;
  return ready;
}

// The busier the DRAM, the longer a load waits there, because requests do not come evenly and meet in banks.
double L2Cache::dramWait(Queues& queues, double now, double service) {
  queues.dram_load *= kDramMemoryCycles / (kDramMemoryCycles + std::max(now - queues.dram_since, 0.0));
  queues.dram_load += service / kDramMemoryCycles;
  queues.dram_since = now;
  const double load = std::min(queues.dram_load, kMostDramLoad);
  return kDramWaitCycles * load / (1 - load);
}

L2Counters L2Cache::counters() const {
  L2Counters sum;
  for (const Slice& slice : slices_) {
    sum.reads += slice.counters.reads;
    sum.writes += slice.counters.writes;
    sum.atomics += slice.counters.atomics;
    sum.reductions += slice.counters.reductions;
    sum.lookups += slice.counters.lookups;
    sum.hits += slice.counters.hits;
    sum.dram_read_bytes += slice.counters.dram_read_bytes;
    sum.dram_write_bytes += slice.counters.dram_write_bytes;
  }
  return sum;
}

}  // namespace warpscope::sim
