// `warpscope lesson`: for teachers. A scaffold for a lesson of their own, its check, and a table of students'
// answers.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/shared_options.h"
#include "kernels/core/files.h"
#include "kernels/lesson/answers.h"
#include "kernels/lesson/check_lesson.h"
#include "kernels/lesson/scaffold.h"

namespace warpscope {
namespace {

constexpr const char* kDefaultDevice = "sim:h100";  // knows everything that a lesson can claim
constexpr const char* kRecordedDevice = "recorded";

struct LessonCheckArguments {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> devices;
  DeviceOptions options;
  bool json = false;
};

struct CheckedLesson {
  std::filesystem::path file;
  std::string device;
  Lesson lesson;
  LessonCheck check;
};

void printCheck(const CheckedLesson& checked) {
  for (const LessonFinding& finding : checked.check.findings) {
    const bool is_error = finding.severity == LessonFinding::Severity::kError;
    print("{}:{}: {}{}\n", checked.file.string(), finding.line, is_error ? "" : "note: ", finding.text);
  }
  const LessonCheck& check = checked.check;
  print(
      "{} on {}: {}: {} of {} steps shown, {} claims hold, {} questions have an answer, {} numbers in texts",
      checked.file.filename().string(), checked.device, check.passed() ? "right" : "WRONG", check.shown_steps,
      check.steps, check.claims, check.questions, check.numbers);
  if (check.unknown > 0) print(", {} unknown to this device", check.unknown);
  print("\n");
}

Json checkJson(const CheckedLesson& checked) {
  const LessonCheck& check = checked.check;
  Json findings = Json::array();
  for (const LessonFinding& finding : check.findings) {
    findings.push_back(
        Json{{"line", finding.line},
             {"severity", finding.severity == LessonFinding::Severity::kError ? "error" : "note"},
             {"text", finding.text}});
  }
  return {
      {"file", checked.file.string()}, {"device", checked.device},       {"title", checked.lesson.title},
      {"passed", check.passed()},      {"steps", check.steps},           {"shown_steps", check.shown_steps},
      {"claims", check.claims},        {"questions", check.questions},   {"numbers", check.numbers},
      {"unknown", check.unknown},      {"findings", std::move(findings)}};
}

Expected<ExitStatus> lessonCheckCommand(const LessonCheckArguments& arguments) {
  InterruptSource interrupt;
  ProgressLine line;
  std::vector<std::filesystem::path> files = arguments.files;
  if (files.empty()) files = bundledLessons("en");
  if (files.empty()) return fail(ErrorKind::kBadRequest, "name a lesson; none came with this program");
  std::vector<std::string> ids = arguments.devices;
  if (ids.empty()) ids = {kDefaultDevice};
  auto recorded =
      openDevice(kRecordedDevice, arguments.options);  // may be missing: then numbers of it are not checked
  Json all = Json::array();
  bool passed = true;
  for (const std::string& id : ids) {
    auto device = openDevice(id, arguments.options);
    if (!device) return tl::unexpected(device.error());
    for (const std::filesystem::path& file : files) {
      auto lesson = readLesson(file);
      if (!lesson) return tl::unexpected(lesson.error());
      const auto progress = [&](size_t step) {
        line.showShare(fmt::format("{} on {}: step {} of {}", file.filename().string(), id, step + 1,
                                   lesson->steps.size()),
                       static_cast<double>(step) / static_cast<double>(lesson->steps.size()));
      };
      auto check = checkLesson(*lesson, {device->get(), recorded ? recorded->get() : nullptr}, progress,
                               interrupt.token());
      line.clear();
      if (!check) return tl::unexpected(check.error());
      const CheckedLesson checked{file, id, std::move(*lesson), std::move(*check)};
      passed &= checked.check.passed();
      if (arguments.json)
        all.push_back(checkJson(checked));
      else
        printCheck(checked);
    }
  }
  if (arguments.json) printJson(all);
  return passed ? kExitDone : kExitWorkFailed;
}

void addLessonCheck(Command lesson) {
  auto arguments = std::make_shared<LessonCheckArguments>();
  Command command = lesson.subcommand("check", "Compare all that a lesson says with what its runs show");
  command.examples(R"(Examples:
  warpscope lesson check mine.md                         on the simulated H100, which knows every counter
  warpscope lesson check mine.md --device sim:h100 --device recorded
  warpscope lesson check                                 the lessons that come with the program
Each finding names the file and the line. Exit status: 0 all is so, 1 something is not, 2 the file is no lesson.)");
  command.option("files", arguments->files, "Lessons (.md); none: those that come with the program");
  addDevicesOption(command, arguments->devices, "Devices to check it on; default: sim:h100");
  addJsonFlag(command, arguments->json);
  command.runs([arguments] { return lessonCheckCommand(*arguments); });
}

void addLessonNew(Command lesson) {
  auto file = std::make_shared<std::filesystem::path>();
  Command command = lesson.subcommand("new", "Write a lesson to begin with, with a question of each kind");
  command.examples("Example:\n  warpscope lesson new mine.md");
  command.option("file", *file, "The lesson to write (.md); an existing file is not replaced").required();
  command.runs([file]() -> Expected<ExitStatus> {
    std::error_code error;
    if (std::filesystem::exists(*file, error))
      return fail(ErrorKind::kBadRequest, "{} exists; name another file", file->string());
    const auto written = replaceFile(*file, lessonScaffold());
    if (!written) return tl::unexpected(written.error());
    print("{} written. Change it in any editor; 'warpscope lesson check {}' says whether it is right.\n",
          file->string(), file->string());
    return kExitDone;
  });
}

struct GradeArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool any_version = false;
};

Expected<ExitStatus> gradeCommand(const GradeArguments& arguments) {
  std::vector<LessonAnswers> all;
  for (const std::filesystem::path& file : arguments.files) {
    auto answers = readAnswers(file);
    if (!answers) return tl::unexpected(answers.error());
    // Students who typed no name are told apart by their files.
    if (answers->student.empty()) answers->student = file.stem().string();
    all.push_back(std::move(*answers));
  }
  const auto table = gradeTable(all, arguments.any_version);
  if (!table) return tl::unexpected(table.error());
  if (arguments.output.empty()) {
    writeOutput(*table);
    return kExitDone;
  }
  const auto written = replaceFile(arguments.output, *table);
  if (!written) return tl::unexpected(written.error());
  return kExitDone;
}

void addLessonGrade(Command lesson) {
  auto arguments = std::make_shared<GradeArguments>();
  Command command = lesson.subcommand("grade", "Make a table (CSV) of students' answers");
  command.examples(R"(Examples:
  warpscope lesson grade *.answers > class.csv
  warpscope lesson grade monday/*.answers --output class.csv
A line for each file, a column for each question: 1 right, 0 wrong, empty not answered. The files hold what the
students' programs found; they are not signed.)");
  command.option("files", arguments->files, "Files of answers (.answers)").required();
  command.option("--output", arguments->output, "The table's file; default: standard output");
  command.flag("--any-version", arguments->any_version,
               "Also where the files answer different versions of the lesson");
  command.runs([arguments] { return gradeCommand(*arguments); });
}

}  // namespace

void addLessonCommand(Command root) {
  Command command = root.subcommand("lesson", "Lessons: begin one of your own, check it, grade answers");
  command.examples(R"(Examples:
  warpscope lesson new mine.md
  warpscope lesson check mine.md
  warpscope lesson grade *.answers > class.csv
docs/teaching.md describes the format. 'warpscope gui --lesson mine.md' plays a lesson.)");
  addLessonNew(command);
  addLessonCheck(command);
  addLessonGrade(command);
  command.runs([command]() -> Expected<ExitStatus> {
    print("{}", command.help());
    return kExitDone;
  });
}

}  // namespace warpscope
