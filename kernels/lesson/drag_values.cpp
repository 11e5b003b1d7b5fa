#include "kernels/lesson/drag_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {

Expected<void> tryDragged(const LessonStep& step, RunKeeper& keeper, const StepRuns& runs,
                          const OnDragged& on_dragged, const std::stop_token& stop) {
  const LessonQuestion& question = *step.question;
  const RunRequest request = step.scene.request();
  const auto run_at = [&](int64_t value) {
    RunRequest at = request;
    at.parameters[question.parameter] = value;
    return keeper.run(at, stop);
  };
  const std::vector<int64_t> values =
      inStepsOf(question, offeredValues(keeper.device(), request, question.parameter));
  const size_t stride = std::max<size_t>(1, (values.size() + kMostDragged - 1) / kMostDragged);
  for (size_t i = 0; i < values.size(); i += stride) {
    const auto at = run_at(values[i]);
    if (!at) {
      if (at.error().kind == ErrorKind::kCancelled) return tl::unexpected(at.error());
      continue;  // it cannot be chosen in the window either
    }
    StepRuns all = runs;
    all[""] = at->get();
    const auto before = i > 0 ? run_at(values[i - 1]) : Expected<std::shared_ptr<const Run>>(nullptr);
    const auto right = isFound(question, step.scene, all, before ? before->get() : nullptr);
    if (!right) return tl::unexpected(right.error());
    if (!on_dragged(values[i], *right)) break;
  }
  return {};
}

Expected<std::vector<std::string>> rightSettings(const LessonStep& step, RunKeeper& keeper,
                                                 const StepRuns& runs, const std::stop_token& stop) {
  struct Stretch {
    int64_t first = 0, last = 0;
    size_t values = 0;
  };
  std::vector<Stretch> stretches;
  bool goes_on = false;
  const auto tried = tryDragged(
      step, keeper, runs,
      [&](int64_t value, bool right) {
        if (right && !goes_on) stretches.push_back({.first = value});
        if (right) {
          stretches.back().last = value;
          ++stretches.back().values;
        }
        goes_on = right;
        return true;
      },
      stop);
  std::vector<std::string> texts;
  if (!tried) {
    if (tried.error().kind == ErrorKind::kCancelled) return tl::unexpected(tried.error());
    return texts;
  }
  const auto& parameters = familyOf(step.scene).parameters;
  const auto spec = std::ranges::find(parameters, step.question->parameter, &ParameterSpec::name);
  const auto text = [&](int64_t value) { return formatParameter(*spec, value); };
  for (const Stretch& each : stretches) {
    texts.push_back(each.values > 2 ? fmt::format("{} – {}", text(each.first), text(each.last))
                                    : text(each.first));
    if (each.values == 2) texts.push_back(text(each.last));
  }
  return texts;
}

}  // namespace warpscope
