#include "app/gui/model/lesson_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/core/units.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr const char* kShownName = "";
constexpr size_t kMostSeen = 24;

bool answersTheSame(const Run& a, const Run& b) {
  return a.request.family == b.request.family && a.request.variant == b.request.variant &&
         a.request.parameters == b.request.parameters;
}

// What the run lacks, for example a counter, says nothing to a student.
std::string cannotTell() {
  return tr(
      "This device cannot tell which answer is right. Choose another one at the top, or show the picture "
      "without an answer.");
}

StepRuns pointersTo(const NamedRuns& runs) {
  StepRuns pointers;
  for (const auto& [name, run] : runs) pointers[name] = run.get();
  return pointers;
}

}  // namespace

void LessonModel::open(Lesson lesson, const std::filesystem::path& file) {
  close();
  lesson_ = std::move(lesson);
  file_ = file;
  given_.assign(lesson_->steps.size(), {});
}

void LessonModel::close() {
  lesson_.reset();
  seen_.clear();
  go(0);
}

bool LessonModel::canGo(int by) const {
  const int64_t to = static_cast<int64_t>(index_) + by;
  return isOpen() && to >= 0 && to < static_cast<int64_t>(lesson_->steps.size());
}

void LessonModel::go(size_t index) {
  index_ = index;
  runs_of_.reset();
  runs_.clear();
  recorded_.clear();
  shown_.reset();
  told_.reset();
  problem_.clear();
  wanted_ticket_ = found_ticket_ = 0;
}

void LessonModel::follow(const std::string& device, const std::shared_ptr<const Run>& shown) {
  if (!isOpen() || device.empty()) return;
  const bool same_device = device_ == device;
  if (shown_ != shown && (shown != nullptr || !same_device)) {
    shown_ = shown;
    told_.reset();
  }
  if (!same_device) seen_.clear();
  if (shown != nullptr) remember(shown);
  if (runs_of_ == index_ && same_device) return;
  device_ = device;
  runs_of_ = index_;
  runs_.clear();
  told_.reset();
  problem_.clear();
  found_ticket_ = 0;  // its runs would be of the device before
  wanted_ticket_ = runner_.want(device, requestsOf(step()), recordedRequestsOf(step()));
}

bool LessonModel::update() {
  auto news = runner_.poll();
  if (!news) return false;
  if (news->ticket == wanted_ticket_) {
    wanted_ticket_ = 0;
    runs_ = std::move(news->runs);
    for (auto& [name, run] : runs_) run = asSeen(std::move(run));
    recorded_ = std::move(news->recorded);
    told_.reset();
    problem_ = news->error ? news->error->message : std::string();
  } else if (news->ticket == found_ticket_) {
    found_ticket_ = 0;
    const auto before = news->runs.find(kRunBefore);
    StepRuns all = pointersTo(runs_);
    if (const auto at = news->runs.find(kShownName); at != news->runs.end())
      all[kShownName] = at->second.get();
    const auto found = isFound(*step().question, step().scene, all,
                               before == news->runs.end() ? nullptr : before->second.get());
    if (found)
      keep(dragged_, *found);
    else
      problem_ = cannotTell();
  }
  return true;
}

void LessonModel::saw(const std::shared_ptr<const Run>& run) {
  if (!isOpen() || run == nullptr || run->device.id != device_ ||
      std::ranges::find(seen_, run) != seen_.end())
    return;
  remember(run);
  for (auto& [name, needed] : runs_) needed = asSeen(std::move(needed));
  told_.reset();
}

void LessonModel::remember(const std::shared_ptr<const Run>& shown) {
  if (std::ranges::find(seen_, shown) != seen_.end()) return;
  std::erase_if(seen_, [&](const auto& run) { return answersTheSame(*run, *shown); });
  if (seen_.size() == kMostSeen) seen_.erase(seen_.begin());
  seen_.push_back(shown);
}

std::shared_ptr<const Run> LessonModel::asSeen(std::shared_ptr<const Run> run) const {
  for (const auto& seen : seen_) {
    // A run on a GPU has the counters that claims name only if they were asked for, and what is launched in
    // the background may not be traced.
    if (answersTheSame(*seen, *run) && !seen->verification.pending &&
        seen->counters.size() >= run->counters.size() && seen->trace.warps.size() >= run->trace.warps.size())
      return seen;
  }
  return run;
}

StepRuns LessonModel::runs() const {
  StepRuns runs = pointersTo(runs_);
  if (shown_ != nullptr) runs[kShownName] = shown_.get();
  return runs;
}

bool LessonModel::ready() const {
  return isOpen() && wanted_ticket_ == 0 && runs_of_ == index_;
}

bool LessonModel::hidesPicture() const {
  return isOpen() && hasOpenQuestion() && !given().done() && step().question->hides_picture;
}

const LessonModel::Told& LessonModel::told() {
  if (told_) return *told_;
  const StepRuns of_device = runs(), of_recording = pointersTo(recorded_);
  const LessonScene& scene = step().scene;
  told_ = Told{withNumbers(step().caption, scene, of_device, of_recording),
               withNumbers(step().answer, scene, of_device, of_recording), std::nullopt,
               recordedSettings(scene, of_device, of_recording)};
  if (step().question) {
    if (const auto right = rightAnswer(*step().question, scene, of_device)) told_->right = *right;
  }
  return *told_;
}

Expected<void> LessonModel::answer(const LessonAnswer& answer) {
  const auto right = rightAnswer(*step().question, step().scene, runs());
  if (!right) return fail(ErrorKind::kBadRequest, "{}", cannotTell());
  keep(answer, isRight(*step().question, answer, *right));
  return {};
}

void LessonModel::answerDragged(const std::string& device, const RunRequest& at,
                                std::optional<RunRequest> before) {
  if (pending()) return;
  const std::string& parameter = step().question->parameter;
  dragged_ = {.number = static_cast<double>(at.parameters.at(parameter))};
  NamedRequests requests{{kShownName, at}};
  if (before) requests[std::string(kRunBefore)] = std::move(*before);
  found_ticket_ = runner_.want(device, std::move(requests), {});
}

void LessonModel::keep(const LessonAnswer& answer, bool right) {
  Given& given = given_[index_];
  given.answer = answer;
  given.right = right;
  ++given.tries;
  ++version_;
}

LessonAnswers LessonModel::answers(const std::string& device) const {
  LessonAnswers all{
      .student = student, .lesson = lesson_->title, .lesson_hash = lesson_->hash, .device = device};
  for (size_t i = 0; i < given_.size(); ++i) {
    const Given& given = given_[i];
    if (!given.answer) continue;
    const LessonQuestion& question = *lesson_->steps[i].question;
    all.answers.push_back({.step = static_cast<uint32_t>(i + 1),
                           .question = question.text,
                           .answer = answerText(question, *given.answer),
                           .right = given.right,
                           .tries = given.tries});
  }
  return all;
}

std::string laneListText(LaneMask lanes) {
  std::string text;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!lanes.has(lane)) continue;
    int last = lane;
    while (last + 1 < kWarpSize && lanes.has(last + 1)) ++last;
    text += text.empty() ? "" : ", ";
    text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
    lane = last;
  }
  return text.empty() ? "none" : text;
}

std::string answerText(const LessonQuestion& question, const LessonAnswer& answer) {
  switch (question.kind) {
    case LessonQuestion::Kind::kChoice:
      return question.options[*answer.option].text;
    case LessonQuestion::Kind::kNumber:
      return formatNumber(*answer.number) + (question.unit.empty() ? "" : " " + question.unit);
    case LessonQuestion::Kind::kPaint:
      return "lanes " + laneListText(*answer.lanes);
    case LessonQuestion::Kind::kDrag:
      return fmt::format("{} {:.0f}", question.parameter, *answer.number);
  }
  return {};
}

}  // namespace warpscope
