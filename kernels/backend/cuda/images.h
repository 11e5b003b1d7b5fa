// Texture and surface objects of a GPU. An object's texels lie in a CUDA array, which has a layout of its
// own, so they are copied there from their buffer before each launch, and from surfaces back after it; those
// of a texture in linear memory stay where they are. Owns the arrays and objects.
#pragma once

#include <map>
#include <utility>

#include "kernels/backend/cuda/session.h"
#include "kernels/core/image.h"

namespace warpscope::cuda {

class Images {
 public:
  explicit Images(Session& session) : session_(session) {}
  ~Images();
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  Expected<ImageHandle> create(const ImageDescription& image, Address texels);
  void free(ImageHandle image);
  // Enqueue the copies from and to the buffers of all objects.
  Expected<void> load();
  Expected<void> store();

 private:
  using Use = ImageDescription::Use;
  struct Object {
    ImageDescription description;
    Address texels = 0;
    Array array = nullptr;  // null: in linear memory
  };
  Expected<void> makeArray(Object& object);
  Expected<ImageHandle> makeObject(const Object& object);
  Expected<void> copy(const Object& object, bool to_array);

  Session& session_;
  std::map<std::pair<Use, uint64_t>, Object> objects_;  // a texture and a surface may have equal handles
};

}  // namespace warpscope::cuda
