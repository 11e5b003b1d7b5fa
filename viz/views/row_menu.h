// What the timeline's rows are: a menu that says it and changes kind, order and filter, and a chip that shows
// the filter and clears it.
#pragma once

#include <string>

#include "viz/views/view.h"

namespace warpscope {

// "SM 0-3, at least 2,000 cycles"; empty for no filter.
std::string rowFilterText(const Run& run, const RowFilter& filter);

class RowMenu {
 public:
  // At the cursor; reported as "timeline.rows", its entries as "timeline.rows.slots" ...
  void draw(const ViewInput& input, ViewState& state);
  // While rows are filtered, on the current line: what is shown of how many; a click shows all again.
  void drawChip(const ViewInput& input, ViewState& state) const;
  // In the rest of the window, if no warp meets the filter.
  void drawNothingLeft(const ViewInput& input, ViewState& state) const;

 private:
  void drawKinds(const ViewInput& input, RowChoice& rows) const;
  void drawSorts(const ViewInput& input, RowChoice& rows) const;
  void drawFilter(const ViewInput& input, RowFilter& filter);
  void drawRegionFilter(const ViewInput& input, RowFilter& filter) const;
  void takeTexts(const RowFilter& filter);

  // As typed, which may not be valid yet.
  std::string sms_, blocks_, least_, most_;
};

}  // namespace warpscope
