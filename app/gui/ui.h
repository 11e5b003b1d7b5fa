// The context that every panel of the window gets, and the small widgets that panels share. Each widget
// reports its rectangle by name, for tests.
#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <string>

#include "app/gui/file_state.h"
#include "app/gui/find/find_state.h"
#include "app/gui/item_menu.h"
#include "app/gui/key_list_state.h"
#include "app/gui/model/model.h"
#include "app/gui/playback.h"
#include "app/gui/report.h"
#include "app/gui/settings.h"
#include "app/gui/stage.h"
#include "viz/text/translate.h"
#include "viz/widgets/theme.h"

namespace warpscope {

class Actions;
class Focus;
class Lessons;
class Pages;
class Programs;

// A picture to be saved, of a view or of the window (""): pixels as PNG, or shapes and text as SVG.
struct PictureWish {
  std::string view;
  bool svg = false;
  std::filesystem::path path{};
};

// State of the window that is not part of the model.
struct ScreenState {
  ThemeKind theme = ThemeKind::kDark;
  std::string language;  // as chosen, even if it cannot be shown here; empty: the environment's
  std::optional<std::string> language_wanted;  // from the next frame on
  float scale = 1;
  PanelSizes panels;
  std::string upper_tab = "occupancy", lower_tab = "bandwidth";  // names of views
  std::string code_tab = "code";                                 // or "details", which a selection opens
  std::string page;                                              // Page::name(); empty, or unknown: the first
  bool start_page_open = false, start_page_dismissed = false;  // the second: it does not come by itself again
  Stage stage;
  std::map<std::string, WindowLayout> layouts;  // the user's own, by name
  std::string layout_name;                      // as it is typed, to save one
  bool help_open = false;
  KeyListState key_list;
  FindState find;
  PlaybackState playback;
  std::optional<PictureWish> save_picture;
  FileState files;
  ItemMenu item_menu;
  bool lesson_closes = false;  // after this frame
  std::string notice;          // one line at the bottom, until notice_until_s
  double notice_until_s = 0;
  double redraw_at_s = 0;  // when to draw again without input; 0: no need
  double picture_ms = 0;   // from the request of the shown run until its first frame was presented
  // The parameter whose value is being typed, and what was typed.
  std::string typing, typed, typing_error;
  bool typing_begins = false;
  std::string variant_in_sight;  // the list of variants was scrolled to it when it was chosen
  // The widget under the mouse and since when, for tooltips that appear after a moment.
  std::string hovered;
  double hovered_since_s = 0;
};

struct Ui;
std::string keysOrName(const Ui& ui, std::string_view action);  // what a text calls an action by

struct Ui {
  Model& model;
  ScreenState& screen;
  const Theme& theme;
  const Fonts& fonts;
  Report& report;
  const Pages& pages;
  Actions& actions;
  Focus& focus;
  Programs& programs;
  Lessons& lessons;
  double now_s = 0;

  float px(float pixels) const { return pixels * theme.scale; }
  Canvas canvas() const {
    return {&theme, &fonts, &report, [this](const ShownItem& item) { pickItem(*this, item, false); },
            [this](std::string_view action) { return keysOrName(*this, action); }};
  }
};

void notify(const Ui& ui, const std::string& text, double seconds = 4);
void redrawIn(const Ui& ui, double seconds);

// True once the mouse has rested on the last item for a moment: time for its tooltip.
bool wantsTooltip(const Ui& ui, const std::string& name);
void helpTooltip(const Ui& ui, const std::string& name, const std::string& title, const std::string& text);
void copyText(const Ui& ui, const std::string& text);  // to the clipboard, and says so
// A right click on the last item copies `value`.
void copyOnRightClick(const Ui& ui, const std::string& value);

// For InputText with CallbackEdit: keeps the text as it is typed, in the std::string that is the user data,
// also if Escape leaves the field, which would undo everything typed since the field got the focus.
int keepTyped(ImGuiInputTextCallbackData* data);

enum class ButtonLook { kPlain, kOn, kQuiet };
// Drawn at the cursor, as high as a frame; width 0: as wide as the label.
bool button(const Ui& ui, const std::string& name, const char* label, ButtonLook look = ButtonLook::kPlain,
            float width = 0);
float buttonWidth(const char* label);

// A badge, filled for "measured" and an outline for "modelled", so that the two never look the same.
void provenanceBadge(const Ui& ui, const std::string& name, const DeviceDescription& device);
// The outline alone; it is Dear ImGui's last item afterwards.
void outlinedBadge(const Ui& ui, const char* label, ImVec2 at, float height, float alpha = 1);
float badgeWidth(const Ui& ui, const char* label);
std::string provenanceLabel(const DeviceDescription& device);

// A small heading in the title font.
void heading(const Ui& ui, const char* text);

// A slider that moves through `count` positions. At the cursor, `width` wide.
struct SliderAnswer {
  bool activated = false;  // the mouse went down on it: an edit begins
  std::optional<size_t> moved_to;
};
SliderAnswer stepSlider(const Ui& ui, const std::string& name, size_t position, size_t count, float width);

const Language& otherLanguage();  // what the language button changes to

const char* themeLabel(ThemeKind kind);                       // "Dark"
const char* themeSettingsName(ThemeKind kind);                // "dark"
std::optional<ThemeKind> findTheme(const std::string& name);  // of the settings' name
ThemeKind nextTheme(ThemeKind kind);

}  // namespace warpscope
