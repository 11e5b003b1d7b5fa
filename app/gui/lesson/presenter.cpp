#include "app/gui/lesson/presenter.h"

#include <algorithm>
#include <cmath>

#include "app/gui/lesson/lessons.h"
#include "app/gui/ui.h"

namespace warpscope {
namespace {

constexpr double kStrokeLasts_s = 6, kStrokeFades_s = 1.5;
constexpr float kGlowRadius = 20, kSpotRadius = 110, kPenWidth = 3;  // pixels at 100 %

float strength(const Ink::Stroke& stroke, double now_s) {
  const double left_s = stroke.drawn_s + kStrokeLasts_s - now_s;
  return static_cast<float>(std::clamp(left_s / kStrokeFades_s, 0.0, 1.0));
}

void drawGlow(const Ui& ui, ImDrawList& list, ImVec2 at) {
  constexpr int kRings = 5;
  for (int ring = kRings; ring > 0; --ring) {
    const float share = static_cast<float>(ring) / kRings;
    list.AddCircleFilled(at, ui.px(kGlowRadius) * share, withAlpha(ui.theme.warning, 0.16F));
  }
}

// Darkens everything but a circle: four bands, and a ring between them and the circle.
void drawSpotlight(const Ui& ui, ImDrawList& list, ImVec2 at) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float radius = ui.px(kSpotRadius);
  const ImU32 dark = withAlpha(ui.theme.background, 0.78F);
  list.AddRectFilled({0, 0}, {size.x, at.y - radius}, dark);
  list.AddRectFilled({0, at.y + radius}, size, dark);
  list.AddRectFilled({0, at.y - radius}, {at.x - radius, at.y + radius}, dark);
  list.AddRectFilled({at.x + radius, at.y - radius}, {size.x, at.y + radius}, dark);
  constexpr int kParts = 48;
  for (int i = 0; i < kParts; ++i) {
    const auto on = [&](int part, float far) {
      const float angle = 6.2831853F * static_cast<float>(part) / kParts;
      const float x = std::cos(angle), y = std::sin(angle);
      const float stretch = far > 0 ? 1 / std::max(std::abs(x), std::abs(y)) : 1;  // to the square around it
      return ImVec2{at.x + x * radius * stretch, at.y + y * radius * stretch};
    };
    list.AddQuadFilled(on(i, 0), on(i + 1, 0), on(i + 1, 1), on(i, 1), dark);
  }
}

void takeStroke(const Ui& ui, Ink& ink, const PageArea& area) {
  ImGui::SetNextWindowPos(area.min);
  ImGui::SetNextWindowSize({area.width(), area.height()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##ink", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  ImGui::InvisibleButton("##paper", {area.width(), area.height()});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActivated()) ink.strokes.push_back({});
  if (ImGui::IsItemActive() && !ink.strokes.empty()) {
    auto& points = ink.strokes.back().points;
    if (points.empty() || points.back().x != mouse.x || points.back().y != mouse.y) points.push_back(mouse);
    ink.strokes.back().drawn_s = ui.now_s;
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace

void drawInkButtons(const Ui& ui) {
  Ink& ink = ui.lessons.ink;
  const auto toggle = [&](const char* name, const char* label, bool& on, const char* help) {
    if (button(ui, name, label, on ? ButtonLook::kOn : ButtonLook::kQuiet)) on = !on;
    helpTooltip(ui, name, label, help);
  };
  toggle("lesson.pen", tr("Pen"), ink.pen, tr("Draw over the picture; strokes vanish after some seconds."));
  ImGui::SameLine(0, ui.px(3));
  toggle("lesson.spotlight", tr("Spotlight"), ink.spotlight,
         tr("Darkens everything but what is around the pointer."));
}

float inkButtonsWidth(const Ui& ui) {
  return buttonWidth(tr("Pen")) + ui.px(3) + buttonWidth(tr("Spotlight"));
}

void drawInk(const Ui& ui, const PageArea& area) {
  Ink& ink = ui.lessons.ink;
  if (ink.pen) takeStroke(ui, ink, area);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = area.contains(mouse);
  if (ink.spotlight && inside) drawSpotlight(ui, list, mouse);
  std::erase_if(ink.strokes, [&](const Ink::Stroke& stroke) { return strength(stroke, ui.now_s) <= 0; });
  for (const Ink::Stroke& stroke : ink.strokes) {
    list.AddPolyline(stroke.points.data(), static_cast<int>(stroke.points.size()),
                     withAlpha(ui.theme.error, strength(stroke, ui.now_s)), 0, ui.px(kPenWidth));
  }
  if (!ink.strokes.empty()) redrawIn(ui, 0);
  if (inside && !ink.spotlight) drawGlow(ui, list, mouse);
}

}  // namespace warpscope
