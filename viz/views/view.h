// What every view is: it overrides draw() and is added with one line in views.cpp. Views draw from const values and
// compute no metric that the command line cannot print; what they share (selection, zoom) is ViewState.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/trace/run.h"
#include "viz/widgets/theme.h"

namespace warpscope {

class TraceLayout;  // viz/layout/trace_layout.h: rows and level-of-detail pyramid of one run, built off the UI thread

struct WarpKey {
  BlockId block;
  uint32_t warp_in_block = 0;
  bool operator==(const WarpKey&) const = default;
};

// Survives relaunches: a new run never moves zoom, scroll or selection.
struct ViewState {
  enum class Grouping { kBySm, kByBlock };
  Grouping grouping = Grouping::kBySm;
  std::optional<WarpKey> selected_warp, hovered_warp;
  std::optional<RegionId> selected_region, hovered_region;
  // Visible part of the launch axis. fitted: follows the whole launch, also when the next run is longer or shorter.
  bool fitted = true;
  double begin_cycles = 0, end_cycles = 1;
  double first_row = 0;       // scroll, in rows
  float row_height = 0;       // unscaled pixels; 0: chosen so that all rows fit, within limits
};

// Names rectangles of widgets, for tests and screenshots of one view; see app/gui/report.h.
class WidgetReport {
 public:
  virtual ~WidgetReport() = default;
  virtual void widget(const std::string& name, ImVec2 min, ImVec2 max) = 0;
};

struct BandwidthSample {
  double time_s = 0;  // of the window's clock
  double gb_per_s = 0;
  std::string variant;
};

// One variant's bar at the present settings.
struct VariantResult {
  std::string variant, title;
  std::shared_ptr<const Run> run;  // null: not run yet, or see error
  std::string error;
};

struct ViewInput {
  std::shared_ptr<const Run> run;          // null: nothing yet
  const TraceLayout* layout = nullptr;     // of run
  bool refreshing = false;                 // a newer run is on its way: draw dimmed
  std::string empty_message;               // what to do, when run is null
  std::span<const VariantResult> variants;     // of the family, in order
  const std::deque<BandwidthSample>* history = nullptr;
  const Theme* theme = nullptr;
  const Fonts* fonts = nullptr;
  WidgetReport* report = nullptr;          // never null
};

class View {
 public:
  virtual ~View() = default;
  virtual const char* name() const = 0;   // "timeline": in reports, settings and file names
  virtual const char* title() const = 0;  // "TIMELINE"
  // Draws into the current ImGui child window, whole.
  virtual void draw(const ViewInput& input, ViewState& state) = 0;
};

std::unique_ptr<View> makeTimelineView();
std::unique_ptr<View> makeLanesView();
std::unique_ptr<View> makeCodeView();
std::unique_ptr<View> makeBandwidthView();
std::unique_ptr<View> makeOccupancyView();

}  // namespace warpscope
