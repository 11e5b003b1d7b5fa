// The check of a lesson on a device: every step is run, every claim compared with what the run shows, every
// question answered, and every number in a text computed. For teachers (`warpscope lesson check`), and for
// the test of the lessons that come with the program.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/lesson/lesson_file.h"

namespace warpscope {

struct LessonFinding {
  enum class Severity {
    kNote,   // this device cannot tell, or cannot show the step; a lesson may rely on another one
    kError,  // the lesson says what is not so
  } severity = Severity::kError;
  uint32_t line = 0;
  std::string text;
};

struct LessonCheck {
  std::vector<LessonFinding> findings;            // by line
  size_t steps = 0, shown_steps = 0;              // the second: those that the device can show
  size_t claims = 0, questions = 0, numbers = 0;  // that were found to hold, to have an answer, a value
  size_t unknown = 0;                             // claims and numbers of which the device cannot tell
  bool passed() const;
};

struct LessonDevices {
  Device* device = nullptr;
  Device* recorded = nullptr;  // for numbers that texts take from recordings; null: they are not checked
};

// `progress` hears of each step before it is run, as an index. Error: only kCancelled.
Expected<LessonCheck> checkLesson(const Lesson& lesson, const LessonDevices& devices,
                                  const std::function<void(size_t step)>& progress,
                                  const std::stop_token& stop);

// Checks lessons that show the same, such as a lesson and its translations: what a step of each needs is run
// once for all of them. Returns one check for each lesson.
Expected<std::vector<LessonCheck>> checkLessonsTogether(std::span<const Lesson> lessons,
                                                        const LessonDevices& devices,
                                                        const std::function<void(size_t step)>& progress,
                                                        const std::stop_token& stop);

}  // namespace warpscope
