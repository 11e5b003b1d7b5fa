// The part of the model that is about comparing: which runs are kept, which stand beside the present one, and
// the race of all variants.
#include <algorithm>
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

bool holds(const std::vector<ComparedRun>& runs, const std::shared_ptr<const Run>& run) {
  return std::ranges::find(runs, run, &ComparedRun::run) != runs.end();
}

}  // namespace

std::vector<ComparedRun> Model::comparedRuns() const {
  std::vector<ComparedRun> runs;
  for (const KeptRun& kept : kept_.runs) runs.push_back({kept.id, kept.run, nullptr});
  const bool live = kept_.live || kept_.runs.empty();
  if (!live || shown_.run == nullptr || runs.size() >= kMostComparedRuns || holds(runs, shown_.run)) {
    if (runs.size() >= 2 || shown_.run == nullptr || !live) return runs;
  } else {
    runs.push_back({kLiveRun, shown_.run, shown_.layout});
  }
  if (runs.size() >= 2) return runs;
  // Never one alone: the next variant that runs. Its run of earlier settings will do until the next is there.
  for (size_t step = 1; step < variants_.size(); ++step) {
    const VariantResult& next = variants_[(variant_ + step) % variants_.size()];
    if (!next.error.empty()) continue;
    if (next.run != nullptr && !holds(runs, next.run)) runs.push_back({kNextRun, next.run, nullptr});
    break;
  }
  return runs;
}

void Model::wantComparison(bool compared, bool race) {
  comparison_wanted_ = compared;
  race_wanted_ = race;
  updateComparison();
}

bool Model::updateComparison() {
  if (comparison_wanted_) comparison_.want(comparedRuns(), kept_.baseline);
  if (race_wanted_) {
    std::vector<ComparedRun> racing;
    for (size_t i = 0; i < variants_.size(); ++i) {
      const VariantResult& entry = variants_[i];
      if (entry.run != nullptr && !entry.stale) racing.push_back({i, entry.run, nullptr});
    }
    race_.want(std::move(racing), 0);
  }
  const bool news = comparison_.poll();
  return race_.poll() || news;
}

std::string Model::keep(const std::shared_ptr<const Run>& run) {
  if (run == nullptr) return tr("There is no run to keep yet.");
  if (std::ranges::find(kept_.runs, run, &KeptRun::run) != kept_.runs.end()) {
    return tr("This run is kept already.");
  }
  if (kept_.runs.size() >= kMostComparedRuns) {
    return trf("{} runs can be compared at most: remove one on the Compare page.", kMostComparedRuns);
  }
  beginEdit();
  kept_.runs.push_back({next_kept_id_++, run});
  updateComparison();
  return {};
}

std::string Model::keepShown() {
  return keep(shown_.run);
}

std::string Model::keepVariant(const std::string& variant) {
  const auto index = findVariant(*family_, variant);
  if (!index) return trf("There is no variant '{}'.", variant);
  const VariantResult& entry = variants_[*index];
  if (*index == variant_ && !outdated()) return keep(shown_.run);
  if (entry.run != nullptr && !entry.stale) return keep(entry.run);
  if (session_ == nullptr) return tr("No device is open: choose one in the toolbar.");
  to_keep_.insert(variant);
  if (*index == variant_ && !pending_ticket_) {
    launch();
  } else if (!pending_ticket_) {
    variants_[*index].error.clear();  // it is tried again
    fillVariants();
  }
  return {};
}

void Model::keepIfAsked(const VariantResult& entry) {
  if (to_keep_.erase(entry.variant) == 0 || entry.run == nullptr || entry.stale) return;
  keep(entry.run);
}

void Model::removeKept(uint64_t id) {
  KeptRuns next = kept_;
  if (id == kLiveRun) next.live = false;
  std::erase_if(next.runs, [id](const KeptRun& kept) { return kept.id == id; });
  if (next.baseline == id) next.baseline = 0;
  setKept(std::move(next));
}

void Model::setBaseline(uint64_t id) {
  KeptRuns next = kept_;
  next.baseline = id;
  setKept(std::move(next));
}

void Model::setLiveCompared(bool live) {
  KeptRuns next = kept_;
  next.live = live;
  setKept(std::move(next));
}

void Model::forgetKept() {
  setKept({});
}

void Model::setKept(KeptRuns next) {
  if (next == kept_) return;
  beginEdit();
  kept_ = std::move(next);
  updateComparison();
}

void Model::raceAgain() {
  clearVariants();
  launch();
}

}  // namespace warpscope
