#include "kernels/lesson/run_keeper.h"

#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {
namespace {

constexpr uint32_t kLessonRepeats = 5;  // enough to tell twice from once

}  // namespace

Expected<const Run*> RunKeeper::run(const RunRequest& asked) {
  auto request = requestOn(device_, asked);
  if (!request) return tl::unexpected(request.error());
  request->repeats = std::min(request->repeats, kLessonRepeats);
  const std::string key = request->family + " " + request->variant + formatParameters(*request, " ", "=");
  const auto kept = runs_.find(key);
  if (kept != runs_.end()) return kept->second.get();
  auto run = device_.run(
      *request, [](const Progress&) {}, stop_);
  if (!run) return tl::unexpected(run.error());
  return (runs_[key] = std::make_unique<Run>(std::move(*run))).get();
}

Expected<void> RunKeeper::collect(const std::map<std::string, RunRequest>& requests, StepRuns& runs) {
  for (const auto& [name, request] : requests) {
    const auto made = run(request);
    if (!made) return tl::unexpected(made.error());
    runs[name] = *made;
  }
  return {};
}

}  // namespace warpscope
