#include "kernels/backend/cuda/images.h"

namespace warpscope::cuda {
namespace {

int formatOf(const TexelFormat& texel) {
  using Kind = TexelFormat::Kind;
  const bool is_byte = texel.channel_bytes == 1, is_short = texel.channel_bytes == 2;
  if (texel.kind == Kind::kFloat) return is_short ? kFormatHalf : kFormatFloat;
  if (texel.kind == Kind::kSigned)
    return is_byte ? kFormatSigned8 : is_short ? kFormatSigned16 : kFormatSigned32;
  return is_byte ? kFormatUnsigned8 : is_short ? kFormatUnsigned16 : kFormatUnsigned32;
}

// CUaddress_mode
int addressOf(AddressMode mode) {
  switch (mode) {
    case AddressMode::kWrap:
      return 0;
    case AddressMode::kMirror:
      return 2;
    case AddressMode::kBorder:
      return 3;
    case AddressMode::kClamp:
      break;
  }
  return 1;
}

TextureDescriptor textureDescriptor(const ImageDescription& image) {
  TextureDescriptor descriptor;
  // A line is filtered as an image of one row, between which and a border above it an H100 takes the mean.
  for (size_t i = 0; i < 3; ++i)
    descriptor.address[i] = addressOf(i < image.dimensions ? image.address[i] : AddressMode::kClamp);
  descriptor.filter = image.linear_filter ? 1 : 0;
  if (image.texel.kind != TexelFormat::Kind::kFloat && !image.normalized_float)
    descriptor.flags |= kReadAsInteger;
  if (image.normalized_coordinates) descriptor.flags |= kNormalizedCoordinates;
  return descriptor;
}

}  // namespace

Images::~Images() {
  while (!objects_.empty()) {
    const auto& [use, value] = objects_.begin()->first;
    free({value, use});
  }
}

Expected<void> Images::makeArray(Object& object) {
  const ImageDescription& image = object.description;
  ArrayDescriptor descriptor;
  descriptor.width = image.width;
  descriptor.height = image.dimensions > 1 ? image.height : 0;
  descriptor.depth = image.dimensions > 2 ? image.depth : 0;
  descriptor.format = formatOf(image.texel);
  descriptor.channels = image.texel.channels;
  descriptor.flags = image.use == Use::kSurface ? kArraySurface : 0;
  return session_.check(session_.api().array3DCreate(&object.array, &descriptor), "allocating {}",
                        describeImage(image));
}

Expected<ImageHandle> Images::makeObject(const Object& object) {
  const ImageDescription& image = object.description;
  ResourceDescriptor resource;
  if (object.array != nullptr) {
    resource.kind = kResourceArray;
    resource.array.array = object.array;
  } else {
    resource.kind = kResourceLinear;
    resource.linear = {object.texels, formatOf(image.texel), image.texel.channels, image.bytes()};
  }
  const TextureDescriptor texture = textureDescriptor(image);
  uint64_t value = 0;
  const DriverApi& api = session_.api();
  const Result result = image.use == Use::kSurface
                            ? api.surfObjectCreate(&value, &resource)
                            : api.texObjectCreate(&value, &resource, &texture, nullptr);
  return session_.check(result, "making {}", describeImage(image)).map([&] {
    return ImageHandle{value, image.use};
  });
}

Expected<ImageHandle> Images::create(const ImageDescription& image, Address texels) {
  if (auto possible = checkImage(image); !possible) return tl::unexpected(possible.error());
  if (auto ready = session_.enter(); !ready) return tl::unexpected(ready.error());
  Object object{image, texels};
  auto made = image.linear_memory ? Expected<void>{} : makeArray(object);
  auto handle = made ? makeObject(object) : tl::unexpected(made.error());
  if (handle) {
    objects_[{image.use, handle->value}] = object;
  } else if (object.array != nullptr) {
    session_.api().arrayDestroy(object.array);
  }
  return handle;
}

void Images::free(ImageHandle image) {
  const auto found = objects_.find({image.use, image.value});
  if (found == objects_.end()) return;
  if (!session_.poisoned() && session_.enter()) {
    const DriverApi& api = session_.api();
    image.use == Use::kSurface ? api.surfObjectDestroy(image.value) : api.texObjectDestroy(image.value);
    if (found->second.array != nullptr) api.arrayDestroy(found->second.array);
  }
  objects_.erase(found);
}

Expected<void> Images::copy(const Object& object, bool to_array) {
  const ImageDescription& image = object.description;
  Copy3D copy;
  copy.width_bytes = size_t{image.width} * image.texel.bytes();
  copy.height = image.height;
  copy.depth = image.depth;
  Copy3D::Side& buffer = to_array ? copy.from : copy.to;
  buffer.memory = kMemoryDevice;
  buffer.device = object.texels;
  buffer.pitch = copy.width_bytes;
  buffer.height = image.height;
  Copy3D::Side& array = to_array ? copy.to : copy.from;
  array.memory = kMemoryArray;
  array.array = object.array;
  return session_.check(session_.api().memcpy3DAsync(&copy, session_.stream()), "copying {}",
                        describeImage(image));
}

Expected<void> Images::load() {
  for (const auto& [handle, object] : objects_) {
    if (object.array == nullptr) continue;
    if (auto done = copy(object, true); !done) return done;
  }
  return {};
}

Expected<void> Images::store() {
  for (const auto& [handle, object] : objects_) {
    if (object.description.use != Use::kSurface) continue;
    if (auto done = copy(object, false); !done) return done;
  }
  return {};
}

}  // namespace warpscope::cuda
