// Comparing, as the window's model has it: which runs are kept, which are compared, and the race of all
// variants. Kept runs survive changes of device, family and settings; changing them is an edit that can be
// undone, and the owner of the history is notified before it.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/gui/model/compare_view.h"
#include "app/gui/model/comparison_loader.h"
#include "app/gui/model/kept_runs.h"
#include "app/gui/model/run_feed.h"
#include "app/gui/model/selection_model.h"

namespace warpscope {

class CompareModel {
 public:
  // `wake` is called from another thread when update() has something; `begin_edit` before a change of kept().
  CompareModel(const LayoutBuilder& build_layout, const std::function<void()>& wake,
               std::function<void()> begin_edit);

  const KeptRuns& kept() const { return kept_; }
  // Returns why it cannot be kept; empty: it is kept.
  std::string keep(const std::shared_ptr<const Run>& run);
  void remove(uint64_t id);  // or kLiveRun
  void setBaseline(uint64_t id);
  void setLive(bool live);
  void removeAll();
  // For undo and sessions; neither is an edit.
  void restore(KeptRuns kept) { kept_ = std::move(kept); }
  void restore(const std::vector<std::shared_ptr<const Run>>& runs);

  // Variants that are kept once they have run at the present settings.
  bool keepPending() const { return !to_keep_.empty(); }
  bool isToKeep(const std::string& variant) const { return to_keep_.contains(variant); }
  void keepLater(const std::string& variant) { to_keep_.insert(variant); }
  void takeVariant(const VariantResult& result);  // it has run, or failed
  // A run has come again, its result checked: it is what was kept.
  void replace(const Run* early, const std::shared_ptr<const Run>& checked);
  void forgetToKeep() { to_keep_.clear(); }

  // Says which of the two are visible; what is not visible is not computed.
  void want(bool compared, bool race);
  bool update(const RunFeed& feed, size_t present_variant);  // true: something must be redrawn
  const ComparisonLoader& comparison() const { return comparison_; }
  const ComparisonLoader& race() const { return race_; }  // ids are the variants' indices

  // The numbers of what is selected on the shared axis, in each run that is on it.
  void wantSelection();
  const SelectionModel& selected() const { return selected_; }

  CompareView look;

 private:
  std::vector<ComparedRun> comparedRuns(const RunFeed& feed, size_t present_variant) const;
  void change(KeptRuns next);

  std::function<void()> begin_edit_;
  KeptRuns kept_;
  uint64_t next_id_ = kFirstKeptRun;
  std::set<std::string> to_keep_;
  bool comparison_wanted_ = false, race_wanted_ = false;
  ComparisonLoader comparison_, race_;
  SelectionModel selected_;
};

}  // namespace warpscope
