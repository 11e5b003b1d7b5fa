#include "kernels/experiments/latency/plans.h"

#include <algorithm>
#include <array>

#include "kernels/core/ids.h"
#include "kernels/experiments/latency/shape.h"
#include "kernels/experiments/resident.h"
#include "kernels/experiments/verification.h"

namespace warpscope::latency {
namespace {

uint32_t number(const RunRequest& request, const char* name) {
  return static_cast<uint32_t>(request.parameters.at(name));
}

Expected<Resident> residentOf(const RunRequest& request, const DeviceLimits& limits) {
  return residentWarps(number(request, "warps_per_sm"), number(request, "block"), limits,
                       fmt::format("{} {}", request.family, request.variant));
}

LaunchPlan planOf(const RunRequest& request, const Resident& resident) {
  LaunchPlan plan;
  plan.module = "latency";
  plan.kernel = request.variant;
  plan.block = {resident.block};
  plan.grid = {resident.blocks};
  return plan;
}

BufferSpec output(const char* name, uint64_t words) {
  return {.role = BufferSpec::Role::kOutput, .name = name, .bytes = words * sizeof(uint32_t)};
}

BufferSpec zeros(const char* name, uint64_t bytes) {
  return {.role = BufferSpec::Role::kInOut,
          .name = name,
          .bytes = bytes,
          .content_key = fmt::format("latency:zeros:{}", bytes),
          .generate = [bytes] { return std::make_shared<const Bytes>(bytes); },
          .checked = false};
}

BufferSpec hashes(uint64_t words) {
  return {.role = BufferSpec::Role::kInput,
          .name = "in",
          .bytes = words * sizeof(uint32_t),
          .content_key = fmt::format("latency:hashes:{}", words),
          .generate = [words] {
            auto bytes = std::make_shared<Bytes>(words * sizeof(uint32_t));
            auto* values = reinterpret_cast<uint32_t*>(bytes->data());
            for (uint64_t i = 0; i < words; ++i) values[i] = inputHash(static_cast<uint32_t>(i));
            return bytes;
          }};
}

Expected<void> checkWords(const RunRequest& request, uint64_t words) {
  constexpr uint64_t kMostWords = uint64_t{1} << 32;  // as far as 32-bit indices reach
  if (words <= kMostWords) return {};
  return fail(ErrorKind::kBadRequest, "{} {}: {} words of input; at most {} can be had: choose less",
              request.family, request.variant, groupedDigits(words), groupedDigits(kMostWords));
}

// Every step adds 1 to its chain; all sums are whole numbers that a float holds exactly.
float chainSum(uint32_t thread, uint32_t chains, uint32_t steps) {
  uint32_t sum = 0;
  for (uint32_t chain = 0; chain < chains; ++chain) sum += thread % 64 + chain + steps;
  return static_cast<float>(sum);
}

// The sum of a thread's words: of `loads` loads, each `words` wide and one grid apart. An input word is its
// index times one factor, so the sum of indices is enough.
uint32_t sumOfThread(uint32_t thread, uint32_t threads, uint32_t loads, uint32_t words) {
  const auto firsts = static_cast<uint32_t>(uint64_t{loads} * (loads - 1) / 2);
  const uint32_t indices =
      words * words * (threads * firsts + thread * loads) + loads * (words * (words - 1) / 2);
  return inputHash(indices);
}

struct Copies {
  uint32_t block = 0, tiles = 0, work = 0;
};

// The value that a thread of a block computes from the 16 bytes that its neighbour copied, tile by tile.
uint32_t sumOfCopies(const Copies& copies, uint32_t factor, uint32_t summand, uint32_t i) {
  const uint32_t first =
      i / copies.block * copies.tiles * copies.block + (i % copies.block + 1) % copies.block;
  uint32_t sum = 0;
  for (uint32_t tile = 0; tile < copies.tiles; ++tile) {
    const uint32_t word = 4 * (first + tile * copies.block);
    sum += inputHash(4 * word + 6) * factor + summand;
  }
  return sum;
}

Verification checkCopies(const Copies& copies, uint32_t threads, Outputs outputs) {
  uint32_t factor = 1, summand = 0;
  for (uint32_t step = 0; step < copies.work; ++step) {
    factor *= kFactor;
    summand = summand * kFactor + kSummand;
  }
  return checkEach<uint32_t>(outputs, 0, threads, "sums",
                             [&](uint32_t i) { return sumOfCopies(copies, factor, summand, i); });
}

// Checks where each thread ended, and that every warp reported a time.
Verification checkChase(const Ring& ring, uint32_t hops, uint32_t block, Outputs outputs) {
  Verification failed;
  // In-outs precede them, whose number depends on how the ring is built.
  const size_t at = outputs.size() < 2 ? 0 : outputs.size() - 2;
  const auto cycles = outputAs<uint32_t>(outputs, at, block / kWarpSize, failed);
  if (cycles.empty()) return failed;
  auto result = checkEach<uint32_t>(outputs, at + 1, block, "ends", [&](uint32_t thread) {
    const uint64_t start = uint64_t{thread / kWarpSize} * (ring.nodes() / kRingParts);
    return static_cast<uint32_t>((start + hops) % ring.nodes());
  });
  constexpr uint32_t kNeverWritten = 0xA5A5A5A5U;  // as BufferSpec promises
  if (std::ranges::count(cycles, kNeverWritten) > 0) {
    result.passed = false;
    ++result.mismatches;
    result.detail = "a warp did not tell how many cycles it took";
  }
  if (result.passed) {
    const double quickest = static_cast<double>(std::ranges::min(cycles)) / hops;
    result.detail += fmt::format("; {:.1f} cycles a load", quickest);
  }
  return result;
}

// The blocks that sweep L2: one per SM, but no more than a trace records by default, since any of them may be
// the last to arrive, which is the one that walks.
uint32_t sweepers(uint32_t block, const DeviceLimits& limits) {
  const uint32_t recorded = Sampling{}.max_warps / (block / kWarpSize);
  return std::clamp(limits.sm_count, 1U, std::max(recorded, 1U));
}

std::shared_ptr<const Bytes> makeRing(const Ring& ring) {
  auto bytes = std::make_shared<Bytes>(ring.bytes);
  auto* words = reinterpret_cast<uint32_t*>(bytes->data());
  const uint32_t step = ring.stride / sizeof(uint32_t);
  for (uint32_t node = 0; node < ring.nodes(); ++node) {
    words[uint64_t{node} * step] = (node + 1 == ring.nodes() ? 0 : node + 1) * step;
  }
  return bytes;
}

}  // namespace

Expected<LaunchPlan> planDependentFma(const RunRequest& request, const DeviceLimits& limits) {
  const auto resident = residentOf(request, limits);
  if (!resident) return tl::unexpected(resident.error());
  const uint32_t ilp = number(request, "ilp"), rounds = number(request, "rounds");
  LaunchPlan plan = planOf(request, *resident);
  plan.dynamic_shared_bytes = sharedBytesThatFill(*resident, limits);
  plan.buffers = {output("out", resident->threads())};
  plan.arguments = {BufferArgument{0}, rounds, ilp, 1.0F};
  plan.bytes_moved = plan.buffers[0].bytes;
  plan.verify = [ilp, steps = (1 + rounds) * (kFmasInRound / ilp),
                 threads = resident->threads()](Outputs outputs) {
    return checkEach<float>(outputs, 0, threads, "sums", [&](uint32_t i) { return chainSum(i, ilp, steps); });
  };
  return plan;
}

Ring ringOf(const RunRequest& request, const DeviceLimits& limits) {
  constexpr uint64_t kUsualL2Bytes = uint64_t{64} << 20;
  const uint64_t l2 = limits.l2_bytes > 0 ? limits.l2_bytes : kUsualL2Bytes;
  const std::array<uint64_t, 4> bytes = {kSharedRingBytes, kL1RingBytes,
                                         std::min<uint64_t>(kL2RingBytes, l2 / 4), 2 * l2};
  const uint32_t stride = number(request, "stride");
  return {bytes.at(number(request, "level")) / stride * stride, stride};
}

Expected<LaunchPlan> planPointerChase(const RunRequest& request, const DeviceLimits& limits) {
  const uint32_t level = number(request, "level"), block = number(request, "block");
  const uint32_t hops = number(request, "hops");
  const Ring ring = ringOf(request, limits);
  const bool sweeps = level == kDevice && number(request, "sweep") == 1;
  LaunchPlan plan = planOf(request, {.block = block, .blocks = sweeps ? sweepers(block, limits) : 1});
  BufferSpec walked = zeros("ring", level == kShared ? sizeof(uint64_t) : ring.bytes);
  if (level == kDevice) {
    walked = {.role = BufferSpec::Role::kInput,
              .name = "ring",
              .bytes = ring.bytes,
              .content_key = fmt::format("latency:ring:{}:{}", ring.bytes, ring.stride),
              .generate = [ring] { return makeRing(ring); }};
  }
  plan.buffers = {walked, zeros("arrived", sizeof(uint32_t)), output("cycles", block / kWarpSize),
                  output("ends", block)};
  const auto swept = static_cast<uint32_t>(sweeps ? ring.bytes / 16 : 0);
  plan.arguments = {BufferArgument{0},
                    BufferArgument{1},
                    BufferArgument{2},
                    BufferArgument{3},
                    level,
                    ring.stride,
                    ring.nodes(),
                    hops,
                    swept};
  plan.bytes_moved = uint64_t{hops} * sizeof(uint64_t);
  plan.order_is_free = true;  // cycle counts differ
  plan.verify = [ring, hops, block](Outputs outputs) { return checkChase(ring, hops, block, outputs); };
  return plan;
}

uint32_t bytesOfRound(const RunRequest& request) {
  return number(request, "loads") * (4U << number(request, "width"));
}

Expected<LaunchPlan> planBytesInFlight(const RunRequest& request, const DeviceLimits& limits) {
  const auto resident = residentOf(request, limits);
  if (!resident) return tl::unexpected(resident.error());
  const uint32_t rounds = number(request, "rounds"), loads = number(request, "loads");
  const uint32_t width = 4U << number(request, "width");
  const uint32_t threads = resident->threads();
  const uint64_t words = uint64_t{threads} * (1 + rounds) * bytesOfRound(request) / sizeof(uint32_t);
  if (auto possible = checkWords(request, words); !possible) return tl::unexpected(possible.error());
  LaunchPlan plan = planOf(request, *resident);
  plan.buffers = {hashes(words), output("out", threads)};
  plan.arguments = {BufferArgument{0}, BufferArgument{1}, rounds, loads, width};
  plan.bytes_moved = plan.buffers[0].bytes + plan.buffers[1].bytes;
  plan.verify = [threads, loads = (1 + rounds) * loads, words = width / 4](Outputs outputs) {
    return checkEach<uint32_t>(outputs, 0, threads, "sums",
                               [&](uint32_t i) { return sumOfThread(i, threads, loads, words); });
  };
  return plan;
}

uint32_t tilesOf(const RunRequest& request) {
  const uint32_t stages = number(request, "stages");
  return (number(request, "tiles") + stages - 1) / stages * stages;
}

Expected<LaunchPlan> planCopies(const RunRequest& request, const DeviceLimits& limits) {
  const bool async = request.variant == "async_copy";
  if (async && limits.compute_capability < ComputeCapability{8, 0}) {
    return fail(ErrorKind::kBadRequest,
                "{} {}: cp.async needs compute capability 8.0, this device has {}.{}: choose Tiles through "
                "registers (through_registers)",
                request.family, request.variant, limits.compute_capability.major,
                limits.compute_capability.minor);
  }
  const auto resident = residentOf(request, limits);
  if (!resident) return tl::unexpected(resident.error());
  const Copies copies{.block = resident->block, .tiles = tilesOf(request), .work = number(request, "work")};
  const uint32_t stages = number(request, "stages"), threads = resident->threads();
  const uint64_t words = uint64_t{4} * threads * copies.tiles;
  if (auto possible = checkWords(request, words); !possible) return tl::unexpected(possible.error());
  LaunchPlan plan = planOf(request, *resident);
  if (async) plan.module = "latency_sm80";
  plan.dynamic_shared_bytes = stages * resident->block * 16;
  plan.buffers = {hashes(words), output("out", threads)};
  plan.arguments = {BufferArgument{0}, BufferArgument{1}, copies.tiles, copies.work, stages};
  plan.bytes_moved = plan.buffers[0].bytes + plan.buffers[1].bytes;
  plan.verify = [copies, threads](Outputs outputs) { return checkCopies(copies, threads, outputs); };
  return plan;
}

std::optional<OperationCount> operationsOf(const RunRequest& request, const DeviceLimits& limits) {
  if (request.variant == "pointer_chase") return OperationCount{};  // it only loads
  const auto resident = residentOf(request, limits);
  if (!resident) return std::nullopt;
  const double threads = resident->threads();
  if (request.variant == "dependent_fma") {
    // The first round, which fetches the instructions, is work like the others.
    const uint32_t ilp = number(request, "ilp"), fmas_in_round = kFmasInRound / ilp * ilp;
    return OperationCount{threads * 2.0 * (1 + number(request, "rounds")) * fmas_in_round};
  }
  if (request.variant == "bytes_in_flight") {
    const double words = bytesOfRound(request) / double{sizeof(uint32_t)};
    return OperationCount{threads * (1 + number(request, "rounds")) * words, true};
  }
  // Four words per tile are added to the sum, and each step of the work is a multiplication and an addition.
  return OperationCount{threads * tilesOf(request) * (4 + 2.0 * number(request, "work")), true};
}

}  // namespace warpscope::latency
