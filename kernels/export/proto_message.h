// A message of Protocol Buffers as it is written, field by field, with the few wire types that traces need:
// varints, 64-bit values and lengths followed by bytes (https://protobuf.dev/programming-guides/encoding).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpscope {

class ProtoMessage {
 public:
  // A field of type uint32, uint64, int64, bool or enum.
  void number(uint32_t field, uint64_t value) {
    tag(field, kVarint);
    varint(value);
  }
  void number(uint32_t field, int64_t value) { number(field, static_cast<uint64_t>(value)); }
  void number(uint32_t field, uint32_t value) { number(field, uint64_t{value}); }
  void number(uint32_t field, int value) { number(field, static_cast<int64_t>(value)); }
  void fixed(uint32_t field, uint64_t bits) {
    tag(field, kFixed64);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(bits >> shift));
  }
  void real(uint32_t field, double value) { fixed(field, std::bit_cast<uint64_t>(value)); }
  void text(uint32_t field, std::string_view value) {
    tag(field, kLength);
    varint(value.size());
    bytes_.append(value);
  }
  void message(uint32_t field, const ProtoMessage& value) { text(field, value.bytes_); }

  std::string_view bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }  // keeps its memory

 private:
  enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2 };

  void tag(uint32_t field, Wire wire) { varint(uint64_t{field} << 3U | wire); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace warpscope
