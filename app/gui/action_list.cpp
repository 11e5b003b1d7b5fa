// The window's own actions, except for those on the time axis (time_actions.cpp).
#include <algorithm>
#include <array>

#include "app/gui/actions.h"
#include "app/gui/find/finder.h"
#include "app/gui/focus.h"
#include "app/gui/layouts.h"
#include "app/gui/lesson/lessons.h"
#include "app/gui/pages/pages.h"
#include "app/gui/panels.h"
#include "app/gui/programs.h"
#include "app/gui/start_page.h"

namespace warpscope {
namespace {

constexpr std::array kScales{0.75F, 0.875F, 1.0F, 1.125F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

void stepScale(ScreenState& screen, int direction) {
  if (direction > 0) {
    const auto next = std::upper_bound(kScales.begin(), kScales.end(), screen.scale + 0.001F);
    screen.scale = next == kScales.end() ? kScales.back() : *next;
  } else {
    const auto next = std::lower_bound(kScales.begin(), kScales.end(), screen.scale - 0.001F);
    screen.scale = next == kScales.begin() ? kScales.front() : *(next - 1);
  }
}

void selectByNumber(const Ui& ui, size_t index) {
  const auto& variants = ui.model.choice().family().variants;
  if (index < variants.size()) ui.model.selectVariant(variants[index].name);
}

void stepVariant(const Ui& ui, int direction) {
  const auto last = static_cast<int64_t>(ui.model.choice().family().variants.size()) - 1;
  const int64_t index = static_cast<int64_t>(ui.model.choice().variantIndex()) + direction;
  selectByNumber(ui, static_cast<size_t>(std::clamp<int64_t>(index, 0, last)));
}

void stepFamily(const Ui& ui, int direction) {
  const auto families = ui.model.choice().families();
  const auto at = std::ranges::find(families, &ui.model.choice().family()) - families.begin();
  const auto last = static_cast<ptrdiff_t>(families.size()) - 1;
  ui.model.selectFamily(families[static_cast<size_t>(std::clamp<ptrdiff_t>(at + direction, 0, last))]->name);
}

std::string whyNoChecks(const Ui& ui) {
  if (!ui.model.canCheck()) return tr("Only a simulated GPU can look for hazards.");
  return ui.model.choice().family().checked ? tr("Runs of this family are always checked.") : "";
}

std::string whyNoCounters(const Ui& ui) {
  return ui.model.canCount() ? "" : tr("Only a real GPU has hardware counters.");
}

void openKeyList(const Ui& ui) {
  ui.screen.help_open = true;
  ui.screen.key_list = {};
}

// On the page of the user's own kernel, its source; else the session.
void saveWhatIsShown(const Ui& ui) {
  if (ui.screen.page == "kernel" && ui.programs.isOpen()) {
    ui.programs.save();
  } else {
    ui.screen.files.save_wish = true;
  }
}

void toggleNotes(const Ui& ui) {
  ui.screen.files.notes_open = !ui.screen.files.notes_open;
  ui.screen.files.notes_begin = ui.screen.files.notes_open;
}

void addRunActions(std::vector<Action>& actions) {
  constexpr auto kRun = ActionGroup::kRun;
  actions.push_back(
      {"run.once", trMark("Run once"), kRun, "Ctrl+Enter", [](const Ui& ui) { ui.model.launch(); }});
  actions.push_back(
      {"run.stop", trMark("Stop the launch"), kRun, "", [](const Ui& ui) { ui.model.cancel(); },
       [](const Ui& ui) { return ui.model.feed().busy() ? std::string() : tr("Nothing is running."); }});
  actions.push_back({"run.live", trMark("Live on or off: every change runs at once"), kRun, "L",
                     [](const Ui& ui) { ui.model.setLive(!ui.model.live()); }});
  actions.push_back({"run.checks", trMark("Look for hazards, or not"), kRun, "",
                     [](const Ui& ui) { ui.model.setChecks(!ui.model.checks()); }, whyNoChecks});
  actions.push_back({"run.counters", trMark("Read hardware counters, or not"), kRun, "",
                     [](const Ui& ui) { ui.model.setCounters(!ui.model.counters()); }, whyNoCounters});
  actions.push_back({.id = "settings.undo",
                     .name = trMark("Undo a change of settings"),
                     .group = kRun,
                     .keys = "Ctrl+Z",
                     .act = [](const Ui& ui) { ui.model.undo(); },
                     .repeats = true});
  actions.push_back({.id = "settings.redo",
                     .name = trMark("Redo a change of settings"),
                     .group = kRun,
                     .keys = "Ctrl+Shift+Z Ctrl+Y",
                     .act = [](const Ui& ui) { ui.model.redo(); },
                     .repeats = true});
  actions.push_back({"settings.reset", trMark("Reset all settings of this family to their defaults"), kRun,
                     "", [](const Ui& ui) { ui.model.resetParameters(); }});
}

void addChoices(std::vector<Action>& actions) {
  const auto held = [&](const char* id, const char* name, const char* keys, auto act) {
    actions.push_back(
        {.id = id, .name = name, .group = ActionGroup::kRun, .keys = keys, .act = act, .repeats = true});
  };
  held("variant.previous", trMark("Previous variant"), "PageUp", [](const Ui& ui) { stepVariant(ui, -1); });
  held("variant.next", trMark("Next variant"), "PageDown", [](const Ui& ui) { stepVariant(ui, +1); });
  held("family.previous", trMark("Previous family"), "Ctrl+PageUp", [](const Ui& ui) { stepFamily(ui, -1); });
  held("family.next", trMark("Next family"), "Ctrl+PageDown", [](const Ui& ui) { stepFamily(ui, +1); });
  constexpr std::array kNumbered{
      trMark("Choose variant 1"), trMark("Choose variant 2"), trMark("Choose variant 3"),
      trMark("Choose variant 4"), trMark("Choose variant 5"), trMark("Choose variant 6"),
      trMark("Choose variant 7"), trMark("Choose variant 8"), trMark("Choose variant 9")};
  for (size_t i = 0; i < kNumbered.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    actions.push_back({"variant." + number, kNumbered[i], ActionGroup::kRun, number,
                       [i](const Ui& ui) { selectByNumber(ui, i); }});
  }
}

std::string whyNoLesson(const Ui& ui) {
  return ui.lessons.isOpen() ? std::string() : tr("No lesson is open.");
}

void addLessonActions(std::vector<Action>& actions) {
  constexpr auto kWindow = ActionGroup::kWindow;
  actions.push_back({.id = "lesson.choose",
                     .name = trMark("Lessons"),
                     .group = kWindow,
                     .keys = "",
                     .act = openStartPage,
                     .also = "lesson course teach lecture"});
  actions.push_back({.id = "lesson.next",
                     .name = trMark("The next step of the lesson"),
                     .group = kWindow,
                     .keys = "Alt+Right",
                     .act = [](const Ui& ui) { ui.lessons.go(1); },
                     .why_not = whyNoLesson});
  actions.push_back({.id = "lesson.back",
                     .name = trMark("The step before of the lesson"),
                     .group = kWindow,
                     .keys = "Alt+Left",
                     .act = [](const Ui& ui) { ui.lessons.go(-1); },
                     .why_not = whyNoLesson});
  actions.push_back({.id = "lesson.present",
                     .name = trMark("Present the lesson, or end that"),
                     .group = kWindow,
                     .keys = "Alt+Enter",
                     .act = [](const Ui& ui) { ui.lessons.present(ui, !ui.lessons.presenting()); },
                     .why_not = whyNoLesson});
  actions.push_back({.id = "lesson.close",
                     .name = trMark("Close the lesson"),
                     .group = kWindow,
                     .keys = "",
                     .act = [](const Ui& ui) { ui.screen.lesson_closes = true; },
                     .why_not = whyNoLesson});
}

void addFileActions(std::vector<Action>& actions) {
  actions.push_back({.id = "file.save",
                     .name = trMark("Save session"),
                     .group = ActionGroup::kFiles,
                     .keys = "Ctrl+S",
                     .act = saveWhatIsShown,
                     .while_typing = true});
  for (const FileActionInfo& info : fileActions()) {
    actions.push_back({.id = std::string("file.") + info.name,
                       .name = info.label,
                       .group = ActionGroup::kFiles,
                       .keys = info.keys,
                       .act = [&info](const Ui& ui) { ui.screen.files.wish = &info; },
                       .also = info.action == FileAction::kExport ? "export save file" : "file",
                       .while_typing = info.action != FileAction::kExport});
  }
  actions.push_back(
      {"file.notes", trMark("Notes, kept with the session"), ActionGroup::kFiles, "N", toggleNotes});
}

void addWindowActions(std::vector<Action>& actions) {
  constexpr auto kWindow = ActionGroup::kWindow;
  const auto held = [&](const char* id, const char* name, const char* keys, auto act) {
    actions.push_back({.id = id, .name = name, .group = kWindow, .keys = keys, .act = act, .repeats = true});
  };
  actions.push_back({"window.theme", trMark("Theme: dark, light, high contrast"), kWindow, "T",
                     [](const Ui& ui) { ui.screen.theme = nextTheme(ui.screen.theme); }});
  actions.push_back({"window.language", trMark("Language: English, Chinese"), kWindow, "Ctrl+L",
                     [](const Ui& ui) { ui.screen.language_wanted = otherLanguage().code; }});
  held("window.larger", trMark("Larger text and widgets"), "Ctrl+Shift+= Ctrl+= Ctrl+Keypad+",
       [](const Ui& ui) { stepScale(ui.screen, +1); });
  held("window.smaller", trMark("Smaller text and widgets"), "Ctrl+- Ctrl+Keypad-",
       [](const Ui& ui) { stepScale(ui.screen, -1); });
  actions.push_back({"window.normal_size", trMark("Text and widgets at 100 %"), kWindow,
                     "Ctrl+0 Ctrl+Keypad0", [](const Ui& ui) { ui.screen.scale = 1; }});
  actions.push_back({.id = "find.open",
                     .name = trMark("Find anything: places, settings, variants, actions, words"),
                     .group = kWindow,
                     .keys = "Ctrl+P",
                     .act = openFinder,
                     .while_typing = true});
  actions.push_back(
      {"window.single", trMark("One view alone, or all views"), kWindow, "F11", toggleSingleView});
  actions.push_back({"window.item_menu", trMark("Menu of what Tab's ring is at, or of the selected warp"),
                     kWindow, "Shift+F10 Menu", [](const Ui& ui) { ui.focus.openMenu(ui); }});
  for (const NamedLayout& named : builtInLayouts()) {
    actions.push_back({std::string("layout.") + named.name, named.action, kWindow, "",
                       [&named](const Ui& ui) { useLayout(ui, named); }});
  }
  actions.push_back(
      {"window.start_page", trMark("Start page: things to try, recent files"), kWindow, "", openStartPage});
  actions.push_back({"window.help", trMark("All keys: this list"), kWindow, "Shift+/ F1", openKeyList});
}

}  // namespace

std::vector<Action> windowActions() {
  std::vector<Action> actions;
  addRunActions(actions);
  addChoices(actions);
  for (Action& action : timeActions()) actions.push_back(std::move(action));
  for (Action& action : selectionActions()) actions.push_back(std::move(action));
  addFileActions(actions);
  addLessonActions(actions);
  addWindowActions(actions);
  return actions;
}

}  // namespace warpscope
