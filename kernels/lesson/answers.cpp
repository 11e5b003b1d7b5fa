#include "kernels/lesson/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/core/files.h"
#include "kernels/core/json.h"
#include "kernels/core/json_reader.h"
#include "kernels/export/tables.h"
#include "kernels/lesson/lesson_file.h"

namespace warpscope {
namespace {

constexpr int kVersion = 1;
constexpr uint64_t kMostAnswerBytes = uint64_t{1} << 20;

Json headJson(const LessonAnswers& answers) {
  return {{"warpscope_answers", kVersion},
          {"student", answers.student},
          {"lesson", answers.lesson},
          {"lesson_hash", fmt::format("{:016x}", answers.lesson_hash)},
          {"device", answers.device}};
}
Json answerJson(const GivenAnswer& answer) {
  return {{"step", answer.step},
          {"question", answer.question},
          {"answer", answer.answer},
          {"right", answer.right},
          {"tries", answer.tries}};
}

void readHead(const JsonReader& reader, LessonAnswers& answers) {
  if (const int version = reader.integer<int>("warpscope_answers");
      reader.problem().empty() && version != kVersion)
    return reader.complain("warpscope_answers",
                           fmt::format("is {}, but this program reads {}", version, kVersion));
  answers.student = reader.text("student");
  answers.lesson = reader.text("lesson");
  answers.device = reader.text("device");
  const std::string hash = reader.text("lesson_hash");
  constexpr int kHexadecimal = 16;
  size_t used = 0;
  if (hash.size() == 16 && hash.find_first_not_of("0123456789abcdef") == std::string::npos)
    answers.lesson_hash = std::stoull(hash, &used, kHexadecimal);
  if (used != hash.size() || hash.empty()) reader.complain("lesson_hash", "is not 16 hexadecimal digits");
}

void readAnswer(const JsonReader& reader, LessonAnswers& answers) {
  GivenAnswer answer{.step = reader.integer<uint32_t>("step"),
                     .question = reader.text("question"),
                     .answer = reader.text("answer"),
                     .right = reader.boolean("right"),
                     .tries = reader.integer<uint32_t>("tries")};
  const uint32_t last = answers.answers.empty() ? 0 : answers.answers.back().step;
  if (reader.problem().empty() && (answer.step <= last || answer.step > kMostLessonSteps))
    reader.complain("step",
                    fmt::format("is {}, but must be from {} to {}", answer.step, last + 1, kMostLessonSteps));
  answers.answers.push_back(std::move(answer));
}

}  // namespace

std::string textOf(const LessonAnswers& answers) {
  std::string text = headJson(answers).dump() + "\n";
  for (const GivenAnswer& answer : answers.answers) text += answerJson(answer).dump() + "\n";
  return text;
}

Expected<LessonAnswers> answersOf(std::string_view text, const std::string& name) {
  LessonAnswers answers;
  uint32_t line = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view words = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    const auto json = Json::parse(words);
    if (!json) return fail(ErrorKind::kDamagedFile, "{}:{}: {}", name, line, json.error().message);
    std::string problem;
    const JsonReader reader(*json, "", problem);
    if (line == 1)
      readHead(reader, answers);
    else
      readAnswer(reader, answers);
    if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "{}:{}: {}", name, line, problem);
  }
  if (line == 0) return fail(ErrorKind::kDamagedFile, "{}:1: the file is empty", name);
  return answers;
}

Expected<LessonAnswers> readAnswers(const std::filesystem::path& path) {
  const auto text = readFile(path, kMostAnswerBytes);
  if (!text) return tl::unexpected(text.error());
  return answersOf(*text, path.string());
}

Expected<void> writeAnswers(const std::filesystem::path& path, const LessonAnswers& answers) {
  return replaceFile(path, textOf(answers));
}

Expected<std::string> gradeTable(std::span<const LessonAnswers> files, bool versions_may_differ) {
  if (files.empty()) return fail(ErrorKind::kBadRequest, "there are no answers");
  for (const LessonAnswers& file : files) {
    if (file.lesson != files.front().lesson)
      return fail(ErrorKind::kBadRequest, "the answers are to different lessons: '{}' ({}) and '{}' ({})",
                  files.front().lesson, files.front().student, file.lesson, file.student);
    if (file.lesson_hash != files.front().lesson_hash && !versions_may_differ)
      return fail(
          ErrorKind::kBadRequest,
          "the answers of '{}' and '{}' are to different versions of the lesson; --any-version compares them",
          files.front().student, file.student);
  }
  std::map<uint32_t, std::string> questions;
  for (const LessonAnswers& file : files) {
    for (const GivenAnswer& answer : file.answers) questions.try_emplace(answer.step, answer.question);
  }
  std::string table = "student";
  for (const auto& [step, question] : questions)
    table += "," + csvField(fmt::format("{}. {}", step, question));
  table += ",right,answered\r\n";
  for (const LessonAnswers& file : files) {
    table += csvField(file.student);
    size_t right = 0;
    for (const auto& [step, question] : questions) {
      const auto answer = std::ranges::find(file.answers, step, &GivenAnswer::step);
      table += ",";
      if (answer == file.answers.end()) continue;
      table += answer->right ? "1" : "0";
      right += answer->right ? 1 : 0;
    }
    table += fmt::format(",{},{}\r\n", right, file.answers.size());
  }
  return table;
}

}  // namespace warpscope
