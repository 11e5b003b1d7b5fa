// The interface of all views: a view overrides draw(), and a factory at the end of this file makes it. Views
// draw from const values and compute no metric that the command line cannot print; the state that they share
// (selection, zoom) is ViewState. A ViewInput points to values that must outlive the frame; run and lanes are
// shared.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernels/metrics/selection_metrics.h"
#include "kernels/run/lane_log.h"
#include "kernels/run/run.h"
#include "kernels/run/value_log.h"
#include "viz/layout/row_order.h"
#include "viz/views/view_data.h"
#include "viz/widgets/canvas.h"

namespace warpscope {

// Another run, behind the present one's rows.
struct Ghost {
  std::shared_ptr<const Run> run;  // null: there is none
  std::shared_ptr<const TraceLayout> layout;
};

struct ViewInput : Canvas {
  std::shared_ptr<const Run> run;           // null: there is none yet
  const TraceLayout* layout = nullptr;      // of run
  std::shared_ptr<const RowOrder> rows;     // of run, for views that show rows of warps
  bool refreshing = false;                  // a newer run has not arrived yet: draw dimmed
  std::string empty_message;                // what to do, if run is null
  std::span<const VariantResult> variants;  // of the family, in its order
  const std::deque<BandwidthSample>* history = nullptr;
  // The log of the lanes of `run` or, while `lanes_refreshing`, of the run before; null: not recorded (yet).
  std::shared_ptr<const LaneLog> lanes;
  bool lanes_refreshing = false;
  std::string lanes_problem;  // why there is no lane log
  // The values of a block of `run`, in the same way.
  std::shared_ptr<const ValueLog> values;
  bool values_refreshing = false;
  std::string values_problem;
  Ghost ghost;
  // The metrics of shownSelection() (viz/layout/row_selection.h); while they are being computed, those of the
  // selection or the run before. Null: there are none yet.
  std::shared_ptr<const SelectionMetrics> selected;
  std::vector<std::shared_ptr<const SelectionMetrics>> pinned;  // of the first of ViewState::pins
  // The index of the theme's colour for each region, so that regions of several runs match; empty: the
  // region's own index.
  std::span<const size_t> region_colours;
  size_t colourOf(size_t region) const {
    return region < region_colours.size() ? region_colours[region] : region;
  }
  std::function<void(const std::string&)> copy = [](const std::string&) {};  // to the clipboard
  // What a click in a view may ask for: another view of the page, another variant, or the size at which the
  // run does that many times its work.
  std::function<void(const std::string&)> show_view = [](const std::string&) {};
  std::function<void(const std::string&)> select_variant = [](const std::string&) {};
  std::function<void(double)> use_work = [](double) {};
  // To be called before markers and notes change, so that undo returns to what was before.
  std::function<void()> begin_edit = [] {};
};

class View {
 public:
  virtual ~View() = default;
  virtual const char* name() const = 0;   // "timeline": for reports, settings and file names
  virtual const char* title() const = 0;  // "TIMELINE"
  virtual const char* help() const = 0;   // what it shows, in one sentence
  // Whether it draws ViewInput::lanes, which is recorded only while such a view is visible.
  virtual bool wantsLanes() const { return false; }
  // The same of ViewInput::values.
  virtual bool wantsValues() const { return false; }
  // Draws the whole view into the current ImGui child window.
  virtual void draw(const ViewInput& input, ViewState& state) = 0;
};

// The smallest heights at which nothing of these views is cut off, in pixels at 100 %.
inline constexpr float kLeastOccupancyHeight = 124;
inline constexpr float kBandwidthRowHeight = 20;

std::unique_ptr<View> makeTimelineView();
std::unique_ptr<View> makeLanesView();
std::unique_ptr<View> makeCodeView();
std::unique_ptr<View> makeDetailsView();
std::unique_ptr<View> makeBandwidthView();
std::unique_ptr<View> makeOccupancyView();
std::unique_ptr<View> makeStatesView();
std::unique_ptr<View> makeAdviceView();
std::unique_ptr<View> makeMappingView();
std::unique_ptr<View> makeBanksView();
std::unique_ptr<View> makeSectorsView();
std::unique_ptr<View> makeShuffleView();
std::unique_ptr<View> makeTreeView();
std::unique_ptr<View> makeTailView();
std::unique_ptr<View> makeSlotsView();
std::unique_ptr<View> makeOperationsView();
std::unique_ptr<View> makeValuesView();
std::unique_ptr<View> makeCountersView();
std::unique_ptr<View> makePrecisionView();

}  // namespace warpscope
