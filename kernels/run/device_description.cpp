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

const char* provenanceName(Provenance provenance) {
  return provenance == Provenance::kMeasured ? "measured" : "modelled";
}

}  // namespace warpscope
