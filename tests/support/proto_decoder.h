// Decodes messages of Protocol Buffers by the wire format alone, to check what kernels/export writes. It
// shares no code with it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::testing {

struct ProtoField {
  uint32_t number = 0;
  uint64_t value = 0;      // of varints and 64-bit values
  std::string_view bytes;  // of texts and messages
  bool has_length = false;

  double real() const { return std::bit_cast<double>(value); }
};

// The fields of a message in their order. A test failure if it is cut off or has another wire type.
inline std::vector<ProtoField> protoFields(std::string_view message) {
  std::vector<ProtoField> fields;
  bool whole = true;
  const auto varint = [&] {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (message.empty()) break;
      const auto byte = static_cast<unsigned char>(message.front());
      message.remove_prefix(1);
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    whole = false;
    return value;
  };
  while (!message.empty() && whole) {
    const uint64_t tag = varint();
    ProtoField field{.number = static_cast<uint32_t>(tag >> 3U)};
    if ((tag & 7U) == 0) {
      field.value = varint();
    } else if ((tag & 7U) == 1 && message.size() >= 8) {
      for (unsigned i = 0; i < 8; ++i)
        field.value |= uint64_t{static_cast<unsigned char>(message[i])} << (8 * i);
      message.remove_prefix(8);
    } else if ((tag & 7U) == 2) {
      const uint64_t size = varint();
      whole = whole && size <= message.size();
      field.has_length = true;
      field.bytes = message.substr(0, size);
      message.remove_prefix(std::min<size_t>(size, message.size()));
    } else {
      whole = false;
    }
    fields.push_back(field);
  }
  EXPECT_TRUE(whole) << "a message that is cut off, or a wire type that is not known";
  return fields;
}

// The first field of that number; one with the number 0 if there is none.
inline ProtoField protoField(const std::vector<ProtoField>& fields, uint32_t number) {
  for (const ProtoField& field : fields) {
    if (field.number == number) return field;
  }
  return {};
}

}  // namespace warpscope::testing
