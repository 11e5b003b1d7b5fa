#include "tests/gui/injected_window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "tests/gui/software_renderer.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope::testing {
namespace {

constexpr double kFrame_s = 1.0 / 60;

#if IMGUI_VERSION_NUM >= 18700
using KnownKey = ImGuiKey;
constexpr KnownKey kKeypadEnter = ImGuiKey_KeypadEnter;
#else
using KnownKey = ImGuiKey_;
constexpr KnownKey kKeypadEnter = ImGuiKey_KeyPadEnter;
#endif

// The keys that text fields and menus look for.
constexpr std::array<std::pair<KnownKey, int>, 22> kKeys{{
    {ImGuiKey_Tab, GLFW_KEY_TAB},
    {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
    {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
    {ImGuiKey_UpArrow, GLFW_KEY_UP},
    {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
    {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
    {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
    {ImGuiKey_Home, GLFW_KEY_HOME},
    {ImGuiKey_End, GLFW_KEY_END},
    {ImGuiKey_Insert, GLFW_KEY_INSERT},
    {ImGuiKey_Delete, GLFW_KEY_DELETE},
    {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
    {ImGuiKey_Space, GLFW_KEY_SPACE},
    {ImGuiKey_Enter, GLFW_KEY_ENTER},
    {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
    {kKeypadEnter, GLFW_KEY_KP_ENTER},
    {ImGuiKey_A, GLFW_KEY_A},
    {ImGuiKey_C, GLFW_KEY_C},
    {ImGuiKey_V, GLFW_KEY_V},
    {ImGuiKey_X, GLFW_KEY_X},
    {ImGuiKey_Y, GLFW_KEY_Y},
    {ImGuiKey_Z, GLFW_KEY_Z},
}};

}  // namespace

InjectedWindow::InjectedWindow(const WindowOptions& options)
    : size_(static_cast<float>(options.width), static_cast<float>(options.height)) {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as OpenGL's
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
#if IMGUI_VERSION_NUM < 18700
  for (const auto& [known, key] : kKeys) io.KeyMap[known] = key;
#endif
}

InjectedWindow::~InjectedWindow() = default;

void InjectedWindow::moveMouse(float x, float y) {
  input_ = true;
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMousePosEvent(x, y);
#else
  ImGui::GetIO().MousePos = {x, y};
#endif
}

void InjectedWindow::setButton(int button, bool down) {
  input_ = true;
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseButtonEvent(button, down);
#else
  ImGui::GetIO().MouseDown[button] = down;
#endif
}

void InjectedWindow::turnWheel(float notches) {
  input_ = true;
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseWheelEvent(0, notches);
#else
  ImGui::GetIO().MouseWheel += notches;
#endif
}

bool InjectedWindow::isDown(int left_key, int right_key) const {
  return std::ranges::find(keys_down_, left_key) != keys_down_.end() ||
         std::ranges::find(keys_down_, right_key) != keys_down_.end();
}

void InjectedWindow::setKey(int key, bool down) {
  input_ = true;
  std::erase(keys_down_, key);
  if (down) keys_down_.push_back(key);
  const bool control = isDown(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  const bool shift = isDown(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiMod_Ctrl, control);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  for (const auto& [known, code] : kKeys) {
    if (code == key) io.AddKeyEvent(known, down);
  }
#else
  io.KeysDown[key] = down;
  io.KeyCtrl = control;
  io.KeyShift = shift;
#endif
  if (down) keys_.push_back({.key = key, .control = control, .shift = shift});
}

void InjectedWindow::typeCharacter(unsigned character) {
  input_ = true;
  ImGui::GetIO().AddInputCharacter(character);
  addTyped(character);
}

void InjectedWindow::drop(const std::vector<std::filesystem::path>& paths) {
  input_ = true;
  for (const auto& path : paths) drops_.push_back(path.string());
}

void InjectedWindow::resize(float width, float height) {
  input_ = true;
  size_ = {width, height};
}

void InjectedWindow::setPatience(double real_s, double clock_s) {
  real_patience_s_ = real_s;
  clock_patience_s_ = clock_s;
}

bool InjectedWindow::wait(double timeout_s) {
  if (std::exchange(input_, false)) return true;
  if (timeout_s == 0) return false;
  bool woken = false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(real_patience_s_), [this] { return woken_; });
    woken = std::exchange(woken_, false);
  }
  if (!woken && timeout_s > 0) now_s_ += std::min(timeout_s, clock_patience_s_);
  return false;
}

void InjectedWindow::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void InjectedWindow::uploadFonts() {
#if IMGUI_VERSION_NUM < 19200
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);  // builds the atlas
#endif
}

void InjectedWindow::beginFrame() {
  now_s_ += kFrame_s;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = size_;
  io.DeltaTime = static_cast<float>(now_s_ - std::exchange(last_frame_s_, now_s_));
  startFrame();
}

void InjectedWindow::render() {
  ImGui::Render();
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : *ImGui::GetDrawData()->Textures) {
    texture->SetTexID(1);
    texture->SetStatus(ImTextureStatus_OK);
  }
#endif
}

Image InjectedWindow::pixels() {
  return renderInSoftware(*ImGui::GetDrawData(), theme().background);
}

}  // namespace warpscope::testing
