// What L2Cache does where a few SMs stand for all: the others' requests are not simulated, but they fill the
// cache, meet the simulated ones at lines that all SMs use, and leave copies of lines.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/sim/sm/l2_cache.h"

namespace warpscope::sim {

// How many requests for this line the SM's request stands for. The requests of the SMs that are not simulated
// are spread over the slices like those of the simulated ones, so that they need not be for this line. But if
// more of the simulated SMs use it than neighbouring blocks explain, all SMs use it.
double L2Cache::requestsOnLine(Slice& slice, CacheLine& line, const L2Request& request, uint32_t sm) const {
  noteUser(slice, line, sm);
  (request.kind == RequestKind::kLoad ? slice.queues->loaded : slice.queues->stored) +=
      sectorCount(request.sectors);
  if (!isShared(line)) return 1;
  const double all = std::max(weightOf(line.line) / share_, 1.0);
  const auto* last =
      request.kind == RequestKind::kLoad ? slice.coalescer.last(request.line, groupOf(request)) : nullptr;
  if (last == nullptr) return all;
  // The simulated SMs of a partition stand for those of several GPCs. Each GPC has `times` as many SMs, so
  // that its next load after the meeting time comes that much sooner.
  constexpr double kMeeting = RequestCoalescer::kMeetingCycles;
  const double times = all / gpcs_of_partition_;
  if (times <= 1) return all;
  const auto gap = static_cast<double>(std::max(request.arrival, last->until) - last->until);
  return gpcs_of_partition_ * (kMeeting + gap) / (kMeeting + gap / times);
}

void L2Cache::noteUser(Slice& slice, CacheLine& line, uint32_t sm) const {
  if (line.launch != launch_) {
    line.launch = launch_;
    line.users = line.fetched = 0;
  }
  const bool was_shared = isShared(line);
  const auto user = static_cast<uint8_t>(1U << (sm % 8));
  constexpr double kRemembered = 256;  // requests, of which it is the average
  double& used_share = slice.queues->used_share;
  used_share += (((line.users & ~user) != 0 ? 1 : 0) - used_share) / kRemembered;
  line.users |= user;
  // Its sectors were fetched from DRAM once for all SMs, so they do not stand for what others fetch.
  if (isShared(line) && !was_shared)
    slice.counters.dram_read_bytes -= bytesOf((1 - share_) * sectorCount(line.fetched));
}

// Whether an SM that is not simulated has brought these sectors into the partition, and none has written them
// since. Lines are taken to be used at random: if one SM leaves a line unused with probability p, n SMs leave
// it unused with p^n. A read brings a copy for half of the SMs only, those of the partition that is not its
// home.
bool L2Cache::othersRead(const Slice& slice, const CacheLine& line, uint32_t sectors) const {
  const Queues& queues = *slice.queues;
  if (share_ >= 1 || queues.used_share == 0 || isShared(line)) return false;
  const double all = queues.loaded + queues.stored, read = queues.loaded / 2, count = read + queues.stored;
  const double uses = sectors / (kSectorsPerLine * share_) * count / all;
  return lotOf(line.line, 1) < (1 - std::pow(1 - queues.used_share, uses)) * read / count;
}

bool L2Cache::isShared(const CacheLine& line) const {
  constexpr int kMoreThanNeighbours = 3;
  return share_ < 1 && line.launch == launch_ && std::popcount(line.users) >= kMoreThanNeighbours;
}

// A few SMs' lines fit into the cache where those of all SMs do not. So once the lines of all would fill the
// slice, each new line evicts one that is as dirty as the lines of this launch are on average.
void L2Cache::evictForOthers(Slice& slice, double now) {
  slice.filling.lines += 1;
  if (slice.filling.lines > share_ * static_cast<double>(slice.tags.lineCount()))
    writeBack(slice, slice.filling.dirty_sectors / slice.filling.lines, now, 1);
}

}  // namespace warpscope::sim
