// The modules and kernels that were loaded into a GPU, and the same kernels on the second GPU of runs on two.
// Owns the first GPU's modules until unload(). Knows no launches.
//
// Errors: the driver's, with the kernel's readable name; kBadRequest where a variable is smaller than asked
// for. Handles must be of these kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/peer_gpu.h"
#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

struct KernelEntry {
  Function function = nullptr;
  std::string name, entry;
  ModuleImage module;
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_allowed = 0;  // set so far; a launch that needs more raises it
  uint32_t barriers = 0;
};

class LoadedKernels {
 public:
  explicit LoadedKernels(Session& session) : session_(session) {}
  void unload();  // the session's context must be current

  // Modules are told apart by their names, and loaded once.
  Expected<KernelHandle> load(const ModuleImage& module, const std::string& entry);
  KernelEntry& of(KernelHandle handle) { return kernels_.at(handle.value - 1); }
  // The same kernel on the other GPU; loaded there when it is first asked for. Leaves that GPU's context
  // current.
  Expected<KernelEntry*> onPeer(KernelHandle handle, PeerGpu& peer);
  const KernelEntry& knownOnPeer(KernelHandle handle) const { return of_peer_.at(handle.value); }

  Expected<KernelResources> resources(KernelHandle handle, uint32_t dynamic_shared_bytes);
  Expected<uint32_t> maxActiveBlocksPerSm(KernelHandle handle, uint32_t block_threads,
                                          uint32_t dynamic_shared_bytes);
  Expected<void> allowDynamicShared(KernelEntry& kernel, uint32_t bytes);

  // The address of a module's variable of at least so many bytes.
  Expected<DeviceAddress> symbol(const ModuleImage& module, const std::string& name, uint64_t bytes);

  // For a module that is loaded again: its kernel, and what its variables have that were asked for.
  Expected<KernelEntry> entryIn(Module loaded, const ModuleImage& module, const std::string& entry);
  Expected<void> copySymbols(const ModuleImage& image, Module again);

 private:
  struct Variable {
    Address address = 0;
    uint64_t bytes = 0;
  };
  Expected<Module> loadedModule(const ModuleImage& image);

  Session& session_;
  std::map<std::string, Module> modules_;
  std::map<std::string, std::map<std::string, Variable>> symbols_;  // those asked for, by module and name
  std::map<std::pair<std::string, std::string>, KernelHandle> handles_;
  std::vector<KernelEntry> kernels_;         // handle.value - 1
  std::map<uint64_t, KernelEntry> of_peer_;  // by the handle's value
};

}  // namespace warpscope::cuda
