#include "app/gui/model/selection_model.h"

#include <algorithm>

namespace warpscope {
namespace {

std::shared_ptr<const SelectionMetrics> addedUp(const Run& run, const TraceSelection& selection,
                                                const std::stop_token& stop) {
  auto metrics = guarded("adding up a selection", [&]() -> Expected<SelectionMetrics> {
    return selectionMetrics(run, selection, stop);
  });
  return std::make_shared<const SelectionMetrics>(metrics ? std::move(*metrics) : SelectionMetrics{});
}

}  // namespace

void SelectionModel::want(std::vector<Part> parts) {
  if (parts == wanted_ || std::ranges::find(parts, nullptr, &Part::run) != parts.end()) return;
  wanted_ = std::move(parts);
  pending_ = true;
  worker_.wish([this, parts = wanted_](const std::stop_token& stop) {
    News news{parts, {}};
    for (const Part& part : parts) {
      const auto known = std::ranges::find(last_.parts, part);
      news.metrics.push_back(known == last_.parts.end()
                                 ? addedUp(*part.run, part.selection, stop)
                                 : last_.metrics[static_cast<size_t>(known - last_.parts.begin())]);
    }
    if (stop.stop_requested()) return;
    last_ = news;
    news_.put(std::move(news));
  });
}

bool SelectionModel::update() {
  std::vector<News> news = news_.take();
  if (news.empty()) return false;
  if (news.back().parts == wanted_) pending_ = false;
  parts_ = std::move(news.back().parts);
  metrics_ = std::move(news.back().metrics);
  return true;
}

}  // namespace warpscope
