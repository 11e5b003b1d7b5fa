#include "kernels/sim/sm/l2_cache.h"

#include <algorithm>
#include <cmath>

namespace warpscope::sim {
namespace {

// The share of an L1 miss's unloaded latency until its slice looks it up; the rest is the way back. Only the
// sum can be measured.
constexpr double kOutwardShare = 0.5;

// The wait for DRAM at a load of one half, as of a queue with one server. Fitted to `reduction grid_stride`
// with 2^24 elements and 1, 2, 4 and 8 blocks per SM on an H100 (driver 580.159.04, 2026-11-23): each thread
// has one load in flight, which takes 775, 800, 874 and 1,087 cycles at 11, 21, 38 and 61 % of the DRAM's
// peak throughput.
// Beyond the highest of these loads the wait no longer grows; with more than 0.75 `coarsened` would be slower
// than there.
constexpr double kDramWaitCycles = 165;
constexpr double kMostDramLoad = 0.75;
constexpr double kDramMemoryCycles = 2000;  // the load is that of about so many cycles

// A slice reads 64 bytes at a time: a load of one sector takes as long as one of the two in its half of a
// line. On an H100 (driver 580.159.04, 2026-11-23) all SMs together get 0.51 to 0.65 random lines per cycle
// and SM with one sector of each, 0.47 to 0.58 with two sectors of the same half, and 0.23 to 0.30 with all
// four.
uint32_t sectorsRead(uint8_t sectors) {
  return ((sectors & 3U) != 0 ? 2 : 0) + ((sectors & 12U) != 0 ? 2 : 0);
}

}  // namespace

StoreCycles::StoreCycles(double bytes_per_cycle, double requests_per_cycle) {
  const double line = kSectorBytes * kSectorsPerLine / bytes_per_cycle;
  const double one_sector = 1 / requests_per_cycle;
  sector_cycles = std::max(line - one_sector, 0.0) / (kSectorsPerLine - 1);
  request_cycles = std::max(one_sector - sector_cycles, 0.0);
}

void RequestBatch::clear() {
  requests.clear();
  for (std::vector<uint32_t>& group : groups) group.clear();
}

L2Cache::L2Cache(const DeviceProfile& profile)
    : slice_count_(std::max(profile.l2_slices, 1U)),
      store_cycles_(profile.l2_write_bytes_per_cycle / slice_count_,
                    profile.l2_write_requests_per_cycle / slice_count_) {
  const double slices = slice_count_;
  outward_cycles_ = static_cast<uint32_t>(profile.l2.latency_cycles * kOutwardShare);
  return_cycles_ = profile.l2.latency_cycles - outward_cycles_;
  sector_cycles_ = kSectorBytes * slices / std::max(profile.l2.bytes_per_cycle, 1.0);
  dram_sector_cycles_ = kSectorBytes * slices / std::max(profile.dram_bytes_per_cycle, 1.0);
  dram_extra_cycles_ = std::max(0.0, double{1} * profile.dram_latency_cycles - profile.l2.latency_cycles);
  atomic_extra_cycles_ =
      std::max(0.0, double{1} * profile.global_atomic_latency_cycles - profile.l2.latency_cycles);
  atomic_interval_cycles_ = profile.global_atomic_interval_cycles;
  slices_.assign(slice_count_, Slice{SectoredTags(profile.l2.bytes / slice_count_, profile.l2.ways)});
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
  overflows_ = false;
}

void L2Cache::touch(uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  const uint64_t first = address / kLineBytes, last = (address + bytes - 1) / kLineBytes;
  warm_.touch(first, last);
  for (Slice& slice : slices_) {
    WarmRanges::Used used;
    for (const std::optional<size_t>& former : warm_.formerIndices())
      used.push_back(former ? slice.used[*former] : 0);
    used.push_back(slice.used.back());
    slice.used = std::move(used);
  }
  overflows_ = warm_.freshLines() > slice_count_ * slices_.front().tags.lineCount();
}

void L2Cache::noteUse() {
  for (Slice& slice : slices_) {
    slice.used_before = slice.used;
    slice.atomics_before = slice.atomics;
  }
}

// Where warps wait for the atomics, the queue does not grow: one that grew by little was only unsteady.
void L2Cache::extendQueue(AtomicUnit& unit, const AtomicUnit& before, double times, uint64_t cycles) {
  constexpr double kLeastGrowth = 0.1;  // of the time
  if (unit.sector != before.sector) return;
  const auto passed = static_cast<double>(cycles);
  const double growth = (unit.free - before.free) * times - passed;
  if (growth > kLeastGrowth * passed) unit.free += growth;
}

void L2Cache::skip(double times, uint64_t cycles) {
  for (Slice& slice : slices_) {
    for (size_t i = 0; i < slice.atomics.size(); ++i)
      extendQueue(slice.atomics[i], slice.atomics_before[i], times, cycles);
    for (size_t i = 0; i < slice.used.size(); ++i)
      slice.used[i] += times * (slice.used[i] - slice.used_before[i]);
  }
}

void L2Cache::beginLaunch(double share, const std::vector<AddressRange>& of_those_only) {
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
  group_count_ = all ? kSliceGroups : static_cast<uint32_t>(queues);
  slower_ = all ? 1 : queues / (slice_count_ * share);
  atomics_slower_ = all ? 1 : 1 / share;
  share_ = all ? 1 : share;
  for (size_t i = 0; i < slices_.size(); ++i) {
    Slice& slice = slices_[i];
    slice.own = {};
    slice.queues = all ? &slice.own : &slices_[i % group_count_].own;
    slice.atomics.fill({});
    slice.counters = {};
  }
}

void L2Cache::serve(uint32_t group, std::span<RequestBatch* const> batches) {
  // Requests are given by SM and in the order of issue; those that arrive in the same cycle are served in
  // that order.
  TimeOrder& arrivals = arrivals_[group];
  arrivals.clear();
  std::vector<L2Request*>& requests = requests_[group];
  requests.clear();
  for (RequestBatch* batch : batches) {
    for (const uint32_t index : batch->groups[group]) {
      L2Request& request = batch->requests[index];
      arrivals.add(request.arrival, static_cast<uint32_t>(requests.size()));
      requests.push_back(&request);
    }
  }
  const std::vector<TimeOrder::Key>& sorted = arrivals.sorted();
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i + kAhead < sorted.size()) {
      const uint64_t line = requests[sorted[i + kAhead].item]->line;
      slices_[sliceOf(line)].tags.prefetch(line);
    }
    L2Request& request = *requests[sorted[i].item];
    serve(slices_[sliceOf(request.line)], request);
    latest_of_group_[group] = std::max(latest_of_group_[group], request.done);
  }
}

double L2Cache::weightOf(uint64_t line) const {
  const auto contains = [line](const AddressRange& lines) { return line >= lines.begin && line < lines.end; };
  return std::ranges::any_of(lines_of_those_only_, contains) ? share_ : 1;
}

void L2Cache::serve(Slice& slice, L2Request& request) {
  const bool stores = request.kind == RequestKind::kStore;
  double& free = stores ? slice.queues->store_free : slice.queues->free;
  const double start = std::max(static_cast<double>(request.arrival), free);
  const uint32_t sectors = sectorCount(request.sectors);
  const double read_sectors = request.kind == RequestKind::kLoad ? sectorsRead(request.sectors) : sectors;
  free = start + weightOf(request.line) * slower_ *
                     (stores ? store_cycles_.of(sectors) : sector_cycles_ * read_sectors);
  double ready = start;
  switch (request.kind) {
    case RequestKind::kLoad:
      ready = load(slice, request, start);
      break;
    case RequestKind::kStore:
      store(slice, request, start);
      break;
    case RequestKind::kAtomic:
      ready = atomic(slice, request, start);
      break;
    case RequestKind::kMerged:
      return;
  }
  request.done = static_cast<uint64_t>(std::ceil(ready)) + return_cycles_;
}

double L2Cache::load(Slice& slice, const L2Request& request, double start) {
  CacheLine& line = lineFor(slice, request.line, start);
  const uint32_t sectors = sectorCount(request.sectors);
  const auto missing = static_cast<uint8_t>(request.sectors & ~line.valid);
  slice.counters.reads += sectors;
  slice.counters.lookups += sectors;
  slice.counters.hits += sectors - sectorCount(missing);
  if (missing != 0) return fetch(slice, line, missing, start);
  // Present, or being fetched from DRAM for another request.
  const double fill = line.fill > life_cycles_ ? static_cast<double>(line.fill - life_cycles_) : 0;
  return std::max(start, fill);
}

// Partly written sectors are merged with the rest when the rest is needed.
void L2Cache::store(Slice& slice, const L2Request& request, double start) {
  CacheLine& line = lineFor(slice, request.line, start);
  const uint32_t sectors = sectorCount(request.sectors);
  slice.counters.writes += sectors;
  slice.counters.lookups += sectors;
  slice.counters.hits += sectors;  // a write needs nothing from DRAM, so Nsight Compute counts it as a hit
  line.valid = static_cast<uint8_t>(line.valid | request.full);
  makeDirty(slice, line, request.sectors, start, weightOf(request.line));
}

double L2Cache::atomic(Slice& slice, const L2Request& request, double start) {
  CacheLine& line = lineFor(slice, request.line, start);
  const uint32_t sectors = sectorCount(request.sectors);
  const auto missing = static_cast<uint8_t>(request.sectors & ~line.valid);
  slice.counters.atomics += sectors;
  slice.counters.lookups += sectors;
  slice.counters.hits += sectors - sectorCount(missing);
  double ready = missing != 0 ? fetch(slice, line, missing, start) : start;
  makeDirty(slice, line, request.sectors, start, weightOf(request.line));
  for (uint32_t sector = 0; sector < kSectorsPerLine; ++sector) {
    if (((request.sectors >> sector) & 1U) == 0) continue;
    const uint64_t key = request.line * kSectorsPerLine + sector;
    AtomicUnit& unit = slice.atomics[key % slice.atomics.size()];
    if (unit.sector != key) unit = {key, 0};
    const double begin = std::max(ready, unit.free);
    const double interval = atomic_interval_cycles_ * std::max(atomics_slower_ * weightOf(request.line), 1.0);
    unit.free = begin + interval * request.serial;
    ready = std::max(ready, unit.free - interval);
  }
  return ready + atomic_extra_cycles_;
}

CacheLine& L2Cache::lineFor(Slice& slice, uint64_t line, double now) {
  if (CacheLine* known = slice.tags.find(line)) return *known;
  CacheLine evicted;
  CacheLine& found = slice.tags.findOrReplace(line, evicted);
  if (isWarm(slice, line)) found.valid = (1U << kSectorsPerLine) - 1;
  if (evicted.dirty != 0 && !overflows_) writeBack(slice, sectorCount(evicted.dirty), now, 1);
  return found;
}

// Whether the line, which is looked up for the first time, is there from before. Takes note that it is used.
bool L2Cache::isWarm(Slice& slice, uint64_t line) {
  const std::optional<size_t> range = warm_.find(line);
  const bool warm = range && warm_.holds(*range, line, slice.used, slice_count_);
  slice.used[range.value_or(warm_.size())] += 1 / share_;
  return warm;
}

// Where the launch's data does not fit, all that it writes is evicted sooner or later while it runs.
void L2Cache::makeDirty(Slice& slice, CacheLine& line, uint8_t sectors, double now, double weight) {
  const auto fresh = static_cast<uint8_t>(sectors & ~line.dirty);
  line.dirty = static_cast<uint8_t>(line.dirty | sectors);
  if (overflows_ && fresh != 0) writeBack(slice, sectorCount(fresh), now, weight);
}

void L2Cache::writeBack(Slice& slice, uint32_t sectors, double now, double weight) {
  double& free = slice.queues->dram_free;
  free = std::max(free, now) + weight * slower_ * dram_sector_cycles_ * sectors;
  slice.counters.dram_write_bytes += uint64_t{sectors} * kSectorBytes;
}

double L2Cache::fetch(Slice& slice, CacheLine& line, uint8_t sectors, double now) {
  const uint32_t count = sectorCount(sectors);
  const double service = slower_ * dram_sector_cycles_ * count;
  double& free = slice.queues->dram_free;
  free = std::max(free, now) + service;
  slice.counters.dram_read_bytes += uint64_t{count} * kSectorBytes;
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
    sum.lookups += slice.counters.lookups;
    sum.hits += slice.counters.hits;
    sum.dram_read_bytes += slice.counters.dram_read_bytes;
    sum.dram_write_bytes += slice.counters.dram_write_bytes;
  }
  return sum;
}

}  // namespace warpscope::sim
