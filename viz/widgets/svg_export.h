// Exports a drawn frame as SVG: shapes as paths, text as text, so that a figure can be edited and its words
// can be searched. It works on Dear ImGui's draw data of any view; views know nothing of it.
#pragma once

#include <imgui.h>

#include <string>

#include "kernels/core/error.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// Call before ImGui::NewFrame of the frame to be exported: smooth edges are extra triangles around every
// shape, which an SVG does not need. The style keeps this setting until it is set again (applyTheme).
void drawWithHardEdges();

// The part of a rendered frame within [min, max), in pixels, which become the picture's units. Text is
// sans-serif or, for fonts.mono, monospace; its width is as drawn, whatever font the reader has. Errors: the
// part is empty, or nothing was drawn there.
Expected<std::string> svgOf(const ImDrawData& drawn, ImVec2 min, ImVec2 max, const Fonts& fonts);

}  // namespace warpscope
