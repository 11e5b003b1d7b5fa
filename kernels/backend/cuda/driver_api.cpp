#include "kernels/backend/cuda/driver_api.h"

#include <dlfcn.h>

namespace warpscope::cuda {
namespace {

// Advice to the user for a result of cuInit.
const char* adviceFor(Result result) {
  switch (result) {
    case kErrorNoDevice:
      return "the driver is there, but it sees no GPU (check nvidia-smi and CUDA_VISIBLE_DEVICES; in a "
             "container, start it with --gpus all)";
    case kErrorUnknown:
    case kErrorNotPermitted:
      return "the driver could not be used: check the permissions of /dev/nvidia* and that the kernel module "
             "nvidia_uvm is loaded";
    case kErrorSystemDriverMismatch:
      return "libcuda.so.1 and the kernel driver are of different versions: reboot, or reinstall the driver";
    case kErrorSystemNotReady:
      return "the GPU's fabric is not ready: start nvidia-fabricmanager";
    case kErrorStubLibrary:
      return "this libcuda.so.1 is the toolkit's stub, not the driver's: take its folder out of "
             "LD_LIBRARY_PATH";
    default:
      return "check that nvidia-smi works";
  }
}

void loadManaged(void* library, DriverApi& api) {
  loadSymbol(library, "cuMemAdvise", api.memAdvise);
  loadSymbol(library, "cuMemAdvise_v2", api.memAdviseV2);
  loadSymbol(library, "cuMemPrefetchAsync", api.memPrefetchAsync);
  loadSymbol(library, "cuMemPrefetchAsync_v2", api.memPrefetchAsyncV2);
  if (api.memAdvise == nullptr && api.memAdviseV2 == nullptr) api.missing_for_managed = "cuMemAdvise";
  if (api.memPrefetchAsync == nullptr && api.memPrefetchAsyncV2 == nullptr)
    api.missing_for_managed = "cuMemPrefetchAsync";
  if (!loadSymbol(library, "cuMemAllocManaged", api.memAllocManaged))
    api.missing_for_managed = "cuMemAllocManaged";
}

Expected<DriverApi> load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return fail(ErrorKind::kNoDevice,
                "no CUDA driver: libcuda.so.1 was not found ({}); install NVIDIA's driver to run on a GPU",
                reason == nullptr ? "no reason given" : reason);
  }
  DriverApi api;
  const char* missing = nullptr;
#define WARPSCOPE_CUDA_LOAD(member, entry, ...) \
  if (!loadSymbol(library, entry, api.member)) missing = entry;
  WARPSCOPE_CUDA_FUNCTIONS(WARPSCOPE_CUDA_LOAD)
#undef WARPSCOPE_CUDA_LOAD
  loadSymbol(library, "cuLaunchKernelEx", api.launchKernelEx);
  loadSymbol(library, "cuTensorMapEncodeTiled", api.tensorMapEncodeTiled);
  loadManaged(library, api);
  loadSymbol(library, "cuMemAllocAsync", api.memAllocAsync);
  loadSymbol(library, "cuMemFreeAsync", api.memFreeAsync);
  loadSymbol(library, "cuDeviceGetDefaultMemPool", api.deviceGetDefaultMemPool);
  loadSymbol(library, "cuMemPoolSetAttribute", api.memPoolSetAttribute);
  // Drivers before CUDA 12 have only the first version of this one.
  loadSymbol(library, "cuGraphAddKernelNode", api.graphAddKernelNode);
  const auto first_version = api.graphAddKernelNode;
#define WARPSCOPE_CUDA_LOAD(member, entry, ...) loadSymbol(library, entry, api.member);
  WARPSCOPE_CUDA_GRAPH_FUNCTIONS(WARPSCOPE_CUDA_LOAD)
  WARPSCOPE_CUDA_CONDITION_FUNCTIONS(WARPSCOPE_CUDA_LOAD)
#undef WARPSCOPE_CUDA_LOAD
  if (api.graphAddKernelNode == nullptr) api.graphAddKernelNode = first_version;
#define WARPSCOPE_CUDA_MISSES(member, entry, ...) \
  if (api.member == nullptr) api.missing_for_graphs = entry;
  WARPSCOPE_CUDA_GRAPH_FUNCTIONS(WARPSCOPE_CUDA_MISSES)
#undef WARPSCOPE_CUDA_MISSES
  api.missing_for_conditions = api.missing_for_graphs;
#define WARPSCOPE_CUDA_MISSES(member, entry, ...) \
  if (api.member == nullptr) api.missing_for_conditions = entry;
  WARPSCOPE_CUDA_CONDITION_FUNCTIONS(WARPSCOPE_CUDA_MISSES)
#undef WARPSCOPE_CUDA_MISSES
  if (missing != nullptr) {
    return fail(ErrorKind::kNoDevice,
                "the CUDA driver is too old: its libcuda.so.1 has no {}; install a newer driver", missing);
  }
  if (const Result result = api.init(0); result != kSuccess) {
    return fail(ErrorKind::kNoDevice, "no CUDA GPU: cuInit answered error {} ({}): {}", result,
                api.describe(result), adviceFor(result));
  }
  return api;
}

}  // namespace

std::string DriverApi::describe(Result result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (getErrorName(result, &name) != kSuccess || name == nullptr) {
    return fmt::format("unknown CUDA error {}", result);
  }
  if (getErrorString(result, &text) != kSuccess || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

Expected<const DriverApi*> driverApi() {
  static const Expected<DriverApi> kApi = load();
  if (!kApi) return tl::unexpected(kApi.error());
  return &*kApi;
}

}  // namespace warpscope::cuda
