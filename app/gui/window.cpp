#include "app/gui/window.h"

#include <utility>

#include "viz/text/translate.h"

namespace warpscope {

Window::Window() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the layout is fixed; our settings hold what is remembered
  io.LogFilename = nullptr;
  io.MouseDoubleClickTime = 0.4F;  // as desktops have it; 0.3 misses slow double clicks
}

Window::~Window() {
  ImGui::DestroyContext();
}

void Window::setTheme(ThemeKind kind, float scale) {
  if (!themed_ || scale != theme_.scale || language_ != &language()) {
    language_ = &language();
    ImGui::GetIO().Fonts->Clear();
    fonts_ = loadFonts(scale);
    uploadFonts();
  }
  theme_ = makeTheme(kind, scale);
  applyTheme(theme_);
  themed_ = true;
}

std::vector<KeyPress> Window::takeKeys() {
  return std::exchange(keys_, {});
}

std::vector<std::string> Window::takeDrops() {
  return std::exchange(drops_, {});
}

}  // namespace warpscope
