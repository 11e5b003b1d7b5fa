// The caches of the simulated GPU and of GPU 1, if there is one, with the addresses that they see. Owns both;
// they outlive launches. Knows neither launches nor who allocated what: launch_caches.h says what they hold
// when a launch begins. Addresses are the real ones, sizes in bytes; nothing here can fail.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/sim/sm/modelled_addresses.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/timed_grid.h"

namespace warpscope::sim {

class ModelledCaches {
 public:
  explicit ModelledCaches(const DeviceProfile& profile);

  DeviceCaches& of(uint32_t gpu);
  void clear(uint32_t gpu);  // makes them cold
  // Leaves the GPU's L2 as if these bytes, or a share of them, had just been moved through it, or written.
  void touch(uint32_t gpu, uint64_t address, uint64_t bytes, bool written = false, double share = 1);
  // The share of what was touched at this address that launches have used since.
  double usedShareOf(uint32_t gpu, uint64_t address) { return of(gpu).usedShareOf(addresses_.of(address)); }

  // The addresses that the caches see. Each launch, or run of operations on streams, places its buffers anew.
  ModelledAddresses& addresses() { return addresses_; }
  const ModelledAddresses& addresses() const { return addresses_; }
  // Where the caches see the first `bytes` of an allocation.
  AddressRange seen(const AddressRange& allocation, uint64_t bytes) const;

 private:
  const DeviceProfile& profile_;
  std::array<std::optional<DeviceCaches>, 2> caches_;  // by GPU; GPU 1's once it is used
  ModelledAddresses addresses_;
};

}  // namespace warpscope::sim
