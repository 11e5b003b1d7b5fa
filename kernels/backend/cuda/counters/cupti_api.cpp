#include "kernels/backend/cuda/counters/cupti_api.h"

#include <fmt/format.h>

#include <vector>

namespace warpscope::cuda::cupti {
namespace {

// The loader's own folders first, then where toolkits are installed.
void* openLibrary() {
  std::vector<std::string> folders{""};
  for (const char* toolkit : {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/opt/cuda"}) {
    for (const char* part : {"/extras/CUPTI/lib64/", "/lib64/", "/targets/x86_64-linux/lib/"})
      folders.push_back(std::string(toolkit) + part);
  }
  for (const std::string& folder : folders) {
    for (const char* name : {"libcupti.so", "libcupti.so.13", "libcupti.so.12"}) {
      if (void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

// What a user can do about it; empty: nothing is known.
const char* adviceFor(Result result) {
  switch (result) {
    case kNoPrivileges:
    case kNoVirtualPrivileges:
      return "this user may not read the GPU's counters; the administrator allows it with the driver option "
             "NVreg_RestrictProfilingToAdminUsers=0 (NVIDIA's page ERR_NVGPUCTRPERM says how), or run as "
             "root";
    case kHardwareBusy:
    case kOldProfilerInUse:
    case kSeveralSubscribers:
      return "another profiler is using the counters; end it and run again";
    case kVirtualDevice:
      return "this virtual GPU has no counters; its host can switch profiling on for it";
    case kMigDevice:
      return "a part of a GPU (MIG) has no counters that can be read here; use the whole GPU";
    case kConfidential:
      return "counters cannot be read while confidential computing is on";
    case kNotSupported:
      return "this GPU and driver do not allow it; counters need a GPU of compute capability 7.5 or newer";
    default:
      return "";
  }
}

}  // namespace

Expected<Api> Api::loadNow() {
  void* library = openLibrary();
  if (library == nullptr) {
    return fail(
        ErrorKind::kNoDevice,
        "CUPTI, which reads the GPU's counters and records its activity, was not found; install the CUDA "
        "toolkit (12.6 or newer), or add the folder of its libcupti.so to LD_LIBRARY_PATH");
  }
  Api api;
  const char* missing = nullptr;
#define WARPSCOPE_CUPTI_LOAD(member, entry, ...) \
  if (!loadSymbol(library, entry, api.member##_)) missing = entry;
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_CUPTI_LOAD)
#undef WARPSCOPE_CUPTI_LOAD
  if (!loadSymbol(library, "cuptiGetResultString", api.resultName_)) missing = "cuptiGetResultString";
  if (!loadSymbol(library, "cuptiRegisterComputeCrcCallback", api.registerCubins_))
    missing = "cuptiRegisterComputeCrcCallback";
  if (!loadSymbol(library, "cuptiActivityRegisterCallbacks", api.registerActivity_) ||
      !loadSymbol(library, "cuptiActivityEnable", api.enableActivity_) ||
      !loadSymbol(library, "cuptiActivityDisable", api.disableActivity_) ||
      !loadSymbol(library, "cuptiActivityFlushAll", api.flushActivity_) ||
      !loadSymbol(library, "cuptiActivityGetNextRecord", api.nextActivity_))
    missing = "cuptiActivityEnable";
  if (missing != nullptr) {
    return fail(
        ErrorKind::kNoDevice,
        "the GPU's counters are read with CUPTI of CUDA 12.6 or newer; the one that was found has no {}",
        missing);
  }
  return api;
}

Expected<const Api*> Api::load() {
  static const Expected<Api> kApi = loadNow();
  if (!kApi) return tl::unexpected(kApi.error());
  return &*kApi;
}

std::string Api::describe(Result result) const {
  const char* name = nullptr;
  const std::string text = resultName_(result, &name) == kOk && name != nullptr
                               ? std::string(name)
                               : fmt::format("CUPTI error {}", result);
  const std::string advice = adviceFor(result);
  return advice.empty() ? text : fmt::format("{} ({})", advice, text);
}

}  // namespace warpscope::cuda::cupti
