// Arrays in launch comments: "random[n]:7 in -1..1", "u8 zeros[n]", "\"file.bin\"", "other.out[n]".
#pragma once

#include "kernels/program/assignment_text.h"
#include "kernels/program/launch_rules.h"

namespace warpscope {

// Where an assignment stands: whose parameter it is, and the kernels and the file it may name. Owns nothing.
struct ArrayContext {
  const KernelSignature& kernel;
  const std::vector<KernelSignature>& all;
  const std::string& file;
};

// `text` is the assignment's value, or that part of it that is the array. Error kBadRequest: it is no array;
// the message names the line and lists what an array may be.
Expected<ArrayRule> readArray(const ArrayContext& context, const LaunchAssignment& at, std::string text,
                              const KernelParameter& parameter);

// Of a parameter that no comment names.
ArrayRule guessedArray(const KernelParameter& parameter, const std::vector<SizeRule>& sizes);

}  // namespace warpscope
