// The divergence family: parameters, inputs, launch and check. The host computes the chains of FMAs with
// fmaf, which rounds like the GPU's fma.rn, so results are compared bit for bit.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/verification.h"

namespace warpscope::divergence {
namespace {

// Inputs take only a few values, so that the reference is a small table for any number of threads.
constexpr uint32_t kInputValues = 64;
float inputValue(uint32_t key) {
  return static_cast<float>(key) / static_cast<float>(kInputValues);
}

// Calls visit(key of i), which returns the key, for the order in which values are in the input.
template <class Visit>
auto withKeys(Order order, uint32_t size, Visit&& visit) {
  switch (order) {
    case Order::kSorted:
      return visit([size](uint32_t i) { return static_cast<uint32_t>(uint64_t{i} * kInputValues / size); });
    case Order::kStriped:
      return visit([](uint32_t i) { return inputHash(i / kWarpSize) >> 26; });
    case Order::kRandom:
      break;
  }
  return visit([](uint32_t i) { return inputHash(i) >> 26; });
}

std::shared_ptr<const Bytes> makeInput(Order order, uint32_t size) {
  auto bytes = std::make_shared<Bytes>(uint64_t{size} * sizeof(float));
  auto* values = reinterpret_cast<float*>(bytes->data());
  withKeys(order, size, [&](auto&& key) {
    for (uint32_t i = 0; i < size; ++i) values[i] = inputValue(key(i));
  });
  return bytes;
}

// The result of a path for each input value.
using PathResults = std::array<float, kInputValues>;

void applyChain(PathResults& values, float scale, float offset, int work) {
  for (int i = 0; i < work; ++i) {
    for (float& value : values) value = std::fmaf(value, scale, offset);
  }
}

PathResults inputs() {
  PathResults values;
  for (uint32_t key = 0; key < kInputValues; ++key) values[key] = inputValue(key);
  return values;
}

bool isDecidedByData(const std::string& variant) {
  return variant == "data_dependent" || variant == "work_queue";
}

// The kernel that even_odd runs if `work` is 0.
constexpr const char* kShortKernel = "even_odd_short";

// The settings of a launch that its results depend on.
struct Launch {
  std::string variant;
  uint32_t block = 0, size = 0;
  int32_t work = 0;
  uint32_t ways = 0, trips = 0;
  Order order = Order::kRandom;
  float threshold = 0;
};

// The results of a variant's paths; pathOf below gives a lane's path.
std::vector<PathResults> pathResults(const Launch& launch) {
  std::vector<PathResults> paths;
  const auto add_chain = [&](float scale, float offset) {
    applyChain(paths.emplace_back(inputs()), scale, offset, launch.work);
  };
  if (launch.variant == "nested") {
    for (uint32_t way = 0; way < launch.ways; ++way) {
      add_chain(kWayScale, kWayOffsetStep * static_cast<float>(way + 1));
    }
  } else if (launch.variant == "loop_trips") {
    PathResults values = inputs();
    for (uint32_t trip = 0; trip < launch.trips; ++trip) {
      applyChain(values, kFirstScale, kFirstOffset, launch.work);
      paths.push_back(values);
    }
  } else if (isDecidedByData(launch.variant)) {
    add_chain(kFirstScale, kFirstOffset);
    const PathResults unchanged = inputs();
    for (uint32_t key = 0; key < kInputValues; ++key) {
      if (unchanged[key] >= launch.threshold) paths[0][key] = unchanged[key];
    }
  } else {
    add_chain(kFirstScale, kFirstOffset);
    add_chain(kSecondScale, kSecondOffset);
  }
  return paths;
}

// Each warp of a variant follows one of two patterns.
uint32_t patternOf(const std::string& variant, uint32_t block, uint32_t warp_in_block) {
  if (variant == "block_aligned") return block % 2;
  if (variant == "thread_gt_2") return std::min(warp_in_block, 1U);
  return warp_in_block % 2;
}

uint32_t pathOf(const std::string& variant, uint32_t pattern, uint32_t lane, uint32_t paths) {
  if (variant == "warp_aligned" || variant == "warp_shift" || variant == "block_aligned") return pattern;
  if (variant == "thread_gt_2") return pattern == 0 && lane <= 2 ? 1 : 0;
  return lane % paths;
}

Verification check(const Launch& launch, std::span<const float> out) {
  OutputComparison comparison("values");
  const std::vector<PathResults> results = pathResults(launch);
  const auto paths = static_cast<uint32_t>(results.size());
  std::array<std::array<const float*, kWarpSize>, 2> tables{};  // by the warp's pattern, by lane
  for (uint32_t pattern = 0; pattern < 2; ++pattern) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      tables[pattern][lane] = results[pathOf(launch.variant, pattern, lane, paths)].data();
    }
  }
  const auto check_with = [&](auto&& key) {
    for (uint32_t begin = 0; begin < launch.size; begin += kWarpSize) {
      const auto& table =
          tables[patternOf(launch.variant, begin / launch.block, begin % launch.block / kWarpSize)];
      const uint32_t lanes = std::min<uint32_t>(kWarpSize, launch.size - begin);
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        const uint32_t i = begin + lane;
        const float expected = table[lane][key(i)];
        if (std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(expected)) {
          comparison.addEqual(1);
        } else {
          comparison.addMismatch("out", i, out[i], expected);
        }
      }
    }
  };
  withKeys(launch.order, launch.size, check_with);
  return comparison.result();
}

Launch launchOf(const RunRequest& request) {
  const auto value = [&](const char* name) {
    const auto found = request.parameters.find(name);
    return found == request.parameters.end() ? 0 : found->second;
  };
  Launch launch{.variant = request.variant,
                .block = static_cast<uint32_t>(value("block")),
                .size = static_cast<uint32_t>(value("size")),
                .work = std::max(1, static_cast<int32_t>(value("work"))),
                .ways = static_cast<uint32_t>(value("ways")),
                .trips = static_cast<uint32_t>(value("trips")),
                .order = static_cast<Order>(value("data"))};
  launch.threshold = static_cast<float>(value("share")) / 100.0F;
  return launch;
}

class Divergence : public Family {
 public:
  Divergence() : Family(divergenceInfo(), divergenceRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  // A chain of `work` multiply-adds per element, whichever path it takes; a lane has as many chains as it
  // makes trips. If the data decide which elements have work, their number is not known here.
  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    const Launch launch = launchOf(request);
    if (isDecidedByData(launch.variant)) return std::nullopt;
    uint64_t chains = launch.size;
    if (launch.variant == "loop_trips") {
      chains = 0;
      // Blocks are whole warps, so every warp has the same pattern of lanes.
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const uint64_t threads = launch.size / kWarpSize + (lane < launch.size % kWarpSize ? 1 : 0);
        chains += threads * (1 + lane % launch.trips);
      }
    }
    return OperationCount{2.0 * static_cast<double>(chains) * launch.work};
  }

  // Includes those of the kernel that replaces a variant whose paths are too short for a loop.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    auto regions = Family::regions(variant);
    if (variant != "even_odd" || !regions) return regions;
    auto of_short = Family::regions(kShortKernel);
    if (!of_short) return of_short;
    for (const Region& region : *of_short) {
      if (std::ranges::find(*regions, region.id, &Region::id) == regions->end()) regions->push_back(region);
    }
    return regions;
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const Launch launch = launchOf(request);
    const bool is_short = request.variant == "even_odd" && parameter(request, "work") == 0;
    LaunchPlan plan;
    plan.module = "divergence";
    plan.kernel = is_short ? kShortKernel : request.variant;
    plan.block = {launch.block};
    plan.grid = {(launch.size + launch.block - 1) / launch.block};
    const uint64_t bytes = uint64_t{launch.size} * sizeof(float);
    plan.buffers = {
        {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
        {.role = BufferSpec::Role::kInput,
         .name = "in",
         .bytes = bytes,
         .content_key = fmt::format("divergence:{}:{}", static_cast<int64_t>(launch.order), launch.size),
         .generate = [order = launch.order, size = launch.size] { return makeInput(order, size); }}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, launch.size};
    if (!is_short) plan.arguments.emplace_back(launch.work);
    if (request.variant == "nested") plan.arguments.emplace_back(launch.ways);
    if (request.variant == "loop_trips") plan.arguments.emplace_back(launch.trips);
    if (isDecidedByData(request.variant)) plan.arguments.emplace_back(launch.threshold);
    if (request.variant == "work_queue") {
      plan.dynamic_shared_bytes = (1 + launch.block) * uint32_t{sizeof(uint32_t)};
    }
    plan.bytes_moved = 2 * bytes;
    plan.verify = [launch](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<float>(outputs, 0, launch.size, failed);
      return out.empty() ? failed : check(launch, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::divergence

namespace warpscope {

const Experiment& divergenceFamily() {
  static const divergence::Divergence kFamily;
  return kFamily;
}

}  // namespace warpscope
