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

SelectionModel::Metrics SelectionModel::Cache::of(const TraceSelection& selection,
                                                  const std::stop_token& stop) {
  const auto known = std::ranges::find(pinned, selection, &std::pair<TraceSelection, Metrics>::first);
  if (known != pinned.end()) return known->second;
  Metrics metrics = addedUp(*run, selection, stop);
  if (!stop.stop_requested()) pinned.emplace_back(selection, metrics);
  return metrics;
}

void SelectionModel::want(const std::shared_ptr<const Run>& run, const TraceSelection& selection,
                          const std::vector<TraceSelection>& pins) {
  if (run == nullptr || (wanted_.run == run && wanted_.selection == selection && wanted_.pins == pins))
    return;
  wanted_ = {run, selection, pins};
  pending_ = true;
  worker_.wish([this, wanted = wanted_](const std::stop_token& stop) {
    if (cache_.run != wanted.run) cache_ = {wanted.run, {}};
    std::erase_if(cache_.pinned, [&](const auto& known) {
      return std::ranges::find(wanted.pins, known.first) == wanted.pins.end();
    });
    News news{wanted, addedUp(*wanted.run, wanted.selection, stop), {}};
    for (const TraceSelection& pin : wanted.pins) news.pinned.push_back(cache_.of(pin, stop));
    if (!stop.stop_requested()) news_.put(std::move(news));
  });
}

bool SelectionModel::update() {
  std::vector<News> news = news_.take();
  if (news.empty()) return false;
  News& newest = news.back();
  if (newest.of == wanted_) pending_ = false;
  metrics_ = std::move(newest.metrics);
  pinned_ = std::move(newest.pinned);
  return true;
}

}  // namespace warpscope
