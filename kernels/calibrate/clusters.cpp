// What compute capability 9.0 adds: shared memory of other SMs, barriers of a cluster, bulk copies.
#include <algorithm>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

constexpr uint32_t kPair = 2;  // blocks of a cluster
constexpr uint32_t kLoadBytes = 16;

Expected<double> remoteLatency(Bench& bench) {
  constexpr uint32_t kRounds = 32;
  const Shape shape{.blocks = kPair, .threads = 32, .cluster = kPair};
  return bench.cycles("remote_latency", shape, arguments(kRounds)).map([](double cycles) {
    return cycles / (kRounds * kAccesses);
  });
}

// Bytes that an SM receives from its neighbour a cycle, while all SMs do so.
Expected<double> remoteBytes(Bench& bench) {
  constexpr uint32_t kRounds = 16, kThreads = 512, kVectors = 4096;
  const Shape shape{.blocks = bench.smCount() / kPair * kPair,
                    .threads = kThreads,
                    // More than half of an SM's, so that each SM has one block.
                    .dynamic_shared_bytes = bench.device().limits.shared_bytes_per_sm / 2 + 1024,
                    .cluster = kPair};
  return bench.cycles("remote_interval", shape, arguments(kRounds, kVectors)).map([](double cycles) {
    return kRounds * kAccesses * kThreads * kLoadBytes / std::max(cycles, 1.0);
  });
}

// The cycles that a sector of an atomic takes on another SM, while all warps of all SMs have atomics at 32
// sectors each, among so many words. What a launch takes besides drops out.
Expected<double> remoteAtomic(Bench& bench, uint32_t words) {
  constexpr uint32_t kFew = 4, kMany = 20, kThreads = 1024;
  const Shape shape{.blocks = bench.smCount() / kPair * kPair, .threads = kThreads, .cluster = kPair};
  auto few = bench.cycles("remote_atomics", shape, arguments(kFew, words));
  if (!few) return few;
  return bench.cycles("remote_atomics", shape, arguments(kMany, words)).map([&](double many) {
    return (many - *few) / ((kMany - kFew) * kAccesses * kThreads);
  });
}

// Two units execute the atomics within 1 KiB, so that each of them does half of the sectors.
Expected<void> measureRemoteAtomics(Bench& bench, Results& results) {
  constexpr uint32_t kAll = 2048, kOfTwoUnits = 256;
  return results
      .add(measure(bench, "atomics on another SM's shared memory: interval", "cycles a sector and SM",
                   [&] { return remoteAtomic(bench, kAll); }),
           "distributed_shared_atomic_interval_cycles")
      .and_then([&] {
        return results.add(
            measure(bench, "atomics within 1 KiB of another SM, at one of two units: interval",
                    "cycles a sector",
                    [&] {
                      return remoteAtomic(bench, kOfTwoUnits).map([](double cycles) { return 2 * cycles; });
                    }),
            "distributed_shared_atomic_unit_cycles");
      });
}

Expected<double> barrier(Bench& bench, const std::string& kernel, uint32_t blocks) {
  constexpr uint32_t kRounds = 32, kMore = 32 - 8;  // barriers in a long round more than in a short one
  const Shape shape{.blocks = blocks, .threads = 32, .cluster = blocks};
  auto shorter = bench.cycles(kernel + "_short", shape, arguments(kRounds));
  if (!shorter) return shorter;
  return bench.cycles(kernel + "_long", shape, arguments(kRounds)).map([&](double longer) {
    return (longer - *shorter) / (kRounds * kMore);
  });
}

Expected<void> measureBarriersOfClusters(Bench& bench, Results& results) {
  struct Case {
    const char *kernel, *name;
    uint32_t blocks;
    const char* figure;
  };
  for (const Case& each : {Case{"cluster_barrier", "barrier of a cluster of 2 blocks, relaxed", kPair,
                                "cluster_barrier_latency_cycles"},
                           Case{"cluster_barrier", "barrier of a cluster of 8 blocks, relaxed", 8, ""},
                           Case{"cluster_barrier_releasing",
                                "barrier of a cluster of 2 blocks, with release and acquire", kPair, ""},
                           Case{"cluster_barrier_releasing",
                                "barrier of a cluster of 8 blocks, with release and acquire", 8, ""}}) {
    const auto one = [&] { return barrier(bench, each.kernel, each.blocks); };
    if (auto done = results.add(measure(bench, each.name, "cycles", one), each.figure); !done) return done;
  }
  return {};
}

// Cycles of a round in which a warp copies `copies` times `bytes` from L2 and waits for them.
Expected<double> bulkRound(Bench& bench, const Buffer& from, uint32_t bytes, uint32_t copies) {
  constexpr uint32_t kRounds = 32;
  const Shape shape{
      .blocks = 1, .threads = 32, .dynamic_shared_bytes = static_cast<uint32_t>(from.bytes()), .cluster = 1};
  return bench.cycles("bulk_copies", shape, arguments(kRounds, from.address(), bytes, copies))
      .map([](double cycles) { return cycles / kRounds; });
}

Expected<void> measureBulkCopies(Bench& bench, Results& results) {
  constexpr uint32_t kFew = 2, kMany = 6, kBytes = 16 << 10;
  const auto from = bench.filledWith(std::vector<uint32_t>(kMany * kBytes / sizeof(uint32_t)));
  if (!from) return tl::unexpected(from.error());
  return results
      .add(measure(bench, "bulk copy of 16 bytes from L2, less L2's latency", "cycles",
                   [&]() -> Expected<double> {
                     auto waits = bulkRound(bench, *from, kLoadBytes, 0);
                     if (!waits) return waits;
                     return bulkRound(bench, *from, kLoadBytes, 1).map([&](double copies) {
                       return std::max(copies - *waits - results.figure("l2.latency_cycles"), 0.0);
                     });
                   }),
           "bulk_copy_latency_cycles")
      .and_then([&] {
        return results.add(measure(bench, "bulk copies of 16 KiB from L2 by one SM", "bytes a cycle",
                                   [&]() -> Expected<double> {
                                     auto few = bulkRound(bench, *from, kBytes, kFew);
                                     if (!few) return few;
                                     return bulkRound(bench, *from, kBytes, kMany).map([&](double many) {
                                       return (kMany - kFew) * kBytes / std::max(many - *few, 1.0);
                                     });
                                   }),
                           "bulk_copy_bytes_per_cycle");
      });
}

}  // namespace

Expected<void> measureClusters(Bench& bench, Results& results) {
  const ComputeCapability has = bench.device().limits.compute_capability;
  if (has.major < 9) {
    results.note(
        "clusters and bulk copies keep the values of the nearest profile: they need compute capability 9.0");
    return {};
  }
  return results
      .add(measure(bench, "load from another SM's shared memory", "cycles",
                   [&] { return remoteLatency(bench); }),
           "distributed_shared_latency_cycles")
      .and_then([&] {
        return results.add(measure(bench, "loads from another SM's shared memory, all SMs in pairs",
                                   "bytes a cycle and SM", [&] { return remoteBytes(bench); }),
                           "distributed_shared_bytes_per_cycle");
      })
      .and_then([&] { return measureRemoteAtomics(bench, results); })
      .and_then([&] { return measureBarriersOfClusters(bench, results); })
      .and_then([&] { return measureBulkCopies(bench, results); });
}

}  // namespace warpscope::calibration
