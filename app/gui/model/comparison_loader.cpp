#include "app/gui/model/comparison_loader.h"

#include <algorithm>
#include <utility>

namespace warpscope {

ComparisonLoader::ComparisonLoader(LayoutBuilder build_layout, std::function<void()> wake, bool race)
    : build_layout_(std::move(build_layout)), wake_(std::move(wake)), race_(race) {}
ComparisonLoader::~ComparisonLoader() = default;

void ComparisonLoader::want(std::vector<ComparedRun> runs, uint64_t baseline) {
  std::vector<KeptRun> wanted;
  for (const ComparedRun& compared : runs) wanted.push_back({compared.id, compared.run});
  if (wanted == wanted_ && baseline == wanted_baseline_) return;
  wanted_ = std::move(wanted);
  wanted_baseline_ = baseline;
  ++number_;
  pending_ = !runs.empty();
  if (runs.empty()) {
    shown_.reset();
    const std::lock_guard lock(mutex_);
    wish_.reset();
    return;
  }
  // Layouts that were built before are taken over.
  for (ComparedRun& compared : runs) {
    if (compared.layout != nullptr || shown_ == nullptr) continue;
    const auto known = std::ranges::find(shown_->runs, compared.run, &ComparedRun::run);
    if (known != shown_->runs.end()) compared.layout = known->layout;
  }
  {
    const std::lock_guard lock(mutex_);
    wish_ = Wish{std::move(runs), baseline, number_};
  }
  changed_.notify_all();
  if (!worker_.joinable()) worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

bool ComparisonLoader::poll() {
  const std::lock_guard lock(mutex_);
  if (!news_) return false;
  const auto [number, made] = *std::exchange(news_, std::nullopt);
  if (wanted_.empty()) return false;
  shown_ = made;  // also one of an earlier wish: better than nothing while a slider moves
  if (number == number_) pending_ = false;
  return true;
}

void ComparisonLoader::work(const std::stop_token& stop) {
  for (;;) {
    Wish wish;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return wish_.has_value(); })) return;
      wish = std::move(*std::exchange(wish_, std::nullopt));
    }
    auto made = makeSideBySide(std::move(wish.runs), wish.baseline, race_, build_layout_);
    if (stop.stop_requested()) return;
    {
      const std::lock_guard lock(mutex_);
      news_ = {wish.number, std::move(made)};
    }
    if (wake_) wake_();
  }
}

}  // namespace warpscope
