// The warp primitives family: parameters, inputs, launch and check. The host evaluates each primitive on the
// 32 values of a warp.
#include <algorithm>
#include <array>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"
#include "kernels/experiments/warp_primitives/regions.h"

namespace warpscope::warp_primitives {
namespace {

uint32_t inputValue(uint32_t i) {
  return randomIndex(i, UINT32_MAX);
}

using WarpValues = std::array<uint32_t, kWarpSize>;

struct Primitive {
  std::string variant;
  uint32_t members = UINT32_MAX, width = kWarpSize, distance = 0, pass_percent = 0, keys = 1;

  bool isMember(uint32_t lane) const { return (members >> lane & 1) != 0; }
};

// The lane that a member reads: itself if its source is out of range or does not take part.
uint32_t sourceOf(const Primitive& primitive, uint32_t lane) {
  const uint32_t first = lane / primitive.width * primitive.width, behind = first + primitive.width;
  uint32_t source = lane;
  if (primitive.variant == "shfl_idx") source = first + primitive.distance % primitive.width;
  if (primitive.variant == "shfl_up" && lane >= first + primitive.distance)
    source = lane - primitive.distance;
  if (primitive.variant == "shfl_down" && lane + primitive.distance < behind)
    source = lane + primitive.distance;
  if (primitive.variant == "shfl_xor" && (lane ^ primitive.distance) < behind)
    source = lane ^ primitive.distance;
  return primitive.isMember(source) ? source : lane;
}

// The result of a vote for its member lanes.
uint32_t voteOf(const Primitive& primitive, const WarpValues& values) {
  uint32_t votes = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (values[lane] % 100 < primitive.pass_percent) votes |= 1U << lane;
  }
  votes &= primitive.members;
  if (primitive.variant == "vote_all") return votes == primitive.members ? 1 : 0;
  if (primitive.variant == "vote_any") return votes != 0 ? 1 : 0;
  return votes;
}

uint32_t matchOf(const Primitive& primitive, const WarpValues& values, uint32_t lane) {
  uint32_t same = 0;
  for (uint32_t other = 0; other < kWarpSize; ++other) {
    if (values[other] % primitive.keys == values[lane] % primitive.keys) same |= 1U << other;
  }
  return same & primitive.members;
}

WarpValues resultOf(const Primitive& primitive, const WarpValues& values) {
  WarpValues result = values;
  const bool votes =
      primitive.variant == "vote_all" || primitive.variant == "vote_any" || primitive.variant == "ballot";
  const uint32_t vote = votes ? voteOf(primitive, values) : 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!primitive.isMember(lane)) continue;
    if (votes) {
      result[lane] = vote;
    } else if (primitive.variant.starts_with("match_")) {
      const uint32_t same = matchOf(primitive, values, lane);
      result[lane] = primitive.variant == "match_any" || same == primitive.members ? same : 0;
    } else if (primitive.variant == "butterfly_sum") {
      const auto* segment = values.data() + lane / primitive.width * primitive.width;
      result[lane] = 0;
      for (uint32_t i = 0; i < primitive.width; ++i) result[lane] += segment[i];
    } else {
      result[lane] = values[sourceOf(primitive, lane)];
    }
  }
  return result;
}

Verification check(const Primitive& primitive, std::span<const uint32_t> out) {
  OutputComparison comparison("values");
  const auto size = static_cast<uint32_t>(out.size());
  for (uint32_t first = 0; first < size; first += kWarpSize) {
    const uint32_t lanes = std::min<uint32_t>(kWarpSize, size - first);
    WarpValues values{};
    for (uint32_t lane = 0; lane < lanes; ++lane) values[lane] = inputValue(first + lane);
    const WarpValues expected = resultOf(primitive, values);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      comparison.compare("out", first + lane, out[first + lane], expected[lane]);
    }
  }
  return comparison.result();
}

class WarpPrimitives : public Family {
 public:
  WarpPrimitives() : Family(warpPrimitivesInfo(), warpPrimitivesRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    Primitive primitive{.variant = request.variant};
    LaunchPlan plan;
    plan.module = "warp_primitives";
    plan.kernel = request.variant;
    plan.block = {block};
    plan.grid = {(size + block - 1) / block};
    plan.buffers = {{.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("warp_primitives:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputValue); }},
                    {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size};
    // In the order of the kernels' parameters; each kernel takes those that its variant has.
    const auto take = [&](const char* name, uint32_t& to, auto value_of) {
      const auto found = request.parameters.find(name);
      if (found == request.parameters.end()) return;
      to = value_of(found->second);
      plan.arguments.emplace_back(to);
    };
    const auto number = [](int64_t value) { return static_cast<uint32_t>(value); };
    take("members", primitive.members,
         [](int64_t choice) { return kMembers.at(static_cast<size_t>(choice)); });
    take("width", primitive.width, [](int64_t choice) { return kWidths.at(static_cast<size_t>(choice)); });
    take("distance", primitive.distance, number);
    take("pass", primitive.pass_percent, number);
    take("keys", primitive.keys, number);
    plan.bytes_moved = 2 * bytes;
    plan.verify = [primitive, size](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, 0, size, failed);
      return out.empty() ? failed : check(primitive, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::warp_primitives

namespace warpscope {

const Experiment& warpPrimitivesFamily() {
  static const warp_primitives::WarpPrimitives kFamily;
  return kFamily;
}

}  // namespace warpscope
