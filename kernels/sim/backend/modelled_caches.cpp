#include "kernels/sim/backend/modelled_caches.h"

namespace warpscope::sim {

ModelledCaches::ModelledCaches(const DeviceProfile& profile) : profile_(profile) {
  caches_.front().emplace(profile_);
}

DeviceCaches& ModelledCaches::of(uint32_t gpu) {
  std::optional<DeviceCaches>& caches = caches_.at(gpu);
  if (!caches) caches.emplace(profile_);
  return *caches;
}

void ModelledCaches::clear(uint32_t gpu) {
  if (caches_.at(gpu)) caches_[gpu]->clear();
}

void ModelledCaches::touch(uint32_t gpu, uint64_t address, uint64_t bytes, bool written, double share) {
  of(gpu).touchL2(addresses_.of(address), bytes, written, share);
}

AddressRange ModelledCaches::seen(const AddressRange& allocation, uint64_t bytes) const {
  const uint64_t begin = addresses_.of(allocation.begin);
  return {begin, begin + bytes};
}

}  // namespace warpscope::sim
