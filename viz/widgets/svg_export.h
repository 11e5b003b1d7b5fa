// A drawn frame as SVG: shapes as paths, text as text, so that a figure can be edited and its words can be
// searched. Works on what Dear ImGui made of any view; views know nothing of it.
#pragma once

#include <imgui.h>

#include <string>

#include "kernels/core/error.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// Before ImGui::NewFrame of the frame to be exported: smooth edges are extra triangles around every shape,
// and an SVG needs none. The style keeps it until it is set anew (applyTheme).
void drawWithHardEdges();

// The part of a rendered frame within [min, max), in pixels, which become the picture's units. Text is
// sans-serif or, in fonts.mono, monospace; its width is as drawn, whatever font the reader has. Errors: the
// part is empty, or nothing was drawn there.
Expected<std::string> svgOf(const ImDrawData& drawn, ImVec2 min, ImVec2 max, const Fonts& fonts);

}  // namespace warpscope
