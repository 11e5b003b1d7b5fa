// The fake driver's entries for GPUs, contexts, modules and what is said of kernels.
#include <cstring>

#include "tests/support/fake_cuda/fake_gpu.h"

#pragma GCC visibility push(default)
extern "C" {

using namespace warpscope::cuda;
using namespace warpscope::testing::fake_driver;

Result cuInit(unsigned) {
  return kSuccess;
}
Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** name) {
  *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                        : "CUDA_ERROR_OF_TEST";
  return kSuccess;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "the fake driver was told so";
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  *count = state().gpus;
  return kSuccess;
}
Result cuDeviceGetName(char* name, int bytes, DeviceOrdinal) {
  std::strncpy(name, "Fake H100", static_cast<size_t>(bytes));
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceOrdinal) {
  switch (attribute) {
    case DeviceAttribute::kComputeCapabilityMajor:
      *value = 9;
      break;
    case DeviceAttribute::kComputeCapabilityMinor:
      *value = 0;
      break;
    case DeviceAttribute::kMultiprocessorCount:
      *value = 4;
      break;
    case DeviceAttribute::kClockRateKhz:
      *value = 1'980'000;
      break;
    default:
      *value = 1024;
  }
  return kSuccess;
}
Result cuDeviceTotalMem_v2(size_t* bytes, DeviceOrdinal) {
  *bytes = size_t{1} << 30;
  return kSuccess;
}
// A context's handle is its GPU's number and 1.
Result cuDevicePrimaryCtxRetain(Context* context, DeviceOrdinal gpu) {
  *context = reinterpret_cast<Context>(static_cast<uintptr_t>(gpu) + 1);
  return kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal) {
  return kSuccess;
}
Result cuCtxSetCurrent(Context context) {
  current_gpu = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  return kSuccess;
}
Result cuDeviceCanAccessPeer(int* can, DeviceOrdinal, DeviceOrdinal) {
  *can = state().peer_access ? 1 : 0;
  return kSuccess;
}
Result cuCtxEnablePeerAccess(Context, unsigned) {
  const std::lock_guard lock(state().mutex);
  return note({.entry = "cuCtxEnablePeerAccess", .event = ~uint64_t{0}});
}
Result cuModuleLoadDataEx(Module* module, const void*, unsigned, JitOption*, void**) {
  const std::lock_guard lock(state().mutex);
  auto* made = new FakeModule;
  made->gpu = current_gpu;
  state().modules.insert(made);
  *module = reinterpret_cast<Module>(made);
  ++state().alive.modules;
  return kSuccess;
}
Result cuModuleUnload(Module module) {
  const std::lock_guard lock(state().mutex);
  state().modules.erase(reinterpret_cast<FakeModule*>(module));
  delete reinterpret_cast<FakeModule*>(module);
  --state().alive.modules;
  return kSuccess;
}
Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  auto& functions = reinterpret_cast<FakeModule*>(module)->functions;
  auto& known = functions[name];
  if (known == nullptr)
    known = std::make_unique<FakeFunction>(FakeFunction{name, reinterpret_cast<FakeModule*>(module)->gpu});
  *function = reinterpret_cast<Function>(known.get());
  return kSuccess;
}
Result cuModuleGetGlobal_v2(Address*, size_t*, Module, const char*) {
  return kErrorNotPermitted;
}

Result cuLinkCreate_v2(unsigned, JitOption*, void**, LinkState* linker) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuLinkCreate_v2"})) return failed;
  *linker = reinterpret_cast<LinkState>(&state());
  ++state().alive.linkers;
  return kSuccess;
}
Result cuLinkAddData_v2(LinkState, LinkInput input, void*, size_t, const char*, unsigned, JitOption*,
                        void**) {
  const std::lock_guard lock(state().mutex);
  return input == LinkInput::kPtx ? note({.entry = "cuLinkAddData_v2"}) : kErrorNotPermitted;
}
Result cuLinkAddFile_v2(LinkState, LinkInput input, const char*, unsigned, JitOption*, void**) {
  const std::lock_guard lock(state().mutex);
  return input == LinkInput::kLibrary ? note({.entry = "cuLinkAddFile_v2"}) : kErrorNotPermitted;
}
Result cuLinkComplete(LinkState, void** cubin, size_t*) {
  const std::lock_guard lock(state().mutex);
  *cubin = &state();
  return note({.entry = "cuLinkComplete"});
}
Result cuLinkDestroy(LinkState) {
  const std::lock_guard lock(state().mutex);
  --state().alive.linkers;
  return kSuccess;
}
Result cuFuncGetAttribute(int* value, FunctionAttribute, Function) {
  *value = 0;
  return kSuccess;
}
Result cuFuncSetAttribute(Function, FunctionAttribute, int) {
  return kSuccess;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int, size_t) {
  *blocks = 1;
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
