// Kernel parameters in the form that LaunchSpec holds them in: their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope {

template <class T>
std::vector<std::byte> parameterBytes(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// The parameters of a plan's kernel: the probe's (NoProbe is an empty struct, which is one byte; no bytes:
// the kernel has no such parameter), then the arguments, with buffers by their addresses, and images and
// tensor maps by `objects`, which are PlanObjects::values().
inline std::vector<std::vector<std::byte>> launchParameters(std::vector<std::byte> probe,
                                                            std::span<const KernelArgument> arguments,
                                                            std::span<const uint64_t> addresses,
                                                            std::span<const Bytes> objects = {}) {
  std::vector<std::vector<std::byte>> parameters;
  if (!probe.empty()) parameters.push_back(std::move(probe));
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters.push_back(std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, BufferArgument>) {
            return value.image || value.tensor ? objects[i] : parameterBytes(addresses[value.index]);
          } else if constexpr (std::is_same_v<T, Bytes>) {
            return value;
          } else {
            return parameterBytes(value);
          }
        },
        arguments[i]));
  }
  return parameters;
}

}  // namespace warpscope
