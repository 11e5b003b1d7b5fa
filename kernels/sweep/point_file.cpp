#include "kernels/sweep/point_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "kernels/core/files.h"
#include "kernels/core/json_reader.h"
#include "kernels/core/units.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/run_json.h"

namespace warpscope {
namespace {

constexpr uint64_t kMostFailureBytes = uint64_t{1} << 20;

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
  const auto text = readFile(path, kMostFailureBytes);
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
    auto written = writeRecording(runFile(folder, name), {&outcome.run, 1}, Links::kReplace);
    std::error_code ignored;
    if (written) std::filesystem::remove(failureFile(folder, name), ignored);
    return written;
  }
  const Json failure = {{"request", toJson(request)},
                        {"state", requestStateName(outcome.state)},
                        {"reason", outcome.reason},
                        {"created", nowIso()}};
  auto written = replaceFile(failureFile(folder, name), failure.dump(1) + "\n", Links::kReplace);
  // A damaged run that was repeated must be removed, or it would be read before the failure.
  std::error_code ignored;
  if (written) std::filesystem::remove(runFile(folder, name), ignored);
  return written;
}

namespace {

// The lock belongs to the open file, not to the process, so that two workers of one process exclude each
// other, too.
int setLock(int fd, short type, size_t point) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(point);
  lock.l_len = 1;
  int result = 0;
  do {
    result = ::fcntl(fd, F_OFD_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

PointLocks::PointLocks(const std::filesystem::path& folder)
    : fd_(::open((folder / "sweep.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                 0644)) {}

PointLocks::~PointLocks() {
  if (fd_ >= 0) ::close(fd_);
}

bool PointLocks::tryLock(size_t point) {
  if (fd_ < 0 || setLock(fd_, F_WRLCK, point) == 0) return true;
  return errno != EAGAIN && errno != EACCES;
}

void PointLocks::unlock(size_t point) {
  if (fd_ >= 0) setLock(fd_, F_UNLCK, point);
}

}  // namespace warpscope
