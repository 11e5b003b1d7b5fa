#include "app/gui/queued_input.h"

#include <imgui_internal.h>

#include <algorithm>

namespace warpscope {

#if IMGUI_VERSION_NUM >= 18700

namespace {

ImVector<ImGuiInputEvent>& inputQueue() {
  return ImGui::GetCurrentContext()->InputEventsQueue;
}

// A movement to a place: the mouse that leaves the window is reported as one to nowhere.
std::optional<ImVec2> movement(const ImGuiInputEvent& event) {
  if (event.Type != ImGuiInputEventType_MousePos) return std::nullopt;
  const ImVec2 to(event.MousePos.PosX, event.MousePos.PosY);
  return ImGui::IsMousePosValid(&to) ? std::optional(to) : std::nullopt;
}

}  // namespace

bool inputWaits() {
  return !inputQueue().empty();
}

bool mouseActs(ImVec2 at) {
  return std::ranges::any_of(inputQueue(), [&](const ImGuiInputEvent& event) {
    if (event.Type == ImGuiInputEventType_MouseButton) return event.MouseButton.Down;
    const auto to = movement(event);
    return to && (to->x != at.x || to->y != at.y);
  });
}

std::optional<ImVec2> dropMovements() {
  ImVector<ImGuiInputEvent>& queue = inputQueue();
  std::optional<ImVec2> last;
  for (const ImGuiInputEvent& event : queue) {
    if (const auto to = movement(event)) last = to;
  }
  const auto* const kept = std::remove_if(queue.begin(), queue.end(), [](const ImGuiInputEvent& event) {
    return event.Type == ImGuiInputEventType_MousePos;
  });
  queue.resize(static_cast<int>(kept - queue.begin()));
  return last;
}

void addFirst(const std::function<void()>& add) {
  const int waiting = inputQueue().Size;
  add();
  std::rotate(inputQueue().begin(), inputQueue().begin() + waiting, inputQueue().end());
}

#else

bool inputWaits() {
  return false;
}

bool mouseActs(ImVec2 /*at*/) {
  return false;
}

std::optional<ImVec2> dropMovements() {
  return std::nullopt;
}

void addFirst(const std::function<void()>& add) {
  add();
}

#endif

}  // namespace warpscope
