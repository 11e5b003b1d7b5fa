#include "kernels/lesson/run_keeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/experiments/experiment.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {

Expected<std::shared_ptr<const Run>> RunKeeper::run(const RunRequest& asked, const std::stop_token& stop) {
  auto request = requestOn(device_, asked);
  if (!request) return tl::unexpected(request.error());
  request->repeats = std::min(request->repeats, most_repeats_);
  // A file that was changed is another program, of the same name.
  const std::string key = fmt::format("{} {}{}{}", request->family, request->variant,
                                      formatParameters(*request, " ", "="), fmt::ptr(request->program.get()));
  const auto kept = runs_.find(key);
  if (kept != runs_.end()) return kept->second;
  auto run = device_.run(
      *request, [](const Progress&) {}, stop);
  if (!run) return tl::unexpected(run.error());
  return runs_[key] = std::make_shared<const Run>(std::move(*run));
}

Expected<void> RunKeeper::collect(const std::map<std::string, RunRequest>& requests, StepRuns& runs,
                                  const std::stop_token& stop) {
  for (const auto& [name, request] : requests) {
    const auto made = run(request, stop);
    if (!made) return tl::unexpected(made.error());
    runs[name] = made->get();
  }
  return {};
}

}  // namespace warpscope
