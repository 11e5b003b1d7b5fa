// The content of an array before a launch, as `exec --arg` and launch comments write it. A value: nothing is
// allocated here, and an array is made in pieces of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "kernels/core/error.h"
#include "kernels/program/element_type.h"

namespace warpscope {

struct InitialContent {
  enum class Kind { kZeros, kOnes, kIota, kRandom, kFile } kind = Kind::kZeros;
  uint64_t seed = 0;           // kRandom
  std::filesystem::path file;  // kFile: its bytes, as many as the array has
  // kRandom: values from `least` to `most`, integers both included. Absent: integers have any bits, floats
  // lie in [0, 1).
  struct Range {
    double least = 0, most = 1;
    bool operator==(const Range&) const = default;
  };
  std::optional<Range> range;
  bool operator==(const InitialContent&) const = default;
};

// "zeros", "ones", "iota", "random:SEED", or a file's path.
Expected<InitialContent> parseContent(const std::string& text);

// The bytes from element `first` on, `out.size()` of them (whole elements). The same seed gives the same
// values everywhere. Error: the file is not a regular one that can be read, or ends before the array does.
Expected<void> initialBytes(const InitialContent& content, ElementType type, uint64_t first,
                            std::span<std::byte> out);
// Whether such an array of `count` elements can be made, before anything is launched. Error: the file is not
// a regular one that can be read, or its size is not that of the array.
Expected<void> checkContent(const InitialContent& content, ElementType type, uint64_t count);

}  // namespace warpscope
