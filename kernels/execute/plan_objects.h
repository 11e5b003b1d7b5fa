// The objects that a plan's arguments ask for in place of a buffer's address: textures, surfaces and tensor
// maps. Owns them: they are freed with it, while the backend must still be there.
#pragma once

#include <span>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

class PlanObjects {
 public:
  PlanObjects() = default;
  ~PlanObjects() { free(); }
  PlanObjects(const PlanObjects&) = delete;
  PlanObjects& operator=(const PlanObjects&) = delete;

  // `buffers`: the addresses of the plan's buffers. What was made before is freed.
  Expected<void> make(Backend& backend, std::span<const KernelArgument> arguments,
                      std::span<const DeviceAddress> buffers);
  // By argument, the bytes that the kernel is passed; none for arguments that are no such objects.
  std::span<const Bytes> values() const { return values_; }
  bool hasImages() const { return !images_.empty(); }

 private:
  void free();

  Backend* backend_ = nullptr;
  std::vector<ImageHandle> images_;
  std::vector<Bytes> values_;
};

}  // namespace warpscope
