#include "kernels/calibrate/reads.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "kernels/calibrate/steps.h"

namespace warpscope::calibration {

Expected<Ring> makeRing(Bench& bench, uint64_t bytes, uint32_t most_nodes, uint32_t gpu) {
  std::vector<uint64_t> lines(bytes / kLineBytes);
  std::iota(lines.begin(), lines.end(), uint64_t{0});
  std::mt19937_64 random(42);
  // std::shuffle differs between standard libraries, but the device's cycles should not.
  for (size_t i = lines.size() - 1; i > 0; --i) std::swap(lines[i], lines[random() % (i + 1)]);
  lines.resize(std::min<size_t>(lines.size(), most_nodes) / 16 * 16);
  auto buffer = bench.allocate(bytes, gpu);
  if (!buffer) return tl::unexpected(buffer.error());
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  for (size_t i = 0; i < lines.size(); ++i) {
    words[lines[i] * kLineBytes / sizeof(uint64_t)] =
        buffer->address() + lines[(i + 1) % lines.size()] * kLineBytes;
  }
  auto done = bench.backend().upload(buffer->address(), std::as_bytes(std::span(words)));
  if (!done) return tl::unexpected(done.error());
  const uint64_t first = buffer->address() + lines[0] * kLineBytes;
  return Ring{std::move(*buffer), first, static_cast<uint32_t>(lines.size())};
}

Expected<double> chase(Bench& bench, const char* kernel, const Ring& ring, bool warm) {
  const uint32_t rounds = ring.nodes / 16;
  return bench.cycles(kernel, {}, arguments(ring.first, warm ? ring.nodes : 0U, rounds))
      .map([&](double cycles) { return cycles / (rounds * kAccesses); });
}

uint64_t l2Bytes(Bench& bench) {
  return std::max<uint64_t>(bench.device().limits.l2_bytes, kMiB / 4);
}

Expected<Shape> fullGrid(Bench& bench) {
  constexpr uint32_t kThreads = 512;
  const auto probe = bench.spec("read_stream", {.threads = kThreads}, {});
  if (!probe) return tl::unexpected(probe.error());
  const auto blocks = bench.backend().maxActiveBlocksPerSm(probe->kernel, kThreads, 0);
  if (!blocks) return tl::unexpected(blocks.error());
  return Shape{.blocks = bench.smCount() * std::max(*blocks, 1U), .threads = kThreads};
}

uint64_t wholeRounds(const Shape& shape, uint64_t bytes) {
  const uint64_t unit = kVectorBytes * kVectorsInRound * shape.blocks * shape.threads;
  return std::max<uint64_t>((bytes + unit - 1) / unit, 1) * unit;
}

Expected<double> readAll(Bench& bench, const Shape& shape, const Buffer& from, uint32_t rounds) {
  const uint64_t bytes = from.bytes();
  return bench.cycles("read_stream", shape, arguments(rounds, from.address(), bytes / kVectorBytes))
      .map([&](double cycles) { return static_cast<double>(bytes) * rounds / std::max(cycles, 1.0); });
}

double rateTogether(const std::vector<uint64_t>& durations, double amount) {
  double rate = 0;
  for (const uint64_t cycles : durations) rate += amount / static_cast<double>(std::max<uint64_t>(cycles, 1));
  return rate;
}

Expected<double> readTogether(Bench& bench, const Shape& shape, const Buffer& from, uint32_t rounds) {
  const uint64_t bytes = from.bytes();
  return bench.blockCycles("read_stream", shape, arguments(rounds, from.address(), bytes / kVectorBytes))
      .map([&](const std::vector<uint64_t>& durations) {
        return rateTogether(durations, static_cast<double>(bytes) * rounds / shape.blocks);
      });
}

}  // namespace warpscope::calibration
