#include "app/gui/item_menu.h"

#include <imgui.h>

#include <algorithm>

#include "app/gui/ui.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

bool menuItem(const Ui& ui, const char* name, const char* label) {
  const bool clicked = ImGui::MenuItem(label);
  ui.report.widgetOfLastItem(std::string("item.") + name);
  return clicked;
}

}  // namespace

void pickItem(const Ui& ui, ShownItem item, bool of_shown) {
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  if (item.run.empty() && of_shown && run != nullptr) {
    item.run = runText(*run);
    item.command = windowCommand(*run, item.where);
  } else if (item.run.empty() && ui.model.devices().description() != nullptr) {
    item.run = ui.model.choice().family().name + " on " + ui.model.devices().description()->name;
  }
  ui.screen.item_menu = {std::move(item), true};
}

void drawItemMenu(const Ui& ui) {
  ItemMenu& menu = ui.screen.item_menu;
  if (!menu.item) return;
  if (std::exchange(menu.opens, false)) ImGui::OpenPopup("item_menu");
  if (!ImGui::BeginPopup("item_menu")) return menu.item.reset();
  const ShownItem& item = *menu.item;
  ImGui::TextDisabled("%s", item.title.c_str());
  std::vector<ShownItem>& pins = ui.model.view.pinned_items;
  const auto pin = std::ranges::find(pins, item);
  if (menuItem(ui, "pin", pin == pins.end() ? tr("Pin") : tr("Unpin"))) {
    if (pin == pins.end()) {
      pins.push_back(item);
      notify(ui, trf("Pinned: {}", item.title));
    } else {
      pins.erase(pin);
    }
  }
  if (!item.where.empty() && menuItem(ui, "where", tr("Show where it is")))
    ui.model.view.selection = item.where;
  ImGui::Separator();
  if (menuItem(ui, "text", tr("Copy as text"))) copyText(ui, itemText(item));
  if (menuItem(ui, "csv", tr("Copy as CSV"))) copyText(ui, itemCsv(item));
  if (!item.command.empty() && menuItem(ui, "command", tr("Copy as a command"))) copyText(ui, item.command);
  ImGui::EndPopup();
}

}  // namespace warpscope
