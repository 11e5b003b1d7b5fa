// A student's answers to a lesson, in a file of their own: a line of JSON for the lesson and the student, and
// one for each answer. It holds what the student typed as a name, and nothing else about them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

struct GivenAnswer {
  uint32_t step = 0;     // of the lesson, from 1
  std::string question;  // its text
  std::string answer;    // as a text: the option, "37.5", "lanes 0-15", "block 96"
  bool right = false;
  uint32_t tries = 1;
  bool operator==(const GivenAnswer&) const = default;
};

struct LessonAnswers {
  std::string student;  // as typed; may be empty
  std::string lesson;   // its title
  uint64_t lesson_hash = 0;
  std::string device;                // whose runs the answers were compared with
  std::vector<GivenAnswer> answers;  // by step; at most one for each
  bool operator==(const LessonAnswers&) const = default;
};

inline constexpr const char* kAnswersEnding = ".answers";

std::string textOf(const LessonAnswers& answers);
// Error kDamagedFile: names the file and the line.
Expected<LessonAnswers> answersOf(std::string_view text, const std::string& name);
Expected<LessonAnswers> readAnswers(const std::filesystem::path& path);
Expected<void> writeAnswers(const std::filesystem::path& path, const LessonAnswers& answers);

// A table of all students and questions of one lesson, as CSV: a line for each file, a column for each
// question (1: right, 0: wrong, empty: not answered), and their sum. Error kBadRequest: the files are of
// several lessons, or of several versions of one, unless `versions_may_differ`.
Expected<std::string> gradeTable(std::span<const LessonAnswers> files, bool versions_may_differ);

}  // namespace warpscope
