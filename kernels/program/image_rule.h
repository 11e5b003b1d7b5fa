// Textures and surfaces in launch comments: "texture2d(u8x4 random[width, height]:1, linear, as_float)".
#pragma once

#include "kernels/program/array_rule.h"

namespace warpscope {

// Error kBadRequest: the assignment is no such object, or not one that the kernel can use; the message names
// the line and what could stand there, such as `guess`.
Expected<ArrayRule> readImage(const ArrayContext& context, const LaunchAssignment& at,
                              const KernelParameter& parameter, const std::string& guess);

// What is assumed where no comment names the parameter: as large as the launch's sizes say, else 64 texels a
// side.
std::string guessedImage(const KernelParameter& parameter, const std::vector<SizeRule>& sizes);

}  // namespace warpscope
