#include "app/gui/find/finder.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstring>

#include "app/gui/actions.h"
#include "app/gui/find/find_go.h"
#include "app/gui/overlay_box.h"
#include "app/gui/panels.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kFinderWidth = 680, kRow = 23, kKindWidth = 104, kEffectHeight = 92;  // pixels at 100 %
constexpr size_t kRows = 12;

void setTyped(FindState& find, const std::string& text) {
  find.typed.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), find.typed.size() - 1), find.typed.begin());
  ++find.field;
  find.begins = true;
}

void moveMark(FindState& find, int64_t rows) {
  if (find.found.empty()) return;
  const int64_t row = static_cast<int64_t>(find.marked) + rows;
  find.marked = static_cast<size_t>(std::clamp<int64_t>(row, 0, std::ssize(find.found) - 1));
  find.to_marked = true;
}

int moveCursorToEnd(ImGuiInputTextCallbackData* data) {
  auto& begins = *static_cast<bool*>(data->UserData);
  if (begins) {
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
    begins = false;
  }
  return 0;
}

void remember(FindState& find, const std::string& id) {
  if (id.empty()) return;
  std::erase(find.recent, id);
  find.recent.insert(find.recent.begin(), id);
  if (find.recent.size() > kMostRecentFinds) find.recent.resize(kMostRecentFinds);
}

std::string keysOf(const Ui& ui, const FindEntry& entry) {
  if (entry.kind == FindKind::kAction) return ui.actions.shownKeys(entry.name);
  return entry.kind == FindKind::kPage ? ui.actions.shownKeys("page." + entry.name) : "";
}

// True: it was clicked.
bool drawRow(const Ui& ui, const FindEntry& entry, size_t row, bool marked) {
  const std::string name = fmt::format("find.row.{}", row);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ui.px(kRow);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {width, height});
  ui.report.widgetOfLastItem(name);
  ui.report.text(name, std::string(titleOf(entry.kind)) + ": " + entry.title);
  const ImVec2 max(at.x + width, at.y + height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (marked || ImGui::IsItemHovered())
    list.AddRectFilled(at, max, withAlpha(marked ? ui.theme.accent : ui.theme.text, marked ? 0.22F : 0.08F),
                       ui.px(3));
  const float y = at.y + (height - ImGui::GetTextLineHeight()) / 2;
  const std::string keys = keysOf(ui, entry);
  const float keys_width = keys.empty() ? 0 : ImGui::CalcTextSize(keys.c_str()).x + ui.px(12);
  drawTextFitted(list, ui.fonts.text, {at.x + ui.px(6), y}, ui.px(kKindWidth - 10), ui.theme.text_quiet,
                 titleOf(entry.kind));
  const bool is_code = entry.kind == FindKind::kLine || entry.kind == FindKind::kInstruction;
  drawTextFitted(list, is_code ? ui.fonts.mono : ui.fonts.text, {at.x + ui.px(kKindWidth), y},
                 width - ui.px(kKindWidth) - keys_width - ui.px(6),
                 entry.problem.empty() ? ui.theme.text : ui.theme.text_quiet, entry.title.c_str());
  if (!keys.empty()) list.AddText({max.x - keys_width + ui.px(4), y}, ui.theme.text_quiet, keys.c_str());
  return clicked;
}

}  // namespace

void openFinder(const Ui& ui) {
  FindState& find = ui.screen.find;
  find.open = true;
  find.searched_version = 0;
  find.accepted = false;
  setTyped(find, "");
}

void handleKeyInFinder(const Ui& ui, const KeyPress& press) {
  FindState& find = ui.screen.find;
  constexpr auto kPage = static_cast<int64_t>(kRows) - 1;
  switch (press.key) {
    case GLFW_KEY_UP:
      return moveMark(find, -1);
    case GLFW_KEY_DOWN:
      return moveMark(find, +1);
    case GLFW_KEY_PAGE_UP:
      return moveMark(find, -kPage);
    case GLFW_KEY_PAGE_DOWN:
      return moveMark(find, +kPage);
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      find.accepted = true;  // after what was typed with it has been searched
      return;
    case GLFW_KEY_ESCAPE:
      find.open = false;
      return;
    default:
      break;
  }
  const Action* action = ui.actions.withKey(chordOf(press));
  if (action != nullptr && action->id == "find.open") find.open = false;
}

void Finder::search(const Ui& ui) {
  FindState& find = ui.screen.find;
  const uint64_t version = index_.update(ui);
  const std::string typed = find.typed.data();
  if (version == find.searched_version && typed == find.searched) return;
  find.searched_version = version;
  find.searched = typed;
  find.found =
      soughtWords(typed).empty() ? index_.recent(ui, find.recent) : index_.search(ui, typed, kMostFound);
  find.marked = 0;
  find.to_marked = true;
}

void Finder::accept(const Ui& ui) {
  FindState& find = ui.screen.find;
  if (find.marked >= find.found.size()) return;
  const FindEntry entry = find.found[find.marked];
  if (entry.to_complete) {
    setTyped(find, entry.name + " ");
  } else if (!entry.problem.empty()) {
    find.begins = true;  // the field keeps the keyboard: the reason is below it
    ++find.field;
  } else {
    find.open = false;
    remember(find, idOf(ui, entry));
    goTo(ui, entry);
  }
}

void Finder::drawField(const Ui& ui) const {
  FindState& find = ui.screen.find;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  ImGui::PushID(find.field);
  // The field of this frame takes the keyboard; the cursor is placed once it has it.
  if (find.begins) ImGui::SetKeyboardFocusHere();
  ImGui::InputTextWithHint("##find",
                           tr("b12 w3, line 27, block 512, a variant, an action, what is a wavefront ..."),
                           find.typed.data(), find.typed.size(), ImGuiInputTextFlags_CallbackAlways,
                           moveCursorToEnd, &find.begins);
  ImGui::PopID();
  // Whatever else is typed while the field is open is meant for it.
  if (!ImGui::IsItemActive() && !ImGui::IsAnyMouseDown()) find.begins = true;
  ui.report.widgetOfLastItem("find.field");
  ui.report.text("find.field", find.typed.data());
}

void Finder::drawRows(const Ui& ui, float height) {
  FindState& find = ui.screen.find;
  ImGui::BeginChild("##found", {0, height}, false, ImGuiWindowFlags_NoNav);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  for (size_t row = 0; row < find.found.size(); ++row) {
    if (drawRow(ui, find.found[row], row, row == find.marked)) {
      find.marked = row;
      find.accepted = true;
    }
    if (row == find.marked && std::exchange(find.to_marked, false)) ImGui::SetScrollHereY();
  }
  ImGui::PopStyleVar();
  if (find.found.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
    textWrapped(soughtWords(find.searched).empty() ? tr("What you choose here comes first the next time.")
                                                   : tr("Nothing is called that."));
    ImGui::PopStyleColor();
  }
  ImGui::EndChild();
}

void Finder::drawEffect(const Ui& ui) const {
  const FindState& find = ui.screen.find;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y},
                                      ui.theme.grid_line);
  ImGui::Dummy({0, ui.px(3)});
  ImGui::BeginChild("##effect", {0, ImGui::GetContentRegionAvail().y}, false, ImGuiWindowFlags_NoNav);
  if (find.marked < find.found.size()) {
    const FindEntry& entry = find.found[find.marked];
    const std::string text = effectOf(ui, entry);
    ImGui::PushStyleColor(ImGuiCol_Text, entry.problem.empty() ? ui.theme.text : ui.theme.warning);
    textWrapped(text);
    ImGui::PopStyleColor();
    ui.report.text("find.effect", text);
    ui.report.widgetOfLastItem("find.effect");
  }
  ImGui::EndChild();
}

bool Finder::drawBox(const Ui& ui) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  drawBackdrop(ui);
  const float width = std::min(ui.px(kFinderWidth), display.x - ui.px(16));
  const float fixed = ImGui::GetFrameHeight() + ui.px(kEffectHeight + 34);
  const float rows = std::min(ui.px(kRow) * static_cast<float>(kRows), display.y - fixed - ui.px(24));
  const ImVec2 size(width, fixed + std::max(rows, ui.px(kRow) * 2));
  const ImVec2 at((display.x - width) / 2,
                  std::max(ui.px(8), std::min(display.y * 0.12F, display.y - size.y - ui.px(8))));
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  const OverlayBox box(ui, "##finder", {12, 10}, 8);
  drawField(ui);
  search(ui);
  ImGui::Dummy({0, ui.px(2)});
  drawRows(ui, std::max(rows, ui.px(kRow) * 2));
  drawEffect(ui);
  const ImVec2 max(at.x + size.x, at.y + size.y);
  ui.report.widget("find", at, max);
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
         !ImGui::IsMouseHoveringRect(at, max, false);
}

void Finder::draw(const Ui& ui) {
  FindState& find = ui.screen.find;
  if (!find.open) return;
  const bool closes = drawBox(ui);
  if (std::exchange(find.accepted, false)) accept(ui);
  if (closes) find.open = false;
}

}  // namespace warpscope
