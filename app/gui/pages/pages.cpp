#include "app/gui/pages/pages.h"

#include <algorithm>

#include "viz/layout/trace_layout.h"

namespace warpscope {

std::unique_ptr<Page> makeRunPage();
std::unique_ptr<Page> makeOccupancyPage();
std::unique_ptr<Page> makeComparePage();
std::unique_ptr<Page> makePlotsPage();
std::unique_ptr<Page> makeKernelPage();

// To add a page: its declaration above and its line here.
Pages::Pages() {
  for (const auto make : {makeRunPage, makeOccupancyPage, makeComparePage, makePlotsPage, makeKernelPage}) {
    pages_.push_back(make());
  }
}

Page& Pages::find(const std::string& name) const {
  const auto found = std::ranges::find_if(pages_, [&](const auto& page) { return page->name() == name; });
  return found == pages_.end() ? first() : **found;
}

Page* Pages::withView(const std::string& view) const {
  for (const auto& page : pages_) {
    if (std::ranges::find(page->views(), view) != page->views().end()) return page.get();
  }
  return nullptr;
}

std::vector<const char*> Pages::viewNames() const {
  std::vector<const char*> names;
  for (const auto& page : pages_) names.insert(names.end(), page->views().begin(), page->views().end());
  return names;
}

std::vector<Action> Pages::actions() const {
  std::vector<Action> actions;
  for (const auto& page : pages_) {
    const std::string name = page->name(), first_name = first().name();
    actions.push_back(
        {"page." + name, page->label(), ActionGroup::kPages, page->key(), [name, first_name](const Ui& ui) {
           ui.screen.page = ui.pages.find(ui.screen.page).name() == name ? first_name : name;
         }});
    for (Action& action : page->actions()) actions.push_back(std::move(action));
  }
  return actions;
}

std::optional<TimeExtent> Page::timeExtent(const Ui& ui) const {
  const TraceLayout* layout = ui.model.feed().shown().layout.get();
  return layout == nullptr ? std::nullopt : std::optional<TimeExtent>(*layout);
}

}  // namespace warpscope
