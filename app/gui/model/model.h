// The state of the application, without a window. It consists of parts, each with a header of its own; what
// concerns several of them is here: a change of the selection becomes a launch, and what comes back is passed
// to the parts. Used by one thread; the workers (finding devices, launching, laying out) reach it through
// update().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/model/choice.h"
#include "app/gui/model/compare_model.h"
#include "app/gui/model/device_model.h"
#include "app/gui/model/lab_model.h"
#include "app/gui/model/run_feed.h"
#include "app/gui/model/run_logs.h"
#include "app/gui/model/selection_model.h"
#include "app/gui/model/sweep_model.h"
#include "app/gui/model/undo_history.h"
#include "viz/layout/row_order.h"

namespace warpscope {

struct Session;
struct OpenedSession;

// Something that failed, for the banner: what, why and what to try.
struct Problem {
  std::string title, detail, advice;
  bool device_failed = false;  // the device could not be opened: trying again opens it again
};

// The reason why the selection cannot be launched on this device, and the one parameter value, if any, that
// would make it possible.
struct Impossible {
  std::string reason;
  ParameterValues nearest;
};

class Model {
 public:
  // `families`: in the order in which they are shown, at least one; they outlive the model.
  Model(const DeviceSource& source, std::vector<const FamilyInfo*> families, const Settings& settings);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Takes what the workers have brought; `now_s` is the window's clock. True if something must be redrawn.
  bool update(double now_s);

  // Work is in progress on another thread: a later update() will take its result.
  bool pending() const;

  // The parts. Those that are not const may be changed by the code that shows them.
  const DeviceModel& devices() const { return devices_; }
  const Choice& choice() const { return choice_; }
  const RunFeed& feed() const { return feed_; }
  const SweepModel& sweep() const { return sweep_; }
  const LaneModel& lanes() const { return lanes_; }
  const ValueModel& values() const { return values_; }
  // The rows in which the timeline shows the shown run, as `view.rows` asks; null while nothing is shown.
  std::shared_ptr<const RowOrder> rowOrder() { return row_orders_.of(feed_.shown().layout, view.rows); }
  const SelectionModel& selection() const { return selection_; }
  LabModel& lab() { return lab_; }
  const LabModel& lab() const { return lab_; }
  CompareModel& compare() { return compare_; }
  const CompareModel& compare() const { return compare_; }
  ViewState view;

  // Opens a device. Empty id: the default. If a recording lacks the selected family and variant, its first
  // run is selected.
  void openDevice(const std::string& id);
  // The next device that opens leaves the selection alone, whatever it holds: the user named it.
  void keepSelection() { keep_selection_ = true; }

  // Selecting. Unknown names change nothing.
  void selectFamily(const std::string& name);
  void selectVariant(const std::string& name);
  // Shows a user's program, or its newer version, and runs it. The run of the version before stays beside it,
  // as if the user had kept it.
  void adopt(const FamilyInfo& program);
  // Moves to the nearest value that is offered. Changes between two calls of beginEdit() are undone as one.
  void setParameter(const std::string& name, int64_t value);
  void resetParameters();  // to their defaults
  // The values that a control moves through, ascending: what was recorded, or every step in range.
  const std::vector<int64_t>& offeredValues(const ParameterSpec& spec);
  void chooseLanesTab(const std::string& view) { choice_.chooseLanesTab(view); }
  void beginEdit();
  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }
  void undo();
  void redo();

  // Launching.
  bool live() const { return live_; }
  void setLive(bool live);
  // Whether to look for hazards in every run; only a simulated device can. Families that are `checked` always
  // do.
  bool canCheck() const { return devices_.kind() == DeviceKind::kSimulated; }
  bool checks() const { return checks_ || choice_.family().checked; }
  void setChecks(bool checks);
  // Whether runs on a real GPU read its hardware counters. Switched off, the GPU's counters are free for
  // another profiler after the next run.
  bool canCount() const { return devices_.isOpen() && devices_.kind() == DeviceKind::kCuda; }
  bool counters() const { return counters_; }
  void setCounters(bool counters);
  RunRequest request() const;  // for what is selected
  void launch();               // now, whether live or not
  void cancel();
  void retry();
  // The shown run is of other settings than those selected (Live is off, or the run failed or was stopped),
  // or of another device.
  bool outdated() const;
  // The predictions for the present settings, with measured values only if the shown run has these settings.
  std::vector<PredictionResult> theory() const;
  // Null while a run of other settings has been on its way for a moment.
  const Impossible* impossible() const;
  void useNearest();  // as one edit
  const std::optional<Problem>& problem() const { return problem_; }
  void dismissProblem() { problem_.reset(); }
  std::string takeNotice();  // returned once; empty: none

  // Requests by the visible page; cheap to repeat every frame.
  void wantLanes();
  void wantValues();
  void wantSelection();                                  // the numbers of what is selected
  void wantSweep(const std::optional<SweepWish>& wish);  // nullopt: nothing
  void wantComparison(bool compared, bool race);
  void pauseSweep();  // stops the launch in progress
  void resumeSweep();
  void raceAgain();  // all variants run again
  // Returns why it cannot be kept; empty: it is kept, or will be once it has run at the current settings.
  std::string keepVariant(const std::string& variant);

  // The smallest size that is offered at which the shown run would do at least that many times its work, or
  // the largest one; nullopt: no control sets the size here, none is larger, or the run has other settings.
  struct OfferedSize {
    const ParameterSpec* spec = nullptr;
    int64_t value = 0;
  };
  std::optional<OfferedSize> sizeForWork(double times);
  void useSize(const OfferedSize& size);  // as one edit

  // The occupancy lab: what the current settings would launch, and moving the control that sets it to the
  // nearest offered value. False: the variant has no such control.
  const std::optional<PlannedKernel>& plannedKernel();
  bool setLaunched(OccupancyAxis axis, uint32_t value);
  bool canLaunch(OccupancyAxis axis) const { return launchControl(axis) != nullptr; }
  // Every value of the control that sets the block size; nullopt: the variant has none.
  std::optional<SweepWish> blockSweep() const;
  // By threads per block, if that is what is swept.
  std::map<uint32_t, const SweptRun*> sweptBlocks() const;

  // Stores the part of the model that is remembered; the window adds its own. A session shares the runs
  // without copying them.
  void storeInto(Settings& settings) const;
  void storeInto(Session& session) const;
  // Shows the run of a session, without launching anything until something changes. If its device does not
  // exist here, the file itself becomes the device.
  void show(const OpenedSession& opened);

 private:
  // The state that undo restores.
  struct Edit {
    Choice::State choice;
    LabNumbers lab;
    bool checks = false;
    KeptRuns kept;
    Annotations annotations;
    bool operator==(const Edit&) const = default;
  };
  // Set while the shown run comes from a session.
  struct SavedRun {
    std::string device_name;  // the device that it was shown with
    std::string file_device;  // the session's file as a device; empty: there is none
  };

  // model_arrivals.cpp: what the workers bring.
  void take(DeviceModel::Listed);
  void take(DeviceModel::Opened);
  void take(const DeviceModel::Failed& failed);
  void take(const Arrival& arrival);
  void takeRun(const Arrival& arrival);
  void takeFailure(const RunRequest& request, const Error& error);
  void takeVariant(const RunRequest& request, const Expected<std::shared_ptr<const Run>>& run);
  void selectRecorded();  // what the device recorded first, if it lacks what is selected
  void forgetDevice();    // what was learnt from it

  // model_session.cpp
  void useDeviceOf(const Session& session);
  bool isSavedDevice(const DeviceDescription& device) const;
  bool showsSavedInstead();
  void takeSettings(const Settings& settings);

  void reopen(const std::string& id);
  Edit edit() const { return {choice_.state(), lab_.numbers(), checks_, compare_.kept(), view.annotations}; }
  void restore(const Edit& edit);
  void familyChanged();  // forgets what was shown and selected in the previous family
  void changed();        // after the selection has changed: snaps, marks bars as stale, launches if live
  void snapToOffered();
  void fillVariants();  // launches in the background what is not there yet
  const ParameterSpec* launchControl(OccupancyAxis axis) const;
  bool answers(
      const RunRequest& request) const;  // it is for the variant that it names, at the present settings

  Choice choice_;
  DefaultsFor defaults_for_;  // the device to which the values that equal a default were moved
  RunFeed feed_;
  CompareModel compare_;
  SweepModel sweep_;
  LabModel lab_;
  LaneModel lanes_;
  ValueModel values_;
  RowOrderCache row_orders_;
  SelectionModel selection_;
  UndoHistory<Edit> history_;
  bool live_ = true, checks_ = false, counters_ = true, keep_selection_ = false;
  std::map<std::string, std::vector<int64_t>> offered_;  // by parameter, of what is selected now
  std::optional<SavedRun> saved_;                        // until something is launched
  std::optional<Problem> problem_;
  std::optional<Impossible> impossible_;
  uint64_t former_version_ = 0;  // the kept run of the program's version before; 0: none
  std::string notice_;
  double now_s_ = 0;
  DeviceModel devices_;  // last: its worker must be destroyed first
};

}  // namespace warpscope
