// The memory hierarchy: latencies by pointer chases, bandwidths by reading with all threads.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "kernels/calibrate/reads.h"
#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {
namespace {

// A buffer that evicts everything else from L2 when it is read.
struct Flush {
  Shape shape;
  Buffer buffer;
  Expected<void> run(Bench& bench) const {
    return readAll(bench, shape, buffer, 1).map([](double) {});
  }
};

Expected<Flush> makeFlush(Bench& bench) {
  const auto shape = fullGrid(bench);
  if (!shape) return tl::unexpected(shape.error());
  auto buffer = bench.allocate(wholeRounds(*shape, 2 * l2Bytes(bench)));
  if (!buffer) return tl::unexpected(buffer.error());
  return Flush{*shape, std::move(*buffer)};
}

Expected<void> measureFootprints(Bench& bench, Results& results) {
  for (const uint32_t kib : {32U, 64U, 96U, 128U, 160U, 192U, 224U, 256U, 320U}) {
    const auto ring = makeRing(bench, uint64_t{kib} << 10, UINT32_MAX);
    if (!ring) return tl::unexpected(ring.error());
    auto done = results.add(measure(bench, fmt::format("load through L1, {} KiB in turn", kib), "cycles",
                                    [&] { return chase(bench, "chase_l1", *ring, true); }));
    if (!done) return done;
  }
  return {};
}

Expected<void> measureDramLatency(Bench& bench, Results& results) {
  const auto flush = makeFlush(bench);
  if (!flush) return tl::unexpected(flush.error());
  const auto ring = makeRing(bench, 64 * kMiB, 4096);
  if (!ring) return tl::unexpected(ring.error());
  return results.add(
      measure(bench, "load from DRAM", "cycles",
              [&]() -> Expected<double> {
                return flush->run(bench).and_then([&] { return chase(bench, "chase_l2", *ring, false); });
              }),
      "dram_latency_cycles");
}

Expected<double> touchConstants(Bench& bench, uint32_t passes) {
  constexpr uint32_t kLines = 512;  // of 64 bytes: all that calibration.cu has
  return bench.cycles("constant_touch", {}, arguments(kLines, passes)).map([](double cycles) {
    return cycles / kLines;
  });
}

Expected<double> sharedCycles(Bench& bench, bool busy, uint32_t stride) {
  constexpr uint32_t kRounds = 32;
  if (!busy) {
    return bench.cycles("shared_latency", {}, arguments(kRounds, stride)).map([](double cycles) {
      return cycles / (kRounds * kAccesses);
    });
  }
  constexpr uint32_t kThreads = 512, kWarps = kThreads / 32;
  return bench.cycles("shared_interval", {.threads = kThreads}, arguments(kRounds, stride))
      .map([](double cycles) { return cycles / (kRounds * kAccesses * 4 * kWarps); });
}

constexpr uint32_t kWordRounds = 32, kWordsInRound = 4;  // of a thread

uint32_t log2Words(const Buffer& region) {
  return static_cast<uint32_t>(std::bit_width(region.bytes() / sizeof(uint32_t)) - 1);
}

// Words per cycle that a launch writes when lanes write words `stride` apart.
Expected<double> writeWords(Bench& bench, const Shape& shape, const Buffer& to, uint32_t stride) {
  const double words = static_cast<double>(kWordRounds * kWordsInRound) * shape.blocks * shape.threads;
  return bench.cycles("write_words", shape, arguments(kWordRounds, to.address(), stride, log2Words(to)))
      .map([&](double cycles) { return words / std::max(cycles, 1.0); });
}

// The same for words that are read from L2, which the first of two launches has brought there.
Expected<double> readWords(Bench& bench, const Shape& shape, const Buffer& from, uint32_t stride) {
  const auto read = [&] {
    return bench
        .blockCycles("read_words", shape, arguments(kWordRounds, from.address(), stride, log2Words(from)))
        .map([&](const std::vector<uint64_t>& durations) {
          return rateTogether(durations, static_cast<double>(kWordRounds * kWordsInRound) * shape.threads);
        });
  };
  return read().and_then([&](double) { return read(); });
}

// A warp's access becomes one request per line: whole lines show the cost of data, one word in each line the
// cost of a request.
struct Pattern {
  const char* name;
  uint32_t stride;  // words
  double unit;      // per word
  const char* unit_name;
  const char *figure_all, *figure_one;  // of all SMs and of one; "": none
};
constexpr std::array kWrites{
    Pattern{"whole lines", 1, 4, "bytes a cycle", "l2.write_bytes_per_cycle",
            "interconnect_write_bytes_per_cycle"},
    Pattern{"one word in each sector", 8, 1, "sectors a cycle", "", ""},
    Pattern{"one word in each line", 32, 1, "requests a cycle", "l2.write_requests_per_cycle",
            "interconnect_write_requests_per_cycle"},
    Pattern{"words 4 KiB apart", 1024, 1, "requests a cycle", "", ""},
};
constexpr std::array kReads{
    Pattern{"one word in each line", 32, 1, "requests a cycle", "l2.read_requests_per_cycle", ""},
    Pattern{"one word in each sector", 8, 32, "bytes a cycle", "", "interconnect_bytes_per_cycle"},
};

using WordsPerCycle = Expected<double> (*)(Bench&, const Shape&, const Buffer&, uint32_t stride);

Expected<void> measurePatterns(Bench& bench, Results& results, const char* what,
                               std::span<const Pattern> patterns, WordsPerCycle words_per_cycle) {
  const auto region = bench.allocate(std::min(std::bit_floor(l2Bytes(bench) / 4), 4 * kMiB));
  if (!region) return tl::unexpected(region.error());
  const uint32_t threads = std::min(bench.device().limits.max_threads_per_block, 1024U);
  for (const Pattern& pattern : patterns) {
    for (const bool all : {true, false}) {
      const Shape shape{.blocks = all ? bench.smCount() : 1, .threads = threads};
      auto done = results.add(
          measure(bench, fmt::format("{}, {}, {}", what, pattern.name, all ? "all SMs" : "one SM"),
                  pattern.unit_name,
                  [&] {
                    return words_per_cycle(bench, shape, *region, pattern.stride).map([&](double words) {
                      return words * pattern.unit;
                    });
                  }),
          all ? pattern.figure_all : pattern.figure_one);
      if (!done) return done;
    }
  }
  return {};
}

}  // namespace

Expected<void> measureShared(Bench& bench, Results& results) {
  for (const uint32_t ways : {1U, 2U, 4U, 8U, 16U, 32U}) {
    auto done = results.add(measure(bench, fmt::format("shared load, {} ways: latency", ways), "cycles",
                                    [&] { return sharedCycles(bench, false, ways); }),
                            ways == 1 ? "shared_latency_cycles" : "");
    if (done) {
      done = results.add(
          measure(bench, fmt::format("shared load, {} ways: interval", ways),
                  "cycles a warp instruction and SM", [&] { return sharedCycles(bench, true, ways); }),
          ways == 1 ? "pipe.load_store.issue_interval_cycles" : "");
    }
    if (!done) return done;
  }
  const auto each = [&bench](bool busy) {
    return [&bench, busy]() -> Expected<double> {
      auto one = sharedCycles(bench, busy, 1);
      if (!one) return one;
      return sharedCycles(bench, busy, 32).map([&](double all) { return (all - *one) / 31; });
    };
  };
  auto done = results.add(measure(bench, "shared load: latency of each extra way", "cycles", each(false)),
                          "shared_extra_way_cycles");
  if (!done) return done;
  return results.add(measure(bench, "shared load: interval of each extra way", "cycles", each(true)));
}

Expected<void> measureLatencies(Bench& bench, Results& results) {
  const auto small = makeRing(bench, 16 << 10, UINT32_MAX);
  if (!small) return tl::unexpected(small.error());
  auto done = results.add(
      measure(bench, "load from L1", "cycles", [&] { return chase(bench, "chase_l1", *small, true); }),
      "l1.latency_cycles");
  if (done) done = measureFootprints(bench, results);
  if (!done) return done;
  const auto middle = makeRing(bench, std::min(l2Bytes(bench) / 4, 8 * kMiB), 4096);
  if (!middle) return tl::unexpected(middle.error());
  done = results.add(
      measure(bench, "load from L2", "cycles", [&] { return chase(bench, "chase_l2", *middle, true); }),
      "l2.latency_cycles");
  if (done) done = measureDramLatency(bench, results);
  if (!done) return done;
  done = results.add(
      measure(bench, "constants: first touch of a line", "cycles", [&] { return touchConstants(bench, 1); }),
      "constant_latency_cycles");
  if (!done) return done;
  return results.add(
      measure(bench, "constants: second touch", "cycles", [&] { return touchConstants(bench, 2); }));
}

Expected<void> measureBandwidths(Bench& bench, Results& results) {
  constexpr uint32_t kRounds = 256, kMask = 1023;  // 16 KiB
  const uint32_t threads = std::min(bench.device().limits.max_threads_per_block, 1024U);
  const auto small = bench.allocate((kMask + 1) * kVectorBytes);
  if (!small) return tl::unexpected(small.error());
  auto done = results.add(
      measure(bench, "L1 reads", "bytes a cycle and SM",
              [&]() -> Expected<double> {
                return bench
                    .cycles("read_l1", {.threads = threads}, arguments(kRounds, small->address(), kMask))
                    .map([&](double cycles) {
                      return static_cast<double>(kRounds * kVectorsInRound * kVectorBytes * threads) / cycles;
                    });
              }),
      "l1.bytes_per_cycle");
  if (!done) return done;

  // With half as many threads an H200 (580.159.04, 2026-11-28) reads 12 % less: too few loads are under way.
  const Shape one_each{.blocks = bench.smCount(), .threads = threads};
  const auto middle = bench.allocate(wholeRounds(one_each, 1));
  if (!middle) return tl::unexpected(middle.error());
  if (middle->bytes() > l2Bytes(bench) / 2) results.note("L2 reads touched more than half of L2");
  done = results.add(measure(bench, "L2 reads", "bytes a cycle, all SMs",
                             [&]() -> Expected<double> {
                               return readAll(bench, one_each, *middle, 1).and_then([&](double) {
                                 return readTogether(bench, one_each, *middle, 32);
                               });
                             }),
                     "l2.bytes_per_cycle");
  if (done) done = measurePatterns(bench, results, "reads", kReads, readWords);
  if (!done) return done;
  done = measurePatterns(bench, results, "writes", kWrites, writeWords);
  if (!done) return done;

  const auto flush = makeFlush(bench);
  if (!flush) return tl::unexpected(flush.error());
  const auto large = bench.allocate(wholeRounds(flush->shape, std::max(4 * l2Bytes(bench), 32 * kMiB)));
  if (!large) return tl::unexpected(large.error());
  done = results.add(
      measure(bench, "DRAM reads", "bytes a cycle, all SMs",
              [&]() -> Expected<double> {
                return flush->run(bench).and_then([&] { return readAll(bench, flush->shape, *large, 1); });
              }),
      "dram_bytes_per_cycle");
  if (!done) return done;
  const uint64_t half = large->bytes() / 2;
  const auto times_us =
      bench.backend().timeCopy(large->address(), large->address() + half, half, 2, bench.repeats());
  if (!times_us) return tl::unexpected(times_us.error());
  std::vector<double> rates;
  for (const double us : *times_us)
    rates.push_back(2 * static_cast<double>(half) / std::max(us, 1e-3) / 1000);
  return results.add(summary("DRAM copy (read and written)", "GB/s", rates));
}

}  // namespace warpscope::calibration
