// The input of the plots on the plots page. They draw into the current Dear ImGui window, at the cursor, and
// return what the user asks for; they change nothing except which series are hidden.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viz/views/view.h"
#include "viz/widgets/plot_series.h"

namespace warpscope {

struct PlotsInput : Canvas {
  HiddenSeries* hidden = nullptr;  // for all plots: names of variants
};

// A horizontal line with its label: a ceiling.
struct PlotLevel {
  double y = 0;
  std::string label;
};

// Finds the mark nearest to the mouse, in pixels, if the mouse is over the plot and close enough to it.
class NearestMark {
 public:
  explicit NearestMark(const PlotFrame& plot);
  void offer(size_t id, ImVec2 at);
  std::optional<size_t> id() const { return id_; }
  ImVec2 at() const { return at_; }

 private:
  bool on_;
  ImVec2 mouse_, at_{};
  float least_;
  std::optional<size_t> id_;
};

}  // namespace warpscope
