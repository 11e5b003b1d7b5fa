// A section of a recording, decompressed bit by bit. Internal to recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/core/error.h"

namespace warpscope {

enum class Codec : uint32_t { kRaw = 0, kZstd = 1 };

struct Section {
  Codec codec = Codec::kRaw;
  uint64_t raw_bytes = 0, stored_bytes = 0;
  uint64_t xxh64 = 0;  // of the stored bytes
};

class SectionStream {
 public:
  SectionStream() = default;  // of an empty section
  // Checks sizes and the checksum. `stored` must live as long as the stream.
  static Expected<SectionStream> open(const Section& section, std::span<const std::byte> stored);

  uint64_t remaining() const { return remaining_; }  // bytes that read() will give
  // Fills `out`, for which enough must remain. After an error it must not be used any more.
  Expected<void> read(std::span<std::byte> out);

 private:
  struct Decompressor;
  struct Free {
    void operator()(Decompressor* decompressor) const;
  };
  Expected<void> decompress(std::span<std::byte> out);

  std::span<const std::byte> stored_;  // what has not been used yet
  uint64_t remaining_ = 0;
  std::unique_ptr<Decompressor, Free> decompressor_;  // null: stored as it is
};

}  // namespace warpscope
