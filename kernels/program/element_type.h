// The types that `warpscope exec` takes and prints, by their PTX names: reading one value from text, and
// writing one from its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

class Json;

struct ElementType {
  enum class Kind : uint8_t { kUnsigned, kSigned, kBits, kFloat } kind = Kind::kUnsigned;
  uint32_t bytes = 4;

  std::string name() const;  // "u32"
  bool operator==(const ElementType&) const = default;
};

// u8 .. u64, s8 .. s64, b8 .. b64, f16, f32, f64. The error lists them.
Expected<ElementType> parseElementType(std::string_view name);

// The value's bytes, little-endian, in the low end of a word. Integers are decimal or 0x...; those of b types
// and floats may also be given by their bits as 0x.... Errors: not a number, or out of the type's range.
Expected<uint64_t> parseElement(ElementType type, std::string_view text);

// The value of the first `type.bytes` bytes. Floats that JSON cannot represent are the texts "nan", "inf" and
// "-inf"; b types are unsigned numbers.
Json elementJson(ElementType type, std::span<const std::byte> bytes);
double elementNumber(ElementType type, std::span<const std::byte> bytes);
std::string elementText(ElementType type, std::span<const std::byte> bytes);

// The bits of a number in that type, rounded to nearest if necessary.
uint64_t elementOf(ElementType type, double value);

}  // namespace warpscope
