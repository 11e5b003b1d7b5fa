#include "kernels/device/in_process_device.h"

#include <utility>

#include "kernels/execute/executor.h"

namespace warpscope {
namespace {

class InProcessDevice final : public Device {
 public:
  explicit InProcessDevice(std::unique_ptr<ModellingBackend> backend)
      : backend_(std::move(backend)), executor_(*backend_) {}

  const DeviceDescription& description() const override { return backend_->description(); }

  Expected<Run> run(const RunRequest& request, const ProgressSink& progress,
                    const std::stop_token& stop) override {
    return executor_.run(request, progress, stop);
  }

 private:
  std::unique_ptr<ModellingBackend> backend_;
  Executor executor_;
};

}  // namespace

std::unique_ptr<Device> makeInProcessDevice(std::unique_ptr<ModellingBackend> backend) {
  return std::make_unique<InProcessDevice>(std::move(backend));
}

}  // namespace warpscope
