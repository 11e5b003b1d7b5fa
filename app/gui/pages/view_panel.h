// A view in its panel: its picture under a heading with the title, or with tabs if several views share the
// panel, and a badge if what it shows is modelled.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "app/gui/pages/page_parts.h"
#include "viz/views/view.h"

namespace warpscope {

// The input of views that draw the shown run. `show_view` is called with the name of a view that the user
// asks for.
ViewInput runViewInput(const Ui& ui, std::function<void(const std::string&)> show_view);

// `caption`: in small letters beside the title.
void drawViewPanel(const Ui& ui, const ViewInput& input, View& view, const PageArea& area,
                   const std::string& caption = "");
// The name of the view whose tab was clicked; null: none.
const char* drawTabbedPanel(const Ui& ui, const ViewInput& input, std::span<View* const> views, View& shown,
                            const PageArea& area);

}  // namespace warpscope
