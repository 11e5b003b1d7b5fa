// For calls that fail only if the test itself is wrong or the device is gone: gtest, or a tool, reports the
// exception, which says what the error says.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/core/error.h"

namespace warpscope::test {

template <class T>
T must(Expected<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace warpscope::test
