// Which values of a setting are the ones to be found by dragging: each is run.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/lesson/lesson_file.h"
#include "kernels/lesson/run_keeper.h"
#include "kernels/lesson/run_values.h"

namespace warpscope {

// Of a long row of values, evenly spaced ones are run.
inline constexpr size_t kMostDragged = 64;

// Hears of a value and whether it is right; false: that is enough. What the device cannot launch is left out.
using OnDragged = std::function<bool(int64_t value, bool right)>;
// `runs`: the others of the step. Errors: kCancelled; kBadRequest, the device cannot tell.
Expected<void> tryDragged(const LessonStep& step, RunKeeper& keeper, const StepRuns& runs,
                          const OnDragged& on_dragged, const std::stop_token& stop);

// The right values in words: "1024", or "9 – 32" where they follow one another. Empty: the device cannot
// tell.
Expected<std::vector<std::string>> rightSettings(const LessonStep& step, RunKeeper& keeper,
                                                 const StepRuns& runs, const std::stop_token& stop);

}  // namespace warpscope
