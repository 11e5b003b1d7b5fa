// A view in its panel: its picture under a heading with the title, or with tabs if several views share the
// panel, and a badge if what it shows is modelled.
#pragma once

#include <span>
#include <string>

#include "app/gui/pages/page_parts.h"
#include "viz/views/view.h"

namespace warpscope {

// `caption`: in small letters beside the title.
void drawViewPanel(const Ui& ui, const ViewInput& input, View& view, const PageArea& area,
                   const std::string& caption = "");
// The name of the view whose tab was clicked; null: none.
const char* drawTabbedPanel(const Ui& ui, const ViewInput& input, std::span<View* const> views, View& shown,
                            const PageArea& area);

}  // namespace warpscope
