#include "app/gui/model/compare_model.h"

#include <algorithm>
#include <utility>

#include "viz/text/translate.h"

namespace warpscope {
namespace {

bool holds(const std::vector<ComparedRun>& runs, const std::shared_ptr<const Run>& run) {
  return std::ranges::find(runs, run, &ComparedRun::run) != runs.end();
}

}  // namespace

CompareModel::CompareModel(const LayoutBuilder& build_layout, const std::function<void()>& wake,
                           std::function<void()> begin_edit)
    : begin_edit_(std::move(begin_edit)),
      comparison_(build_layout, wake, false),
      race_(build_layout, wake, true),
      selected_(wake) {}

std::vector<ComparedRun> CompareModel::comparedRuns(const RunFeed& feed, size_t present_variant) const {
  const ShownRun& shown = feed.shown();
  std::vector<ComparedRun> runs;
  for (const KeptRun& kept : kept_.runs) runs.push_back({kept.id, kept.run, nullptr});
  const bool live = kept_.live || kept_.runs.empty();
  if (!live || shown.run == nullptr || runs.size() >= kMostComparedRuns || holds(runs, shown.run)) {
    if (runs.size() >= 2 || shown.run == nullptr || !live) return runs;
  } else {
    runs.push_back({kLiveRun, shown.run, shown.layout});
  }
  if (runs.size() >= 2) return runs;
  // A run is never shown alone: the next variant that has run is added. Its run of earlier settings is used
  // until the next one is there.
  const auto variants = feed.variants();
  for (size_t step = 1; step < variants.size(); ++step) {
    const VariantResult& next = variants[(present_variant + step) % variants.size()];
    if (!next.error.empty()) continue;
    if (next.run != nullptr && !holds(runs, next.run)) runs.push_back({kNextRun, next.run, nullptr});
    break;
  }
  return runs;
}

void CompareModel::want(bool compared, bool race) {
  comparison_wanted_ = compared;
  race_wanted_ = race;
}

bool CompareModel::update(const RunFeed& feed, size_t present_variant) {
  if (comparison_wanted_) comparison_.want(comparedRuns(feed, present_variant), kept_.baseline);
  if (race_wanted_) {
    std::vector<ComparedRun> racing;
    for (size_t i = 0; i < feed.variants().size(); ++i) {
      const VariantResult& entry = feed.variants()[i];
      if (entry.run != nullptr && !entry.stale) racing.push_back({i, entry.run, nullptr});
    }
    race_.want(std::move(racing), 0);
  }
  const bool news = comparison_.poll(), numbers = selected_.update();
  return race_.poll() || news || numbers;
}

void CompareModel::wantSelection() {
  const auto& shown = comparison_.shown();
  if (shown == nullptr || look.view.selection.empty()) return;
  std::vector<SelectionModel::Part> parts;
  for (size_t i = 0; i < shown->runs.size(); ++i) {
    if (auto selection = selectionOf(look, *shown, i))
      parts.push_back({shown->runs[i].run, std::move(*selection)});
  }
  selected_.want(std::move(parts));
}

std::string CompareModel::keep(const std::shared_ptr<const Run>& run) {
  if (run == nullptr) return tr("There is no run to keep yet.");
  if (std::ranges::find(kept_.runs, run, &KeptRun::run) != kept_.runs.end()) {
    return tr("This run is already kept.");
  }
  if (kept_.runs.size() >= kMostComparedRuns) {
    return trf("At most {} runs can be compared: remove one on the Compare page.", kMostComparedRuns);
  }
  KeptRuns next = kept_;
  next.runs.push_back({next_id_++, run});
  change(std::move(next));
  return {};
}

void CompareModel::takeVariant(const VariantResult& result) {
  if (to_keep_.erase(result.variant) == 0 || result.run == nullptr || result.stale) return;
  keep(result.run);
}

void CompareModel::replace(const Run* early, const std::shared_ptr<const Run>& checked) {
  for (KeptRun& kept : kept_.runs) {
    if (kept.run.get() == early) kept.run = checked;
  }
}

void CompareModel::remove(uint64_t id) {
  KeptRuns next = kept_;
  if (id == kLiveRun) next.live = false;
  std::erase_if(next.runs, [id](const KeptRun& kept) { return kept.id == id; });
  if (next.baseline == id) next.baseline = 0;
  change(std::move(next));
}

void CompareModel::setBaseline(uint64_t id) {
  KeptRuns next = kept_;
  next.baseline = id;
  change(std::move(next));
}

void CompareModel::setLive(bool live) {
  KeptRuns next = kept_;
  next.live = live;
  change(std::move(next));
}

void CompareModel::removeAll() {
  change({});
}

void CompareModel::restore(const std::vector<std::shared_ptr<const Run>>& runs) {
  kept_ = {};
  for (const auto& run : runs) kept_.runs.push_back({next_id_++, run});
}

void CompareModel::change(KeptRuns next) {
  if (next == kept_) return;
  begin_edit_();
  kept_ = std::move(next);
}

}  // namespace warpscope
