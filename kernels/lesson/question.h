// What a step of a lesson asks. The right answer is never written down: it comes from the run that the step
// shows. In a lesson it is a block of code with the info string `ask`:
//
//   question: How many sectors does a request move?
//   number: sectors_per_request
//   within: 0.05
//
//   question: Which is faster?
//   option: A | kernel_time < b.kernel_time
//   option: B | kernel_time > b.kernel_time
//
//   question: Paint the lanes that take the odd path.
//   paint: odd path
//   warp: 0:0
//
//   question: Drag the block size to where occupancy falls.
//   drag: block
//   where: theoretical < before.theoretical
//   step: 32
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/lesson/scene.h"

namespace warpscope {

struct LessonOption {
  std::string text;
  Claim holds;  // what the run shows if this is the answer
  uint32_t line = 0;
};

struct LessonQuestion {
  enum class Kind { kChoice, kNumber, kPaint, kDrag };
  Kind kind = Kind::kChoice;
  std::string text;
  std::vector<LessonOption> options;  // kChoice: exactly one of them holds
  std::optional<Expression> number;   // kNumber
  double within = 0;                  // kNumber: relative to the right number
  std::string unit;                   // kNumber: shown behind the field
  // kPaint: the lanes of the warp that execute the region together, at its visit-th time (from 1).
  std::string region;
  LessonWarp warp;
  uint32_t visit = 1;
  std::string parameter;  // kDrag
  int64_t step = 1;       // kDrag: only multiples of it are offered, so that a mouse can reach each
  std::optional<Claim>
      where;  // kDrag: holds at the value to be found; `before.` is the offered value before it
  bool hides_picture = true;  // until it is answered, or shown by the teacher
  uint32_t line = 0;
};

// A number with the unit behind it: "31 lanes". Units are written in the plural, so that there is none behind
// a "1" where it is an English word.
std::string numberWithUnit(const std::string& number, const std::string& unit);

// Errors: kDamagedFile, "line N: ...".
Expected<LessonQuestion> readQuestion(const std::vector<LessonEntry>& entries, const LessonScene& scene,
                                      uint32_t line);

}  // namespace warpscope
