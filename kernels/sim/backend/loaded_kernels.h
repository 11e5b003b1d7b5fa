// The modules and kernels that were loaded into the simulated GPU, in the forms in which they are executed,
// timed and listed. Owns them until the end of the backend; a module's variables take room in global memory.
// Knows no launches that are under way.
//
// Errors: what parsing PTX, placing its variables and decoding the kernel report; kBadRequest where a module
// has no such variable. Handles must be of these kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/run/listing.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/profile.h"
#include "kernels/sim/sm/sampled_sms.h"

namespace warpscope::sim {

struct LoadedKernel {
  std::shared_ptr<const Code> code;
  MachineCode machine;
  std::shared_ptr<const Listing> listing;
  const LoadedModule* module = nullptr;
  uint32_t barriers = 0;
  Influence influence = Influence::kAny;
  std::optional<std::vector<bool>> shifting{};  // see LoadedKernels::shiftingParametersOf
};

class LoadedKernels {
 public:
  LoadedKernels(const DeviceProfile& profile, GlobalMemory& memory) : profile_(profile), memory_(memory) {}

  // Modules are told apart by their names, and loaded once.
  Expected<KernelHandle> load(const ModuleImage& image, const std::string& entry);
  // The address of a module's variable of at least so many bytes.
  Expected<DeviceAddress> symbol(const ModuleImage& image, const std::string& name, uint64_t bytes);

  const LoadedKernel& of(KernelHandle handle) const { return kernels_.at(handle.value - 1); }
  KernelResources resources(KernelHandle handle, uint32_t dynamic_shared_bytes) const;
  bool hasClusters(const LaunchSpec& spec) const;
  // shiftingParameters() of its code, which are found out when they are asked for.
  const std::vector<bool>& shiftingParametersOf(KernelHandle handle);

 private:
  Expected<const LoadedModule*> loadedModule(const ModuleImage& image);

  const DeviceProfile& profile_;
  GlobalMemory& memory_;
  std::map<std::string, LoadedModule> modules_;
  std::map<std::pair<std::string, std::string>, KernelHandle> handles_;  // by module and entry
  std::vector<LoadedKernel> kernels_;                                    // handle.value - 1
};

}  // namespace warpscope::sim
