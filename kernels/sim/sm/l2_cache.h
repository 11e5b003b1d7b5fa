// The L2 cache and the DRAM behind it: slices, each with tags, queues and a share of the DRAM bandwidth. SMs
// send requests; at the end of an epoch they are served in the order of arrival, SM and issue, whichever
// thread serves them. Slices share nothing, so that groups of them are served in parallel.
//
// The cache has two partitions. Each SM is connected to one of them, and each line is at home in one. What an
// SM reads in the other partition is looked up in its own first, which keeps a copy; what it writes passes
// through its own, which keeps a copy of sectors written in full, while other copies are gone: of lines that
// a kernel wrote, a quarter are read in the other partition, of lines that were uploaded half. On an H100
// (driver 580.159.04, 2026-11-24, Nsight Compute with application replay) writes, and reads that find no
// copy, count 1.5 sectors for each, as half of the lines are at home in the other partition.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/sim/simt/memory.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/request_coalescer.h"
#include "kernels/sim/sm/sectored_tags.h"
#include "kernels/sim/sm/time_order.h"
#include "kernels/sim/sm/warm_ranges.h"

namespace warpscope::sim {

// Local memory lies behind this address, and below all global ones.
inline constexpr uint64_t kLocalMemories = uint64_t{1} << 46;

// Slices are served in at most this many groups.
inline constexpr uint32_t kSliceGroups = 16;

// The time that a store occupies a path, fitted to measurements with whole lines and with one sector per
// request.
struct StoreCycles {
  StoreCycles(double bytes_per_cycle, double requests_per_cycle);
  double of(uint32_t sectors) const { return request_cycles + sector_cycles * sectors; }
  double request_cycles = 0, sector_cycles = 0;
};

enum class RequestKind : uint8_t { kLoad, kStore, kAtomic, kMerged };

// What the operations of a warp's atomic on one line are to the unit that executes them.
struct AtomicWork {
  // By sector: the most operations on one of its addresses, which cannot be combined; how many addresses.
  std::array<uint8_t, kSectorsPerLine> serial{}, addresses{};
  bool adds_floats = false, compares = false, is_wide = false;
  bool reduces = false;  // nothing waits for a result
};

// A request of an SM for one line. Times are cycles since the launch began.
struct L2Request {
  uint64_t line = 0;
  uint64_t arrival = 0;      // at the slice
  uint64_t done = 0;         // filled in when served: when its reply is back at the SM
  uint64_t effect = 0;       // the same: when the slice reads or changes the words
  uint32_t flight = 0;       // index in the SM's flights: the instruction it belongs to
  uint32_t merged_with = 0;  // kMerged: the SM's earlier request that fetches the sectors; not sent
  uint8_t sectors = 0, full = 0;
  uint8_t partition = 0;  // 0 or 1: the SM's
  uint8_t gpc = 0;        // the group of SMs whose requests meet
  AtomicWork atomic{};
  RequestKind kind = RequestKind::kLoad;
};

// One SM's requests of an epoch, in the order of issue.
using RequestBatch = std::vector<L2Request>;
struct SentRequests {
  uint32_t sm = 0;
  RequestBatch* batch = nullptr;
};

struct L2Counters {
  uint64_t reads = 0, writes = 0, atomics = 0, reductions = 0;  // sectors
  uint64_t lookups = 0, hits = 0;                               // sectors
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
};

// The number of sectors may be an average, and so a fraction.
inline uint64_t bytesOf(double sectors) {
  return static_cast<uint64_t>(std::lround(sectors * kSectorBytes));
}

class L2Cache {
 public:
  explicit L2Cache(const DeviceProfile& profile);

  void clear();
  // Leaves the cache as if every line of [address, address + bytes) had just been moved through it. It only
  // takes note of the range: what is left of it is found out when a line is looked up. Written: no copies for
  // the other partition are left. `share`: how much of the range was used, if not which of its lines.
  void touch(uint64_t address, uint64_t bytes, bool written = false, double share = 1);
  // Whether some of what was touched since forgetLaunches() is gone.
  bool hasLost() const;
  // The share of the touched range at this address that launches have used since.
  double usedShareOf(uint64_t address) const;
  // Forgets what launches left in the cache; what was touched stays. If much is touched from here on, what
  // launches write is written on to DRAM while they run.
  void forgetLaunches();

  // Empties the queues and sets the counters to zero; tags stay. If only `share` of the blocks send requests,
  // the slices have this share of their throughput: as few as that would be in hardware share a queue. The
  // operations of the other SMs on an address, and their requests for a line that several SMs use, come
  // between those that are sent.
  // Memory in `of_those_only` is used by those blocks only.
  // `dynamic_share`: of the blocks, those that find a place only when another block has ended, so that
  // another SM than in the launch before may execute them.
  void beginLaunch(double share, const std::vector<AddressRange>& of_those_only = {},
                   double dynamic_share = 0);
  // Memory of another GPU, in which lines are read and written over the link between the two: they are never
  // in this cache, since a GPU's L2 caches its own memory. Stays until it is set anew.
  void setPeerMemory(const std::vector<AddressRange>& ranges);
  // Says that what was done since noteUse() is done so many times again in so many cycles, unobserved: lines
  // are used, and atomics that nothing waits for queue up.
  void noteUse();
  void skip(double times, uint64_t cycles);
  // The latency from an SM's load-store unit to a slice.
  uint32_t outwardCycles() const { return outward_cycles_; }
  // What DRAM takes longer than L2.
  uint64_t dramExtraCycles() const { return static_cast<uint64_t>(dram_extra_cycles_); }
  // A slice is in the group `slice % groupCount()`.
  uint32_t groupCount() const { return group_count_; }
  static constexpr uint64_t kSliceLines = 4;
  // The latencies of neighbouring lines, read by one SM of an H100 (driver 580.159.04, 2026-11-24), change
  // between about 272 and 312 cycles with each two to eight lines. Of each two neighbouring stretches, one is
  // in each partition, as where exclusive or of address bits chooses.
  static constexpr uint64_t kPartitionLines = kSliceLines;
  static bool isAtHomeIn(uint64_t line, uint32_t partition) {
    const uint64_t stretch = line / kPartitionLines;
    return ((stretch ^ mixed(stretch / 2)) & 1) == partition;
  }
  // The requests of an epoch are taken in at most so many parts.
  static constexpr uint32_t kMostParts = 16;
  // Hands a part of the requests to the groups of slices. Different parts may be taken concurrently; the SMs
  // of all parts, one part after another, must ascend. Batches must stay until all groups have been served.
  void take(std::span<const SentRequests> sent, uint32_t part);
  // Serves what one group of slices has been handed by the first `parts` parts; different groups may be
  // served concurrently.
  void serve(uint32_t group, uint32_t parts);
  // Both, for all groups, by this thread.
  void serveAll(std::span<const SentRequests> sent);
  L2Counters counters() const;

 private:
  double freshShare() const;  // of the cache, what was touched since forgetLaunches()

  // The sectors on which a slice's unit worked last: the sum of floats must be there before the next is
  // added.
  struct AtomicSector {
    uint64_t sector = ~uint64_t{0};
    double free = 0;
  };
  // The times at which the read and store queues of a group of slices, its share of the connection between
  // the partitions and its DRAM channel are idle again.
  struct Queues {
    double free = 0, store_free = 0, crossing_free = 0, turns_free = 0, dram_free = 0;
    double dram_load = 0,
           dram_since = 0;  // the share of time in which the channel works; when that was found
    double link_in_free = 0, link_out_free = 0;  // the link to the other GPU, each way
    // Where few SMs stand for all: the share of requests for lines that another of them has used, and the
    // sectors that were loaded and stored.
    double used_share = 0, loaded = 0, stored = 0;
  };
  // Where few SMs stand for all: what they brought into a slice since the launch began.
  struct Filling {
    double lines = 0, dirty_sectors = 0;
  };
  struct Slice {
    SectoredTags tags;
    RequestCoalescer coalescer;
    Queues* queues = nullptr;  // its group's
    double free = 0;           // when it can take the next request
    double atomics_free = 0;   // when its atomic unit is idle again
    std::array<AtomicSector, 64> atomics;
    bool atomics_used = false;  // since the launch began
    L2Counters counters;
    WarmRanges::Used used{0};
    Filling filling;
    // At noteUse().
    WarmRanges::Used used_before{0};
    Filling filling_before;
    double atomics_free_before = 0;
    std::array<AtomicSector, 64> atomics_before;
  };

  struct Arrived {
    L2Request* request = nullptr;
    uint32_t slice = 0, sm = 0;
  };

  static void extendQueue(double& free, double before, double times, uint64_t cycles);
  // How much a request for this line stands for: 1, or less where other blocks do not send such requests.
  double weightOf(uint64_t line) const;
  bool isOfPeer(uint64_t line) const;
  double overLink(Slice& slice, const L2Request& request, double start);
  std::optional<size_t> warmRangeOf(Slice& slice, uint64_t line);
  bool isWrittenOn(uint64_t line) const;
  void makeDirty(Slice& slice, CacheLine& line, uint8_t sectors, double now, double weight);
  void evictForOthers(Slice& slice, double now);
  void writeBack(Slice& slice, double sectors, double now, double weight);
  uint32_t sliceOf(uint64_t line) const {
    // Four lines in a row are in one slice: atomics on 2 KB, or 4 KB, are executed by four units, or eight,
    // on an H100 (driver 580.159.04, 2026-11-24). Neighbouring fours are in different slices, as evenly as
    // possible; each such round begins at another slice.
    const auto number = static_cast<uint32_t>(line / kSliceLines);
    const uint32_t round = number / slice_count_;
    const uint64_t first = ((hashLine(round) >> 32) * slice_count_) >> 32;
    const uint32_t slice = number - round * slice_count_ + static_cast<uint32_t>(first);
    return slice < slice_count_ ? slice : slice - slice_count_;
  }
  void serve(Slice& slice, L2Request& request, uint32_t sm);
  bool meetsAnother(Slice& slice, L2Request& request, uint32_t sm) const;
  void remember(Slice& slice, const L2Request& request, uint32_t sm) const;
  // The SMs whose loads meet. Of few that stand for all, those of a partition.
  uint8_t groupOf(const L2Request& request) const { return share_ < 1 ? request.partition : request.gpc; }
  // l2_other_sms.cpp: where few SMs stand for all.
  double requestsOnLine(Slice& slice, CacheLine& line, const L2Request& request, uint32_t sm) const;
  void noteUser(Slice& slice, CacheLine& line, uint32_t sm) const;
  bool isShared(const CacheLine& line) const;
  bool othersRead(const Slice& slice, const CacheLine& line, uint32_t sectors) const;
  // The time for which a request occupies its slice's queue.
  double sliceCyclesOf(const L2Request& request) const;
  double load(Slice& slice, CacheLine& line, L2Request& request, double start);
  double atomicCycles(const AtomicWork& work, uint32_t sector) const;
  void store(Slice& slice, CacheLine& line, const L2Request& request, double start);
  double atomic(Slice& slice, CacheLine& line, L2Request& request, double start);
  CacheLine& lineFor(Slice& slice, uint64_t line, double now);
  double fetch(Slice& slice, CacheLine& line, uint8_t sectors, double now);
  static double dramWait(Queues& queues, double now, double service);

  uint32_t slice_count_ = 1, group_count_ = kSliceGroups, outward_cycles_ = 0, return_cycles_ = 0;
  double sector_cycles_ = 1;           // per sector of a whole line, at a slice's throughput
  double lookup_cycles_ = 1;           // of a load that reads one sector, at a slice
  StoreCycles store_cycles_;           // at a slice
  double crossing_sector_cycles_ = 1;  // per sector, at a slice's share of the connection of the partitions
  double dram_sector_cycles_ = 1;      // per sector, at a slice's share of the DRAM bandwidth
  double link_sector_cycles_ = 1;      // per sector, at a slice's share of the link to the other GPU
  double slower_ = 1;                  // all four take so many times longer in this launch
  double atomics_slower_ = 1;          // the same for atomics on one address, on which all SMs work
  double gpcs_of_partition_ = 1;
  double link_extra_cycles_ = 0;  // of a load over the link, beyond L2's latency
  double dram_extra_cycles_ = 0, atomic_extra_cycles_ = 0, atomic_interval_cycles_ = 0;
  std::vector<Slice> slices_;
  std::array<Queues, kSliceGroups> queues_{};
  // Scratch: what each part has taken for each group, and what a group serves.
  std::array<std::array<std::vector<Arrived>, kSliceGroups>, kMostParts> taken_;
  std::array<std::vector<Arrived>, kSliceGroups> requests_;
  std::array<TimeOrder, kSliceGroups> arrivals_;
  std::vector<AddressRange> lines_of_those_only_, lines_of_peer_;
  double share_ = 1;          // of the launch's blocks that send requests
  uint16_t launch_ = 0;       // its number, for CacheLine::launch
  double dynamic_share_ = 0;  // see beginLaunch
  WarmRanges warm_{0};
  // Of what is written, the share that is written on to DRAM during the launch, since there is too little
  // room.
  double written_on_ = 0;
  // Fill times in tags count from the creation of the device, so that a line that is being filled at the end
  // of a launch does not seem to be filled during the next one.
  uint64_t life_cycles_ = 0;
  uint64_t latest_ = 0;
  std::array<uint64_t, kSliceGroups> latest_of_group_{};
};

}  // namespace warpscope::sim
