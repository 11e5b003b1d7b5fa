#include "kernels/run/device_description.h"

namespace warpscope {

const char* kindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCuda:
      return "cuda";
    case DeviceKind::kSimulated:
      return "simulated";
    case DeviceKind::kRecorded:
      return "recorded";
  }
  return "unknown";
}

SmPlace smPlace(const DeviceLimits& limits, SmId sm) {
  const bool other = limits.gpus > 1 && limits.sm_count > 0 && sm.value >= limits.sm_count;
  return other ? SmPlace{1, sm.value - limits.sm_count} : SmPlace{0, sm.value};
}

std::string smName(const DeviceLimits& limits, SmId sm) {
  const SmPlace place = smPlace(limits, sm);
  return place.gpu == 0 ? fmt::format("SM {}", place.sm) : fmt::format("GPU {} SM {}", place.gpu, place.sm);
}

SmId smOf(const DeviceLimits& limits, SmPlace place) {
  return SmId{place.gpu * limits.sm_count + place.sm};
}

uint32_t maxClusterBlocks(const ComputeCapability& capability) {
  constexpr uint32_t kPortable = 8, kNotPortable = 16;
  if (capability.major < 9) return 0;
  return capability.major <= 10 ? kNotPortable : kPortable;
}

Expected<void> checkClusterSize(const Dim3& cluster, const DeviceDescription& device,
                                const std::string& what) {
  const ComputeCapability& capability = device.limits.compute_capability;
  const uint32_t most = maxClusterBlocks(capability);
  if (most == 0) {
    return fail(
        ErrorKind::kBadRequest,
        "{} cannot be launched: it needs thread block clusters, which GPUs have since compute capability "
        "9.0; {} has {}.{}",
        what, device.name, capability.major, capability.minor);
  }
  if (cluster.count() >= 1 && cluster.count() <= most) return {};
  return fail(ErrorKind::kBadRequest,
              "{} cannot be launched: a cluster of {}x{}x{} = {} blocks; {} allows 1 to {}", what, cluster.x,
              cluster.y, cluster.z, cluster.count(), device.name, most);
}

const char* provenanceName(Provenance provenance) {
  return provenance == Provenance::kMeasured ? "measured" : "modelled";
}

}  // namespace warpscope
