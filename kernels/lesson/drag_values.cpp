#include "kernels/lesson/drag_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/experiments/experiment.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {
namespace {

constexpr size_t kMostTried = 64;

struct Stretch {
  size_t first = 0, last = 0;  // places of right values that follow one another
};

// From a wrong place and a right one, with others between them: the last of these on the right one's side
// that is right.
Expected<size_t> edgeBetween(DragValues& values, size_t wrong, size_t right) {
  while ((wrong < right ? right - wrong : wrong - right) > 1) {
    const size_t middle = (wrong + right) / 2;
    const auto is_right = values.isRight(middle);
    if (!is_right) return tl::unexpected(is_right.error());
    (is_right->value_or(false) ? right : wrong) = middle;
  }
  return right;
}

Expected<std::vector<Stretch>> rightStretches(DragValues& values) {
  std::vector<Stretch> stretches;
  std::optional<size_t> wrong_before;
  bool goes_on = false;
  for (size_t i = 0; i < values.offered().size(); i += values.stride()) {
    const auto is_right = values.isRight(i);
    if (!is_right) return tl::unexpected(is_right.error());
    const bool right = is_right->value_or(false);
    if (right && !goes_on) {
      const auto first = wrong_before ? edgeBetween(values, *wrong_before, i) : Expected<size_t>(i);
      if (!first) return tl::unexpected(first.error());
      stretches.push_back({*first, i});
    }
    if (right) stretches.back().last = i;
    if (!right) {
      if (goes_on) {
        const auto last = edgeBetween(values, i, stretches.back().last);
        if (!last) return tl::unexpected(last.error());
        stretches.back().last = *last;
      }
      wrong_before = i;
    }
    goes_on = right;
  }
  return stretches;
}

}  // namespace

DragValues::DragValues(const LessonStep& step, RunKeeper& keeper, const StepRuns& runs, std::stop_token stop)
    : step_(step),
      keeper_(keeper),
      runs_(runs),
      stop_(std::move(stop)),
      offered_(inStepsOf(*step.question,
                         offeredValues(keeper.device(), step.scene.request(), step.question->parameter))) {}

size_t DragValues::stride() const {
  return std::max<size_t>(1, (offered_.size() + kMostTried - 1) / kMostTried);
}

Expected<std::shared_ptr<const Run>> DragValues::runAt(size_t place) {
  RunRequest request = step_.scene.request();
  request.parameters[step_.question->parameter] = offered_[place];
  return keeper_.run(request, stop_);
}

Expected<std::optional<bool>> DragValues::isRight(size_t place) {
  const auto at = runAt(place);
  if (!at) {
    if (at.error().kind == ErrorKind::kCancelled) return tl::unexpected(at.error());
    return std::optional<bool>();
  }
  StepRuns all = runs_;
  all[""] = at->get();
  const auto before = place > 0 ? runAt(place - 1) : Expected<std::shared_ptr<const Run>>(nullptr);
  const auto found = isFound(*step_.question, step_.scene, all, before ? before->get() : nullptr);
  if (!found) return tl::unexpected(found.error());
  return std::optional(*found);
}

Expected<std::vector<std::string>> rightSettings(const LessonStep& step, RunKeeper& keeper,
                                                 const StepRuns& runs, const std::stop_token& stop) {
  DragValues values(step, keeper, runs, stop);
  const auto stretches = rightStretches(values);
  std::vector<std::string> texts;
  if (!stretches) {
    if (stretches.error().kind == ErrorKind::kCancelled) return tl::unexpected(stretches.error());
    return texts;
  }
  const auto& parameters = familyOf(step.scene).parameters;
  const auto spec = std::ranges::find(parameters, step.question->parameter, &ParameterSpec::name);
  const auto text = [&](size_t place) { return formatParameter(*spec, values.offered()[place]); };
  for (const auto& [first, last] : *stretches) {
    const size_t further = last - first;
    texts.push_back(further > 1 ? fmt::format("{} – {}", text(first), text(last)) : text(first));
    if (further == 1) texts.push_back(text(last));
  }
  return texts;
}

}  // namespace warpscope
