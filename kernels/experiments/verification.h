// The common part of the families' checks: comparing outputs bit for bit with a reference, and reporting
// differences. Also the inputs that checks compute again.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/run.h"

namespace warpscope {

using Outputs = std::span<const std::span<const std::byte>>;

// "1,048,583"
inline std::string groupedDigits(uint64_t value) {
  return formatCount(static_cast<int64_t>(value));
}

// Counts mismatches; keeps the first one for the message.
class OutputComparison {
 public:
  // `what`: "sums", "values".
  explicit OutputComparison(std::string_view what) : what_(what) {}

  void addEqual(uint64_t count) { checked_ += count; }
  // One value that was checked and is wrong: array[index].
  template <class T>
  void addMismatch(std::string_view array, uint64_t index, T got, T expected) {
    if (mismatches_ == 0) first_ = fmt::format("{}[{}] = {}, expected {}", array, index, got, expected);
    ++mismatches_;
    ++checked_;
  }
  // One value that is yet to be checked.
  template <class T>
  void compare(std::string_view array, uint64_t index, T got, T expected) {
    if (got == expected) {
      ++checked_;
    } else {
      addMismatch(array, index, got, expected);
    }
  }
  Verification result() const;

 private:
  std::string what_, first_;
  uint64_t checked_ = 0, mismatches_ = 0;
};

// Output `index` as `count` values. If it is missing or has another length, the result is empty and `failed`
// says so.
template <class T>
std::span<const T> outputAs(Outputs outputs, size_t index, uint64_t count, Verification& failed) {
  if (index >= outputs.size() || outputs[index].size() != count * sizeof(T)) {
    failed = {.detail = "the output buffer came back with the wrong length: this is a bug of the device"};
    return {};
  }
  return {reinterpret_cast<const T*>(outputs[index].data()), count};
}

// Compares every value of an output with expected(i).
template <class T, class ValueOf>
Verification checkEach(std::span<const T> out, std::string_view what, const ValueOf& expected) {
  OutputComparison comparison(what);
  const auto count = static_cast<uint32_t>(out.size());
  for (uint32_t i = 0; i < count; ++i) comparison.compare<T>("out", i, out[i], expected(i));
  return comparison.result();
}
template <class T, class ValueOf>
Verification checkEach(Outputs outputs, size_t index, uint64_t count, std::string_view what,
                       const ValueOf& expected) {
  Verification failed;
  const auto out = outputAs<T>(outputs, index, count, failed);
  return out.empty() ? failed : checkEach(out, what, expected);
}

// Every family's inputs are hashes of the index: cheap to compute again for the check, so no copy is kept.
inline uint32_t inputHash(uint32_t index) {
  return index * 2654435761U;
}  // 2^32 / golden ratio

// An input of `size` values, each value(i).
template <class T, class Value>
std::shared_ptr<const Bytes> filledInput(uint32_t size, Value&& value) {
  auto bytes = std::make_shared<Bytes>(uint64_t{size} * sizeof(T));
  auto* values = reinterpret_cast<T*>(bytes->data());
  for (uint32_t i = 0; i < size; ++i) values[i] = value(i);
  return bytes;
}

}  // namespace warpscope
