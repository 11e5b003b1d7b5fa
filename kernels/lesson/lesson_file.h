// A lesson: steps that show a state of warpscope, with a caption, and may ask. A lesson is a Markdown file:
// its first heading is the title, a block of code `lesson` says what it is about, and each heading of the
// second level begins a step. In a step, a block of code `show` is the scene (scene.h), `ask` a question
// (question.h); the text before the question is the caption, and the text after it is shown with the answer.
// Numbers in braces are replaced by those of the run: {kernel_time}, {recorded: bandwidth}, {size / 1024}.
// docs/teaching.md has the whole format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/lesson/markdown.h"
#include "kernels/lesson/question.h"
#include "kernels/lesson/scene.h"

namespace warpscope {

struct LessonStep {
  std::string title;
  std::vector<MarkdownBlock> caption;
  LessonScene scene;
  std::optional<LessonQuestion> question;
  std::vector<MarkdownBlock> answer;  // the text that is shown once the question is answered
  uint32_t line = 0;
};

struct Lesson {
  std::string title, summary;
  std::string device;    // on which it is best shown: "sim:h100", "recorded"; empty: any
  uint32_t minutes = 0;  // that it takes; 0: not said
  std::vector<std::string> sources;
  std::vector<LessonStep> steps;  // at least one
  uint64_t hash = 0;              // of its text, so that answers can be told from those to another version
};

inline constexpr const char* kLessonEnding = ".md";
inline constexpr uint64_t kMostLessonBytes = uint64_t{1} << 20;
inline constexpr size_t kMostLessonSteps = 200;

// Errors: kDamagedFile with `name` and the line: "lesson.md:12: ..."; readLesson: kBadRequest, the file
// cannot be read. Whatever is named in a lesson exists; whether its claims hold, check_lesson.h finds out.
// `kernels` loads own kernels that it names; readLesson() takes them from the lesson's folder, which may take
// seconds, as they are compiled.
Expected<Lesson> lessonOf(std::string_view text, const std::string& name, const KernelLoader& kernels = {});
Expected<Lesson> readLesson(const std::filesystem::path& path, const std::stop_token& stop = {});
// Whether reading it compiles anything. False as well for a file that cannot be read.
bool hasOwnKernels(const std::filesystem::path& path);

// The numbers in a text: {kernel_time}, or {recorded: kernel_time}.
struct TextNumber {
  Expression expression;
  bool of_recording = false;
};
// Error kBadRequest: what is in a pair of braces is not an expression. Code has no numbers.
Expected<std::vector<TextNumber>> numbersIn(const MarkdownBlock& block);
// With each number in place of its braces, as `format` writes it.
std::vector<MarkdownSpan> withNumbers(const MarkdownBlock& block,
                                      const std::function<std::string(const TextNumber&)>& format);

// The lessons that come with the program, in order, in a language ("en", "zh_CN"); those that are not
// translated, in English.
std::vector<std::filesystem::path> bundledLessons(const std::string& language);

}  // namespace warpscope
