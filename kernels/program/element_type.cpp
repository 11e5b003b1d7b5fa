#include "kernels/program/element_type.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/core/json.h"
#include "kernels/core/json_reader.h"

namespace warpscope {
namespace {

using Kind = ElementType::Kind;

uint64_t maskOf(ElementType type) {
  return type.bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (type.bytes * 8)) - 1;
}

// IEEE 754 binary16, rounded to nearest even.
uint16_t halfOf(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00);
  if (magnitude >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  // In units of the last place; nearbyint rounds to even. A carry into the exponent gives the right result.
  const auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const int bits = mantissa + (magnitude < 0x1p-14 ? 0 : (exponent + 14) << 10);
  return static_cast<uint16_t>(sign | bits);
}

double fromHalf(uint16_t half) {
  const int exponent = (half >> 10) & 0x1F, mantissa = half & 0x3FF;
  double value = 0;
  if (exponent == 0x1F) {
    value =
        mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else {
    value = std::ldexp(mantissa + 0x400, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -value : value;
}

uint64_t floatBits(ElementType type, double value) {
  if (type.bytes == 2) return halfOf(value);
  if (type.bytes == 4) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<uint64_t>(value);
}

double floatOf(ElementType type, uint64_t bits) {
  if (type.bytes == 2) return fromHalf(static_cast<uint16_t>(bits));
  if (type.bytes == 4) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

uint64_t bitsOf(ElementType type, std::span<const std::byte> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min<size_t>(type.bytes, bytes.size()));
  return bits;
}

int64_t signedOf(ElementType type, uint64_t bits) {
  const unsigned unused = 64 - type.bytes * 8;
  return static_cast<int64_t>(bits << unused) >> unused;
}

template <class Number>
bool parseWhole(std::string_view text, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

tl::unexpected<Error> outOfRange(ElementType type, std::string_view text) {
  return fail(ErrorKind::kBadRequest, "'{}' does not fit into {}", text, type.name());
}

Expected<uint64_t> parseFloat(ElementType type, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return outOfRange(type, text);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return fail(ErrorKind::kBadRequest,
                "'{}' is not a number; {} takes 1.5, -2e-3, nan, inf or its bits as 0x...", text,
                type.name());
  }
  return floatBits(type, value);
}

}  // namespace

std::string ElementType::name() const {
  constexpr std::string_view kLetters = "usbf";
  return fmt::format("{}{}", kLetters[static_cast<size_t>(kind)], bytes * 8);
}

Expected<ElementType> parseElementType(std::string_view name) {
  for (const Kind kind : {Kind::kUnsigned, Kind::kSigned, Kind::kBits, Kind::kFloat}) {
    for (const uint32_t bytes : {1U, 2U, 4U, 8U}) {
      const ElementType type{kind, bytes};
      if (!(kind == Kind::kFloat && bytes == 1) && type.name() == name) return type;
    }
  }
  return fail(
      ErrorKind::kBadRequest,
      "there is no type '{}'; there are u8 u16 u32 u64, s8 s16 s32 s64, b8 b16 b32 b64, f16 f32 f64 and "
      "bytes",
      name);
}

Expected<uint64_t> parseElement(ElementType type, std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    uint64_t bits = 0;
    if (!parseWhole(text.substr(2), bits, 16)) {
      return fail(ErrorKind::kBadRequest, "'{}' is not a hexadecimal number", text);
    }
    const bool negative_only = type.kind == Kind::kSigned && bits > maskOf(type) / 2;
    if (bits > maskOf(type) || negative_only) return outOfRange(type, text);
    return bits;
  }
  if (type.kind == Kind::kFloat) return parseFloat(type, text);
  uint64_t whole = 0;
  int64_t negative = 0;
  if (parseWhole(text, whole)) {
    const uint64_t most = type.kind == Kind::kSigned ? maskOf(type) / 2 : maskOf(type);
    if (whole > most) return outOfRange(type, text);
    return whole;
  }
  if (parseWhole(text, negative)) {
    const auto least = -static_cast<int64_t>(maskOf(type) / 2) - 1;
    if (type.kind != Kind::kSigned || negative < least) return outOfRange(type, text);
    return static_cast<uint64_t>(negative) & maskOf(type);
  }
  return fail(ErrorKind::kBadRequest, "'{}' is not a whole number, or is out of the range of {}", text,
              type.name());
}

Json elementJson(ElementType type, std::span<const std::byte> bytes) {
  const uint64_t bits = bitsOf(type, bytes);
  if (type.kind == Kind::kFloat) return numberJson(floatOf(type, bits));
  if (type.kind == Kind::kSigned) return signedOf(type, bits);
  return bits;
}

double elementNumber(ElementType type, std::span<const std::byte> bytes) {
  const uint64_t bits = bitsOf(type, bytes);
  if (type.kind == Kind::kFloat) return floatOf(type, bits);
  return type.kind == Kind::kSigned ? static_cast<double>(signedOf(type, bits)) : static_cast<double>(bits);
}

std::string elementText(ElementType type, std::span<const std::byte> bytes) {
  const uint64_t bits = bitsOf(type, bytes);
  switch (type.kind) {
    case Kind::kFloat:
      // As many digits as distinguish it from its neighbours.
      return type.bytes == 8 ? fmt::format("{}", floatOf(type, bits))
                             : fmt::format("{}", static_cast<float>(floatOf(type, bits)));
    case Kind::kSigned:
      return fmt::format("{}", signedOf(type, bits));
    case Kind::kBits:
      return fmt::format("0x{:0{}x}", bits, type.bytes * 2);
    case Kind::kUnsigned:
      break;
  }
  return fmt::format("{}", bits);
}

uint64_t elementOf(ElementType type, double value) {
  if (type.kind == Kind::kFloat) return floatBits(type, value);
  return static_cast<uint64_t>(static_cast<int64_t>(value)) & maskOf(type);
}

}  // namespace warpscope
