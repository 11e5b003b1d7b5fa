#include "kernels/backend/cuda/loaded_kernels.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "kernels/backend/cuda/linked_module.h"

namespace warpscope::cuda {
namespace {

// "_ZN9warpscope7shuffleINS_7NoProbeEEEv..." of module reduction -> "reduction: shuffle<NoProbe>".
std::string readableName(std::string_view module, const std::string& entry) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 && demangled ? demangled.get() : entry;
  name.erase(std::min(name.find('('), name.size()));
  for (const std::string_view noise : {"void ", "warpscope::"}) {
    for (size_t at = 0; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
  }
  return fmt::format("{}: {}", module, name);
}

}  // namespace

void LoadedKernels::unload() {
  for (const auto& [name, module] : modules_) session_.api().moduleUnload(module);
  modules_.clear();
}

Expected<KernelHandle> LoadedKernels::load(const ModuleImage& module, const std::string& entry) {
  const auto key = std::pair(std::string(module.name), entry);
  if (const auto known = handles_.find(key); known != handles_.end()) return known->second;
  if (auto ready = session_.enter(); !ready) return tl::unexpected(ready.error());
  const auto loaded = loadedModule(module);
  if (!loaded) return tl::unexpected(loaded.error());

  auto kernel = entryIn(*loaded, module, entry);
  if (!kernel) return tl::unexpected(kernel.error());
  kernels_.push_back(std::move(*kernel));
  return handles_.emplace(key, KernelHandle{kernels_.size()}).first->second;
}

Expected<KernelEntry*> LoadedKernels::onPeer(KernelHandle handle, PeerGpu& peer) {
  const KernelEntry& here = of(handle);
  const auto module = peer.module(here.module);
  if (!module) return tl::unexpected(module.error());
  if (const auto known = of_peer_.find(handle.value); known != of_peer_.end()) return &known->second;
  auto entry = entryIn(*module, here.module, here.entry);
  if (!entry) return tl::unexpected(entry.error());
  return &of_peer_.emplace(handle.value, std::move(*entry)).first->second;
}

Expected<KernelResources> LoadedKernels::resources(KernelHandle handle, uint32_t dynamic_shared_bytes) {
  const KernelEntry& kernel = of(handle);
  if (auto ready = session_.enter(); !ready) return tl::unexpected(ready.error());
  int registers = 0;
  int local_bytes = 0;
  const DriverApi& api = session_.api();
  Result result = api.funcGetAttribute(&registers, FunctionAttribute::kNumRegs, kernel.function);
  if (result == kSuccess) {
    result = api.funcGetAttribute(&local_bytes, FunctionAttribute::kLocalSizeBytes, kernel.function);
  }
  if (auto done = session_.check(result, "asking for the resources of {}", kernel.name); !done) {
    return tl::unexpected(done.error());
  }
  return KernelResources{static_cast<uint32_t>(registers), kernel.static_shared_bytes, dynamic_shared_bytes,
                         static_cast<uint32_t>(local_bytes), kernel.barriers};
}

Expected<uint32_t> LoadedKernels::maxActiveBlocksPerSm(KernelHandle handle, uint32_t block_threads,
                                                       uint32_t dynamic_shared_bytes) {
  KernelEntry& kernel = of(handle);
  if (auto ready = session_.enter(); !ready) return tl::unexpected(ready.error());
  if (auto allowed = allowDynamicShared(kernel, dynamic_shared_bytes); !allowed) {
    return tl::unexpected(allowed.error());
  }
  int blocks = 0;
  if (auto done =
          session_.check(session_.api().occupancyMaxActiveBlocksPerMultiprocessor(
                             &blocks, kernel.function, static_cast<int>(block_threads), dynamic_shared_bytes),
                         "asking for the occupancy of {}", kernel.name);
      !done) {
    return tl::unexpected(done.error());
  }
  return static_cast<uint32_t>(blocks);
}

Expected<DeviceAddress> LoadedKernels::symbol(const ModuleImage& module, const std::string& name,
                                              uint64_t bytes) {
  if (auto ready = session_.enter(); !ready) return tl::unexpected(ready.error());
  const auto loaded = loadedModule(module);
  if (!loaded) return tl::unexpected(loaded.error());
  Address address = 0;
  size_t has = 0;
  if (auto done =
          session_.check(session_.api().moduleGetGlobal(&address, &has, *loaded, symbolName(name).c_str()),
                         "finding {} in module {}", name, module.name);
      !done) {
    return tl::unexpected(done.error());
  }
  if (has >= bytes) {
    symbols_[std::string(module.name)][symbolName(name)] = {address, has};
    return address;
  }
  return fail(ErrorKind::kBadRequest, "{} of module {} has {} bytes, not {}", name, module.name, has, bytes);
}

Expected<KernelEntry> LoadedKernels::entryIn(Module loaded, const ModuleImage& module,
                                             const std::string& entry) {
  KernelEntry kernel;
  kernel.name = readableName(module.name, entry);
  kernel.entry = entry;
  kernel.module = module;
  kernel.barriers = barriersOf(module, entry);
  const DriverApi& api = session_.api();
  int static_bytes = 0;
  const auto found =
      session_
          .check(api.moduleGetFunction(&kernel.function, loaded, entry.c_str()), "finding kernel {}",
                 kernel.name)
          .and_then([&] {
            return session_.check(
                api.funcGetAttribute(&static_bytes, FunctionAttribute::kSharedSizeBytes, kernel.function),
                "asking for the shared memory of {}", kernel.name);
          });
  if (!found) return tl::unexpected(found.error());
  kernel.static_shared_bytes = static_cast<uint32_t>(static_bytes);
  const uint32_t without_opt_in = session_.description().limits.shared_bytes_per_block;
  kernel.dynamic_shared_allowed =
      without_opt_in > kernel.static_shared_bytes ? without_opt_in - kernel.static_shared_bytes : 0;
  return kernel;
}

// Gives the variables of a module that was loaded again what those of the first have.
Expected<void> LoadedKernels::copySymbols(const ModuleImage& image, Module again) {
  const DriverApi& api = session_.api();
  const auto known = symbols_.find(std::string(image.name));
  if (known == symbols_.end()) return {};
  for (const auto& [name, variable] : known->second) {
    Address address = 0;
    size_t bytes = 0;
    auto done = session_.check(api.moduleGetGlobal(&address, &bytes, again, name.c_str()),
                               "finding {} in module {}", name, image.name);
    const uint64_t both = std::min<uint64_t>(bytes, variable.bytes);
    if (done && both > 0) {
      done = session_.check(api.memcpyDtoDAsync(address, variable.address, both, session_.stream()),
                            "copying {} bytes on the device", both);
    }
    if (!done) return done;
  }
  return {};
}

Expected<Module> LoadedKernels::loadedModule(const ModuleImage& image) {
  const std::string name(image.name);
  if (const auto known = modules_.find(name); known != modules_.end()) return known->second;
  auto module = loadModule(session_, image);
  if (module) modules_.emplace(name, *module);
  return module;
}

Expected<void> LoadedKernels::allowDynamicShared(KernelEntry& kernel, uint32_t bytes) {
  if (bytes <= kernel.dynamic_shared_allowed) return {};
  auto done = session_.check(
      session_.api().funcSetAttribute(kernel.function, FunctionAttribute::kMaxDynamicSharedSizeBytes,
                                      static_cast<int>(bytes)),
      "allowing {} bytes of dynamic shared memory for {}", bytes, kernel.name);
  if (done) kernel.dynamic_shared_allowed = bytes;
  return done;
}

}  // namespace warpscope::cuda
