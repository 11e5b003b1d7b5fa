// The latency family: what theory predicts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/latency/plans.h"
#include "kernels/experiments/latency/shape.h"
#include "kernels/experiments/resident.h"
#include "kernels/occupancy/littles_law.h"

namespace warpscope::latency {
namespace {

constexpr uint32_t kSubPartitions = 4;  // per SM, each with its own pipes

uint32_t number(const RunRequest& request, const char* name) {
  return static_cast<uint32_t>(request.parameters.at(name));
}

// The mean of `of`(cycles) over the spans in a region.
Measure meanOfSpans(uint32_t region, std::function<double(double cycles)> of) {
  return [region, of = std::move(of)](const Run& run) -> std::optional<double> {
    double sum = 0, spans = 0;
    for (const TraceWarp& warp : run.trace.warps) {
      forEachSpan(run.trace, warp, [&](const Span& span) {
        if (span.region.value != region || span.end_cycles <= span.begin_cycles) return;
        sum += of(static_cast<double>(span.end_cycles - span.begin_cycles));
        ++spans;
      });
    }
    if (spans == 0 || run.trace.dropped_events > 0) return std::nullopt;
    return sum / spans;
  };
}

// The mean over SMs of the time from the first begin of a region to its last end, for SMs that recorded as
// many warps as are resident.
Measure meanOfSms(uint32_t region, size_t warps, std::function<double(double cycles)> of) {
  return [region, warps, of = std::move(of)](const Run& run) -> std::optional<double> {
    struct Window {
      int64_t begin = INT64_MAX, end = INT64_MIN;
      size_t warps = 0;
    };
    std::map<uint32_t, Window> by_sm;
    for (const TraceWarp& warp : run.trace.warps) {
      Window& window = by_sm[warp.sm.value];
      ++window.warps;
      forEachSpan(run.trace, warp, [&](const Span& span) {
        if (span.region.value != region) return;
        window.begin = std::min(window.begin, span.begin_cycles);
        window.end = std::max(window.end, span.end_cycles);
      });
    }
    double sum = 0, sms = 0;
    for (const auto& [sm, window] : by_sm) {
      if (window.warps != warps || window.end <= window.begin) continue;
      sum += of(static_cast<double>(window.end - window.begin));
      ++sms;
    }
    if (sms == 0 || run.trace.dropped_events > 0) return std::nullopt;
    return sum / sms;
  };
}

// Warps are distributed over the sub-partitions in turn; each sub-partition executes what its warps have
// ready, up to the throughput of its pipe.
double fmasACycle(uint32_t warps, uint32_t ilp, const LatencyFigures& figures) {
  double sum = 0;
  for (uint32_t partition = 0; partition < kSubPartitions; ++partition) {
    const uint32_t mine = (warps + kSubPartitions - 1 - partition) / kSubPartitions;
    sum += std::min(figures.fma_warps_a_cycle / kSubPartitions, mine * ilp / figures.fma);
  }
  return sum * kWarpSize;
}

Prediction fmaThroughput(const RunRequest& request, const LatencyFigures& figures) {
  const uint32_t warps = number(request, "warps_per_sm"), ilp = number(request, "ilp");
  const double threads = static_cast<double>(warps) * kWarpSize;
  const uint32_t fmas_in_round = kFmasInRound / ilp * ilp;
  const double fmas = number(request, "rounds") * fmas_in_round;
  const double rate = fmasACycle(warps, ilp, figures);
  // Other costs: ends of loops and probes, and the uncounted first round of late warps.
  const double rounds = number(request, "rounds"), other_cycles = 80 * (rounds + 1);
  const double others = other_cycles / (threads * fmas / rate + other_cycles) + 1.5 / (rounds + 1);
  return {.label = "Multiply-adds a cycle on an SM",
          .unit = "FMAs",
          .reason = fmt::format("warps x ILP / latency of {} cycles, up to {} per cycle: Little's law",
                                figures.fma, figures.fma_warps_a_cycle * kWarpSize),
          .predicted = rate,
          .tolerance = std::min(0.9, 0.2 + others),
          .measure = meanOfSms(kWork, warps, [=](double cycles) { return threads * fmas / cycles; })};
}

Prediction chaseLatency(const RunRequest& request, const LatencyFigures& figures) {
  const double hops = number(request, "hops");
  Prediction prediction{.label = "Cycles a load",
                        .unit = "cycles",
                        .tolerance = 0.15,
                        .measure = meanOfSpans(kChase, [=](double cycles) { return cycles / hops; })};
  switch (number(request, "level")) {
    case kShared:
      prediction.predicted = figures.shared;
      prediction.reason = "the latency of shared memory";
      break;
    case kL1:
      prediction.predicted = figures.l1;
      prediction.reason = "the latency of a hit in L1";
      break;
    case kL2:
      prediction.predicted = figures.l2;
      prediction.reason = "the latency of a hit in L2";
      // Half of a large GPU's L2 is farther away: an H100 takes 289 or 332 cycles, depending on the address.
      prediction.tolerance = 0.25;
      break;
    default: {
      // In each 32-byte sector only the first load misses.
      const double misses = std::min(number(request, "stride") / 32.0, 1.0);
      prediction.predicted = misses * figures.device + (1 - misses) * figures.l2;
      prediction.reason = "the latency of device memory, once a sector of 32 bytes";
      prediction.tolerance = 0.4;  // it depends on pages and their translation
    }
  }
  prediction.tolerance += 600 / (hops * prediction.predicted);  // until it begins, and what follows it
  return prediction;
}

Prediction loadedBytes(const RunRequest& request, const DeviceLimits& limits) {
  const double threads = static_cast<double>(number(request, "warps_per_sm")) * kWarpSize * limits.sm_count;
  return {.label = "Sectors that are loaded",
          .unit = "sectors",
          .reason = "threads x loads x bytes / 32, each round and once before",
          .predicted = threads * bytesOfRound(request) * (number(request, "rounds") + 1) / 32,
          .measure = counted({"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"})};
}

std::optional<Prediction> loadThroughput(const RunRequest& request, const DeviceLimits& limits,
                                         const LatencyFigures& figures) {
  const double under_way =
      static_cast<double>(number(request, "warps_per_sm")) * kWarpSize * bytesOfRound(request);
  const double all = under_way * limits.sm_count * number(request, "rounds");
  // If the data nearly fill L2, part of it may be evicted or not be there yet, and queues form near the knee:
  // theory gives no number.
  if (request.warm_ups == 0) return std::nullopt;
  if (all > 0.5 * static_cast<double>(limits.l2_bytes)) return std::nullopt;
  // An H100 delivers 6 of the 14.5 bytes per cycle that 4 KiB in flight on each SM should give: its L2 is
  // saturated long before.
  if (under_way / figures.l2 > 0.2 * figures.l2_bytes_a_cycle) return std::nullopt;
  const double rounds = number(request, "rounds");
  return Prediction{.label = "Bytes a cycle into an SM",
                    .unit = "B",
                    .reason = fmt::format("{} bytes in flight / L2's latency of {} cycles: Little's law",
                                          under_way, figures.l2),
                    .predicted = under_way / figures.l2,
                    .tolerance = 0.3 + 400 / (400 + rounds * figures.l2),  // what comes first and last
                    .measure = meanOfSms(kRead, number(request, "warps_per_sm"),
                                         [=](double cycles) { return rounds * under_way / cycles; })};
}

std::vector<Prediction> copyCounts(const RunRequest& request) {
  const uint32_t tiles = tilesOf(request);
  const bool async = request.variant == "async_copy";
  return {{.label = "Tiles that a warp waits for",
           .unit = "tiles",
           .reason = "tiles, rounded up to whole turns of the stages",
           .predicted = static_cast<double>(tiles),
           .measure = spansAWarp(RegionId{kWait})},
          {.label = "Stores into shared memory a warp",
           .unit = "stores",
           .reason = async ? "cp.async writes shared memory by itself" : "one a tile, out of registers",
           .predicted = async ? 0.0 : static_cast<double>(tiles),
           .measure = countedPer("smsp__inst_executed_op_shared_st.sum", "smsp__warps_launched.sum")}};
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const auto figures = latencyFigures(limits);
  if (request.variant == "bytes_in_flight") {
    std::vector<Prediction> predictions = {loadedBytes(request, limits)};
    if (figures) {
      if (auto rate = loadThroughput(request, limits, *figures)) predictions.push_back(std::move(*rate));
    }
    return predictions;
  }
  if (request.variant == "through_registers" || request.variant == "async_copy") return copyCounts(request);
  // With few loads, what precedes and follows them dominates: an H100's first load takes 2,100 cycles.
  constexpr uint32_t kLeastHops = 64;
  if (!figures || (request.variant == "pointer_chase" && number(request, "hops") < kLeastHops)) return {};
  if (request.variant == "dependent_fma") return {fmaThroughput(request, *figures)};
  return {chaseLatency(request, *figures)};
}

}  // namespace warpscope::latency
