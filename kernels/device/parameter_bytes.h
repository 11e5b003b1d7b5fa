// A kernel parameter as LaunchSpec holds it: its bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace warpscope {

template <class T>
std::vector<std::byte> parameterBytes(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

}  // namespace warpscope
