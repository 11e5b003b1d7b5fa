#include "kernels/sim/simt/tensor_map.h"

#include <cstring>

namespace warpscope::sim {
namespace {

constexpr uint64_t kTensorMagic = 0x70616D726F736E74;  // "tnsormap"

struct EncodedMap {
  uint64_t magic = kTensorMagic;
  uint64_t address = 0;
  std::array<uint64_t, TensorMapDescription::kMostRank - 1> strides{};
  std::array<uint32_t, TensorMapDescription::kMostRank> last{};  // sizes less 1
  std::array<uint16_t, TensorMapDescription::kMostRank> box{};
  uint8_t rank = 1, element = 0, swizzle = 0;
};
static_assert(sizeof(EncodedMap) <= kTensorMapBytes);

}  // namespace

std::vector<std::byte> encodeTensorMap(const TensorMap& map) {
  const TensorMapDescription& of = map.description;
  EncodedMap encoded;
  encoded.address = map.address;
  encoded.strides = of.strides;
  for (size_t i = 0; i < of.sizes.size(); ++i) {
    encoded.last[i] = static_cast<uint32_t>(of.sizes[i] - 1);
    encoded.box[i] = static_cast<uint16_t>(of.box[i]);
  }
  encoded.rank = static_cast<uint8_t>(of.rank);
  encoded.element = static_cast<uint8_t>(of.element);
  encoded.swizzle = static_cast<uint8_t>(of.swizzle);
  std::vector<std::byte> bytes(kTensorMapBytes);
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

std::optional<TensorMap> decodeTensorMap(std::span<const std::byte, kTensorMapBytes> bytes) {
  EncodedMap encoded;
  std::memcpy(&encoded, bytes.data(), sizeof encoded);
  const bool known = encoded.magic == kTensorMagic && encoded.element < TensorMapDescription::kElements &&
                     encoded.swizzle < TensorMapDescription::kSwizzles;
  if (!known) return std::nullopt;
  TensorMap map;
  map.address = encoded.address;
  TensorMapDescription& of = map.description;
  of.element = static_cast<TensorMapDescription::Element>(encoded.element);
  of.swizzle = static_cast<TensorMapDescription::Swizzle>(encoded.swizzle);
  of.rank = encoded.rank;
  of.strides = encoded.strides;
  for (size_t i = 0; i < of.sizes.size(); ++i) {
    of.sizes[i] = uint64_t{encoded.last[i]} + 1;
    of.box[i] = encoded.box[i];
  }
  if (!checkTensorMap(of, map.address)) return std::nullopt;
  return map;
}

}  // namespace warpscope::sim
