// The runs that a step of a lesson needs, and what they say about it: whether its claims hold, and which
// answer to its question is right.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/lesson/lesson_file.h"
#include "kernels/lesson/run_values.h"

namespace warpscope {

struct ParameterSpec;

// By name (run_values.h); the shown one has the name "". Numbers in texts that are of the recording are not
// among them.
std::map<std::string, RunRequest> requestsOf(const LessonStep& step);
// Those whose numbers are taken from the bundled recordings; empty if the texts name none.
std::map<std::string, RunRequest> recordedRequestsOf(const LessonStep& step);

// The request as this device can answer it. Error kBadRequest: it cannot, because it offers only recorded
// runs and this is none of them.
Expected<RunRequest> requestOn(const Device& device, const RunRequest& asked);

// An answer, as it is given or as the runs have it: an option's index, a number (or the value of a setting),
// or lanes.
struct LessonAnswer {
  std::optional<size_t> option;
  std::optional<double> number;
  std::optional<LaneMask> lanes;
  bool operator==(const LessonAnswer&) const = default;
};

// Error kBadRequest: the runs do not say. For a choice, none of its claims holds, or several do; nothing is
// known of what is found by dragging (see isFound).
Expected<LessonAnswer> rightAnswer(const LessonQuestion& question, const LessonScene& scene,
                                   const StepRuns& runs);
bool isRight(const LessonQuestion& question, const LessonAnswer& answer, const LessonAnswer& right);

// kDrag: whether the value at which the run was made is the one to be found. `before`: the run at the value
// before; null: there is none, and then it is not found if the claim is about it.
Expected<bool> isFound(const LessonQuestion& question, const LessonScene& scene, const StepRuns& runs,
                       const Run* before);
// The values that the setting moves through on a device, ascending.
std::vector<int64_t> offeredValues(const Device& device, const RunRequest& request,
                                   const std::string& parameter);

// Those of them that a question offers; all, if hardly any is a multiple of its step, as in a recording.
std::vector<int64_t> inStepsOf(const LessonQuestion& question, std::vector<int64_t> values);

// Texts with the numbers of the runs, and of the recordings, in place of their braces.
std::vector<MarkdownBlock> withNumbers(const std::vector<MarkdownBlock>& blocks, const LessonScene& scene,
                                       const StepRuns& runs, const StepRuns& recorded);
// The settings in which recorded runs differ from those of the same names that are shown, each once: a
// recording has only what was recorded. The specifications live as long as the families.
struct RecordedSetting {
  const ParameterSpec* spec = nullptr;
  int64_t value = 0;
};
std::vector<RecordedSetting> recordedSettings(const LessonScene& scene, const StepRuns& runs,
                                              const StepRuns& recorded);
// A number of a text: "62.5 µs"; "?" where the runs lack it.
std::string numberText(const TextNumber& number, const LessonScene& scene, const StepRuns& runs);

}  // namespace warpscope
