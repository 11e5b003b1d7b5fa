#include "app/gui/ui.h"

#include <algorithm>
#include <cmath>

#include "app/gui/focus.h"
#include "viz/text/translate.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr double kTooltipDelay_s = 0.35;

struct Look {
  ImU32 fill, hovered, text;
};

Look lookOf(const Theme& theme, ButtonLook look) {
  switch (look) {
    case ButtonLook::kOn:
      return {mixColours(theme.panel, theme.accent, 0.30F), mixColours(theme.panel, theme.accent, 0.42F),
              theme.text};
    case ButtonLook::kQuiet:
      return {withAlpha(theme.text, 0), withAlpha(theme.text, 0.12F), theme.text_quiet};
    case ButtonLook::kPlain:
      break;
  }
  return {mixColours(theme.panel, theme.text, 0.09F), mixColours(theme.panel, theme.text, 0.17F), theme.text};
}

}  // namespace

std::string keysOrName(const Ui& ui, std::string_view action) {
  const std::string keys = ui.actions.shownKeys(action);
  const Action* known = ui.actions.find(action);
  return !keys.empty() || known == nullptr ? keys : trf("\"{}\"", tr(known->name));
}

void notify(const Ui& ui, const std::string& text, double seconds) {
  ui.screen.notice = text;
  ui.screen.notice_until_s = ui.now_s + seconds;
}

void redrawIn(const Ui& ui, double seconds) {
  const double at = ui.now_s + seconds;
  if (ui.screen.redraw_at_s == 0 || at < ui.screen.redraw_at_s) ui.screen.redraw_at_s = at;
}

bool wantsTooltip(const Ui& ui, const std::string& name) {
  if (!ImGui::IsItemHovered()) {
    if (ui.screen.hovered == name) ui.screen.hovered.clear();
    return false;
  }
  if (ui.screen.hovered != name) {
    ui.screen.hovered = name;
    ui.screen.hovered_since_s = ui.now_s;
  }
  const double left = ui.screen.hovered_since_s + kTooltipDelay_s - ui.now_s;
  if (left > 0) redrawIn(ui, left + 0.005);
  return left <= 0 && !ImGui::IsAnyMouseDown();
}

namespace {

// A tooltip of a widget in the column at the left appears beside that column, so that it never covers the
// next slider.
void placeBesideColumn(const Ui& ui, const std::string& title, const std::string& text, float width) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x;
  if (right > display.x * 0.4F) return;
  float height = ImGui::GetStyle().WindowPadding.y * 2;
  for (const std::string& part : {title, text}) {
    if (part.empty()) continue;
    height += ImGui::CalcTextSize(brokenLines(part, width).c_str()).y + ImGui::GetStyle().ItemSpacing.y;
  }
  const float top = std::min(ImGui::GetItemRectMin().y, display.y - height);
  ImGui::SetNextWindowPos({right + ui.px(14), std::max(top, 0.0F)});
}

}  // namespace

void helpTooltip(const Ui& ui, const std::string& name, const std::string& title, const std::string& text) {
  if (!wantsTooltip(ui, name)) return;
  constexpr float kWidth = 330;
  placeBesideColumn(ui, title, text, ui.px(kWidth));
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ui.report.widget("tooltip", at, {at.x + size.x, at.y + size.y});
  if (!title.empty()) textWrapped(title, ui.px(kWidth));
  if (!text.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, title.empty() ? ui.theme.text : ui.theme.text_quiet);
    textWrapped(text, ui.px(kWidth));
    ImGui::PopStyleColor();
  }
  ImGui::EndTooltip();
}

void copyText(const Ui& ui, const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  notify(ui, trf("Copied: {}", text));
}

void copyOnRightClick(const Ui& ui, const std::string& value) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) copyText(ui, value);
}

int keepTyped(ImGuiInputTextCallbackData* data) {
  if (!isReset(*data))
    static_cast<std::string*>(data->UserData)->assign(data->Buf, static_cast<size_t>(data->BufTextLen));
  return 0;
}

float buttonWidth(const char* label) {
  return std::ceil(ImGui::CalcTextSize(label, nullptr, true).x + ImGui::GetStyle().FramePadding.x * 2);
}

bool button(const Ui& ui, const std::string& name, const char* label, ButtonLook look, float width) {
  const Look colours = lookOf(ui.theme, look);
  ImGui::PushID(name.c_str());
  ImGui::PushStyleColor(ImGuiCol_Button, colours.fill);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, colours.hovered);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, colours.hovered);
  ImGui::PushStyleColor(ImGuiCol_Text, colours.text);
  const bool pressed = ImGui::Button(label, ImVec2(width, 0));
  ImGui::PopStyleColor(4);
  ImGui::PopID();
  ui.report.widgetOfLastItem(name);
  ui.report.text(name, label);
  return pressed;
}

std::string provenanceLabel(const DeviceDescription& device) {
  const char* provenance = tr(provenanceName(device.provenance));
  return device.kind == DeviceKind::kRecorded ? trf("recorded, {}", provenance) : provenance;
}

float badgeWidth(const Ui& ui, const char* label) {
  return ImGui::CalcTextSize(label).x + ui.px(14);
}

void outlinedBadge(const Ui& ui, const char* label, ImVec2 at, float height, float alpha) {
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(badgeWidth(ui, label), height));
  const ImVec2 max(at.x + badgeWidth(ui, label), at.y + height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(at, max, withAlpha(ui.theme.text_quiet, alpha), height / 2, 0, ui.px(1.2F));
  list.AddText(ImVec2(at.x + ui.px(7), at.y + (height - ImGui::GetTextLineHeight()) / 2),
               withAlpha(ui.theme.text, alpha), label);
}

void provenanceBadge(const Ui& ui, const std::string& name, const DeviceDescription& device) {
  const std::string label = provenanceLabel(device);
  const float height = ImGui::GetTextLineHeight() + ui.px(4);
  const float frame = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 min(at.x, at.y + (frame - height) / 2);
  if (device.provenance == Provenance::kMeasured) {
    const ImVec2 max(at.x + badgeWidth(ui, label.c_str()), min.y + height);
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, mixColours(ui.theme.panel, ui.theme.text, 0.14F),
                                              height / 2);
    ImGui::GetWindowDrawList()->AddText(ImVec2(min.x + ui.px(7), min.y + ui.px(2)), ui.theme.text,
                                        label.c_str());
  } else {
    outlinedBadge(ui, label.c_str(), min, height);
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(badgeWidth(ui, label.c_str()), frame));
  ui.report.widgetOfLastItem(name);
}

void heading(const Ui& ui, const char* text) {
  pushFont(ui.fonts.title);
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

SliderAnswer stepSlider(const Ui& ui, const std::string& name, size_t position, size_t count, float width) {
  const float height = ui.px(22);
  const float knob = ui.px(7.5F);
  ImGui::PushID(name.c_str());
  ImGui::InvisibleButton("##slider", ImVec2(width, height));
  ImGui::PopID();
  ui.report.widgetOfLastItem(name);
  const ImVec2 min = ImGui::GetItemRectMin();
  const float left = min.x + knob;
  const float right = min.x + width - knob;
  const float middle = min.y + height / 2;
  const float last = static_cast<float>(count > 1 ? count - 1 : 1);
  const auto x_of = [&](size_t index) { return left + (right - left) * static_cast<float>(index) / last; };

  SliderAnswer answer;
  answer.activated = ImGui::IsItemActivated();
  if (const int steps = ui.focus.takeSteps(name); steps != 0 && count > 0) {
    const auto last_position = static_cast<int64_t>(count) - 1;
    const auto moved = std::clamp<int64_t>(static_cast<int64_t>(position) + steps, 0, last_position);
    answer.activated = true;
    if (moved != static_cast<int64_t>(position)) answer.moved_to = static_cast<size_t>(moved);
  }
  if (ImGui::IsItemActive() && count > 1) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - left) / (right - left), 0.0F, 1.0F);
    const auto index = static_cast<size_t>(std::lround(share * last));
    if (index != position) answer.moved_to = index;
    position = index;
  }

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  const float thin = ui.px(2);
  const ImU32 track = mixColours(ui.theme.panel, ui.theme.text, 0.25F);
  const float x = x_of(std::min(position, count > 0 ? count - 1 : 0));
  list.AddRectFilled(ImVec2(left, middle - thin), ImVec2(right, middle + thin), track, thin);
  list.AddRectFilled(ImVec2(left, middle - thin), ImVec2(x, middle + thin), ui.theme.accent, thin);
  // If there are few positions, dots show where the knob can go.
  if (count > 1 && (right - left) / last >= ui.px(9)) {
    for (size_t i = 0; i < count; ++i) {
      list.AddCircleFilled(ImVec2(x_of(i), middle), ui.px(2.2F), i <= position ? ui.theme.accent : track);
    }
  }
  // With a single position it cannot move, and is grey.
  const ImU32 colour = count > 1 ? ui.theme.accent : track;
  list.AddCircleFilled(ImVec2(x, middle), lit ? knob : knob - ui.px(1), colour, 24);
  list.AddCircleFilled(ImVec2(x, middle), (lit ? knob : knob - ui.px(1)) - ui.px(2.5F), ui.theme.panel, 24);
  return answer;
}

const Language& otherLanguage() {
  const auto all = languages();
  return &language() == &all.front() ? all.back() : all.front();
}

const char* themeLabel(ThemeKind kind) {
  switch (kind) {
    case ThemeKind::kDark:
      return tr("Dark");
    case ThemeKind::kLight:
      return tr("Light");
    case ThemeKind::kHighContrast:
      return tr("Contrast");
  }
  return "";
}

const char* themeSettingsName(ThemeKind kind) {
  switch (kind) {
    case ThemeKind::kDark:
      return "dark";
    case ThemeKind::kLight:
      return "light";
    case ThemeKind::kHighContrast:
      return "contrast";
  }
  return "";
}

std::optional<ThemeKind> findTheme(const std::string& name) {
  for (const ThemeKind kind : {ThemeKind::kDark, ThemeKind::kLight, ThemeKind::kHighContrast}) {
    if (name == themeSettingsName(kind)) return kind;
  }
  return std::nullopt;
}

ThemeKind nextTheme(ThemeKind kind) {
  switch (kind) {
    case ThemeKind::kDark:
      return ThemeKind::kLight;
    case ThemeKind::kLight:
      return ThemeKind::kHighContrast;
    case ThemeKind::kHighContrast:
      break;
  }
  return ThemeKind::kDark;
}

}  // namespace warpscope
