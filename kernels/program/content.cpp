#include "kernels/program/content.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "kernels/core/files.h"

namespace warpscope {
namespace {

using ContentKind = InitialContent::Kind;

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), as a function of
// the position, so that an array can be made in pieces.
uint64_t randomBits(uint64_t seed, uint64_t position) {
  uint64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

uint64_t randomElement(const InitialContent& content, ElementType type, uint64_t position) {
  const uint64_t bits = randomBits(content.seed, position);
  if (type.kind != ElementType::Kind::kFloat) {
    if (!content.range) return bits;
    const auto least = static_cast<int64_t>(std::ceil(content.range->least));
    const auto values = static_cast<uint64_t>(static_cast<int64_t>(content.range->most) - least) + 1;
    return static_cast<uint64_t>(least) + (values == 0 ? bits : bits % values);
  }
  // An f16 below 1 holds 11 bits without being rounded up to it; the others hold 24 and 53.
  const int digits = type.bytes == 2 ? 11 : type.bytes == 4 ? 24 : 53;
  const double share = static_cast<double>(bits >> (64 - digits)) / static_cast<double>(1ULL << digits);
  if (!content.range) return elementOf(type, share);
  return elementOf(type, content.range->least + share * (content.range->most - content.range->least));
}

uint64_t elementAt(const InitialContent& content, ElementType type, uint64_t position) {
  switch (content.kind) {
    case ContentKind::kOnes:
      return elementOf(type, 1);
    case ContentKind::kIota:
      return type.kind == ElementType::Kind::kFloat ? elementOf(type, static_cast<double>(position))
                                                    : position;
    case ContentKind::kRandom:
      return randomElement(content, type, position);
    case ContentKind::kZeros:
    case ContentKind::kFile:
      break;
  }
  return 0;
}

}  // namespace

Expected<InitialContent> parseContent(const std::string& text) {
  constexpr std::string_view kRandomPrefix = "random:";
  if (text == "zeros") return InitialContent{.kind = ContentKind::kZeros};
  if (text == "ones") return InitialContent{.kind = ContentKind::kOnes};
  if (text == "iota") return InitialContent{.kind = ContentKind::kIota};
  if (text.starts_with(kRandomPrefix)) {
    InitialContent content{.kind = ContentKind::kRandom};
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + kRandomPrefix.size(), end, content.seed);
    if (parsed.ec == std::errc{} && parsed.ptr == end) return content;
    return fail(ErrorKind::kBadRequest, "'{}' has no seed: write random:1", text);
  }
  if (text.empty()) {
    return fail(ErrorKind::kBadRequest, "an array needs a content: zeros, ones, iota, random:SEED or a file");
  }
  return InitialContent{.kind = ContentKind::kFile, .file = text};
}

Expected<void> initialBytes(const InitialContent& content, ElementType type, uint64_t first,
                            std::span<std::byte> out) {
  const uint32_t size = type.bytes;
  if (content.kind == ContentKind::kFile) {
    // Its size is not limited here: an array is as large as the device allows, and is read in pieces.
    const auto file = ReadableFile::open(content.file);
    if (!file) return fail(ErrorKind::kBadRequest, "{}", file.error().message);
    const auto read = file->readInto(out, first * size);
    if (read) return {};
    return fail(ErrorKind::kBadRequest, "cannot read {}: {}", content.file.string(), read.error().message);
  }
  if (content.kind == ContentKind::kZeros) {
    std::memset(out.data(), 0, out.size());
    return {};
  }
  for (uint64_t i = 0; i < out.size() / size; ++i) {
    const uint64_t element = elementAt(content, type, first + i);
    std::memcpy(out.data() + i * size, &element, size);
  }
  return {};
}

Expected<void> checkContent(const InitialContent& content, ElementType type, uint64_t count) {
  if (content.kind != ContentKind::kFile) return {};
  const auto file = ReadableFile::open(content.file);
  if (!file) return fail(ErrorKind::kBadRequest, "{}", file.error().message);
  if (file->bytes() == count * type.bytes) return {};
  return fail(ErrorKind::kBadRequest, "{} has {} bytes, but the array has {} ({} of {})",
              content.file.string(), file->bytes(), count * type.bytes, count, type.name());
}

}  // namespace warpscope
