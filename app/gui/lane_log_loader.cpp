#include "app/gui/lane_log_loader.h"

#include <utility>

namespace warpscope {

LaneLogLoader::LaneLogLoader(std::function<void()> wake) : wake_(std::move(wake)) {}
LaneLogLoader::~LaneLogLoader() = default;

void LaneLogLoader::want(std::shared_ptr<const Run> run, const LaneLogOptions& options) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = Wish{std::move(run), options};
  }
  changed_.notify_all();
  if (!worker_.joinable()) worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

std::optional<LaneLogLoader::News> LaneLogLoader::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void LaneLogLoader::work(const std::stop_token& stop) {
  LaneRecorder recorder;
  for (;;) {
    Wish wish;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return wish_.has_value(); })) return;
      wish = std::move(*std::exchange(wish_, std::nullopt));
    }
    auto log = recorder.record(*wish.run, wish.options, stop);
    if (stop.stop_requested()) return;
    {
      const std::lock_guard lock(mutex_);
      news_ = News{std::move(wish.run), wish.options, std::move(log).map([](LaneLog&& recorded) {
                     return std::make_shared<const LaneLog>(std::move(recorded));
                   })};
    }
    if (wake_) wake_();
  }
}

}  // namespace warpscope
