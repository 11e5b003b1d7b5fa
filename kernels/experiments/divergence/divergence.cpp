// The divergence family: parameters, inputs, launch and check. The chains of FMAs are computed on the host
// with fmaf, which rounds as the GPU's fma.rn does, so results are compared bit for bit.
#include <array>
#include <bit>
#include <cmath>

#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/divergence/regions.h"
#include "kernels/experiments/divergence/texts.h"
#include "kernels/experiments/family.h"
#include "kernels/experiments/verification.h"

namespace warpscope {
namespace {

using namespace divergence;

// Inputs take few values, so that the reference is a small table however many threads there are.
constexpr uint32_t kInputValues = 64;
uint32_t inputKey(uint32_t i) {
  return inputHash(i) >> 26;
}
float inputValue(uint32_t key) {
  return static_cast<float>(key) / static_cast<float>(kInputValues);
}

std::shared_ptr<const Bytes> makeInput(uint32_t size) {
  auto bytes = std::make_shared<Bytes>(uint64_t{size} * sizeof(float));
  auto* values = reinterpret_cast<float*>(bytes->data());
  for (uint32_t i = 0; i < size; ++i) values[i] = inputValue(inputKey(i));
  return bytes;
}

// What each path makes of each input value.
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

// Which paths a variant has; a lane's path is pathOf below.
std::vector<PathResults> pathResults(const std::string& variant, int work, uint32_t ways, uint32_t trips) {
  std::vector<PathResults> paths;
  if (variant == "nested") {
    for (uint32_t way = 0; way < ways; ++way) {
      applyChain(paths.emplace_back(inputs()), kWayScale, kWayOffsetStep * static_cast<float>(way + 1), work);
    }
  } else if (variant == "loop_trips") {
    PathResults values = inputs();
    for (uint32_t trip = 0; trip < trips; ++trip) {
      applyChain(values, kFirstScale, kFirstOffset, work);
      paths.push_back(values);
    }
  } else {
    applyChain(paths.emplace_back(inputs()), kFirstScale, kFirstOffset, work);
    applyChain(paths.emplace_back(inputs()), kSecondScale, kSecondOffset, work);
  }
  return paths;
}

uint32_t pathOf(const std::string& variant, uint32_t warp_in_block, uint32_t lane, uint32_t paths) {
  if (variant == "warp_aligned") return warp_in_block % 2;
  if (variant == "even_odd" || variant == "split_ifs") return lane % 2;
  return lane % paths;  // nested and loop_trips
}

struct Reference {
  std::string variant;
  uint32_t block = 0;
  std::vector<PathResults> paths;
};

Verification check(const Reference& reference, std::span<const float> out) {
  Comparison comparison("values");
  const auto paths = static_cast<uint32_t>(reference.paths.size());
  std::array<std::array<const float*, kWarpSize>, 2> tables{};  // by the warp's parity, by lane
  for (uint32_t parity = 0; parity < 2; ++parity) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      tables[parity][lane] = reference.paths[pathOf(reference.variant, parity, lane, paths)].data();
    }
  }
  const auto size = static_cast<uint32_t>(out.size());
  for (uint32_t begin = 0; begin < size; begin += kWarpSize) {
    const auto& table = tables[(begin % reference.block) / kWarpSize % 2];
    const uint32_t lanes = std::min<uint32_t>(kWarpSize, size - begin);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const uint32_t i = begin + lane;
      const float expected = table[lane][inputKey(i)];
      if (std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(expected)) {
        comparison.addEqual(1);
      } else {
        comparison.addMismatch("out", i, out[i], expected);
      }
    }
  }
  return comparison.result();
}

class Divergence : public Family {
 public:
  Divergence() : Family(divergenceInfo(), divergenceRegionNames()) {}

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const auto work = static_cast<int32_t>(parameter(request, "work"));
    LaunchPlan plan;
    plan.module = "divergence";
    plan.kernel = request.variant;
    plan.block = {block};
    plan.grid = {(size + block - 1) / block};
    const uint64_t bytes = uint64_t{size} * sizeof(float);
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("divergence:{}", size),
                     .generate = [size] { return makeInput(size); }}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size, work};
    uint32_t ways = 0;
    uint32_t trips = 0;
    if (request.variant == "nested") plan.arguments.emplace_back(ways = number(request, "ways"));
    if (request.variant == "loop_trips") plan.arguments.emplace_back(trips = number(request, "trips"));
    plan.bytes_moved = 2 * bytes;
    plan.verify = [variant = request.variant, block, size, work, ways, trips](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<float>(outputs, 0, size, failed);
      if (out.empty()) return failed;
      return check({variant, block, pathResults(variant, work, ways, trips)}, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }

 private:
  static uint32_t number(const RunRequest& request, const std::string& name) {
    return static_cast<uint32_t>(parameter(request, name));
  }
};

}  // namespace

const Experiment& divergenceFamily() {
  static const Divergence family;
  return family;
}

}  // namespace warpscope
