// Dear ImGui without a window or OpenGL: widgets are drawn into lists of triangles, the test controls the
// mouse.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>

#include <functional>
#include <utility>

#include "viz/widgets/theme.h"

namespace warpscope::testing {

class Headless {
 public:
  explicit Headless(float scale = 1, ThemeKind kind = ThemeKind::kDark)
      : context_(ImGui::CreateContext()), theme_(makeTheme(kind, scale)) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(1200 * scale, 800 * scale);
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the real one
#if IMGUI_VERSION_NUM >= 19200
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
    fonts_ = loadFonts(scale);
#if IMGUI_VERSION_NUM < 19200
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
#endif
    applyTheme(theme_);
  }
  ~Headless() {
    ImGui::DestroyContext(context_);
  }
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;

  const Theme& theme() const {
    return theme_;
  }
  const Fonts& fonts() const {
    return fonts_;
  }

  void moveMouse(ImVec2 at) {
    mouse_ = at;
  }
  void pressMouse(bool down) {
    down_ = down;
  }

  // One frame with `draw` in a window that fills the screen.
  const ImDrawData& frame(const std::function<void()>& draw) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 1.0F / 60;
#if IMGUI_VERSION_NUM >= 18700
    io.AddMousePosEvent(mouse_.x, mouse_.y);
    io.AddMouseButtonEvent(0, down_);
#else
    io.MousePos = mouse_;
    io.MouseDown[0] = down_;
#endif
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(io.DisplaySize);
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    draw();
    ImGui::End();
    ImGui::EndFrame();
    cursor_ = ImGui::GetMouseCursor();
    ImGui::Render();
    return *ImGui::GetDrawData();
  }
  // Dear ImGui decides what is hovered from the frame before.
  const ImDrawData& frames(int count, const std::function<void()>& draw) {
    for (int i = 1; i < count; ++i) frame(draw);
    return frame(draw);
  }
  void click(ImVec2 at, const std::function<void()>& draw) {
    moveMouse(at);
    frames(2, draw);
    pressMouse(true);
    frames(2, draw);
    pressMouse(false);
    frames(2, draw);
  }
  ImGuiMouseCursor cursor() const {
    return cursor_;
  }

 private:
  ImGuiContext* context_;
  Theme theme_;
  Fonts fonts_;
  ImVec2 mouse_{-1000, -1000};
  bool down_ = false;
  ImGuiMouseCursor cursor_ = ImGuiMouseCursor_None;
};

}  // namespace warpscope::testing
