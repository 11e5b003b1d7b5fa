// Compression, checksums and the preamble.
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "kernels/recording/byte_io.h"
#include "kernels/recording/recording_format.h"

namespace warpscope {
namespace {

// Recordings are written once and read often; this level takes some ms per run, but minutes for the largest.
constexpr int kZstdLevel = 17, kZstdLevelOfLarge = 3;
// A reader keeps this much of each column that it decompresses: 2^19 bytes.
constexpr int kWindowLog = 19;
constexpr size_t kLarge = size_t{8} << 20;
constexpr size_t kChecksumOffset = kPreambleBytes - sizeof(uint64_t);

uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

}  // namespace

Expected<StoredSection> storeSection(std::vector<std::byte> raw, Compression compression) {
  if (raw.size() > kMaxSectionBytes) {
    return fail(ErrorKind::kWorkFailed,
                "{} bytes are more than a recording's section can hold ({}); record less", raw.size(),
                kMaxSectionBytes);
  }
  StoredSection stored;
  stored.section.raw_bytes = raw.size();
  if (compression == Compression::kZstd && !raw.empty()) {
    std::vector<std::byte> packed(ZSTD_compressBound(raw.size()));
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel,
                           raw.size() < kLarge ? kZstdLevel : kZstdLevelOfLarge);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
    const size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), raw.data(), raw.size());
    if (ZSTD_isError(size) != 0) {
      return fail(ErrorKind::kWorkFailed, "compressing {} bytes failed: {}", raw.size(),
                  ZSTD_getErrorName(size));
    }
    if (size < raw.size()) {
      packed.resize(size);
      stored.section.codec = Codec::kZstd;
      stored.bytes = std::move(packed);
    }
  }
  if (stored.section.codec == Codec::kRaw) stored.bytes = std::move(raw);
  stored.section.stored_bytes = stored.bytes.size();
  stored.section.xxh64 = checksum(stored.bytes);
  return stored;
}

Expected<StoredSection> storeHeader(std::string_view text, Compression compression) {
  const auto bytes = std::as_bytes(std::span(text));
  auto stored = storeSection({bytes.begin(), bytes.end()}, compression);
  if (stored && !isWithin(kTextGrowth, stored->section.raw_bytes, stored->section.stored_bytes)) {
    return storeSection({bytes.begin(), bytes.end()}, Compression::kNone);
  }
  return stored;
}

bool isWithin(const Growth& growth, uint64_t raw_bytes, uint64_t stored_bytes) {
  return raw_bytes <= growth.free_bytes || (raw_bytes - growth.free_bytes) / growth.factor <= stored_bytes;
}

namespace {

Expected<void> checkSection(const Section& section, std::span<const std::byte> stored) {
  if (stored.size() != section.stored_bytes) {
    return fail(ErrorKind::kDamagedFile, "{} bytes are there of {}", stored.size(), section.stored_bytes);
  }
  if (section.raw_bytes > kMaxSectionBytes) {
    return fail(ErrorKind::kDamagedFile, "its size of {} bytes is not possible", section.raw_bytes);
  }
  if (checksum(stored) != section.xxh64) return fail(ErrorKind::kDamagedFile, "its checksum is wrong");
  if (section.codec == Codec::kRaw) {
    if (section.raw_bytes != section.stored_bytes) {
      return fail(ErrorKind::kDamagedFile, "it is stored as it is, but with {} bytes of {}",
                  section.stored_bytes, section.raw_bytes);
    }
    return {};
  }
  // The compressed frame has its size, too: memory is allocated only if both agree.
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != section.raw_bytes) {
    return fail(ErrorKind::kDamagedFile, "its compressed content does not have {} bytes", section.raw_bytes);
  }
  return {};
}

}  // namespace

Expected<std::vector<std::byte>> loadSection(const Section& section, std::span<const std::byte> stored) {
  if (auto checked = checkSection(section, stored); !checked) return tl::unexpected(checked.error());
  if (section.codec == Codec::kRaw) return std::vector<std::byte>(stored.begin(), stored.end());
  std::vector<std::byte> raw(section.raw_bytes);
  const size_t size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != raw.size()) {
    return fail(ErrorKind::kDamagedFile, "it cannot be decompressed: {}",
                ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "too short");
  }
  return raw;
}

struct SectionStream::Decompressor {
  ZSTD_DStream* stream = ZSTD_createDStream();
};

void SectionStream::Free::operator()(Decompressor* decompressor) const {
  ZSTD_freeDStream(decompressor->stream);
  delete decompressor;
}

Expected<SectionStream> SectionStream::open(const Section& section, std::span<const std::byte> stored) {
  if (auto checked = checkSection(section, stored); !checked) return tl::unexpected(checked.error());
  SectionStream stream;
  stream.stored_ = stored;
  stream.remaining_ = section.raw_bytes;
  if (section.codec == Codec::kZstd) stream.decompressor_.reset(new Decompressor);
  return stream;
}

Expected<void> SectionStream::read(std::span<std::byte> out) {
  remaining_ -= out.size();
  if (decompressor_) return decompress(out);
  std::ranges::copy(stored_.first(out.size()), out.begin());
  stored_ = stored_.subspan(out.size());
  return {};
}

// The last bytes are given only if the compressed data ends with them.
Expected<void> SectionStream::decompress(std::span<std::byte> out) {
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  bool ended = false;
  while (to.pos < to.size || (remaining_ == 0 && !ended)) {
    ZSTD_inBuffer from{stored_.data(), stored_.size(), 0};
    const size_t before = to.pos;
    const size_t result = ZSTD_decompressStream(decompressor_->stream, &to, &from);
    if (ZSTD_isError(result) != 0) {
      return fail(ErrorKind::kDamagedFile, "it cannot be decompressed: {}", ZSTD_getErrorName(result));
    }
    stored_ = stored_.subspan(from.pos);
    ended = result == 0;
    if (!ended && from.pos == 0 && to.pos == before)
      return fail(ErrorKind::kDamagedFile, "it cannot be decompressed: {}",
                  remaining_ == 0 ? "too long" : "too short");
  }
  if (remaining_ == 0 && !stored_.empty())
    return fail(ErrorKind::kDamagedFile, "it cannot be decompressed: too long");
  return {};
}

std::vector<std::byte> writePreamble(uint32_t version, const Section& header, uint64_t file_bytes,
                                     const FileKind& kind) {
  ByteWriter out;
  out.fixed(kind.magic);
  out.fixed(version);
  out.fixed(static_cast<uint32_t>(header.codec));
  out.fixed(header.stored_bytes);
  out.fixed(header.raw_bytes);
  out.fixed(file_bytes);
  out.fixed(header.xxh64);
  std::vector<std::byte> bytes = out.take();
  const uint64_t sum = checksum(bytes);
  bytes.resize(kPreambleBytes);
  std::memcpy(bytes.data() + kChecksumOffset, &sum, sizeof(sum));
  return bytes;
}

Expected<Preamble> readPreamble(std::span<const std::byte> bytes, uint64_t total_bytes,
                                const FileKind& kind) {
  ByteReader in(bytes);
  const auto magic = in.fixed<std::array<char, 8>>();
  if (bytes.size() < magic.size() || magic != kind.magic) {
    return fail(ErrorKind::kDamagedFile, "offset 0: this is not a warpscope {}", kind.noun);
  }
  const auto version = in.fixed<uint32_t>();
  if (in.ok() && version > kind.newest_version) {
    return fail(ErrorKind::kDamagedFile,
                "offset 8: this is a {} of format version {}; this program reads up to {}. Use a newer "
                "warpscope",
                kind.noun, version, kind.newest_version);
  }
  if (bytes.size() < kPreambleBytes) {
    return fail(ErrorKind::kDamagedFile, "offset {}: the {} is cut off in its first {} bytes", bytes.size(),
                kind.noun, kPreambleBytes);
  }
  Preamble preamble;
  const auto codec = in.fixed<uint32_t>();
  preamble.header.stored_bytes = in.fixed<uint64_t>();
  preamble.header.raw_bytes = in.fixed<uint64_t>();
  preamble.file_bytes = in.fixed<uint64_t>();
  preamble.header.xxh64 = in.fixed<uint64_t>();
  if (checksum(bytes.first(kChecksumOffset)) != in.fixed<uint64_t>()) {
    return fail(ErrorKind::kDamagedFile, "offset 0: the checksum of the first {} bytes is wrong",
                kPreambleBytes);
  }
  if (version == 0 || codec > static_cast<uint32_t>(Codec::kZstd)) {
    return fail(ErrorKind::kDamagedFile, "offset 8: version {} or header codec {} is not known", version,
                codec);
  }
  preamble.header.codec = static_cast<Codec>(codec);
  if (preamble.file_bytes != total_bytes) {
    return fail(ErrorKind::kDamagedFile, "offset 32: the {} should have {} bytes, but has {}: {}", kind.noun,
                preamble.file_bytes, total_bytes,
                total_bytes < preamble.file_bytes ? "it is cut off" : "something was appended");
  }
  if (preamble.header.stored_bytes > total_bytes - kPreambleBytes) {
    return fail(ErrorKind::kDamagedFile, "offset 16: a header of {} bytes does not fit",
                preamble.header.stored_bytes);
  }
  if (!isWithin(kTextGrowth, preamble.header.raw_bytes, preamble.header.stored_bytes)) {
    return fail(ErrorKind::kDamagedFile, "offset 24: a header of {} bytes cannot be in {} bytes",
                preamble.header.raw_bytes, preamble.header.stored_bytes);
  }
  return preamble;
}

}  // namespace warpscope
