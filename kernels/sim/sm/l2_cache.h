// The L2 cache and what lies behind it: slices with tags and a queue each, and each slice's share of DRAM.
// SMs send requests; once an epoch is over they are served in the order of arrival, SM and issue, whoever
// serves them. Slices share nothing, so that groups of them are served in parallel.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/sectored_tags.h"
#include "kernels/sim/sm/time_order.h"

namespace warpscope::sim {

// Slices are served in this many groups.
inline constexpr uint32_t kSliceGroups = 16;

// What a store takes of a way that was measured with whole lines and with one sector a request.
struct StoreCycles {
  StoreCycles(double bytes_per_cycle, double requests_per_cycle);
  double of(uint32_t sectors) const { return request_cycles + sector_cycles * sectors; }
  double request_cycles = 0, sector_cycles = 0;
};

enum class RequestKind : uint8_t { kLoad, kStore, kAtomic, kMerged };

// What an SM asks of one line. Times are cycles since the launch began.
struct L2Request {
  uint64_t line = 0;
  uint64_t arrival = 0;      // at the slice
  uint64_t done = 0;         // filled in when served: its answer is back at the SM
  uint32_t flight = 0;       // the SM's: which instruction it belongs to
  uint32_t merged_with = 0;  // kMerged: the SM's earlier request that brings the sectors; not sent
  uint8_t sectors = 0, full = 0;
  uint8_t serial = 1;  // kAtomic: operations on one address that cannot be combined
  RequestKind kind = RequestKind::kLoad;
};

// One SM's requests of an epoch, sorted into groups of slices.
struct RequestBatch {
  std::vector<L2Request> requests;
  std::array<std::vector<uint32_t>, kSliceGroups> groups;  // indices into requests, in the order of issue

  void clear();
};

struct L2Counters {
  uint64_t reads = 0, writes = 0, atomics = 0;  // sectors
  uint64_t lookups = 0, hits = 0;               // sectors
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
};

class L2Cache {
 public:
  explicit L2Cache(const DeviceProfile& profile);

  void clear();
  // As if every line of [address, address + bytes) had just been read.
  void touch(uint64_t address, uint64_t bytes);

  // Queues are empty, counters zero; tags stay.
  void beginLaunch();
  // From an SM's load-store unit to a slice.
  uint32_t outwardCycles() const { return outward_cycles_; }
  uint32_t sliceCount() const { return slice_count_; }
  static uint32_t sliceOf(uint64_t line, uint32_t slices) {
    // Neighbouring lines lie on different slices, as evenly as can be; each such round begins at a slice of
    // its own.
    const auto number = static_cast<uint32_t>(line);
    const uint32_t round = number / slices;
    const uint64_t first = ((hashLine(round) >> 32) * slices) >> 32;
    const uint32_t slice = number - round * slices + static_cast<uint32_t>(first);
    return slice < slices ? slice : slice - slices;
  }
  // Serves one group of slices; different groups concurrently. `batches` is by SM.
  void serve(uint32_t group, std::span<RequestBatch* const> batches);
  L2Counters counters() const;

 private:
  struct AtomicUnit {
    uint64_t sector = ~uint64_t{0};
    double free = 0;
  };
  struct Slice {
    SectoredTags tags;
    // When its queues, of reads and of stores, and its DRAM channel are idle again.
    double free = 0, store_free = 0, dram_free = 0;
    std::array<AtomicUnit, 64> atomics;
    L2Counters counters;
  };

  uint32_t sliceOf(uint64_t line) const { return sliceOf(line, slice_count_); }
  void serve(Slice& slice, L2Request& request);
  double load(Slice& slice, const L2Request& request, double start);
  void store(Slice& slice, const L2Request& request, double start);
  double atomic(Slice& slice, const L2Request& request, double start);
  CacheLine& lineFor(Slice& slice, uint64_t line, double now);
  double fetch(Slice& slice, CacheLine& line, uint8_t sectors, double now);

  uint32_t slice_count_ = 1, outward_cycles_ = 0, return_cycles_ = 0;
  double sector_cycles_ = 1;       // of a slice's throughput
  StoreCycles store_cycles_;       // of a slice
  double dram_sector_cycles_ = 1;  // of a slice's share of DRAM
  double dram_extra_cycles_ = 0, atomic_extra_cycles_ = 0, atomic_interval_cycles_ = 0;
  std::vector<Slice> slices_;
  std::array<TimeOrder, kSliceGroups> arrivals_;                // scratch
  std::array<std::vector<L2Request*>, kSliceGroups> requests_;  // scratch
  // Fill times in tags are of the device's life, so that a line being filled at a launch's end is not taken
  // for one that is being filled in the next.
  uint64_t life_cycles_ = 0;
  uint64_t latest_ = 0;
  std::array<uint64_t, kSliceGroups> latest_of_group_{};
};

}  // namespace warpscope::sim
