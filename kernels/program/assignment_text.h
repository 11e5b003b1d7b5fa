// What assignments of launch comments have in common: numbers, ranges, and errors that name their line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/core/error.h"
#include "kernels/program/expression.h"
#include "kernels/program/launch_comment.h"

namespace warpscope {

// Takes " in LEAST..MOST" off the end; its texts, or nothing.
std::optional<std::pair<std::string, std::string>> takeRange(std::string& text);

// A number. Error kBadRequest: it is no expression, or depends on sizes.
Expected<double> constantOf(std::string_view text);

// The error kBadRequest of an assignment in `file`: "saxpy.cu:7: x = lots[n]: an array is ...".
tl::unexpected<Error> wrongAssignment(const std::string& file, const LaunchAssignment& at,
                                      std::string_view why);

// An expression within the assignment.
Expected<Expression> expressionIn(const std::string& file, const LaunchAssignment& at, std::string_view text);

}  // namespace warpscope
