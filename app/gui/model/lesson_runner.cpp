#include "app/gui/model/lesson_runner.h"

#include <utility>

namespace warpscope {
namespace {

constexpr size_t kMostKept = 32;

}  // namespace

uint64_t LessonRunner::want(std::string device, NamedRequests requests, NamedRequests recorded) {
  const uint64_t ticket = ++last_ticket_;
  worker_.stopRunning();
  worker_.wish([this, ticket, device = std::move(device), requests = std::move(requests),
                recorded = std::move(recorded)](const std::stop_token& stop) {
    News news{.ticket = ticket};
    for (const auto& named : requests) {
      auto made = guarded("a run of the lesson", [&] { return run(device, named.second, stop); });
      if (made)
        news.runs[named.first] = std::move(*made);
      else if (!news.error)
        news.error = made.error();
    }
    for (const auto& named : recorded) {
      auto made = guarded("a recorded run", [&] { return run(kRecordedDeviceId, named.second, stop); });
      if (made) news.recorded[named.first] = std::move(*made);
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
  auto opened = devices_.find(device);
  if (opened == devices_.end()) {
    auto open = open_(device);
    if (!open) return tl::unexpected(open.error());
    RunKeeper runs(**open, RunRequest{}.repeats);
    opened = devices_.emplace(device, Opened{std::move(*open), std::move(runs)}).first;
  }
  RunKeeper& runs = opened->second.runs;
  if (runs.size() >= kMostKept) runs.forget();
  return runs.run(asked, stop);
}

}  // namespace warpscope
