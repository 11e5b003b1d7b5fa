#include "kernels/lesson/lesson_runs.h"

#include <algorithm>
#include <iterator>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

using Names = std::set<std::string, std::less<>>;

void add(Names& names, const Names& more) {
  names.insert(more.begin(), more.end());
}

Names namesInTexts(const LessonStep& step, bool of_recording) {
  Names names;
  for (const auto* texts : {&step.caption, &step.answer}) {
    for (const MarkdownBlock& block : *texts) {
      for (const TextNumber& number : numbersIn(block).value_or(std::vector<TextNumber>{})) {
        if (number.of_recording == of_recording) add(names, number.expression.names());
      }
    }
  }
  return names;
}

std::map<std::string, RunRequest> requestsFor(const Names& names, const LessonScene& scene) {
  std::map<std::string, RunRequest> requests;
  for (const std::string& name : names) {
    const auto resolved = resolveName(name, scene, true);
    if (!resolved || resolved->run == kRunBefore) continue;
    const auto other = scene.other_runs.find(resolved->run);
    requests[resolved->run] = resolved->run.empty()             ? scene.request()
                              : other != scene.other_runs.end() ? other->second
                                                                : scene.requestOf(resolved->run);
  }
  return requests;
}

}  // namespace

std::map<std::string, RunRequest> requestsOf(const LessonStep& step) {
  Names names = namesInTexts(step, false);
  for (const ClaimAtLine& each : step.scene.claims) add(names, each.claim.names());
  if (const auto& question = step.question) {
    for (const LessonOption& option : question->options) add(names, option.holds.names());
    if (question->number) add(names, question->number->names());
    if (question->where) add(names, question->where->names());
  }
  auto requests = requestsFor(names, step.scene);
  requests[""] = step.scene.request();
  return requests;
}

std::map<std::string, RunRequest> recordedRequestsOf(const LessonStep& step) {
  return requestsFor(namesInTexts(step, true), step.scene);
}

Expected<RunRequest> requestOn(const Device& device, const RunRequest& asked) {
  const auto experiment = findExperiment(asked);
  if (!experiment) return tl::unexpected(experiment.error());
  return offeredRequest(device, (*experiment)->info(), asked);
}

Expected<LessonAnswer> rightAnswer(const LessonQuestion& question, const LessonScene& scene,
                                   const StepRuns& runs) {
  LessonAnswer right;
  switch (question.kind) {
    case LessonQuestion::Kind::kChoice: {
      for (size_t i = 0; i < question.options.size(); ++i) {
        const Claim& claim = question.options[i].holds;
        const auto holds = claim.holds(valuesOf(claim.names(), scene, runs));
        if (!holds) return tl::unexpected(holds.error());
        if (!*holds) continue;
        if (right.option)
          return fail(ErrorKind::kBadRequest, "the run agrees with several options: '{}' and '{}'",
                      question.options[*right.option].text, question.options[i].text);
        right.option = i;
      }
      if (!right.option) return fail(ErrorKind::kBadRequest, "the run agrees with none of the options");
      return right;
    }
    case LessonQuestion::Kind::kNumber: {
      const auto value = question.number->evaluate(valuesOf(question.number->names(), scene, runs));
      if (!value) return tl::unexpected(value.error());
      right.number = *value;
      return right;
    }
    case LessonQuestion::Kind::kPaint: {
      const auto shown = runs.find("");
      if (shown == runs.end() || shown->second == nullptr)
        return fail(ErrorKind::kBadRequest, "there is no run");
      const auto lanes = lanesIn(*shown->second, question.region, question.warp, question.visit);
      if (!lanes) return tl::unexpected(lanes.error());
      right.lanes = *lanes;
      return right;
    }
    case LessonQuestion::Kind::kDrag:
      break;
  }
  return right;
}

bool isRight(const LessonQuestion& question, const LessonAnswer& answer, const LessonAnswer& right) {
  switch (question.kind) {
    case LessonQuestion::Kind::kChoice:
      return answer.option && answer.option == right.option;
    case LessonQuestion::Kind::kNumber:
      return answer.number && right.number && isWithin(*answer.number, *right.number, question.within);
    case LessonQuestion::Kind::kPaint:
      return answer.lanes && answer.lanes == right.lanes;
    case LessonQuestion::Kind::kDrag:
      return false;  // isFound() says
  }
  return false;
}

Expected<bool> isFound(const LessonQuestion& question, const LessonScene& scene, const StepRuns& runs,
                       const Run* before) {
  StepRuns all = runs;
  all[std::string(kRunBefore)] = before;
  const auto names = question.where->names();
  const bool about_before = std::ranges::any_of(names, [&](const std::string& name) {
    const auto resolved = resolveName(name, scene, true);
    return resolved && resolved->run == kRunBefore;
  });
  if (about_before && before == nullptr) return false;
  return question.where->holds(valuesOf(names, scene, all));
}

std::vector<int64_t> offeredValues(const Device& device, const RunRequest& request,
                                   const std::string& parameter) {
  if (auto offered = device.offeredValues(request, parameter)) return *offered;
  std::vector<int64_t> values;
  const auto experiment = findExperiment(request);
  if (!experiment) return values;
  for (const ParameterSpec* spec : parametersOf((*experiment)->info(), request.variant)) {
    if (spec->name != parameter) continue;
    if (spec->kind == ParameterKind::kChoice) {
      for (size_t i = 0; i < spec->choices.size(); ++i) values.push_back(static_cast<int64_t>(i));
      continue;
    }
    const bool doubles = spec->kind == ParameterKind::kLog2;
    for (int64_t value = spec->min; value <= spec->max; value = doubles ? value * 2 : value + spec->step) {
      values.push_back(value);
      if (value <= 0 && doubles) break;
    }
  }
  return values;
}

std::vector<int64_t> inStepsOf(const LessonQuestion& question, std::vector<int64_t> values) {
  std::vector<int64_t> in_steps;
  std::ranges::copy_if(values, std::back_inserter(in_steps),
                       [&](int64_t value) { return value % question.step == 0; });
  return in_steps.size() < 2 ? values : in_steps;
}

std::vector<MarkdownBlock> withNumbers(const std::vector<MarkdownBlock>& blocks, const LessonScene& scene,
                                       const StepRuns& runs, const StepRuns& recorded) {
  std::vector<MarkdownBlock> filled = blocks;
  for (MarkdownBlock& block : filled) {
    block.spans = withNumbers(block, [&](const TextNumber& number) {
      return numberText(number, scene, number.of_recording ? recorded : runs);
    });
  }
  return filled;
}

std::vector<RecordedSetting> recordedSettings(const LessonScene& scene, const StepRuns& runs,
                                              const StepRuns& recorded) {
  std::vector<RecordedSetting> settings;
  for (const ParameterSpec& spec : familyOf(scene).parameters) {
    for (const auto& [name, run] : recorded) {
      const auto shown = runs.find(name);
      if (shown == runs.end()) continue;
      const auto& theirs = run->request.parameters;
      const auto& ours = shown->second->request.parameters;
      const auto value = theirs.find(spec.name), here = ours.find(spec.name);
      if (value == theirs.end() || here == ours.end() || value->second == here->second) continue;
      settings.push_back({&spec, value->second});
      break;
    }
  }
  return settings;
}

std::string numberText(const TextNumber& number, const LessonScene& scene, const StepRuns& runs) {
  const auto& names = number.expression.names();
  const auto value = number.expression.evaluate(valuesOf(names, scene, runs));
  if (!value) return "?";
  // A name alone has the unit of what it names.
  const bool alone = names.size() == 1 && number.expression.text() == *names.begin();
  const auto resolved =
      alone ? resolveName(*names.begin(), scene, true) : Expected<RunValueName>(RunValueName{});
  return formatValue(resolved ? resolved->value : std::string(), *value);
}

}  // namespace warpscope
