// What a launch most likely looks like where the file does not say: from names and types of parameters.
#pragma once

#include "kernels/program/launch_rules.h"

namespace warpscope {

inline constexpr int64_t kMostElements = 1 << 28;
inline constexpr int64_t kGuessedElements = 1 << 16;  // of one-dimensional data

// The most likely value of an integer parameter that no comment names.
int64_t guessedSize(std::string_view name, size_t integers, uint32_t dimensions);
// Elements of arrays: "n", "width * height", or the launch's threads.
std::string guessedCount(const std::vector<SizeRule>& sizes);
InitialContent guessedContent(const KernelParameter& parameter);
// By dimension.
std::array<std::string, 3> guessedGrid(const std::vector<SizeRule>& sizes, uint32_t dimensions);
// Of a texture or surface.
std::vector<std::string> guessedSides(const std::vector<SizeRule>& sizes, uint32_t dimensions);
std::array<int64_t, 3> guessedBlock(const KernelSignature& kernel);

}  // namespace warpscope
