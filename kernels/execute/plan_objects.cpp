#include "kernels/execute/plan_objects.h"

#include "kernels/execute/parameter_bytes.h"

namespace warpscope {

Expected<void> PlanObjects::make(Backend& backend, std::span<const KernelArgument> arguments,
                                 std::span<const DeviceAddress> buffers) {
  free();
  backend_ = &backend;
  values_.assign(arguments.size(), {});
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&arguments[i]);
    if (buffer == nullptr) continue;
    if (buffer->image) {
      const auto image = backend.createImage(*buffer->image, buffers[buffer->index]);
      if (!image) return tl::unexpected(image.error());
      images_.push_back(*image);
      values_[i] = parameterBytes(image->value);
    } else if (buffer->tensor) {
      auto map = backend.encodeTensorMap(*buffer->tensor, buffers[buffer->index]);
      if (!map) return tl::unexpected(map.error());
      values_[i] = std::move(*map);
    }
  }
  return {};
}

void PlanObjects::free() {
  if (backend_ != nullptr && !backend_->poisoned()) {
    for (const ImageHandle image : images_) backend_->freeImage(image);
  }
  images_.clear();
}

}  // namespace warpscope
