#include "app/gui/focus.h"

#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "app/gui/ui.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

constexpr const char* kTakesTabs = "notes.text";
constexpr float kStride = 24,
                kFineStride = 4;      // of the pointer in a panel without anything to go to; pixels at 100 %
constexpr float kReach = 200;         // how far away something to go to may be
constexpr float kLargestMark = 0.5F;  // as a share of the panel: larger ones are not gone to

bool isPopupOpen() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

bool isInPopup() {
  for (const ImGuiWindow* window = ImGui::GetCurrentWindowRead(); window != nullptr;
       window = window->ParentWindow) {
    if ((window->Flags & (ImGuiWindowFlags_Popup | ImGuiWindowFlags_Modal)) != 0) return true;
  }
  return false;
}

ImVec2 directionOf(int key) {
  switch (key) {
    case GLFW_KEY_LEFT:
      return {-1, 0};
    case GLFW_KEY_RIGHT:
      return {1, 0};
    case GLFW_KEY_UP:
      return {0, -1};
    default:
      return {0, 1};
  }
}

// How far it is to a rectangle in that direction: sideways counts more; infinite: it lies elsewhere.
float distance(ImVec2 from, ImVec2 direction, ImVec2 min, ImVec2 max) {
  // To its nearest point, so that a wide widget below is below.
  const ImVec2 to(std::clamp(from.x, min.x, max.x), std::clamp(from.y, min.y, max.y));
  const ImVec2 middle((min.x + max.x) / 2, (min.y + max.y) / 2);
  const float ahead = (middle.x - from.x) * direction.x + (middle.y - from.y) * direction.y;
  if (ahead < 1) return std::numeric_limits<float>::infinity();
  const float along =
      std::abs(to.x - from.x) * std::abs(direction.x) + std::abs(to.y - from.y) * std::abs(direction.y);
  const float aside =
      std::abs(to.x - from.x) * std::abs(direction.y) + std::abs(to.y - from.y) * std::abs(direction.x);
  return along + 3 * aside + 0.01F * ahead;
}

bool contains(ImVec2 min, ImVec2 max, ImVec2 point) {
  return point.x >= min.x && point.x <= max.x && point.y >= min.y && point.y <= max.y;
}

}  // namespace

void Focus::add(const std::string& name, ImVec2 min, ImVec2 max, bool panel) {
  now_.push_back({name, min, max, panel, isInPopup()});
  if (name != name_) return;
  if (!panel && std::exchange(to_sight_, false) && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
  // The pointer goes with its widget, unless it was moved within a panel.
  if (!panel) at_ = now_.back().centre();
}

void Focus::beginFrame() {
  // A panel that consists of panels is none.
  std::erase_if(now_, [&](const Stop& outer) {
    return outer.panel && std::ranges::any_of(now_, [&](const Stop& inner) {
             return inner.panel && inner.name != outer.name && contains(outer.min, outer.max, inner.min) &&
                    contains(outer.min, outer.max, inner.max);
           });
  });
  before_ = std::exchange(now_, {});
  sliders_before_ = std::exchange(sliders_now_, {});
}

const Focus::Stop* Focus::find(const std::string& name) const {
  const auto found = std::ranges::find(before_, name, &Stop::name);
  return found == before_.end() ? nullptr : &*found;
}

// An open menu or list keeps the ring.
std::vector<const Focus::Stop*> Focus::reachable() const {
  const bool popup = isPopupOpen() && std::ranges::any_of(before_, &Stop::popup);
  std::vector<const Stop*> stops;
  for (const Stop& stop : before_) {
    if (!popup || stop.popup) stops.push_back(&stop);
  }
  return stops;
}

void Focus::goTo(const Stop& stop) {
  name_ = stop.name;
  at_ = stop.centre();
  to_sight_ = true;
}

void Focus::step(int direction) {
  const auto stops = reachable();
  if (stops.empty()) return;
  const auto at = std::ranges::find(stops, name_, [](const Stop* stop) { return stop->name; });
  const auto count = std::ssize(stops);
  const auto index =
      at == stops.end() ? (direction > 0 ? 0 : count - 1) : (at - stops.begin() + direction + count) % count;
  goTo(*stops[static_cast<size_t>(index)]);
}

void Focus::moveTowards(ImVec2 direction) {
  const Stop* here = find(name_);
  const auto stops = reachable();
  const bool seen = here != nullptr && std::ranges::find(stops, here) != stops.end();
  if (!seen) return step(+1);
  const Stop* nearest = nullptr;
  float best = std::numeric_limits<float>::infinity();
  for (const Stop* stop : stops) {
    // Its own panel lies in every direction.
    if (stop->panel && contains(stop->min, stop->max, here->centre())) continue;
    const float far = distance(here->centre(), direction, stop->min, stop->max);
    if (stop != here && far < best) best = far, nearest = stop;
  }
  if (nearest != nullptr) goTo(*nearest);
}

void Focus::movePointer(const Ui& ui, const Stop& panel, ImVec2 direction, bool fine) {
  const float width = panel.max.x - panel.min.x, height = panel.max.y - panel.min.y;
  std::optional<ImVec2> to;
  float best = ui.px(kReach);
  for (const auto& [name, mark] : ui.report.before()) {
    const ImVec2 min(mark[0], mark[1]), max(mark[2], mark[3]);
    const ImVec2 middle((min.x + max.x) / 2, (min.y + max.y) / 2);
    const bool small = (max.x - min.x) * (max.y - min.y) < width * height * kLargestMark;
    if (fine || !small || !contains(panel.min, panel.max, middle) || contains(min, max, at_)) continue;
    const float far = distance(at_, direction, min, max);
    if (far < best) best = far, to = middle;
  }
  const float stride = ui.px(fine ? kFineStride : kStride);
  at_ = to.value_or(ImVec2(at_.x + direction.x * stride, at_.y + direction.y * stride));
  at_.x = std::clamp(at_.x, panel.min.x + 1, panel.max.x - 1);
  at_.y = std::clamp(at_.y, panel.min.y + 1, panel.max.y - 1);
}

// Pressed for two frames: what is held is seen even where the mouse has to have been over it before.
void Focus::click(bool right) {
  if (!isPopupOpen()) opener_ = name_, opener_at_ = at_;
  for (const bool down : {false, true, true, false})
    gesture_.push_back({.at = at_, .down = down && !right, .right = down && right});
}

void Focus::openMenu(const Ui& ui) {
  if (isPopupOpen()) return;
  const auto& marks = ui.report.before();
  const auto warp = marks.find("timeline.selected"), plot = marks.find("timeline.plot");
  const Stop* timeline = find("view.timeline");
  if (!name_.empty()) return click(true);
  at_ = ImGui::GetIO().MousePos;
  if (timeline != nullptr && warp != marks.end() && plot != marks.end()) {
    // Where the warp is seen, or nearest to it.
    const auto inside = [&](size_t axis) {
      const auto& [area, life] = std::tie(plot->second, warp->second);
      const float from = area[axis] + 1, to = std::max(from, area[axis + 2] - 1);
      return (std::clamp(life[axis], from, to) + std::clamp(life[axis + 2], from, to)) / 2;
    };
    name_ = timeline->name;
    at_ = {inside(0), inside(1)};
  }
  click(true);
}

bool Focus::takeArrow(const Ui& ui, const KeyPress& press) {
  const ImVec2 direction = directionOf(press.key);
  const Stop* here = find(name_);
  if (isPopupOpen() && (here == nullptr || !here->popup)) {
    moveTowards(direction);
    return true;
  }
  if (here != nullptr && here->panel) {
    movePointer(ui, *here, direction, press.shift);
  } else if (direction.x != 0 && sliders_before_.contains(name_)) {
    steps_ += static_cast<int>(direction.x);
  } else if (name_.starts_with("splitter.") && here != nullptr) {
    const float stride = ui.px(kStride);
    const ImVec2 to(at_.x + direction.x * stride, at_.y + direction.y * stride);
    gesture_ = {{at_}, {at_, true}, {to, true}, {to, true}, {to}};
  } else {
    moveTowards(direction);
  }
  return true;
}

bool Focus::takeKey(const Ui& ui, const KeyPress& press) {
  if (press.control || press.alt) return false;
  if (ImGui::GetIO().WantTextInput) {
    // The ring is at the field: Tab leaves it. Notes take tabs.
    if (press.key != GLFW_KEY_TAB || name_.empty() || name_ == kTakesTabs) return false;
    ImGui::ClearActiveID();
  }
  if (press.key == GLFW_KEY_TAB) {
    step(press.shift ? -1 : +1);
    return true;
  }
  const bool popup = isPopupOpen();
  if (name_.empty() && !popup) return false;
  switch (press.key) {
    case GLFW_KEY_LEFT:
    case GLFW_KEY_RIGHT:
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
      return takeArrow(ui, press);
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      if (!name_.empty()) click();
      return true;
    case GLFW_KEY_PAGE_UP:
    case GLFW_KEY_PAGE_DOWN: {
      const Stop* here = find(name_);
      if (here == nullptr || !here->panel) return false;
      gesture_.push_back({.at = at_, .down = false, .wheel = press.key == GLFW_KEY_PAGE_UP ? 3.0F : -3.0F});
      return true;
    }
    case GLFW_KEY_ESCAPE:
      if (popup) {
        // A click beside a menu closes it, and does nothing else.
        for (const bool down : {false, true, false}) gesture_.push_back({.at = {1, 1}, .down = down});
      } else {
        hide();
      }
      return true;
    default:
      return false;
  }
}

std::optional<Pointer> Focus::pointer() {
  if (!gesture_.empty()) {
    const Pointer pointer = gesture_.front();
    gesture_.pop_front();
    return pointer;
  }
  if (name_.empty()) return std::nullopt;
  return Pointer{.at = at_};
}

int Focus::takeSteps(const std::string& name) {
  sliders_now_.insert(name);
  return name == name_ ? std::exchange(steps_, 0) : 0;
}

void Focus::draw(const Ui& ui) {
  if (!gesture_.empty()) redrawIn(ui, 0);
  if (name_.empty()) return;
  auto stop = std::ranges::find(now_, name_, &Stop::name);
  if (stop == now_.end() && !isPopupOpen()) {
    // An entry of a menu that has closed: the ring returns to what opened it.
    stop = std::ranges::find(now_, opener_, &Stop::name);
    if (stop != now_.end()) {
      goTo(*stop);
      if (stop->panel) at_ = opener_at_;
    }
  }
  if (stop == now_.end()) return;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float gap = ui.px(2);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 min(std::max(stop->min.x - gap, 1.0F), std::max(stop->min.y - gap, 1.0F));
  const ImVec2 max(std::min(stop->max.x + gap, display.x - 1), std::min(stop->max.y + gap, display.y - 1));
  // Light and dark, so that it is seen on anything.
  list.AddRect(min, max, ui.theme.background, ui.px(4), 0, ui.px(4));
  list.AddRect(min, max, ui.theme.accent, ui.px(4), 0, ui.px(2));
  if (stop->panel) {
    list.AddCircle(at_, ui.px(6), ui.theme.background, 0, ui.px(4));
    list.AddCircle(at_, ui.px(6), ui.theme.accent, 0, ui.px(2));
  }
  ui.report.widget("focus", min, max);
}

}  // namespace warpscope
