#include "app/gui/window.h"

#include <imgui_internal.h>

#include <array>
#include <cmath>
#include <utility>

#include "app/gui/queued_input.h"
#include "viz/text/translate.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

// Makes Dear ImGui see the pointer there in the frame that begins. `before`: what it saw in the last one.
void placePointer(const Pointer& pointer, const Pointer* before) {
  const bool was_down = before != nullptr && before->down, was_right = before != nullptr && before->right;
  pointAt(pointer.at);
  if (pointer.down != was_down) pressPointer(ImGuiMouseButton_Left, pointer.down);
  if (pointer.right != was_right) pressPointer(ImGuiMouseButton_Right, pointer.right);
  if (pointer.wheel != 0) turnPointerWheel(pointer.wheel);
}

}  // namespace

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

void Window::willShow(const std::string& text) {
  if (text == shown_text_) return;
  shown_text_ = text;
  themed_ = false;
}

void Window::setTheme(ThemeKind kind, float scale) {
  if (!themed_ || scale != theme_.scale || language_ != &language()) {
    language_ = &language();
    ImGui::GetIO().Fonts->Clear();
    fonts_ = loadFonts(scale, shown_text_);
    uploadFonts();
  }
  theme_ = makeTheme(kind, scale);
  applyTheme(theme_);
  themed_ = true;
}

void Window::startFrame() {
  // Dear ImGui rounds so, and would seem to have moved the mouse otherwise.
  if (pointer_) pointer_->at = {std::floor(pointer_->at.x), std::floor(pointer_->at.y)};
  if (kInputIsQueued) {
    placeInQueue();
  } else {
    placeInState();
  }
  placed_ = pointer_;
  ImGui::NewFrame();
  if (kInputIsQueued && !placed_) mouse_ = ImGui::GetIO().MousePos;
}

void Window::placeInState() {
  const ImGuiIO& io = ImGui::GetIO();
  const auto is_at = [&](ImVec2 place) { return io.MousePos.x == place.x && io.MousePos.y == place.y; };
  // The back end has written the mouse's own position, or left what was placed.
  if (!placed_ || !is_at(placed_->at)) {
    mouse_moved_ = mouse_moved_ || (placed_ && !is_at(mouse_));
    mouse_ = io.MousePos;
  }
  if (placed_ && io.MouseDown[0] != placed_->down && io.MouseDown[0]) mouse_moved_ = true;
  if (pointer_) {
    placePointer(*pointer_, placed_ ? &*placed_ : nullptr);
  } else if (placed_) {
    placePointer({.at = mouse_}, &*placed_);
  }
}

// The pointer's events come first, so that this frame sees them, whatever keys wait.
void Window::placeInQueue() {
  if (pointer_ && placed_ && mouseActs(mouse_)) {
    mouse_moved_ = true;
    pointer_.reset();
  }
  if (pointer_) {
    mouse_ = dropMovements().value_or(mouse_);
    addFirst([&] { placePointer(*pointer_, placed_ ? &*placed_ : nullptr); });
  } else if (placed_) {
    addFirst([&] { placePointer({.at = mouse_}, &*placed_); });
  }
}

void Window::addTyped(unsigned character) {
  if (keys_.empty()) return;
  std::array<char, 5> utf8{};
  keys_.back().text += ImTextCharToUtf8(utf8.data(), character);
}

std::vector<KeyPress> Window::takeKeys() {
  return std::exchange(keys_, {});
}

std::vector<std::string> Window::takeDrops() {
  return std::exchange(drops_, {});
}

}  // namespace warpscope
