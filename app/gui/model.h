// The state of the application, without a window: which device, family, variant and settings are chosen,
// which run is shown, what is on its way. It turns changes into requests and takes the runs that come back.
// Used by one thread; what works elsewhere (finding devices, launching, laying out) reaches it through
// update().
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/background_sweep.h"
#include "app/gui/comparison.h"
#include "app/gui/device_loader.h"
#include "app/gui/lane_log_loader.h"
#include "app/gui/occupancy_lab.h"
#include "app/gui/settings.h"
#include "app/gui/sweep_plan.h"
#include "kernels/experiments/experiment.h"
#include "viz/views/view_data.h"

namespace warpscope {

// Something that failed, for the banner: what, why and what to try.
struct Problem {
  std::string title, detail, advice;
  bool device_failed = false;  // the device could not be opened: trying again opens it again
};

// Why what is chosen cannot be launched on this device, and what can: one parameter's value, or nothing.
struct Impossible {
  std::string reason;
  ParameterValues nearest;
};

struct ShownRun {
  std::shared_ptr<const Run> run;
  std::shared_ptr<const TraceLayout> layout;
  uint64_t ticket = 0;
  std::vector<PredictionResult> predictions;
  double latency_ms = 0;  // from the request to a run that can be drawn, its layout included
};

struct Session;
struct OpenedSession;

class Model {
 public:
  // `families`: in the order in which they are shown, at least one; they outlive the model.
  Model(DeviceSource source, std::vector<const FamilyInfo*> families, const Settings& settings);
  ~Model();

  // Takes what the workers brought; `now_s` is the window's clock. True if something is to be drawn anew.
  bool update(double now_s);

  // Devices. Empty id: the default.
  void openDevice(const std::string& id);
  bool listing() const { return listing_; }
  bool opening() const { return opening_; }
  const DeviceListing& devices() const { return listing_result_; }
  const std::string& deviceId() const { return device_id_; }  // open, or being opened
  const DeviceDescription* device() const;                    // null: none is open

  // What is chosen. Unknown names change nothing.
  std::span<const FamilyInfo* const> families() const { return families_; }
  const FamilyInfo& family() const { return *family_; }
  const VariantInfo& variant() const { return family_->variants[variant_]; }
  size_t variantIndex() const { return variant_; }
  void selectFamily(const std::string& name);
  void selectVariant(const std::string& name);

  // The variant's controls, in order, and their values.
  std::vector<const ParameterSpec*> controls() const;
  int64_t value(const std::string& parameter) const;
  // The values that a control moves through, ascending: what was recorded, or every step in range.
  const std::vector<int64_t>& offeredValues(const ParameterSpec& spec);
  bool offersOnlyRecorded() const;
  // Moves to the nearest value that is offered. Changes between two beginEdit() are undone as one.
  void setParameter(const std::string& name, int64_t value);
  void beginEdit();
  void resetParameters();  // to their defaults

  bool canUndo() const { return !undo_.empty(); }
  bool canRedo() const { return !redo_.empty(); }
  void undo();
  void redo();

  bool live() const { return live_; }
  void setLive(bool live);
  // Look for hazards in what is run; only a simulated device can. Families that are `checked` always do.
  bool canCheck() const { return kind() == DeviceKind::kSimulated; }
  bool checks() const { return checks_ || family_->checked; }
  void setChecks(bool checks);
  void launch();  // now, whether live or not
  void cancel();
  RunRequest request() const;  // of what is chosen

  // Of the foreground run that is on its way.
  bool busy() const { return pending_ticket_.has_value(); }
  double busyFor(double now_s) const { return pending_ticket_ ? now_s - pending_since_s_ : 0; }
  std::optional<Progress> progress() const;
  // The shown run is of other settings than those chosen (Live is off, or the run failed or was stopped), or
  // of another device.
  bool outdated() const;

  const ShownRun& shown() const { return shown_; }
  // What theory says of the present settings; measured only while the shown run is of these.
  std::vector<PredictionResult> theory() const;
  std::span<const VariantResult> variants() const { return variants_; }
  const std::deque<BandwidthSample>& history() const { return history_; }

  // Null while a run of other settings has been on its way for a moment.
  const Impossible* impossible() const;
  void useNearest();  // as one edit
  // Which view the lanes' panel shows: the family's own, until another is chosen for it.
  const std::string& lanesTab() const;
  void chooseLanesTab(const std::string& view);
  // What the shown run's lanes did is needed: of the selected warp's block, or of the first ones. Cheap to
  // ask for again and again.
  void wantLanes();
  // The newest there is; of an earlier run while lanesRefreshing().
  const std::shared_ptr<const LaneLog>& lanes() const { return lanes_; }
  bool lanesRefreshing() const { return lanes_run_ != shown_.run || lanes_pending_; }
  bool lanesPending() const { return lanes_pending_; }
  const std::string& lanesProblem() const { return lanes_problem_; }

  // The occupancy lab (model_occupancy.cpp). What is asked there; changes between two beginEdit() are undone
  // as one.
  const LabNumbers& lab() const { return lab_; }
  void setLab(LabNumbers numbers) { lab_ = std::move(numbers); }
  // What the present settings would launch, known without launching but for the kernel's registers. nullopt:
  // no device is open, or the settings are impossible.
  const std::optional<KernelAtHand>& kernelAtHand();
  // Moves the control of the present variant that sets it to what is offered nearest; false: there is none.
  bool setLaunched(OccupancyAxis axis, uint32_t value);
  bool canLaunch(OccupancyAxis axis) const { return controlOf(axis) != nullptr; }
  // Every value of the control that sets the block; nullopt: the variant has none.
  std::optional<SweepWish> blockSweep() const;
  std::map<uint32_t, const SweptRun*> sweptBlocks()
      const;  // by threads of a block, where that is what is swept

  // Runs in the background (model_sweep.cpp): what the seen page wants to plot, at the present settings;
  // cheap to ask for again and again. nullopt: nothing.
  void wantSweep(const std::optional<SweepWish>& wish);
  const std::optional<SweepWish>& sweepWish() const { return sweep_wish_; }
  const std::vector<SweepLine>& sweepLines() const { return sweep_lines_; }  // the present variant's first
  const BackgroundSweep& sweeps() const { return sweeps_; }
  void pauseSweep();  // stops the one that runs
  void resumeSweep();

  // Comparing (model_compare.cpp). Kept runs survive changes of device, family and settings; keeping and
  // removing can be undone. What is said where it cannot be done: why not; empty: done, or on its way.
  std::string keepShown();
  std::string keep(const std::shared_ptr<const Run>& run);
  // Runs it at the present settings first, where that run is not there yet.
  std::string keepVariant(const std::string& variant);
  void removeKept(uint64_t id);  // or kLiveRun
  void setBaseline(uint64_t id);
  void setLiveCompared(bool live);
  void forgetKept();
  const KeptRuns& kept() const { return kept_; }
  bool keepPending() const { return !to_keep_.empty(); }
  // Whether these are seen: without, nothing is compared.
  void wantComparison(bool compared, bool race);
  const ComparisonLoader& comparison() const { return comparison_; }
  const ComparisonLoader& race() const { return race_; }  // ids are the variants' indices
  void raceAgain();                                       // all variants run anew
  ComparisonLook compare_look;

  const std::optional<Problem>& problem() const { return problem_; }
  void dismissProblem() { problem_.reset(); }
  void retry();

  // What of this is remembered; the window adds its own.
  void storeInto(Settings& settings) const;
  // Sessions (model_session.cpp). The same for a session; the runs as they are, nothing is copied.
  void storeInto(Session& session) const;
  // Shows the run of a session, launching nothing until something changes. Where its device is not here, the
  // file itself becomes the device.
  void show(const OpenedSession& opened);
  std::string takeNotice();  // once; empty: none

  ViewState view;

 private:
  struct Choice {
    const FamilyInfo* family = nullptr;
    size_t variant = 0;
    ParameterValues values;
    LabNumbers lab;
    bool checks = false;
    KeptRuns kept;
  };
  // The shown run is a session's.
  struct SavedRun {
    std::string device_name;  // that it was shown with
    std::string file_device;  // the session's file as a device; empty: there is none
  };

  void take(DeviceListing listing);
  void take(DeviceLoader::Opened opened);
  void list(const DeviceLoader::Opened& opened);
  void take(Arrival arrival, double now_s);
  bool takeLanes();
  void takeVariant(const RunResult& result);
  void takeVariant(const std::shared_ptr<const Run>& run);
  void takeChoices(const Settings& settings);  // family, variants, values, views, switches
  void reopen(const std::string& id);
  void useDeviceOf(const Session& session);
  bool isSavedDevice(const DeviceDescription& device) const;
  bool showsSavedInstead(const DeviceLoader::Opened& opened);
  void show(const Arrival& arrival, double now_s);
  void fillVariants();
  void clearVariants();
  void changed();  // what is chosen changed: snap, mark bars stale, launch if live
  void snapToOffered();
  DeviceKind kind() const;  // of the present device
  void moveDefaults();      // values that stand at another kind's default go to this one's
  void moveDefaults(const FamilyInfo& family, ParameterValues& values) const;
  Choice choice() const;
  void restore(const Choice& choice);
  const ParameterSpec* controlOf(OccupancyAxis axis) const;  // null: the variant has none
  std::optional<LaunchPlan> planOf(const RunRequest& request) const;
  std::optional<SweepLine> sweepLine(size_t variant, const ParameterSpec& spec) const;
  void planSweep();
  void learnResources(const Run& run);
  void forgetDevice();  // what was learnt of it
  std::vector<ComparedRun> comparedRuns() const;
  bool updateComparison();
  void keepIfAsked(const VariantResult& entry);
  void setKept(KeptRuns next);
  ParameterValues& values() { return values_[family_->name]; }
  RunRequest requestOf(size_t variant) const;
  bool answers(const RunRequest& request) const;  // it is of the variant it names at the present settings

  std::vector<const FamilyInfo*> families_;
  const FamilyInfo* family_ = nullptr;
  size_t variant_ = 0;
  std::map<std::string, size_t> variant_of_family_;
  std::map<std::string, ParameterValues> values_;        // by family
  std::map<std::string, std::vector<int64_t>> offered_;  // by parameter, of what is chosen now
  std::vector<Choice> undo_, redo_;
  bool live_ = true, checks_ = false;

  bool listing_ = true, opening_ = false;
  DeviceListing listing_result_;
  std::string device_id_;

  ShownRun shown_;
  std::optional<SavedRun> saved_;  // until something is launched
  std::string notice_;
  std::vector<VariantResult> variants_;
  std::deque<BandwidthSample> history_;
  std::optional<Problem> problem_;
  std::optional<Impossible> impossible_;
  std::map<std::string, std::string> lanes_tab_of_family_;  // where one was chosen
  struct {
    std::shared_ptr<const Run> run;
    LaneLogOptions options;
  } lanes_wish_;  // the last
  bool lanes_pending_ = false;
  std::shared_ptr<const LaneLog> lanes_;
  std::shared_ptr<const Run> lanes_run_;  // what lanes_ or lanes_problem_ is of
  std::string lanes_problem_;
  LaneLogLoader lane_log_loader_;

  LabNumbers lab_;
  std::optional<std::optional<KernelAtHand>> at_hand_;          // nullopt: to be found out anew
  std::map<std::string, KernelResources> resources_of_kernel_;  // on the open device, by module and kernel
  std::optional<SweepWish> sweep_wish_;
  std::vector<SweepLine> sweep_lines_;
  BackgroundSweep sweeps_;

  KeptRuns kept_;
  uint64_t next_kept_id_ = kFirstKeptRun;
  std::set<std::string> to_keep_;  // variants that are kept once they have run at the present settings
  bool comparison_wanted_ = false, race_wanted_ = false;
  ComparisonLoader comparison_, race_;

  double now_s_ = 0;
  std::optional<uint64_t> pending_ticket_;
  double pending_since_s_ = 0;

  std::unique_ptr<WindowRuns> session_;
  DeviceLoader loader_;  // last: it is asked to close the session, and must be gone first
};

}  // namespace warpscope
