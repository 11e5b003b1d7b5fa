#include "app/gui/model/lesson_runner.h"

#include <utility>

#include "kernels/experiments/experiment.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {
namespace {

constexpr const char* kRecordedId = "recorded";
constexpr size_t kMostKept = 32;

}  // namespace

uint64_t LessonRunner::want(std::string device, NamedRequests requests, NamedRequests recorded) {
  const uint64_t ticket = ++last_ticket_;
  worker_.stopRunning();
  worker_.wish([this, ticket, device = std::move(device), requests = std::move(requests),
                recorded = std::move(recorded)](const std::stop_token& stop) {
    News news{.ticket = ticket};
    for (const auto& [name, request] : requests) {
      auto made = guarded("a run of the lesson", [&] { return run(device, request, stop); });
      if (made)
        news.runs[name] = std::move(*made);
      else if (!news.error)
        news.error = made.error();
    }
    for (const auto& [name, request] : recorded) {
      auto made = guarded("a recorded run", [&] { return run(kRecordedId, request, stop); });
      if (made) news.recorded[name] = std::move(*made);
    }
    if (!stop.stop_requested()) news_.put(std::move(news));
  });
  return ticket;
}

std::optional<LessonRunner::News> LessonRunner::poll() {
  std::vector<News> news = news_.take();
  if (news.empty()) return std::nullopt;
  return std::move(news.back());
}

Expected<std::shared_ptr<const Run>> LessonRunner::run(const std::string& device, const RunRequest& asked,
                                                       const std::stop_token& stop) {
  std::unique_ptr<Device>& opened = devices_[device];
  if (opened == nullptr) {
    auto open = open_(device);
    if (!open) return tl::unexpected(open.error());
    opened = std::move(*open);
  }
  const auto request = requestOn(*opened, asked);
  if (!request) return tl::unexpected(request.error());
  const std::string key =
      device + " " + request->family + " " + request->variant + formatParameters(*request, " ", "=");
  if (const auto kept = kept_.find(key); kept != kept_.end()) return kept->second;
  if (kept_.size() >= kMostKept) kept_.clear();
  auto made = opened->run(
      *request, [](const Progress&) {}, stop);
  if (!made) return tl::unexpected(made.error());
  return kept_[key] = std::make_shared<const Run>(std::move(*made));
}

}  // namespace warpscope
