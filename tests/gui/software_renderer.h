// Draws Dear ImGui's triangles without a GPU, a driver or a display: as OpenGL would with a linear texture
// filter, to the pixel the same on every machine that has the same fonts.
#pragma once

#include "app/gui/window.h"

namespace warpscope::testing {

// Draws what ImGui::Render() left in `data`, over `background`, with the present context's font atlas as the
// only texture.
Image renderInSoftware(const ImDrawData& data, ImU32 background);

}  // namespace warpscope::testing
