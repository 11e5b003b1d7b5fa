#include "kernels/experiments/reduction/methods.h"

#include <algorithm>
#include <array>

#include "kernels/experiments/reduction/regions.h"

namespace warpscope::reduction {
namespace {

constexpr std::array<Method, 25> kMethods{{
    {.variant = "neighbored", .in_place = true},
    {.variant = "neighbored_less", .in_place = true},
    {.variant = "interleaved", .in_place = true},
    {.variant = "unroll2", .elements = 2, .in_place = true},
    {.variant = "unroll4", .elements = 4, .in_place = true},
    {.variant = "unroll8", .elements = 8, .in_place = true},
    {.variant = "unroll_warps8", .elements = 8, .in_place = true},
    {.variant = "complete_unroll_warps8", .elements = 8, .in_place = true},
    {.variant = "complete_unroll_template", .elements = 8, .in_place = true},
    {.variant = "shared", .tile = true},
    {.variant = "shared_first_add", .elements = 2, .tile = true},
    {.variant = "syncwarp", .tile = true},
    {.variant = "shuffle", .tile = true},
    {.variant = "cooperative_groups", .tile = true},
    {.variant = "warp_shuffle_two_level"},
    {.variant = "redux"},
    {.variant = "atomic_per_thread", .end = End::kAtomics},
    {.variant = "atomic_per_block", .end = End::kAtomics},
    {.variant = "two_pass", .end = End::kSecondLaunch},
    {.variant = "last_block", .end = End::kLastBlock},
    {.variant = "grid_sync", .elements = 0, .end = End::kGridBarrier},
    {.variant = "grid_stride", .elements = 0},
    {.variant = "grid_stride_vec4", .elements = 0, .end = End::kLastBlock},
    {.variant = "coarsened", .end = End::kAtomics},
    {.variant = "static_output", .elements = 0, .end = End::kStaticArray},
}};

// The blocks per SM that grid_sync uses by default: half of the threads that an SM has room for, so that the
// registers suffice in any of its forms. A device that does not report its limits is assumed to be typical.
uint32_t safelyResident(uint32_t block, const DeviceLimits& limits) {
  const uint32_t threads = limits.max_threads_per_sm == 0 ? 1024 : limits.max_threads_per_sm / 2;
  const uint32_t slots = limits.max_blocks_per_sm == 0 ? 32 : limits.max_blocks_per_sm;
  return std::clamp(threads / block, 1U, slots);
}

uint32_t value(const RunRequest& request, const char* name, uint32_t otherwise) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? otherwise : static_cast<uint32_t>(found->second);
}

}  // namespace

const Method& methodOf(const std::string& variant) {
  const auto found =
      std::ranges::find_if(kMethods, [&](const Method& method) { return variant == method.variant; });
  return found == kMethods.end() ? kMethods.front() : *found;
}

Settings::Settings(const RunRequest& of)
    : method(methodOf(of.variant)),
      block(value(of, "block", 256)),
      size(value(of, "size", 1)),
      floats(value(of, "type", 0) == 1),
      copies(value(of, "input", 0) == 1),
      elements(value(of, "coarsening", method.elements)),
      request(of) {}

uint32_t Settings::blocksOn(const DeviceLimits& limits) const {
  uint64_t chunk = uint64_t{block} * std::max(elements, 1U);
  if (request.variant == "grid_stride_vec4") chunk *= 4;
  const auto needed = static_cast<uint32_t>((size + chunk - 1) / chunk);
  if (elements != 0) return needed;
  uint32_t per_sm = value(request, "blocks_per_sm", 1);
  if (method.end == End::kGridBarrier) {
    per_sm = value(request, "resident_blocks", 0);
    if (per_sm == 0) per_sm = safelyResident(block, limits);
  }
  uint32_t most = per_sm * std::max(limits.sm_count, 1U);
  if (method.end == End::kStaticArray) most = std::min<uint32_t>(most, kStaticSums);
  return std::min(needed, most);
}

}  // namespace warpscope::reduction
