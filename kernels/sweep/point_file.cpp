#include "kernels/sweep/point_file.h"

#include "kernels/core/atomic_file.h"
#include "kernels/core/iso_time.h"
#include "kernels/core/json_reader.h"
#include "kernels/core/read_file.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/run_json.h"

namespace warpscope {
namespace {

bool isThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool isOf(const Run& run, const RunRequest& request) {
  return run.request.family == request.family && run.request.variant == request.variant &&
         run.request.parameters == request.parameters;
}

StoredPoint damaged(const std::string& reason) {
  return {StoredPoint::State::kDamaged, {}, reason};
}

StoredPoint readRunFile(const std::filesystem::path& path, const RunRequest& request) {
  auto runs = readRecording(path);
  if (!runs) return damaged(runs.error().message);
  if (runs->size() != 1 || !isOf(runs->front(), request)) {
    return damaged(fmt::format("{}: it is not of {}", path.string(), describeRequest(request)));
  }
  return {StoredPoint::State::kDone, std::move(runs->front()), ""};
}

StoredPoint readFailureFile(const std::filesystem::path& path) {
  const auto text = readFile(path);
  if (!text) return damaged(text.error().message);
  const auto source = Json::parse(*text);
  if (!source) return damaged(fmt::format("{}: {}", path.string(), source.error().message));
  std::string problem;
  const JsonReader reader(*source, "", problem);
  const std::string state = reader.text("state");
  StoredPoint point{state == requestStateName(RequestState::kImpossible) ? StoredPoint::State::kImpossible
                                                                         : StoredPoint::State::kFailed,
                    {},
                    reader.text("reason")};
  return problem.empty() ? point : damaged(fmt::format("{}: {}", path.string(), problem));
}

}  // namespace

const char* stateName(StoredPoint::State state) {
  switch (state) {
    case StoredPoint::State::kMissing:
      return "missing";
    case StoredPoint::State::kDone:
      return "done";
    case StoredPoint::State::kImpossible:
      return "impossible";
    case StoredPoint::State::kFailed:
      return "failed";
    case StoredPoint::State::kDamaged:
      return "damaged";
  }
  return "unknown";
}

std::filesystem::path runFile(const std::filesystem::path& folder, const std::string& name) {
  return folder / (name + ".wsrec");
}

std::filesystem::path failureFile(const std::filesystem::path& folder, const std::string& name) {
  return folder / (name + ".failed.json");
}

StoredPoint readPoint(const std::filesystem::path& folder, const std::string& name,
                      const RunRequest& request) {
  if (isThere(runFile(folder, name))) return readRunFile(runFile(folder, name), request);
  if (isThere(failureFile(folder, name))) return readFailureFile(failureFile(folder, name));
  return {};
}

Expected<void> writePoint(const std::filesystem::path& folder, const std::string& name,
                          const RunRequest& request, const RequestOutcome& outcome) {
  if (outcome.state == RequestState::kDone) {
    const auto written = writeRecording(runFile(folder, name), {&outcome.run, 1});
    std::error_code ignored;
    if (written) std::filesystem::remove(failureFile(folder, name), ignored);
    return written;
  }
  const Json failure = {{"request", toJson(request)},
                        {"state", requestStateName(outcome.state)},
                        {"reason", outcome.reason},
                        {"created", nowIso()}};
  const auto written = replaceFile(failureFile(folder, name), failure.dump(1) + "\n");
  // A damaged run that was repeated must be removed, or it would be read before the failure.
  std::error_code ignored;
  if (written) std::filesystem::remove(runFile(folder, name), ignored);
  return written;
}

}  // namespace warpscope
