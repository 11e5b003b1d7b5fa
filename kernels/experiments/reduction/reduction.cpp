// The reduction family: parameters, inputs, launch and check. Every block's partial sum and the total are
// compared exactly with the host's, which come from prefix sums kept between runs.
#include <algorithm>
#include <mutex>
#include <numeric>

#include "kernels/experiments/family.h"
#include "kernels/experiments/reduction/regions.h"
#include "kernels/experiments/reduction/texts.h"
#include "kernels/experiments/verification.h"

namespace warpscope {
namespace {

using namespace reduction;

// Small and of both signs: sums of 2^28 of them fit in 32 bits. Unsigned, so that wrapping is defined.
uint32_t inputValue(uint32_t i) {
  return (inputHash(i) >> 24) - 128U;
}

std::shared_ptr<const Bytes> makeInput(uint32_t size) {
  auto bytes = std::make_shared<Bytes>(uint64_t{size} * sizeof(uint32_t));
  auto* values = reinterpret_cast<uint32_t*>(bytes->data());
  for (uint32_t i = 0; i < size; ++i) values[i] = inputValue(i);
  return bytes;
}

uint32_t sumOfRange(uint32_t begin, uint32_t end) {
  uint32_t sum = 0;
  for (uint32_t i = begin; i < end; ++i) sum += inputValue(i);
  return sum;
}

// Sums of any range that begins at a multiple of a warp. One table serves all sizes: it only ever grows, to
// at most 2^28 / 32 words.
class PrefixSums {
 public:
  explicit PrefixSums(uint32_t size) {
    static std::mutex mutex;
    static std::shared_ptr<const std::vector<uint32_t>> longest;
    const uint32_t groups = size / kWarpSize;
    const std::scoped_lock lock(mutex);
    if (longest == nullptr || longest->size() < groups + 1) longest = make(longest.get(), groups);
    before_ = longest;
  }

  uint32_t sum(uint32_t begin, uint32_t end) const { return upTo(end) - upTo(begin); }

 private:
  static std::shared_ptr<const std::vector<uint32_t>> make(const std::vector<uint32_t>* known,
                                                           uint32_t groups) {
    auto before = std::make_shared<std::vector<uint32_t>>();
    before->reserve(groups + 1);
    if (known != nullptr) *before = *known;
    if (before->empty()) before->push_back(0);
    for (auto group = static_cast<uint32_t>(before->size()) - 1; group < groups; ++group) {
      before->push_back(before->back() + sumOfRange(group * kWarpSize, (group + 1) * kWarpSize));
    }
    return before;
  }

  uint32_t upTo(uint32_t end) const {
    const uint32_t group = end / kWarpSize;
    return (*before_)[group] + sumOfRange(group * kWarpSize, end);
  }

  std::shared_ptr<const std::vector<uint32_t>> before_;  // [g]: of the elements before group g of 32
};

// Which elements a block adds: chunks of `chunk` elements, the block's own and then every grid-th one.
struct Share {
  uint32_t size = 0, chunk = 0, blocks = 0;
};

std::vector<uint32_t> expectedPartials(const Share& share) {
  const PrefixSums sums(share.size);
  std::vector<uint32_t> partials(share.blocks, 0);
  uint32_t block = 0;
  for (uint64_t begin = 0; begin < share.size; begin += share.chunk) {
    const uint64_t end = std::min<uint64_t>(begin + share.chunk, share.size);
    partials[block] += sums.sum(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
    block = block + 1 == share.blocks ? 0 : block + 1;
  }
  return partials;
}

// The host adds up the partial sums, so the total is right exactly if they are; it is compared all the same,
// because it is what a reduction is for.
Verification check(const Share& share, std::span<const uint32_t> out) {
  Comparison comparison("sums");
  const auto compare = [&](std::string_view name, uint64_t index, uint32_t got, uint32_t expected) {
    if (got == expected) {
      comparison.addEqual(1);
    } else {
      comparison.addMismatch(name, index, static_cast<int32_t>(got), static_cast<int32_t>(expected));
    }
  };
  const std::vector<uint32_t> expected = expectedPartials(share);
  for (size_t i = 0; i < expected.size(); ++i) compare("partials", i, out[i], expected[i]);
  compare("total", 0, std::accumulate(out.begin(), out.end(), 0U), PrefixSums(share.size).sum(0, share.size));
  return comparison.result();
}

bool worksInPlace(const std::string& variant) {
  return variant == "neighbored" || variant == "neighbored_less" || variant == "interleaved" ||
         variant == "unroll8";
}

Share shareOf(const RunRequest& request, uint32_t size, uint32_t block, const DeviceLimits& limits) {
  const uint32_t chunk = request.variant == "unroll8" ? block * kUnroll : block;
  uint32_t blocks = (size + chunk - 1) / chunk;
  if (request.variant == "grid_stride") {
    const auto per_sm = static_cast<uint32_t>(request.parameters.at("blocks_per_sm"));
    blocks = std::min(blocks, per_sm * std::max(limits.sm_count, 1U));
  }
  return {size, chunk, blocks};
}

class Reduction : public Family {
 public:
  Reduction() : Family(reductionInfo(), reductionRegionNames()) {}

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const Share share = shareOf(request, size, block, limits);
    const bool in_place = worksInPlace(request.variant);
    LaunchPlan plan;
    plan.module = "reduction";
    plan.kernel = request.variant;
    plan.block = {block};
    plan.grid = {share.blocks};
    if (request.variant == "shared") plan.dynamic_shared_bytes = block * sizeof(int32_t);
    const uint64_t bytes = uint64_t{size} * sizeof(int32_t);
    const uint64_t partial_bytes = uint64_t{share.blocks} * sizeof(int32_t);
    plan.buffers = {{.role = in_place ? BufferSpec::Role::kInOut : BufferSpec::Role::kInput,
                     .name = "data",
                     .bytes = bytes,
                     .content_key = fmt::format("reduction:{}", size),
                     .generate = [size] { return makeInput(size); },
                     .checked = false},
                    {.role = BufferSpec::Role::kOutput, .name = "partials", .bytes = partial_bytes}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size};
    plan.bytes_moved = bytes + partial_bytes;
    plan.verify = [share, in_place](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, in_place ? 1 : 0, share.blocks, failed);
      return out.empty() ? failed : check(share, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace

const Experiment& reductionFamily() {
  static const Reduction family;
  return family;
}

}  // namespace warpscope
