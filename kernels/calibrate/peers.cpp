// The link between two GPUs: copies over it, and loads of a kernel from the other one's memory.
#include <algorithm>

#include "kernels/calibrate/reads.h"
#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint64_t kShortCopyBytes = 4096;

struct Copies {
  StreamWork work{.streams = {{.name = "stream 1", .gpu = 1}}};
  size_t few = 0, less = 0, more = 0;  // operations
  double difference = 0;               // bytes
};

// To GPU 1. Bandwidths are differences of two sizes; a long copy goes first, so that all others are enqueued
// before it ends.
Copies copiesOf(const Buffer& to, const Buffer& from) {
  Copies copies;
  const uint64_t more = to.bytes(), less = more / 4;
  const auto add = [&](uint64_t bytes) {
    copies.work.operations.push_back({.kind = OperationKind::kPeerCopy,
                                      .device = to.address(),
                                      .from = from.address(),
                                      .to_gpu = 1,
                                      .bytes = bytes});
    return copies.work.operations.size() - 1;
  };
  add(more);
  copies.few = add(kShortCopyBytes);
  copies.less = add(less);
  copies.more = add(more);
  copies.difference = static_cast<double>(more - less);
  return copies;
}

Expected<void> measureCopies(Bench& bench, Results& results) {
  const uint64_t bytes = bench.device().kind == DeviceKind::kSimulated ? 4 * kMiB : 256 * kMiB;
  const auto from = bench.allocate(bytes);
  const auto to = from ? bench.allocate(bytes, 1) : tl::unexpected(from.error());
  if (!to) return tl::unexpected(to.error());
  const Copies copies = copiesOf(*to, *from);
  std::vector<double> rates, latencies;
  // The first one raises clocks and maps the memory.
  for (uint32_t i = 0; i <= bench.repeats(); ++i) {
    if (bench.stop().stop_requested()) return fail(ErrorKind::kCancelled, "calibration was cancelled");
    const auto report = bench.backend().runStreams(copies.work, bench.stop());
    if (!report) return tl::unexpected(report.error());
    if (i == 0) continue;
    const auto lasts = [&](size_t operation) {
      return report->operations[operation].end_ns - report->operations[operation].begin_ns;
    };
    rates.push_back(copies.difference / std::max(lasts(copies.more) - lasts(copies.less), 1.0));
    latencies.push_back(std::max(0.0, lasts(copies.few) - kShortCopyBytes / rates.back()));
  }
  auto done = results.add(summary("copy to another GPU", "bytes/ns", rates), "peer_copy_bytes_per_ns");
  if (!done) return done;
  return results.add(summary("copy of 4 KiB to another GPU, less its bytes' time", "ns", latencies),
                     "peer_copy_latency_ns");
}

// GPU 0 loads from the memory of GPU 1.
Expected<void> measureLoads(Bench& bench, Results& results) {
  const double clock_mhz = results.figure("sm_clock_mhz");
  const double cycles_per_ns = (clock_mhz > 0 ? clock_mhz : bench.device().sm_clock_khz / 1e3) / 1e3;
  const auto ring = makeRing(bench, kMiB, 4096, 1);
  if (!ring) return tl::unexpected(ring.error());
  auto done = results.add(measure(bench, "load from another GPU's L2", "ns",
                                  [&] {
                                    return chase(bench, "chase_l2", *ring, true).map([&](double cycles) {
                                      return cycles / cycles_per_ns;
                                    });
                                  }),
                          "peer_load_latency_ns");
  if (!done) return done;
  const auto shape = fullGrid(bench);
  if (!shape) return tl::unexpected(shape.error());
  const bool simulated = bench.device().kind == DeviceKind::kSimulated;
  const auto buffer = bench.allocate(wholeRounds(*shape, (simulated ? 8 : 32) * kMiB), 1);
  if (!buffer) return tl::unexpected(buffer.error());
  return results.add(measure(bench, "loads from another GPU, all SMs", "bytes/ns",
                             [&] {
                               return readAll(bench, *shape, *buffer, 1).map([&](double bytes_per_cycle) {
                                 return bytes_per_cycle * cycles_per_ns;
                               });
                             }),
                     "peer_load_bytes_per_ns");
}

}  // namespace

Expected<void> measurePeers(Bench& bench, Results& results) {
  if (bench.device().limits.gpus < 2) {
    results.note("the figures of a second GPU keep the values of the nearest profile: there is none here");
    return {};
  }
  if (auto done = measureCopies(bench, results); !done) return done;
  if (bench.device().limits.peer_access) return measureLoads(bench, results);
  results.note(
      "peer loads keep the values of the nearest profile: these GPUs cannot access each other's memory");
  return {};
}

}  // namespace warpscope::calibration
