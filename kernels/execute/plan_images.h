// The texture and surface objects that a plan's arguments ask for. Owns them: they are freed with it, while
// the backend must still be there.
#pragma once

#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

class PlanImages {
 public:
  PlanImages() = default;
  ~PlanImages() { free(); }
  PlanImages(const PlanImages&) = delete;
  PlanImages& operator=(const PlanImages&) = delete;

  // `buffers`: the addresses of the plan's buffers. What was made before is freed.
  Expected<void> make(Backend& backend, std::span<const KernelArgument> arguments,
                      std::span<const DeviceAddress> buffers);
  // By argument, what the kernel is passed; 0 for arguments that are no images.
  std::span<const uint64_t> values() const { return values_; }

 private:
  void free();

  Backend* backend_ = nullptr;
  std::vector<ImageHandle> handles_;
  std::vector<uint64_t> values_;
};

}  // namespace warpscope
