// The data that views are given and share, as plain values without Dear ImGui, so that the application's
// state can be tested without a window.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"
#include "viz/layout/annotations.h"
#include "viz/layout/row_choice.h"
#include "viz/layout/shown_item.h"

namespace warpscope {

// viz/layout/trace_layout.h: rows and level-of-detail pyramid of one run, built off the UI thread.
class TraceLayout;

// An issued instruction: the `ordinal`-th of a warp, with its index `listed` in Run::listing. In another run
// a different instruction may be at that position.
struct InstructionKey {
  WarpKey warp;
  uint32_t ordinal = 0, listed = 0;
  bool operator==(const InstructionKey&) const = default;
};

// The state of views, which survives relaunches: a new run never changes zoom, scroll position or selection.
struct ViewState {
  RowChoice rows;
  std::optional<WarpKey> selected_warp, hovered_warp;
  TraceSelection selection;  // stretches of time of some warps, which the timeline tints; may be empty
  std::vector<TraceSelection> pins;     // selections that are kept while others are made
  std::vector<ShownItem> pinned_items;  // banks, bars, counters and the like, as they were when pinned
  Annotations annotations;
  std::optional<double> hovered_cycle;  // under the mouse, on a time axis
  std::optional<double> play_head;      // a cycle; absent: nothing is played
  int value_lane = 0;                   // whose registers the view of values shows
  // A note whose text is being typed, and where its editor is to appear (pixels).
  std::optional<size_t> edited_note;
  float edited_note_x = 0, edited_note_y = 0;
  std::optional<RegionId> selected_region, hovered_region;
  // Timeline and lanes show issued instructions if the run has them, otherwise regions.
  bool instructions = false;
  std::optional<InstructionKey> selected_instruction;
  std::optional<uint32_t> hovered_listed;  // the instruction under the mouse, index into Run::listing
  std::optional<uint32_t> selected_line;   // in the source, 1-based: the line of a hazard
  // The step of the selected warp that each kind of picture shows (viz/layout/step_list.h); absent: its
  // default one.
  std::array<std::optional<size_t>, 3> selected_steps;
  int step_by =
      0;  // a key asked for the next (+1) or the previous (-1) step; the view that shows steps resets it
  // Clears what is selected and hovered in a variant's own code.
  void forgetCode() {
    selected_region.reset();
    hovered_region.reset();
    rows.filter.region.reset();
    selected_instruction.reset();
    hovered_listed.reset();
    selected_line.reset();
    selected_steps = {};
  }
  // The visible part of the launch axis. If fitted, it follows the whole launch, also when the next run is
  // longer or shorter.
  bool fitted = true;
  double begin_cycles = 0, end_cycles = 1;
  double first_row = 0;  // scroll, in rows
  float row_height = 0;  // unscaled pixels; 0: chosen so that all rows fit, within limits

  // The positions that Escape returns to; maintained by viz/layout/navigation.h.
  struct Zoom {
    bool fitted = true;
    double begin_cycles = 0, end_cycles = 1, first_row = 0;
    float row_height = 0;
    bool operator==(const Zoom&) const = default;
  };
  std::vector<Zoom> zoom_history;
  double last_gesture_s = -1e9;  // on the window's clock
};

struct BandwidthSample {
  double time_s = 0;  // on the window's clock
  double gb_per_s = 0;
  std::string variant;
};

// The bar of one variant at the current settings.
struct VariantResult {
  std::string variant, title;
  std::shared_ptr<const Run> run;  // null: not run yet, or see `error`
  std::string error;               // why no run has the current settings; empty: one has, or may still come
  bool impossible = false;         // there can be none at these settings: nothing was launched
  bool stale =
      false;  // run is from earlier settings, and the one for the current settings has not arrived yet

  const Run* shown() const { return error.empty() ? run.get() : nullptr; }
};

}  // namespace warpscope
