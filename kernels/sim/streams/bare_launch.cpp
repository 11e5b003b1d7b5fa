#include "kernels/sim/streams/bare_launch.h"

#include <cstddef>
#include <cstring>
#include <tuple>

#include "kernels/sim/sm/shifting_parameters.h"

namespace warpscope::sim {
namespace {

auto shapeOf(const LaunchSpec& spec) {
  return std::tuple(spec.grid, spec.block, spec.dynamic_shared_bytes, spec.cooperative, spec.cluster,
                    spec.programmatic, spec.gpu);
}

bool isShifted(const std::vector<std::byte>& a, const std::vector<std::byte>& b,
               const std::function<uint32_t(DeviceAddress)>& gpu_of) {
  uint64_t from = 0, to = 0;
  if (a.size() != b.size() || a.size() > sizeof from) return false;
  std::memcpy(&from, a.data(), a.size());
  std::memcpy(&to, b.data(), b.size());
  return (to - from) % kShiftStep == 0 && gpu_of(from) == gpu_of(to);
}

}  // namespace

bool doTheSame(const LaunchSpec& a, const LaunchSpec& b, const std::vector<bool>& shifting,
               const std::function<uint32_t(DeviceAddress)>& gpu_of) {
  if (shapeOf(a) != shapeOf(b) || a.parameters.size() != b.parameters.size()) return false;
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (a.parameters[i] == b.parameters[i]) continue;
    if (i >= shifting.size() || !shifting[i] || !isShifted(a.parameters[i], b.parameters[i], gpu_of))
      return false;
  }
  return true;
}

}  // namespace warpscope::sim
