// What the kernels of examples/cuda must leave, computed here from what they were given.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope::testing {

// A launch that has ended: its arrays before and after it, by the names of the kernel's parameters, and the
// sizes of the launch comments.
struct EndedLaunch {
  std::map<std::string, Bytes> arrays_before, arrays_after;
  std::map<std::string, int64_t> sizes;

  template <class T>
  std::vector<T> before(const std::string& name) const {
    return values<T>(arrays_before.at(name));
  }
  template <class T>
  std::vector<T> after(const std::string& name) const {
    return values<T>(arrays_after.at(name));
  }
  size_t size(const std::string& name) const { return static_cast<size_t>(sizes.at(name)); }

 private:
  template <class T>
  static std::vector<T> values(const Bytes& bytes) {
    std::vector<T> result(bytes.size() / sizeof(T));
    std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
    return result;
  }
};

// Adds gtest failures where the result is not what it must be. By kernel.
using ResultCheck = std::function<void(const EndedLaunch&)>;
const std::map<std::string, ResultCheck>& exampleResults();

}  // namespace warpscope::testing
