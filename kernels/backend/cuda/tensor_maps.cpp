#include "kernels/backend/cuda/tensor_maps.h"

#include <array>
#include <cstring>

namespace warpscope::cuda {
namespace {

struct alignas(128) OpaqueMap {  // CUtensorMap
  std::array<std::byte, 128> bytes{};
};
constexpr int kNotInterleaved = 0, kNoPromotion = 0, kZerosOutside = 0;

}  // namespace

Expected<std::vector<std::byte>> encodeTensorMap(Session& session, const TensorMapDescription& map,
                                                 Address tensor) {
  if (auto possible = checkTensorMap(map, tensor); !possible) return tl::unexpected(possible.error());
  if (auto ready = session.enter(); !ready) return tl::unexpected(ready.error());
  if (session.api().tensorMapEncodeTiled == nullptr) {
    return fail(ErrorKind::kBadRequest,
                "{}: the CUDA driver has no cuTensorMapEncodeTiled; install one for CUDA 12.0 or newer",
                describeTensorMap(map));
  }
  OpaqueMap made;
  constexpr std::array<unsigned, TensorMapDescription::kMostRank> kEveryElement{1, 1, 1, 1, 1};
  void* address = nullptr;
  std::memcpy(&address, &tensor, sizeof address);
  const Result result = session.api().tensorMapEncodeTiled(
      &made, static_cast<int>(map.element), map.rank, address, map.sizes.data(), map.strides.data(),
      map.box.data(), kEveryElement.data(), kNotInterleaved, static_cast<int>(map.swizzle), kNoPromotion,
      kZerosOutside);
  return session.check(result, "making the map of a {}", describeTensorMap(map)).map([&] {
    return std::vector<std::byte>(made.bytes.begin(), made.bytes.end());
  });
}

}  // namespace warpscope::cuda
