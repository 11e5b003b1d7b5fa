// The atomics family: parameters, inputs, launch and check. Counts are compared exactly; where the order of
// arrival is free, tickets must be a permutation, and packed indices must form the right set.
#include <algorithm>
#include <numeric>

#include "kernels/experiments/atomics/regions.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/verification.h"

namespace warpscope::atomics {
namespace {

// The hashes of neighbours are spread so evenly that no two lanes of a warp would share one of 64 bins; mixed
// once more, they collide as random values do.
uint32_t inputValue(uint32_t i) {
  uint32_t value = inputHash(i + 1);
  value = (value ^ value >> 15) * 0x2C1B3C6DU;
  return value ^ value >> 13;
}

// The same as in atomics.cu.
bool isKept(uint32_t i, uint32_t keep_percent) {
  return inputValue(i) % 100 < keep_percent;
}
uint32_t counterOf(uint32_t value, uint32_t counters) {
  return static_cast<uint32_t>(uint64_t{value} * counters >> 32);
}

uint32_t countKept(uint32_t size, uint32_t keep_percent) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < size; ++i) count += isKept(i, keep_percent) ? 1 : 0;
  return count;
}

Verification checkCounts(std::span<const uint32_t> expected, std::span<const uint32_t> counts) {
  OutputComparison comparison("counts");
  for (size_t i = 0; i < counts.size(); ++i) comparison.compare("counts", i, counts[i], expected[i]);
  return comparison.result();
}

std::vector<uint32_t> histogramOf(uint32_t size, uint32_t bins) {
  std::vector<uint32_t> counts(bins, 0);
  for (uint32_t i = 0; i < size; ++i) ++counts[counterOf(inputValue(i), bins)];
  return counts;
}

// Checks that each of 0 .. size - 1 occurs once.
Verification checkPermutation(std::span<const uint32_t> tickets) {
  OutputComparison comparison("tickets");
  std::vector<bool> drawn(tickets.size(), false);
  for (size_t i = 0; i < tickets.size(); ++i) {
    const uint32_t ticket = tickets[i];
    if (ticket < tickets.size() && !drawn[ticket]) {
      drawn[ticket] = true;
      comparison.addEqual(1);
    } else {
      comparison.addMismatch("tickets", i, fmt::format("{}", ticket),
                             fmt::format("a number below {} that nobody else drew", tickets.size()));
    }
  }
  return comparison.result();
}

// Checks that the first slots hold each kept index once, and that the others are unchanged.
Verification checkPacked(uint32_t reserved, std::span<const uint32_t> kept, uint32_t keep_percent) {
  constexpr uint32_t kUntouched = 0xA5A5A5A5U;  // as BufferSpec promises
  const auto size = static_cast<uint32_t>(kept.size());
  const uint32_t expected = countKept(size, keep_percent);
  OutputComparison comparison("slots");
  comparison.compare("reserved", 0, reserved, expected);
  std::vector<bool> seen(size, false);
  for (uint32_t slot = 0; slot < size; ++slot) {
    const uint32_t i = kept[slot];
    if (slot >= expected) {
      comparison.compare("kept", slot, i, kUntouched);
    } else if (i < size && isKept(i, keep_percent) && !seen[i]) {
      seen[i] = true;
      comparison.addEqual(1);
    } else {
      comparison.addMismatch("kept", slot, fmt::format("{}", i),
                             std::string("the index of a kept element, each once"));
    }
  }
  return comparison.result();
}

BufferSpec counters(uint32_t count) {
  const uint64_t bytes = uint64_t{count} * sizeof(uint32_t);
  return {.role = BufferSpec::Role::kInOut,
          .name = "counters",
          .bytes = bytes,
          .content_key = fmt::format("atomics:zero:{}", count),
          .generate = [bytes] { return std::make_shared<const Bytes>(bytes); }};
}

class Atomics : public Family {
 public:
  Atomics() : Family(atomicsInfo(), atomicsRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const uint32_t chunk = request.variant == "histogram_shared" ? block * kElementsPerThread : block;
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    LaunchPlan plan;
    plan.module = "atomics";
    plan.kernel = request.variant;
    plan.block = {block};
    plan.grid = {(size + chunk - 1) / chunk};
    plan.buffers = {{.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("atomics:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputValue); }}};
    plan.bytes_moved = bytes;
    if (request.variant == "ticket") {
      planTickets(plan, size);
    } else if (request.variant == "compact") {
      planCompact(plan, size, static_cast<uint32_t>(parameter(request, "keep")));
    } else if (request.variant == "histogram" || request.variant == "histogram_shared") {
      planHistogram(plan, size, static_cast<uint32_t>(parameter(request, "bins")));
    } else {
      planCount(plan, size, static_cast<uint32_t>(parameter(request, "keep")));
    }
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }

 private:
  static void planCount(LaunchPlan& plan, uint32_t size, uint32_t keep) {
    plan.buffers.push_back(counters(1));
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size, 1U, keep};
    plan.verify = [size, keep](Outputs outputs) {
      Verification failed;
      const auto counts = outputAs<uint32_t>(outputs, 0, 1, failed);
      return counts.empty() ? failed : checkCounts(std::array{countKept(size, keep)}, counts);
    };
  }

  static void planHistogram(LaunchPlan& plan, uint32_t size, uint32_t bins) {
    plan.buffers.push_back(counters(bins));
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size, bins};
    if (plan.kernel == "histogram_shared") plan.dynamic_shared_bytes = bins * sizeof(uint32_t);
    plan.verify = [size, bins](Outputs outputs) {
      Verification failed;
      const auto counts = outputAs<uint32_t>(outputs, 0, bins, failed);
      return counts.empty() ? failed : checkCounts(histogramOf(size, bins), counts);
    };
  }

  static void planTickets(LaunchPlan& plan, uint32_t size) {
    plan.buffers.push_back(counters(1));
    plan.buffers.back().checked = false;
    plan.buffers.push_back(
        {.role = BufferSpec::Role::kOutput, .name = "tickets", .bytes = plan.buffers[0].bytes});
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, size, 1U};
    plan.bytes_moved *= 2;
    plan.order_is_free = true;
    plan.verify = [size](Outputs outputs) {
      Verification failed;
      const auto tickets = outputAs<uint32_t>(outputs, 1, size, failed);
      return tickets.empty() ? failed : checkPermutation(tickets);
    };
  }

  static void planCompact(LaunchPlan& plan, uint32_t size, uint32_t keep) {
    plan.buffers.push_back(counters(1));
    plan.buffers.push_back(
        {.role = BufferSpec::Role::kOutput, .name = "kept", .bytes = plan.buffers[0].bytes});
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, size, keep};
    plan.bytes_moved += plan.bytes_moved * keep / 100;
    plan.order_is_free = true;
    plan.verify = [size, keep](Outputs outputs) {
      Verification failed;
      const auto reserved = outputAs<uint32_t>(outputs, 0, 1, failed);
      const auto kept = outputAs<uint32_t>(outputs, 1, size, failed);
      return reserved.empty() || kept.empty() ? failed : checkPacked(reserved[0], kept, keep);
    };
  }
};

}  // namespace
}  // namespace warpscope::atomics

namespace warpscope {

const Experiment& atomicsFamily() {
  static const atomics::Atomics kFamily;
  return kFamily;
}

}  // namespace warpscope
