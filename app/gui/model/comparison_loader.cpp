#include "app/gui/model/comparison_loader.h"

#include <algorithm>
#include <utility>

namespace warpscope {

ComparisonLoader::ComparisonLoader(LayoutBuilder build_layout, std::function<void()> wake, bool race)
    : build_layout_(std::move(build_layout)), race_(race), news_(std::move(wake)) {}

void ComparisonLoader::want(std::vector<ComparedRun> runs, uint64_t baseline) {
  std::vector<KeptRun> wanted;
  wanted.reserve(runs.size());
  for (const ComparedRun& compared : runs) wanted.push_back({compared.id, compared.run});
  if (wanted == wanted_ && baseline == wanted_baseline_) return;
  wanted_ = std::move(wanted);
  wanted_baseline_ = baseline;
  ++number_;
  pending_ = !runs.empty();
  if (runs.empty()) {
    shown_.reset();
    worker_.dropWish();
    return;
  }
  // Layouts that were built before are reused.
  for (ComparedRun& compared : runs) {
    if (compared.layout != nullptr || shown_ == nullptr) continue;
    const auto known = std::ranges::find(shown_->runs, compared.run, &ComparedRun::run);
    if (known != shown_->runs.end()) compared.layout = known->layout;
  }
  worker_.wish([this, number = number_, runs = std::move(runs), baseline](const std::stop_token& stop) {
    const auto made = guarded("the comparison", [&]() -> Expected<std::shared_ptr<const SideBySide>> {
      return makeSideBySide(runs, baseline, race_, build_layout_);
    });
    if (!stop.stop_requested()) news_.put({number, made.value_or(nullptr)});
  });
}

bool ComparisonLoader::poll() {
  const auto news = news_.take();
  if (news.empty() || wanted_.empty()) return false;
  const auto& [number, made] = news.back();
  // A comparison of an earlier wish is better than none while a slider moves.
  if (made != nullptr) shown_ = made;
  if (number == number_) pending_ = false;
  return true;
}

}  // namespace warpscope
