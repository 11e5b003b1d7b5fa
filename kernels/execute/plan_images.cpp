#include "kernels/execute/plan_images.h"

namespace warpscope {

Expected<void> PlanImages::make(Backend& backend, std::span<const KernelArgument> arguments,
                                std::span<const DeviceAddress> buffers) {
  free();
  backend_ = &backend;
  values_.assign(arguments.size(), 0);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&arguments[i]);
    if (buffer == nullptr || !buffer->image) continue;
    const auto image = backend.createImage(*buffer->image, buffers[buffer->index]);
    if (!image) return tl::unexpected(image.error());
    handles_.push_back(*image);
    values_[i] = image->value;
  }
  return {};
}

void PlanImages::free() {
  if (backend_ != nullptr && !backend_->poisoned()) {
    for (const ImageHandle image : handles_) backend_->freeImage(image);
  }
  handles_.clear();
}

}  // namespace warpscope
