// `warpscope lesson`: for teachers. A scaffold for a lesson of their own, its check, its handout, and a table
// of students' answers.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/shared_options.h"
#include "app/gui/gui.h"
#include "kernels/compile/scratch_folder.h"
#include "kernels/core/files.h"
#include "kernels/lesson/answers.h"
#include "kernels/lesson/check_lesson.h"
#include "kernels/lesson/drag_values.h"
#include "kernels/lesson/handout.h"
#include "kernels/lesson/run_keeper.h"
#include "kernels/lesson/scaffold.h"

namespace warpscope {
namespace {

constexpr const char* kDefaultDevice = "sim:h100";  // knows everything that a lesson can claim

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
      openDevice(kRecordedDeviceId, arguments.options);  // may be missing: then numbers of it are not checked
  Json all = Json::array();
  bool passed = true;
  for (const std::string& id : ids) {
    auto device = openDevice(id, arguments.options);
    if (!device) return tl::unexpected(device.error());
    for (const std::filesystem::path& file : files) {
      auto lesson = readLesson(file, interrupt.token());
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

struct LessonExportArguments {
  std::filesystem::path file, output;
  std::string device_id = kDefaultDevice, language;
  DeviceOptions options;
  bool answers = false;
};

// The steps' views as SVG, by step; none where this program or machine has no window, which `why` then says.
std::vector<std::string> picturesOf(const LessonExportArguments& arguments, size_t steps, std::string& why) {
  std::vector<std::string> pictures(steps);
#ifdef WARPSCOPE_HAS_GUI
  ScreenshotOptions screenshot;
  screenshot.start.lesson = arguments.file;
  screenshot.start.device = arguments.device_id;
  screenshot.start.device_options = arguments.options;
  screenshot.start.theme = "light";
  screenshot.start.language = arguments.language;
  screenshot.svg = screenshot.lesson_views = true;
  const ScratchFolder folder;
  screenshot.tour_folder = folder.path();
  const auto taken = takeScreenshots(screenshot);
  if (!taken) why = taken.error().message;
  for (size_t i = 0; taken && i < steps; ++i)
    pictures[i] = readFile(screenshot.tour_folder / fmt::format("{:02}.svg", i + 1)).value_or(std::string());
#else
  why = "this program was built without the window";
#endif
  return pictures;
}

Expected<ExitStatus> lessonExportCommand(const LessonExportArguments& arguments) {
  InterruptSource interrupt;
  const auto lesson = readLesson(arguments.file, interrupt.token());
  if (!lesson) return tl::unexpected(lesson.error());
  const auto device = openDevice(arguments.device_id, arguments.options);
  if (!device) return tl::unexpected(device.error());
  const auto recorded = openDevice(kRecordedDeviceId, arguments.options);
  const std::stop_token stop = interrupt.token();
  RunKeeper runs(**device);
  std::optional<RunKeeper> recorded_runs;
  if (recorded) recorded_runs.emplace(**recorded);
  ProgressLine line;
  std::vector<HandoutStep> steps(lesson->steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    line.showShare(fmt::format("step {} of {}", i + 1, steps.size()),
                   static_cast<double>(i) / static_cast<double>(steps.size()));
    const auto made = runs.collect(requestsOf(lesson->steps[i]), steps[i].runs, stop);
    if (!made)
      return fail(made.error().kind, "{}:{}: {}", arguments.file.string(), lesson->steps[i].scene.line,
                  made.error().message);
    const auto& question = lesson->steps[i].question;
    if (arguments.answers && question && question->kind == LessonQuestion::Kind::kDrag) {
      auto settings = rightSettings(lesson->steps[i], runs, steps[i].runs, stop);
      if (!settings) return tl::unexpected(settings.error());
      steps[i].settings = std::move(*settings);
    }
    // The handout prints a question mark for a number that is not recorded.
    if (recorded_runs)
      static_cast<void>(
          recorded_runs->collect(recordedRequestsOf(lesson->steps[i]), steps[i].recorded, stop));
  }
  line.clear();
  std::string why;
  std::vector<std::string> pictures = picturesOf(arguments, steps.size(), why);
  if (!why.empty()) printError("warpscope: the handout has no pictures: {}\n", why);
  for (size_t i = 0; i < steps.size(); ++i) steps[i].svg = std::move(pictures[i]);
  const DeviceDescription& description = (*device)->description();
  const std::string html =
      handoutOf(*lesson, steps,
                {.answers = arguments.answers,
                 .device = fmt::format("{}, {}", description.name, provenanceName(description.provenance)),
                 .language = arguments.language});
  const std::filesystem::path output =
      arguments.output.empty() ? std::filesystem::path(arguments.file).replace_extension(".html").filename()
                               : arguments.output;
  const auto written = replaceFile(output, html);
  if (!written) return tl::unexpected(written.error());
  print("{}\n", output.string());
  return kExitDone;
}

void addLessonExport(Command lesson) {
  auto arguments = std::make_shared<LessonExportArguments>();
  Command command =
      lesson.subcommand("export", "Write a handout: one HTML file with the pictures, to print or to send");
  command.examples(R"(Examples:
  warpscope lesson export mine.md                              mine.html, for students
  warpscope lesson export mine.md --answers --output key.html  with the answers and all pictures
  xvfb-run -a warpscope lesson export mine.md                  pictures where there is no display)");
  command.option("file", arguments->file, "The lesson (.md)").required();
  command.option("--output", arguments->output,
                 "The file to write (.html); default: the lesson's name, in this folder");
  command.flag("--answers", arguments->answers, "With the right answers, as the runs have them");
  command.option("--language", arguments->language, "Of the pictures: en or zh_CN").oneOf({"en", "zh_CN"});
  addDeviceOption(command, arguments->device_id, "Device whose numbers and pictures it shows").showDefault();
  command.runs([arguments] { return lessonExportCommand(*arguments); });
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
  Command command =
      root.subcommand("lesson", "Lessons: begin one of your own, check it, print it, grade answers");
  command.examples(R"(Examples:
  warpscope lesson new mine.md
  warpscope lesson check mine.md
  warpscope lesson export mine.md --answers
  warpscope lesson grade *.answers > class.csv
docs/teaching.md describes the format. 'warpscope gui mine.md' plays a lesson.)");
  addLessonNew(command);
  addLessonCheck(command);
  addLessonExport(command);
  addLessonGrade(command);
  command.runs([command]() -> Expected<ExitStatus> {
    print("{}", command.help());
    return kExitDone;
  });
}

}  // namespace warpscope
