// What every view is: it overrides draw() and is added with one line in views.cpp. Views draw from const
// values and compute no metric that the command line cannot print; what they share (selection, zoom) is
// ViewState.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernels/run/lane_log.h"
#include "kernels/run/run.h"
#include "viz/views/view_data.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// Names rectangles of widgets, for tests and screenshots of one view; see app/gui/report.h.
class WidgetReport {
 public:
  virtual ~WidgetReport() = default;
  virtual void widget(const std::string& name, ImVec2 min, ImVec2 max) = 0;
};

struct ViewInput {
  std::shared_ptr<const Run> run;           // null: nothing yet
  const TraceLayout* layout = nullptr;      // of run
  bool refreshing = false;                  // a newer run is on its way: draw dimmed
  std::string empty_message;                // what to do, when run is null
  std::span<const VariantResult> variants;  // of the family, in order
  const std::deque<BandwidthSample>* history = nullptr;
  // What lanes did, of `run` or, while `lanes_refreshing`, of the run before; null: not there (yet).
  std::shared_ptr<const LaneLog> lanes;
  bool lanes_refreshing = false;
  std::string lanes_problem;  // why there is none
  // Which of the theme's colours each region has, so that regions of several runs are matched; empty: its
  // own.
  std::span<const size_t> region_colours;
  size_t colourOf(size_t region) const {
    return region < region_colours.size() ? region_colours[region] : region;
  }
  const Theme* theme = nullptr;
  const Fonts* fonts = nullptr;
  WidgetReport* report = nullptr;                                            // never null
  std::function<void(const std::string&)> copy = [](const std::string&) {};  // to the clipboard
};

class View {
 public:
  virtual ~View() = default;
  virtual const char* name() const = 0;   // "timeline": in reports, settings and file names
  virtual const char* title() const = 0;  // "TIMELINE"
  // Whether it draws ViewInput::lanes: that is recorded only while such a view is seen.
  virtual bool wantsLanes() const { return false; }
  // Draws into the current ImGui child window, whole.
  virtual void draw(const ViewInput& input, ViewState& state) = 0;
};

// The least heights at which nothing of these views is cut, in pixels at 100 %.
inline constexpr float kLeastOccupancyHeight = 124;
inline constexpr float kBandwidthRowHeight = 20;

std::unique_ptr<View> makeTimelineView();
std::unique_ptr<View> makeLanesView();
std::unique_ptr<View> makeCodeView();
std::unique_ptr<View> makeBandwidthView();
std::unique_ptr<View> makeOccupancyView();
std::unique_ptr<View> makeStatesView();
std::unique_ptr<View> makeMappingView();
std::unique_ptr<View> makeBanksView();
std::unique_ptr<View> makeSectorsView();
std::unique_ptr<View> makeShuffleView();
std::unique_ptr<View> makeTreeView();
std::unique_ptr<View> makeTailView();
std::unique_ptr<View> makeCountersView();
std::unique_ptr<View> makePrecisionView();

}  // namespace warpscope
