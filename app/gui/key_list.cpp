// The list that `?` shows: every action with its keys, which can be changed here, and what the mouse does.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "app/gui/actions.h"
#include "app/gui/overlay_box.h"
#include "app/gui/panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kListWidth = 640, kListHeight = 720, kKeyColumn = 250, kRow = 23;  // pixels at 100 %
constexpr ImGuiWindowFlags kOverlay = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;

// What is no action, and cannot be changed.
struct FixedLine {
  const char* gesture;
  const char* what;
};

constexpr std::array kRing{
    FixedLine{trMark("Tab"),
              trMark("a ring at the next control, legend entry or picture; with Shift, the one before")},
    FixedLine{trMark("Left, Right, Up, Down"),
              trMark("the nearest one there, or a slider's value; in a picture, move the pointer")},
    FixedLine{trMark("Enter"), trMark("click what the ring or its pointer is at")},
    FixedLine{trMark("PageUp, PageDown"), trMark("in a picture: scroll, or zoom, as the wheel does")},
    FixedLine{trMark("Escape"), trMark("close a menu, or hide the ring")},
};

constexpr std::array kMouse{
    FixedLine{trMark("Wheel"), trMark("zoom the timeline at the cursor")},
    FixedLine{trMark("Shift wheel"), trMark("scroll the rows of the timeline")},
    FixedLine{trMark("Ctrl wheel"), trMark("make the rows of the timeline higher or lower")},
    FixedLine{trMark("Drag"), trMark("select a range of the timeline; over its axis: measure")},
    FixedLine{trMark("Shift drag"), trMark("add a range to the selection")},
    FixedLine{trMark("Shift click"), trMark("add a warp to the selection, or take it out")},
    FixedLine{trMark("Ctrl drag, middle drag"), trMark("move the timeline")},
    FixedLine{trMark("Click"), trMark("select a warp and its region")},
    FixedLine{trMark("Double click"), trMark("zoom to a span")},
    FixedLine{trMark("Ctrl click"), trMark("on a variant: run it and keep it for comparison")},
    FixedLine{trMark("Right click"),
              trMark("pin or copy what is under the mouse; on a view's title: save the view as a picture")},
};

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// Every word of the search occurs in one of the texts.
bool matches(const KeyListState& list, std::initializer_list<std::string> texts) {
  std::string_view rest = list.search.data();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string word = lowered(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (std::ranges::none_of(
            texts, [&](const std::string& text) { return lowered(text).find(word) != std::string::npos; }))
      return false;
  }
  return true;
}

bool isListed(const Ui& ui, const Action& action) {
  return matches(ui.screen.key_list,
                 {tr(action.name), action.name, ui.actions.shownKeys(action.id), titleOf(action.group)});
}

// In the order in which they are drawn.
std::vector<const Action*> listedActions(const Ui& ui) {
  std::vector<const Action*> listed;
  for (const ActionGroup group : kActionGroups) {
    for (const Action& action : ui.actions.all()) {
      if (action.group == group && isListed(ui, action)) listed.push_back(&action);
    }
  }
  return listed;
}

void moveMark(const Ui& ui, int64_t rows) {
  KeyListState& list = ui.screen.key_list;
  const auto listed = listedActions(ui);
  if (listed.empty()) return;
  const auto at = std::ranges::find(listed, list.marked, [](const Action* action) { return action->id; });
  const int64_t row = at == listed.end() ? 0 : at - listed.begin() + rows;
  list.marked = listed[static_cast<size_t>(std::clamp<int64_t>(row, 0, std::ssize(listed) - 1))]->id;
  list.to_marked = true;
}

void stopChanging(KeyListState& list) {
  list.changing.clear();
  list.wanted.reset();
  list.begins = true;
}

void takeWanted(const Ui& ui) {
  KeyListState& list = ui.screen.key_list;
  if (const Action* action = ui.actions.find(list.changing); action != nullptr && list.wanted)
    ui.actions.setKeys(*action, {*list.wanted});
  stopChanging(list);
}

// The key pressed for the action whose key is being changed.
void takeNewKey(const Ui& ui, const KeyPress& press) {
  KeyListState& list = ui.screen.key_list;
  const Action* action = ui.actions.find(list.changing);
  const bool plain = !press.control && !press.shift && !press.alt;
  if (list.wanted && plain && press.key == GLFW_KEY_ENTER) return takeWanted(ui);
  if (action == nullptr || (plain && press.key == GLFW_KEY_ESCAPE)) return stopChanging(list);
  if (plain && press.key == GLFW_KEY_BACKSPACE) {
    ui.actions.setKeys(*action, {});
    return stopChanging(list);
  }
  if (plain && press.key == GLFW_KEY_DELETE) {
    ui.actions.reset(*action);
    return stopChanging(list);
  }
  list.wanted = chordOf(press);
  if (keyName(*list.wanted).empty()) return list.wanted.reset();
  const Action* other = ui.actions.withKey(*list.wanted);
  if (other == nullptr || other == action) takeWanted(ui);
}

void beginChanging(KeyListState& list, const std::string& action) {
  stopChanging(list);
  list.marked = list.changing = action;
}

void drawGroupTitle(const Ui& ui, const char* title) {
  ImGui::Dummy({0, ui.px(4)});
  heading(ui, title);
}

void drawLine(const Ui& ui, const std::string& what, const std::string& keys, ImVec2 at, float width,
              ImU32 ink) {
  const float column = std::min(ui.px(kKeyColumn), width * 0.45F);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + (ui.px(kRow) - ImGui::GetTextLineHeight()) / 2;
  drawTextFitted(draw, ui.fonts.text, {at.x + ui.px(6), y}, width - column - ui.px(16), ui.theme.text,
                 what.c_str());
  drawTextFitted(draw, ui.fonts.text, {at.x + width - column, y}, column, ink, keys.c_str());
}

void drawAction(const Ui& ui, const Action& action) {
  KeyListState& list = ui.screen.key_list;
  const std::string name = "help." + action.id;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (ImGui::InvisibleButton(name.c_str(), {width, ui.px(kRow)})) beginChanging(list, action.id);
  const bool marked = list.marked == action.id;
  if (marked && std::exchange(list.to_marked, false)) ImGui::SetScrollHereY();
  const std::string keys = ui.actions.shownKeys(action.id);
  ui.report.widgetOfLastItem(name);
  ui.report.text(name, keys);
  const bool hovered = ImGui::IsItemHovered();
  helpTooltip(ui, name, tr(action.name), tr("Click, or Enter, changes its key."));
  const ImVec2 max(at.x + width, at.y + ui.px(kRow));
  if (marked || hovered)
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, max, withAlpha(marked ? ui.theme.accent : ui.theme.text, 0.15F), ui.px(3));
  const bool changed = ui.actions.isChanged(action);
  const std::string shown = list.changing == action.id ? tr("press the new key") : keys.empty() ? "—" : keys;
  drawLine(ui, tr(action.name), changed ? shown + "  *" : shown, at, width,
           changed || list.changing == action.id ? ui.theme.accent : ui.theme.text_quiet);
}

// Whether any of them is listed.
bool drawFixed(const Ui& ui, const char* title, std::span<const FixedLine> lines) {
  bool titled = false;
  for (const FixedLine& line : lines) {
    if (!matches(ui.screen.key_list, {tr(line.gesture), line.gesture, tr(line.what), line.what, title}))
      continue;
    if (!std::exchange(titled, true)) drawGroupTitle(ui, title);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({width, ui.px(kRow)});
    drawLine(ui, tr(line.what), tr(line.gesture), at, width, ui.theme.text_quiet);
    ui.report.text(std::string("help.fixed.") + line.gesture, tr(line.what));
  }
  return titled;
}

void drawRows(const Ui& ui) {
  const auto listed = listedActions(ui);
  KeyListState& list = ui.screen.key_list;
  const bool seen =
      std::ranges::any_of(listed, [&](const Action* action) { return action->id == list.marked; });
  if (!seen) list.marked = listed.empty() ? "" : listed.front()->id;
  for (size_t i = 0; i < listed.size(); ++i) {
    if (i == 0 || listed[i]->group != listed[i - 1]->group) drawGroupTitle(ui, titleOf(listed[i]->group));
    drawAction(ui, *listed[i]);
  }
  const bool ring = drawFixed(ui, tr("Tab's ring"), kRing), mouse = drawFixed(ui, tr("Mouse"), kMouse);
  if (listed.empty() && !ring && !mouse) ImGui::TextUnformatted(tr("Nothing is called that."));
}

// What to press now, or which action already has the key.
void drawHint(const Ui& ui) {
  KeyListState& list = ui.screen.key_list;
  const Action* changing = ui.actions.find(list.changing);
  std::string hint = tr("Up, Down and Enter, or a click, change a key. * marks changed ones.");
  if (changing != nullptr && list.wanted) {
    const Action* other = ui.actions.withKey(*list.wanted);
    hint = trf("{} is the key of '{}'. Enter takes it for '{}', Escape leaves it there.",
               shownKey(*list.wanted), other == nullptr ? "" : tr(other->name), tr(changing->name));
  } else if (changing != nullptr) {
    hint =
        trf("Press the new key for \"{}\". Escape: leave it as it is. Delete: the default. Backspace: none.",
            tr(changing->name));
  }
  ImGui::PushStyleColor(ImGuiCol_Text, changing != nullptr ? ui.theme.accent : ui.theme.text_quiet);
  textWrapped(hint);
  ImGui::PopStyleColor();
  ui.report.widgetOfLastItem("help.hint");
  ui.report.text("help.hint", hint);
}

void drawHead(const Ui& ui) {
  KeyListState& list = ui.screen.key_list;
  const float buttons = buttonWidth(tr("Start page")) + buttonWidth(tr("Reset all keys")) +
                        buttonWidth(tr("Close")) + ui.px(12);
  pushFont(ui.fonts.title);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("KEYS AND MOUSE"));
  ImGui::PopFont();
  ImGui::SameLine(0, ui.px(12));
  const float room = ImGui::GetContentRegionAvail().x - buttons - ui.px(12);
  ImGui::SetNextItemWidth(std::max(room, ui.px(60)));
  if (std::exchange(list.begins, false)) ImGui::SetKeyboardFocusHere();
  ImGui::InputTextWithHint("##search", tr("Search"), list.search.data(), list.search.size());
  ui.report.widgetOfLastItem("help.search");
  ImGui::SameLine(0, ui.px(12));
  if (button(ui, "help.start", tr("Start page"))) perform(ui, "window.start_page");
  helpTooltip(ui, "help.start", "", tr("Three things to try, and recent files."));
  ImGui::SameLine(0, ui.px(6));
  if (button(ui, "help.reset", tr("Reset all keys"))) ui.actions.resetAll();
  helpTooltip(ui, "help.reset", "", tr("Every action has its default keys again."));
  ImGui::SameLine(0, ui.px(6));
  if (button(ui, "help.close", tr("Close"))) ui.screen.help_open = false;
}

}  // namespace

void handleKeyInList(const Ui& ui, const KeyPress& press) {
  KeyListState& list = ui.screen.key_list;
  if (!list.changing.empty()) return takeNewKey(ui, press);
  constexpr int64_t kPage = 12;
  switch (press.key) {
    case GLFW_KEY_UP:
      return moveMark(ui, -1);
    case GLFW_KEY_DOWN:
      return moveMark(ui, +1);
    case GLFW_KEY_PAGE_UP:
      return moveMark(ui, -kPage);
    case GLFW_KEY_PAGE_DOWN:
      return moveMark(ui, +kPage);
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      if (!list.marked.empty()) beginChanging(list, list.marked);
      return;
    case GLFW_KEY_ESCAPE:
      ui.screen.help_open = false;
      return;
    default:
      break;
  }
  // The key that opened the list closes it, unless it is part of a search.
  const Action* action = ui.actions.withKey(chordOf(press));
  if (action != nullptr && action->id == "window.help" && list.search[0] == '\0') ui.screen.help_open = false;
}

void drawBackdrop(const Ui& ui) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, withAlpha(ui.theme.panel, 0.55F));
  ImGui::Begin("##backdrop", nullptr, kOverlay | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::End();
  ImGui::PopStyleColor();
}

void drawKeyList(const Ui& ui) {
  if (!ui.screen.help_open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  drawBackdrop(ui);
  const ImVec2 size(std::min(ui.px(kListWidth), display.x - ui.px(16)),
                    std::min(ui.px(kListHeight), display.y - ui.px(16)));
  ImGui::SetNextWindowPos(ImVec2((display.x - size.x) / 2, (display.y - size.y) / 2));
  ImGui::SetNextWindowSize(size);
  const OverlayBox box(ui, "##help", {16, 12}, 8);
  drawHead(ui);
  drawHint(ui);
  ImGui::BeginChild("##rows", ImGui::GetContentRegionAvail(), false, ImGuiWindowFlags_NoNav);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.px(4), ui.px(1)});
  drawRows(ui);
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ui.report.widget("help", ImGui::GetWindowPos(),
                   {ImGui::GetWindowPos().x + size.x, ImGui::GetWindowPos().y + size.y});
  const bool inside = ImGui::IsMouseHoveringRect(
      ImGui::GetWindowPos(), {ImGui::GetWindowPos().x + size.x, ImGui::GetWindowPos().y + size.y}, false);
  const bool clicked_beside =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !inside && !ImGui::IsWindowAppearing();
  if (clicked_beside) ui.screen.help_open = false;
}

}  // namespace warpscope
