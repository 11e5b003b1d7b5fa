// The compiled kernels, embedded in the program: each module's PTX (committed under assets/ptx) and, where
// nvcc was present at build time, its fatbin. Also the families' source texts, for the code view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope {

struct ModuleImage {
  std::string_view name;              // "divergence"
  std::string_view ptx;               // followed by a NUL, as the driver requires
  std::span<const std::byte> fatbin;  // empty: nvcc was not present
};

Expected<ModuleImage> findModule(std::string_view name);  // among these and those that were added
std::span<const ModuleImage> allModules();

enum class ProbeKind { kBare, kProbed, kResidency };

// A module of a user's program. `name` differs from those of all others. The PTX is kept as long as the
// program runs, because backends keep loaded modules. Safe to call from any thread; a name that is known
// stays.
struct AddedKernel {
  std::string kernel;          // as plans name it
  std::string bare, probed{};  // entries; probed: empty if there is none
};
void addModule(const std::string& name, std::string ptx, std::vector<AddedKernel> kernels);

// The mangled entry of `template <class Probe> __global__ void kernel(Probe, ...)` for NoProbe, WarpProbe or
// ResidencyProbe, found among the PTX's entries. If the template has further parameters
// (WARPSCOPE_INSTANTIATE_WITH), `kernel` includes them: "tree<float>", "tree<int,512>"; types are int,
// uint32_t, float and double. Fails if the module has no such kernel.
Expected<std::string> findEntry(const ModuleImage& module, std::string_view kernel, ProbeKind probe);

// The number of an SM's barriers that a block of that entry needs: the highest number that a bar or barrier
// instruction names, and those below it; all 16 if a register names it (PTX ISA, "Parallel Synchronization
// and Communication Instructions": bar). 0 if there is no such entry, or it has no barrier.
uint32_t barriersOf(const ModuleImage& module, std::string_view entry);

// The mangled name of the __device__ variable `name` in namespace warpscope.
std::string symbolName(std::string_view name);

// The oldest device that the module's code can run on.
ComputeCapability leastCapability(const ModuleImage& module);

// The source text of a family's module ("divergence": kernels/experiments/divergence/divergence.cu). Fails if
// there is no such module.
Expected<std::string_view> findKernelSource(std::string_view module);

}  // namespace warpscope
