#include "kernels/sim/backend/launch_checks.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/occupancy/occupancy.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {
namespace {

// Checks a cluster against this GPU, of which validateCluster() knows nothing.
Expected<void> checkCluster(const LaunchSpec& spec, const Code& code, uint32_t blocks_per_sm,
                            const DeviceDescription& gpu, uint32_t gpc_count) {
  const std::optional<Dim3> cluster = spec.cluster ? spec.cluster : code.required_cluster;
  if (!cluster) return {};
  if (auto possible = checkClusterSize(*cluster, gpu, code.kernel); !possible) return possible;
  const uint32_t sms = gpu.limits.sm_count / std::max(gpc_count, 1U);
  const uint64_t room = uint64_t{std::max(sms, 1U)} * blocks_per_sm;
  if (cluster->count() <= room) return {};
  return fail(
      ErrorKind::kBadRequest,
      "launching {}: a cluster of {} blocks must be on one GPC, but one of {} has room for {}: choose "
      "smaller blocks or smaller clusters",
      code.kernel, cluster->count(), gpu.name, room);
}

}  // namespace

Expected<uint32_t> checkLaunch(const LaunchSpec& spec, const Code& code, const KernelResources& needed,
                               const DeviceDescription& gpu, uint32_t gpc_count) {
  if (auto possible = validateGrid(code.kernel, spec.grid); !possible)
    return tl::unexpected(possible.error());
  const uint64_t threads = spec.block.count();
  const Occupancy occupancy = theoreticalOccupancy(
      gpu.limits, needed,
      static_cast<uint32_t>(std::min<uint64_t>(threads, std::numeric_limits<uint32_t>::max())));
  if (threads == 0 || threads > code.max_threads_per_block || occupancy.blocks_per_sm == 0) {
    return fail(
        ErrorKind::kBadRequest,
        "launching {} with grid {}x{}x{}, block {}x{}x{}, {} B dynamic shared memory: not possible on "
        "{} (at most {} threads a block for this kernel, {} B of shared memory)",
        code.kernel, spec.grid.x, spec.grid.y, spec.grid.z, spec.block.x, spec.block.y, spec.block.z,
        spec.dynamic_shared_bytes, gpu.name, code.max_threads_per_block,
        gpu.limits.shared_bytes_per_block_opt_in);
  }
  const uint64_t room = uint64_t{occupancy.blocks_per_sm} * gpu.limits.sm_count;
  if (spec.cooperative && spec.grid.count() > room) {
    return fail(ErrorKind::kBadRequest, "launching {} cooperatively: {} blocks, but {} has room for {}",
                code.kernel, spec.grid.count(), gpu.name, room);
  }
  return checkCluster(spec, code, occupancy.blocks_per_sm, gpu, gpc_count).map([&] {
    return occupancy.blocks_per_sm;
  });
}

Expected<std::vector<std::byte>> parameterBlock(const LaunchSpec& spec, const Code& code) {
  if (spec.parameters.size() != code.parameters.size()) {
    return fail(ErrorKind::kBadRequest, "{} takes {} parameters; {} were given", code.kernel,
                code.parameters.size(), spec.parameters.size());
  }
  std::vector<std::byte> block(code.parameter_bytes);
  for (size_t i = 0; i < spec.parameters.size(); ++i) {
    const std::vector<std::byte>& given = spec.parameters[i];
    const KernelParameter& declared = code.parameters[i];
    if (given.size() != declared.bytes) {
      return fail(ErrorKind::kBadRequest, "{}: parameter {} is {} bytes; {} were given", code.kernel, i,
                  declared.bytes, given.size());
    }
    std::ranges::copy(given, block.begin() + declared.offset);
  }
  return block;
}

}  // namespace warpscope::sim
