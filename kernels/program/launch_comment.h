// What a source file says of its kernels' launches, in comments:
//
//   // warpscope: block = 256, n = 2^20, grid = ceil(n / block), in = random[n], out = zeros[n]
//   // warpscope transpose: block = (32, 8), reference = transposeNaive
//
// The first form is of all kernels of the file, the second of one. Several comments add up; a kernel's own
// come before those of all. docs/own_kernels.md says what each may be. This reads the texts; launch_rules.h
// gives them their meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

struct LaunchAssignment {
  std::string kernel;  // empty: all kernels of the file
  std::string name, value;
  uint32_t line = 0;  // in the source, from 1

  bool operator==(const LaunchAssignment&) const = default;
};

// In the order of the text. Error kBadRequest: a comment is not a list of NAME = VALUE; the message names
// `file` and the line.
Expected<std::vector<LaunchAssignment>> readLaunchComments(std::string_view source, const std::string& file);

// The source with the comment for `kernel` replaced by `assignments` ("block = 128, n = 2^20"), or with a new
// one before the kernel's line, or at the head of the text if no line is known.
std::string withLaunchComment(std::string_view source, const std::string& kernel,
                              const std::string& assignments);

}  // namespace warpscope
