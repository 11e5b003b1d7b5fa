// Little-endian bytes and variable-length integers, written and read with every bound checked. Internal to
// recordings.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace warpscope {

static_assert(std::endian::native == std::endian::little,
              "recordings are little-endian; other hosts must convert");

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>((value >> 1U) ^ (~(value & 1U) + 1));
}

class ByteWriter {
 public:
  template <class Value>
  void fixed(Value value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(Value));
    std::memcpy(bytes_.data() + at, &value, sizeof(Value));
  }
  // Seven bits per byte, lowest first; the top bit means that more follow. At most ten bytes.
  void variable(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::byte>(value | 0x80U));
      value >>= 7U;
    }
    bytes_.push_back(static_cast<std::byte>(value));
  }
  void reserve(size_t bytes) { bytes_.reserve(bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reading past the end, or an over-long integer, gives 0 and makes ok() permanently false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : next_(bytes.data()), end_(next_ + bytes.size()) {}

  template <class Value>
  Value fixed() {
    Value value{};
    if (remaining() < sizeof(Value)) {
      ok_ = false;
      next_ = end_;
      return value;
    }
    std::memcpy(&value, next_, sizeof(Value));
    next_ += sizeof(Value);
    return value;
  }
  uint64_t variable() {
    // Nearly all integers of a trace take one byte or two.
    if (remaining() >= 2) {
      const auto low = static_cast<uint64_t>(next_[0]), high = static_cast<uint64_t>(next_[1]);
      if (low < 0x80) return ++next_, low;
      if (high < 0x80) return next_ += 2, (low & 0x7FU) | (high << 7U);
    }
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && next_ != end_; shift += 7) {
      const auto byte = static_cast<uint64_t>(*next_++);
      // The tenth byte can hold only one bit.
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    next_ = end_;
    return 0;
  }
  size_t remaining() const { return static_cast<size_t>(end_ - next_); }
  bool ok() const { return ok_; }

 private:
  const std::byte* next_;
  const std::byte* end_;
  bool ok_ = true;
};

}  // namespace warpscope
