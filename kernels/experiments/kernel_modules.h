// The compiled kernels, embedded in the program: each module's PTX (committed under assets/ptx) and, where
// nvcc was present at build time, its fatbin. Also the families' source texts, for the code view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope {

struct ModuleImage {
  std::string_view name;              // "divergence"
  std::string_view ptx;               // NUL-terminated behind its end, as the driver wants it
  std::span<const std::byte> fatbin;  // empty: nvcc was not there
};

Expected<ModuleImage> findModule(std::string_view name);
std::span<const ModuleImage> allModules();

enum class ProbeKind { kBare, kProbed, kResidency };

// The mangled entry of `template <class Probe> __global__ void kernel(Probe, ...)` for NoProbe, WarpProbe or
// ResidencyProbe, found among the PTX's entries. Where the template takes more (WARPSCOPE_INSTANTIATE_WITH),
// `kernel` names it: "tree<float>", "tree<int,512>"; types are int, uint32_t, float and double. Error: no
// such kernel in that module.
Expected<std::string> findEntry(const ModuleImage& module, std::string_view kernel, ProbeKind probe);

// How many of an SM's barriers a block of that entry takes: the highest number that a bar or barrier
// instruction names, and those below it; all 16 where a register names it (PTX ISA, "Parallel
// Synchronization and Communication Instructions": bar). 0: no such entry, or it has no barrier.
uint32_t barriersOf(const ModuleImage& module, std::string_view entry);

// The mangled name of namespace warpscope's __device__ variable `name`.
std::string symbolName(std::string_view name);

// The device that the module's code is for, or any newer one.
ComputeCapability leastCapability(const ModuleImage& module);

// The text of a family's module ("divergence": kernels/experiments/divergence/divergence.cu). Error: no such
// module.
Expected<std::string_view> findKernelSource(std::string_view module);

}  // namespace warpscope
