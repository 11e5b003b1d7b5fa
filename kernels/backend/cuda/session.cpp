#include "kernels/backend/cuda/session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/backend/cuda/driver_api.h"
#include "kernels/backend/cuda/linked_module.h"

namespace warpscope::cuda {
namespace {

// Errors after which the process must be terminated and relaunched, or the context is destroyed, according to
// the driver API's reference on CUresult: ECC, NVLink and contained errors, illegal address, launch timeout,
// destroyed context, assert, hardware stack, illegal instruction, misaligned address, address space, program
// counter, launch failure, tensor memory leak, unknown.
bool isSticky(Result result) {
  static constexpr std::array<Result, 15> kSticky{214, 220, 226, 700, 702, 709, 710,          714,
                                                  715, 716, 717, 718, 719, 721, kErrorUnknown};
  return std::ranges::find(kSticky, result) != kSticky.end();
}

}  // namespace

Expected<std::unique_ptr<Session>> Session::open(int ordinal) {
  const auto api = driverApi();
  if (!api) return tl::unexpected(api.error());
  const auto count = deviceCount(**api);
  if (!count) return tl::unexpected(count.error());
  if (ordinal < 0 || ordinal >= *count) {
    return fail(ErrorKind::kNoDevice, "there is no cuda:{}; this machine has {} CUDA GPU(s)", ordinal,
                *count);
  }
  auto description = describeDevice(**api, ordinal);
  if (!description) return tl::unexpected(description.error());

  std::unique_ptr<Session> session(new Session(**api, std::move(*description), ordinal));
  const auto opened = [&](Result result) -> Expected<void> {
    if (result == kSuccess) return {};
    return fail(ErrorKind::kNoDevice, "cuda:{} ({}) cannot be opened: {}{}", ordinal,
                session->description_.name, (*api)->describe(result),
                result == kErrorDeviceUnavailable ? " (another process has it exclusively)" : "");
  };
  if (auto done = opened((*api)->devicePrimaryCtxRetain(&session->context_, ordinal)); !done) {
    session->context_ = nullptr;
    return tl::unexpected(done.error());
  }
  auto done = opened((*api)->ctxSetCurrent(session->context_)).and_then([&] {
    return opened((*api)->streamCreate(&session->stream_, kStreamNonBlocking));
  });
  if (!done) return tl::unexpected(done.error());
  return session;
}

Session::~Session() {
  if (poisoned_) return;  // nothing in the context can be used or freed any more
  if (stream_ != nullptr) api_.streamDestroy(stream_);
  if (context_ != nullptr) api_.devicePrimaryCtxRelease(ordinal_);
}

Expected<void> Session::enter() {
  if (poisoned_) {
    return fail(
        ErrorKind::kWorkFailed,
        "{}: an earlier kernel error has ended this process's use of the GPU; a new process is needed",
        description_.id);
  }
  return check(api_.ctxSetCurrent(context_), "entering the context");
}

Expected<void> Session::failed(Result result, const std::string& doing) {
  if (isSticky(result)) poisoned_ = true;
  const char* advice =
      result == kErrorOutOfMemory ? "; choose a smaller size, or end what else uses the GPU" : "";
  return fail(ErrorKind::kWorkFailed, "{}: {} failed: {}{}", description_.id, doing, api_.describe(result),
              advice);
}

Expected<Module> loadModule(Session& session, const ModuleImage& image) {
  if (callsDeviceRuntime(image)) return loadLinkedModule(session, image);
  const DriverApi& api = session.api();
  Module module = nullptr;
  std::string fatbin_error = "none is built in";
  if (!image.fatbin.empty()) {
    const Result result = api.moduleLoadDataEx(&module, image.fatbin.data(), 0, nullptr, nullptr);
    if (result == kSuccess) return module;
    fatbin_error = api.describe(result);
  }
  std::array<char, 8192> log{};
  // Line information is for the sampler of instructions; the code is the same without it.
  std::array options{JitOption::kErrorLogBuffer, JitOption::kErrorLogBufferSizeBytes,
                     JitOption::kLineInformation};
  // The driver takes numbers as the values of pointers (CUjit_option, "option type: unsigned int").
  std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log.size() - 1),
                              reinterpret_cast<void*>(uintptr_t{1})};
  const Result result =
      api.moduleLoadDataEx(&module, image.ptx.data(), options.size(), options.data(), values.data());
  if (result == kSuccess) return module;
  const char* advice = result == kErrorUnsupportedPtxVersion
                           ? " (the driver is older than the PTX: install a newer driver, or build with nvcc "
                             "for this GPU's architecture)"
                           : "";
  auto failure = session.check(result, "loading module {} from PTX{} (from fatbin: {})", image.name, advice,
                               fatbin_error);
  if (log[0] != '\0') failure.error().message += fmt::format("\ncompiler log:\n{}", log.data());
  return tl::unexpected(failure.error());
}

}  // namespace warpscope::cuda
