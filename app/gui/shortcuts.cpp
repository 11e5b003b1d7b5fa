// What a pressed key does: the action that has the key, unless text is being typed or something is open that
// takes the keys.
#include <GLFW/glfw3.h>

#include "app/gui/actions.h"
#include "app/gui/find/finder.h"
#include "app/gui/focus.h"
#include "app/gui/lesson/lessons.h"
#include "app/gui/note_editor.h"
#include "app/gui/panels.h"

namespace warpscope {

void handleShortcuts(const Ui& ui, std::span<const KeyPress> keys) {
  for (const KeyPress& press : keys) {
    if (ui.screen.files.takesKeys()) {
      if (press.key == GLFW_KEY_ESCAPE) ui.screen.files.close_wish = true;
      ui.screen.files.early.push_back(press);
      continue;
    }
    if (isModifier(press.key)) continue;
    if (ui.screen.find.open) {
      handleKeyInFinder(ui, press);
      continue;
    }
    if (ui.screen.help_open) {
      handleKeyInList(ui, press);
      continue;
    }
    if (ui.lessons.takeKey(ui, press)) continue;
    if (takePlayKey(ui, press)) continue;
    if (ui.focus.takeKey(ui, press)) continue;
    const Action* action = ui.actions.withKey(chordOf(press));
    if (ImGui::GetIO().WantTextInput) {
      if (press.key == GLFW_KEY_ESCAPE) {
        ui.screen.typing.clear();
        closeNoteEditor(ui);
      }
      if (action == nullptr || !action->while_typing) continue;
    }
    if (action != nullptr && (!press.repeated || action->repeats)) perform(ui, *action);
  }
}

}  // namespace warpscope
