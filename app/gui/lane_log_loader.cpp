#include "app/gui/lane_log_loader.h"

#include <utility>

namespace warpscope {

void LaneLogLoader::want(std::shared_ptr<const Run> run, const LaneLogOptions& options) {
  worker_.wish([this, run = std::move(run), options](const std::stop_token& stop) {
    auto log = guarded("recording what the lanes do", [&] {
      return recorder_.record(*run, options, stop).map([](LaneLog&& recorded) {
        return std::make_shared<const LaneLog>(std::move(recorded));
      });
    });
    if (!stop.stop_requested()) news_.put({run, options, std::move(log)});
  });
}

std::optional<LaneLogLoader::News> LaneLogLoader::poll() {
  std::vector<News> news = news_.take();
  if (news.empty()) return std::nullopt;
  return std::move(news.back());
}

}  // namespace warpscope
