// Mutates lessons and files of answers: `lesson_fuzz SECONDS SEED FILE...`. Whatever a file holds, reading it
// gives a lesson that names only what exists, or a message with the file and a line. The same seed gives the
// same texts; the one being tried is in lesson_fuzz_current.txt, so that it remains after a crash.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "kernels/core/files.h"
#include "kernels/experiments/experiment.h"
#include "kernels/lesson/answers.h"
#include "kernels/lesson/lesson_runs.h"
#include "kernels/lesson/scaffold.h"
#include "kernels/program/program.h"

namespace warpscope::fuzz {
namespace {

constexpr const char* kWords[] = {"```show\n",
                                  "```ask\n",
                                  "```lesson\n",
                                  "```\n",
                                  "## step\n",
                                  "# title\n",
                                  "family: divergence\n",
                                  "kernel: own.cu\n",
                                  "kernel: ../own.cu\n",
                                  "kernel: /etc/passwd.cu\n",
                                  "kernel: .cu\n",
                                  "note: 0:0 @400 | here\n",
                                  "note: @2^64 | \n",
                                  "note: 9 @ | x\n",
                                  "access: 1e9\n",
                                  "alone: yes\n",
                                  "variant: nested\n",
                                  "block: 999999999999999999999\n",
                                  "size: 2^63\n",
                                  "view: ../../etc/passwd\n",
                                  "warp: 4294967295:4294967295\n",
                                  "warp: -1:0\n",
                                  "zoom: ..\n",
                                  "zoom: 9..1\n",
                                  "play: 1e308\n",
                                  "select: b0-b4294967295\n",
                                  "claim: 1 = 1\n",
                                  "claim: ((((((((((\n",
                                  "claim: kernel_time = warp_aligned.kernel_time within 0.1\n",
                                  "run x: variant = nested, ways = 3\n",
                                  "run : = =\n",
                                  "option: a | 1 = 1\n",
                                  "question: q\n",
                                  "number: 1/0\n",
                                  "within: nan\n",
                                  "drag: block\n",
                                  "where: before.block > 1\n",
                                  "paint: load\n",
                                  "visit: 0\n",
                                  "compare: ,,,\n",
                                  "{kernel_time}",
                                  "{recorded: time}",
                                  "{",
                                  "}",
                                  "{{}}",
                                  "|",
                                  ":",
                                  "=",
                                  "\xff\xfe",
                                  "\xe4\xb8",
                                  "\r\n",
                                  "\t",
                                  "- - - - - - - - - -\n",
                                  "> > > > >\n",
                                  "[a](javascript:x)",
                                  "![p](/etc/passwd)",
                                  "<script>",
                                  "{\"step\":1}\n",
                                  "{\"warpscope_answers\":1}\n",
                                  "[[[[[[[[",
                                  "\"right\":true",
                                  "null",
                                  "1e999"};

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}
  size_t below(size_t count) { return count == 0 ? 0 : random_() % count; }

  std::string mutated(std::string text) {
    for (size_t changes = 1 + below(6); changes > 0; --changes) change(text);
    return text;
  }

 private:
  void change(std::string& text) {
    const size_t at = below(text.size() + 1), length = std::min(below(60), text.size() - at);
    switch (below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(below(text.size() + 1), 200));
        break;
      case 2:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 3:
        text.replace(at, length, kWords[below(std::size(kWords))]);
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        insertLine(text);
        break;
    }
  }
  // At the beginning of a line, where most words mean something.
  void insertLine(std::string& text) {
    const size_t line = text.find('\n', below(text.size() + 1));
    text.insert(line == std::string::npos ? text.size() : line + 1, kWords[below(std::size(kWords))]);
  }
  std::mt19937_64 random_;
};

[[noreturn]] void failed(const std::string& why) {
  fmt::print(stderr, "lesson_fuzz: {}; the text is in lesson_fuzz_current.txt\n", why);
  std::exit(1);
}

void expectPlace(const std::string& message) {
  static const std::regex kPlace("x:[1-9][0-9]*: .+");
  const std::string first = message.substr(0, std::min<size_t>(message.size(), 60));
  if (!std::regex_match(first.substr(0, first.find('\n')), kPlace))
    failed("a message without a line: " + message);
}

// Stands for a file beside the lesson; nothing else may be asked for.
std::shared_ptr<const Program> ownKernel() {
  static const std::shared_ptr<const Program> program = [] {
    const auto loaded = loadProgram("own.ptx", {}, {},
                                    ".version 7.0\n.target sm_70\n.address_size 64\n"
                                    ".visible .entry scale(.param .u64 data, .param .u32 n) { ret; }\n");
    if (!loaded || !addProgram(loaded->program)) std::abort();
    return loaded->program;
  }();
  return program;
}

Expected<std::shared_ptr<const Program>> loadBeside(const std::string& file) {
  if (file.find('/') != std::string::npos || file.starts_with('.') || !isProgramFile(file))
    failed("a lesson that reaches outside of its folder: " + file);
  if (file != "own.cu") return fail(ErrorKind::kBadRequest, "there is no {}", file);
  return ownKernel();
}

void tryLesson(const std::string& text) {
  const auto lesson = lessonOf(text, "x", loadBeside);
  if (!lesson) return expectPlace(lesson.error().message);
  for (const LessonStep& step : lesson->steps) {
    for (const auto& [name, request] : requestsOf(step)) {
      const auto experiment = findExperiment(request);
      if (!experiment) failed("a lesson with the family " + request.family);
      if (variantInfo((*experiment)->info(), request.variant) == nullptr)
        failed("a lesson with the variant " + request.variant);
      if (request.program != nullptr && request.program != ownKernel())
        failed("a lesson with another program");
      if (const auto complete = completeRequest((*experiment)->info(), request); !complete)
        failed("a lesson with the settings of an impossible request: " + complete.error().message);
    }
    if (step.question) static_cast<void>(rightAnswer(*step.question, step.scene, {}));
  }
}

void tryAnswers(const std::string& text) {
  const auto answers = answersOf(text, "x");
  if (!answers) return expectPlace(answers.error().message);
  const auto again = answersOf(textOf(*answers), "x");
  if (!again || *again != *answers) failed("answers that are not read as they are written");
  static_cast<void>(gradeTable(std::vector{*answers, *answers}, true));
}

int fuzz(double seconds, uint64_t seed, const std::vector<std::string>& lessons) {
  const std::string answers =
      textOf({.student = "Ada",
              .lesson = "L",
              .lesson_hash = 7,
              .device = "sim:h100",
              .answers = {{.step = 1, .question = "q", .answer = "a", .right = true, .tries = 1},
                          {.step = 3, .question = "r", .answer = "b", .right = false, .tries = 2}}});
  Mutator mutator(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  size_t tried = 0;
  while (std::chrono::steady_clock::now() < end) {
    const bool lesson = mutator.below(4) > 0;
    const std::string text = mutator.mutated(lesson ? lessons[mutator.below(lessons.size())] : answers);
    std::ofstream("lesson_fuzz_current.txt", std::ios::binary) << text;
    lesson ? tryLesson(text) : tryAnswers(text);
    ++tried;
  }
  fmt::print("lesson_fuzz: {} texts, seed {}\n", tried, seed);
  return 0;
}

}  // namespace
}  // namespace warpscope::fuzz

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: lesson_fuzz SECONDS SEED [LESSON...]\n");
    return 2;
  }
  std::vector<std::string> lessons{
      warpscope::lessonScaffold(),
      "# Own\n\n## One\n\n```show\nkernel: own.cu\nblock: 64\nn: 2^10\n```\n\n{n}\n"};
  for (int i = 3; i < argc; ++i) {
    const auto text = warpscope::readFile(argv[i]);
    if (!text) {
      fmt::print(stderr, "lesson_fuzz: {}\n", text.error().message);
      return 2;
    }
    lessons.push_back(*text);
  }
  return warpscope::fuzz::fuzz(std::atof(argv[1]), std::strtoull(argv[2], nullptr, 10), lessons);
}
