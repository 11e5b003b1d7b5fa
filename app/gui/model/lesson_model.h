// The lesson that is played: its steps, the runs that they need, and the answers that were given. It knows no
// window; app/gui/lesson/ shows it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/model/lesson_runner.h"
#include "kernels/lesson/answers.h"
#include "kernels/lesson/lesson_file.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {

class LessonModel {
 public:
  LessonModel(OpenDevice open_device, std::function<void()> wake)
      : runner_(std::move(open_device), std::move(wake)) {}

  // `file`: where it was read from.
  void open(Lesson lesson, const std::filesystem::path& file);
  void close();
  bool isOpen() const { return lesson_.has_value(); }
  const std::filesystem::path& file() const { return file_; }
  const Lesson& lesson() const { return *lesson_; }

  size_t index() const { return index_; }
  const LessonStep& step() const { return lesson_->steps[index_]; }
  bool canGo(int by) const;
  void go(size_t index);

  // Once a frame: the device that is shown, and the shown run if it is the step's (else null). Runs that the
  // step needs besides are made on that device.
  void follow(const std::string& device, const std::shared_ptr<const Run>& shown);
  // Another run that is on screen, as a bar or after a setting was dragged: what the texts say of such a
  // launch is then what the window says.
  void saw(const std::shared_ptr<const Run>& run);
  bool update();  // true: there is something to draw
  bool pending() const { return wanted_ticket_ != 0 || found_ticket_ != 0; }

  bool ready() const;  // all runs that the step needs are there
  // What the step's runs say: its texts with their numbers, and the right answer (nullopt: the question is
  // answered by dragging, or the runs do not say). It is made once for the runs that are there, since numbers
  // of regions take a walk through the trace.
  struct Told {
    std::vector<MarkdownBlock> caption, answer;
    std::optional<LessonAnswer> right;
    std::vector<RecordedSetting> recorded_with;  // where the numbers of the recording are of another launch
  };
  const Told& told();
  // Why the step cannot be shown as it is; empty: it can.
  const std::string& problem() const { return problem_; }

  // The question of this step.
  struct Given {
    std::optional<LessonAnswer> answer;
    bool right = false, revealed = false;
    uint32_t tries = 0;
    bool done() const { return answer.has_value() || revealed; }
  };
  const Given& given() const { return given_[index_]; }
  // The picture is hidden until the question is answered, or shown without an answer. A setting that is
  // dragged is a guess the first time; further tries are made with the picture.
  bool hidesPicture() const;
  // There may be more tries at a setting to drag, until it is right.
  bool hasOpenQuestion() const {
    if (!step().question) return false;
    return step().question->kind == LessonQuestion::Kind::kDrag ? !given().right && !given().revealed
                                                                : !given().done();
  }
  void reveal() { given_[index_].revealed = true; }
  // Error: the run does not say which answer is right.
  Expected<void> answer(const LessonAnswer& answer);
  // kDrag: the value at which the shown run was made. Whether it is right is known after some runs, with
  // update(); the answer stands if it is, else there may be more tries.
  void answerDragged(const std::string& device, const RunRequest& at, std::optional<RunRequest> before);

  std::string student;  // the name that was typed
  // All answers that were given so far.
  LessonAnswers answers(const std::string& device) const;
  // It changes with every answer.
  uint64_t version() const { return version_; }

 private:
  StepRuns runs() const;
  void keep(const LessonAnswer& answer, bool right);
  void remember(const std::shared_ptr<const Run>& shown);
  // The same launch as it was on screen, or else the run: what a caption says of an earlier step is then what
  // that step showed. On a GPU, and where caches remember the launches before, no two runs are alike.
  std::shared_ptr<const Run> asSeen(std::shared_ptr<const Run> run) const;

  std::optional<Lesson> lesson_;
  std::filesystem::path file_;
  size_t index_ = 0;
  std::vector<Given> given_;  // by step
  uint64_t version_ = 0;

  std::string device_, problem_;
  std::shared_ptr<const Run> shown_;
  NamedRuns runs_, recorded_;
  std::vector<std::shared_ptr<const Run>> seen_;   // runs of scenes that were shown on this device
  std::optional<size_t> runs_of_;                  // the step that they are for
  uint64_t wanted_ticket_ = 0, found_ticket_ = 0;  // awaited from the runner; 0: nothing
  std::optional<Told> told_;
  LessonAnswer dragged_;
  LessonRunner runner_;
};

// The answer in words, as files of answers keep it: "Both", "37.5 µs", "lanes 0-15", "block 96".
std::string answerText(const LessonQuestion& question, const LessonAnswer& answer);
// "0-15, 31"; "none"
std::string laneListText(LaneMask lanes);

}  // namespace warpscope
