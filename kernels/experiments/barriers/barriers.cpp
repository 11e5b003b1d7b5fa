// The barriers family: parameters, inputs, launch and check. The host executes the rounds of a block one
// after another.
#include <algorithm>
#include <array>

#include "kernels/experiments/barriers/regions.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"

namespace warpscope::barriers {
namespace {

uint32_t inputValue(uint32_t i) {
  return randomIndex(i, UINT32_MAX);
}

// Any number of steps of work in one: value * factor + summand.
struct Steps {
  uint32_t factor = 1, summand = 0;
};
Steps stepsOf(uint32_t count) {
  Steps steps;
  for (uint32_t i = 0; i < count; ++i) {
    steps = {steps.factor * kFactor, steps.summand * kFactor + kSummand};
  }
  return steps;
}

struct Shape {
  uint32_t block = 0, size = 0, rounds = 0, work = 0;
  uint32_t group = 0;  // threads that wait for each other; fewer at the end of a block
};

// `values` holds those of one block's threads.
void doRounds(const Shape& shape, const std::array<Steps, kShares>& shares, std::vector<uint32_t>& values) {
  std::vector<uint32_t> board(values.size());
  for (uint32_t round = 0; round < shape.rounds; ++round) {
    for (uint32_t thread = 0; thread < shape.block; ++thread) {
      const Steps& steps = shares[(thread / kWarpSize * kWarpStep + round * kRoundStep) % kShares];
      board[thread] = values[thread] * steps.factor + steps.summand;
    }
    for (uint32_t first = 0; first < shape.block; first += shape.group) {
      const uint32_t behind = std::min(first + shape.group, shape.block);
      for (uint32_t thread = first; thread < behind; ++thread) {
        values[thread] = board[thread] + board[thread + 1 == behind ? first : thread + 1];
      }
    }
  }
}

Verification check(const Shape& shape, std::span<const uint32_t> out) {
  OutputComparison comparison("values");
  std::array<Steps, kShares> shares;
  for (uint32_t share = 0; share < kShares; ++share) shares[share] = stepsOf((share + 1) * shape.work);
  std::vector<uint32_t> values(shape.block);
  for (uint32_t first = 0; first < shape.size; first += shape.block) {
    const uint32_t count = std::min(shape.block, shape.size - first);
    std::ranges::fill(values, 0);
    for (uint32_t i = 0; i < count; ++i) values[i] = inputValue(first + i);
    doRounds(shape, shares, values);
    for (uint32_t i = 0; i < count; ++i) {
      comparison.compare("out", first + i, out[first + i], values[i]);
    }
  }
  return comparison.result();
}

class Barriers : public Family {
 public:
  Barriers() : Family(barriersInfo(), barriersRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto number = [&](const char* name) { return static_cast<uint32_t>(parameter(request, name)); };
    Shape shape{
        .block = number("block"), .size = number("size"), .rounds = number("rounds"), .work = number("work")};
    shape.group = request.variant == "block_wide"  ? shape.block
                  : request.variant == "tile_wide" ? kTileThreads
                                                   : kWarpSize;
    const uint64_t bytes = uint64_t{shape.size} * sizeof(uint32_t);
    LaunchPlan plan;
    plan.module = "barriers";
    plan.kernel = request.variant;
    plan.block = {shape.block};
    plan.grid = {(shape.size + shape.block - 1) / shape.block};
    plan.buffers = {{.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("barriers:{}", shape.size),
                     .generate = [size = shape.size] { return filledInput<uint32_t>(size, inputValue); }},
                    {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, shape.size, shape.rounds, shape.work};
    plan.bytes_moved = 2 * bytes;
    plan.verify = [shape](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, 0, shape.size, failed);
      return out.empty() ? failed : check(shape, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::barriers

namespace warpscope {

const Experiment& barriersFamily() {
  static const barriers::Barriers kFamily;
  return kFamily;
}

}  // namespace warpscope
