// Which values of a setting are the ones to be found by dragging: each is run.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/lesson/lesson_file.h"
#include "kernels/lesson/run_keeper.h"
#include "kernels/lesson/run_values.h"

namespace warpscope {

class DragValues {
 public:
  // `runs`: the others of the step. All must outlive it.
  DragValues(const LessonStep& step, RunKeeper& keeper, const StepRuns& runs, std::stop_token stop);

  const std::vector<int64_t>& offered() const { return offered_; }  // ascending
  // Of a long row of values, evenly spaced ones are tried; this is the distance between their places.
  size_t stride() const;
  // Whether the value at this place is right; nullopt: the device cannot launch it, and the window does not
  // offer it either. Errors: kCancelled; kBadRequest, the device cannot tell.
  Expected<std::optional<bool>> isRight(size_t place);

 private:
  Expected<std::shared_ptr<const Run>> runAt(size_t place);

  const LessonStep& step_;
  RunKeeper& keeper_;
  const StepRuns& runs_;
  std::stop_token stop_;
  std::vector<int64_t> offered_;
};

// The right values in words: "1024", or "9 – 32" where they follow one another. Of a long row, those beside
// the evenly spaced ones are looked for where right and wrong meet. Empty: the device cannot tell.
Expected<std::vector<std::string>> rightSettings(const LessonStep& step, RunKeeper& keeper,
                                                 const StepRuns& runs, const std::stop_token& stop);

}  // namespace warpscope
