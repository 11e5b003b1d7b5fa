// A box over the page: a list, a field, a message.
#pragma once

#include <imgui.h>

#include "app/gui/ui.h"

namespace warpscope {

// A Dear ImGui window with a border, open from construction to destruction. Its position and size are set
// before, with ImGui::SetNextWindowPos and the like.
class OverlayBox {
 public:
  static constexpr ImGuiWindowFlags kNoScrollbar = ImGuiWindowFlags_NoScrollbar;
  static constexpr ImGuiWindowFlags kPassive =  // sized by its content; takes no focus when it appears
      kNoScrollbar | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize;
  struct Look {
    ImVec2 padding;      // pixels at 100 %
    float rounding = 6;  // pixels at 100 %
    ImU32 background, border;
  };
  OverlayBox(const Ui& ui, const char* name, const Look& look, ImGuiWindowFlags more = kNoScrollbar);
  // In the colours of panels.
  OverlayBox(const Ui& ui, const char* name, ImVec2 padding, float rounding,
             ImGuiWindowFlags more = kNoScrollbar);
  ~OverlayBox();
  OverlayBox(const OverlayBox&) = delete;
  OverlayBox& operator=(const OverlayBox&) = delete;
};

}  // namespace warpscope
