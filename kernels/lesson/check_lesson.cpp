#include "kernels/lesson/check_lesson.h"

#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "kernels/lesson/drag_values.h"
#include "kernels/lesson/lesson_runs.h"
#include "kernels/lesson/run_keeper.h"

namespace warpscope {
namespace {

using Severity = LessonFinding::Severity;

// One step on one device.
class StepCheck {
 public:
  StepCheck(const LessonStep& step, RunKeeper& runs, RunKeeper* recorded, LessonCheck& check,
            const std::stop_token& stop)
      : step_(step), keeper_(runs), recorded_(recorded), check_(check), stop_(stop) {}

  Expected<void> run() {
    auto made = keeper_.collect(requestsOf(step_), runs_, stop_);
    if (!made) {
      if (made.error().kind == ErrorKind::kCancelled) return made;
      // A recording does not offer all settings; for other devices, a step that cannot run is wrong.
      const bool recorded = keeper_.device().description().kind == DeviceKind::kRecorded;
      add(recorded ? Severity::kNote : Severity::kError, step_.scene.line, "{} cannot show this step: {}",
          keeper_.device().description().name, made.error().message);
      return {};
    }
    ++check_.shown_steps;
    checkScene();
    for (const ClaimAtLine& each : step_.scene.claims) checkClaim(each);
    if (step_.question) {
      if (auto checked = checkQuestion(*step_.question); !checked) return checked;
    }
    return checkTexts();
  }

 private:
  template <class... Args>
  void add(Severity severity, uint32_t line, fmt::format_string<Args...> format, const Args&... args) {
    check_.findings.push_back({severity, line, fmt::vformat(format, fmt::make_format_args(args...))});
  }
  // What only some devices count is unknown on others, which is not the lesson's mistake. A simulated GPU
  // knows all there is.
  Severity unknown() const {
    return keeper_.device().description().kind == DeviceKind::kSimulated ? Severity::kError : Severity::kNote;
  }

  void checkScene() {
    const Run& run = *runs_.at("");
    const LessonScene& scene = step_.scene;
    if (run.verification.failed() && !variantInfo(familyOf(scene), scene.variant)->planted)
      add(Severity::kError, scene.line, "the result is wrong: {}", run.verification.detail);
    if (!scene.region.empty() &&
        std::ranges::find(run.regions, scene.region, &Region::name) == run.regions.end())
      add(Severity::kError, scene.line, "the run has no region '{}'", scene.region);
    if (scene.warp && std::ranges::none_of(run.trace.warps, [&](const TraceWarp& warp) {
          return warp.block.value == scene.warp->block && warp.warp_in_block == scene.warp->warp;
        }))
      add(Severity::kError, scene.line, "the run did not record warp {} of block {}", scene.warp->warp,
          scene.warp->block);
  }

  void checkClaim(const ClaimAtLine& each) {
    const NamedValues values = valuesOf(each.claim.names(), step_.scene, runs_);
    const auto holds = each.claim.holds(values);
    if (!holds) {
      ++check_.unknown;
      add(unknown(), each.line, "{} cannot tell whether '{}'", keeper_.device().description().name,
          each.claim.text);
      return;
    }
    if (*holds) {
      ++check_.claims;
      return;
    }
    std::string found;
    for (const auto& [name, value] : values)
      found += fmt::format("{}{} = {:.6g}", found.empty() ? "" : ", ", name, value);
    add(Severity::kError, each.line, "'{}' is not so on {}: {}", each.claim.text,
        keeper_.device().description().name, found);
  }

  Expected<void> checkQuestion(const LessonQuestion& question) {
    if (question.kind == LessonQuestion::Kind::kDrag) return checkDrag(question);
    const auto right = rightAnswer(question, step_.scene, runs_);
    if (right) {
      ++check_.questions;
      if (right->lanes && right->lanes->bits == 0)
        add(Severity::kError, question.line, "no lane is to be painted");
      return {};
    }
    // A claim of an option that the device cannot evaluate hides which one is right.
    const bool not_known = question.kind != LessonQuestion::Kind::kPaint && anyUnknown(question);
    add(not_known ? unknown() : Severity::kError, question.line, "the question has no answer on {}: {}",
        keeper_.device().description().name, right.error().message);
    return {};
  }
  bool anyUnknown(const LessonQuestion& question) const {
    std::set<std::string, std::less<>> names;
    for (const LessonOption& option : question.options) {
      const auto more = option.holds.names();
      names.insert(more.begin(), more.end());
    }
    if (question.number) names.insert(question.number->names().begin(), question.number->names().end());
    return valuesOf(names, step_.scene, runs_).size() < names.size();
  }

  // Some value must be the one to be found, and some must not.
  Expected<void> checkDrag(const LessonQuestion& question) {
    bool found = false, missed = false;
    DragValues values(step_, keeper_, runs_, stop_);
    for (size_t i = 0; i < values.offered().size() && !(found && missed); i += values.stride()) {
      const auto right = values.isRight(i);
      if (!right) {
        if (right.error().kind == ErrorKind::kCancelled) return tl::unexpected(right.error());
        add(unknown(), question.line, "{} cannot tell: {}", keeper_.device().description().name,
            right.error().message);
        return {};
      }
      if (*right) (**right ? found : missed) = true;
    }
    if (found && missed) {
      ++check_.questions;
    } else {
      add(keeper_.device().description().kind == DeviceKind::kRecorded ? Severity::kNote : Severity::kError,
          question.line, "{} value of '{}' is right on {}", found ? "every" : "no", question.parameter,
          keeper_.device().description().name);
    }
    return {};
  }

  Expected<void> checkTexts() {
    StepRuns recorded;
    if (recorded_ != nullptr) {
      auto made = recorded_->collect(recordedRequestsOf(step_), recorded, stop_);
      if (!made && made.error().kind == ErrorKind::kCancelled) return made;
      if (!made) add(Severity::kError, step_.line, "{}", made.error().message);
    }
    for (const auto* texts : {&step_.caption, &step_.answer}) {
      for (const MarkdownBlock& block : *texts) checkText(block, recorded);
    }
    return {};
  }
  void checkText(const MarkdownBlock& block, const StepRuns& recorded) {
    for (const TextNumber& number : numbersIn(block).value_or(std::vector<TextNumber>{})) {
      if (number.of_recording && recorded_ == nullptr) continue;
      if (numberText(number, step_.scene, number.of_recording ? recorded : runs_) != "?") {
        ++check_.numbers;
        continue;
      }
      ++check_.unknown;
      add(number.of_recording ? Severity::kError : unknown(), block.line, "there is no number '{}' on {}",
          number.expression.text(),
          number.of_recording ? std::string("the recording") : keeper_.device().description().name);
    }
  }

  const LessonStep& step_;
  RunKeeper& keeper_;
  RunKeeper* recorded_;
  LessonCheck& check_;
  const std::stop_token& stop_;
  StepRuns runs_;
};

}  // namespace

bool LessonCheck::passed() const {
  return std::ranges::none_of(
      findings, [](const LessonFinding& finding) { return finding.severity == Severity::kError; });
}

Expected<LessonCheck> checkLesson(const Lesson& lesson, const LessonDevices& devices,
                                  const std::function<void(size_t step)>& progress,
                                  const std::stop_token& stop) {
  auto checks = checkLessonsTogether({&lesson, 1}, devices, progress, stop);
  if (!checks) return tl::unexpected(std::move(checks.error()));
  return std::move(checks->front());
}

Expected<std::vector<LessonCheck>> checkLessonsTogether(std::span<const Lesson> lessons,
                                                        const LessonDevices& devices,
                                                        const std::function<void(size_t step)>& progress,
                                                        const std::stop_token& stop) {
  std::vector<LessonCheck> checks(lessons.size());
  RunKeeper runs(*devices.device);
  std::optional<RunKeeper> recorded;
  if (devices.recorded != nullptr) recorded.emplace(*devices.recorded);
  size_t most_steps = 0;
  for (size_t i = 0; i < lessons.size(); ++i) {
    checks[i].steps = lessons[i].steps.size();
    most_steps = std::max(most_steps, checks[i].steps);
  }
  std::string family;
  for (size_t step = 0; step < most_steps; ++step) {
    progress(step);
    for (size_t i = 0; i < lessons.size(); ++i) {
      if (step >= checks[i].steps) continue;
      const LessonStep& each = lessons[i].steps[step];
      // Neighbouring steps share runs; those of another family are not needed again.
      if (each.scene.family != family) runs.forget();
      family = each.scene.family;
      const auto checked = StepCheck(each, runs, recorded ? &*recorded : nullptr, checks[i], stop).run();
      if (!checked) return tl::unexpected(checked.error());
    }
  }
  for (LessonCheck& check : checks) std::ranges::stable_sort(check.findings, {}, &LessonFinding::line);
  return checks;
}

}  // namespace warpscope
