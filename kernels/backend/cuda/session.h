// Owns one GPU's primary context and the stream that all work of a backend uses, turns CUDA errors into
// Errors, and loads modules into that context.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kernels/backend/cuda/driver_api.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/run/device_description.h"

namespace warpscope::cuda {

class Session {
 public:
  static Expected<std::unique_ptr<Session>> open(int ordinal);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const DriverApi& api() const { return api_; }
  Stream stream() const { return stream_; }
  Context context() const { return context_; }
  int ordinal() const { return ordinal_; }
  const DeviceDescription& description() const { return description_; }
  bool poisoned() const { return poisoned_; }

  // Must be called before any other use of api(): makes the context current in this thread; refuses after a
  // sticky error.
  Expected<void> enter();

  // An error reads "cuda:0: DOING failed: CUDA_ERROR_...: ..."; a sticky one poisons.
  template <class... Args>
  Expected<void> check(Result result, fmt::format_string<Args...> doing, Args&&... args) {
    if (result == kSuccess) return {};
    return failed(result, fmt::format(doing, std::forward<Args>(args)...));
  }
  Expected<void> synchronize(const std::string& doing) {
    return check(api_.streamSynchronize(stream_), "{}", doing);
  }

 private:
  Session(const DriverApi& api, DeviceDescription description, int ordinal)
      : api_(api), description_(std::move(description)), ordinal_(ordinal) {}
  Expected<void> failed(Result result, const std::string& doing);

  const DriverApi& api_;
  DeviceDescription description_;
  int ordinal_;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  bool poisoned_ = false;
};

// The module's fatbin if it holds code for this GPU, else its PTX, compiled by the driver; the error contains
// the compiler's log.
Expected<Module> loadModule(Session& session, const ModuleImage& image);

}  // namespace warpscope::cuda
