// The function to which the fuzz programs feed mutated PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpscope::fuzz {

// Parses, reports and, if the parser accepts the text, marks it, computes the control flow, loads, decodes
// and executes each kernel, plainly, with timing or with checks, with a step limit and a launch made from
// `seed`. It must return whatever the text is.
struct Tally {
  uint64_t texts = 0, parsed = 0, decoded = 0, finished = 0;
};
void tryText(std::string_view text, uint64_t seed, Tally& tally);

}  // namespace warpscope::fuzz
