#include "app/gui/stage.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace warpscope {

bool Stage::enter(const std::string& page) {
  const bool leaves = page != page_ && !page_.empty() && !alone_.empty();
  if (leaves) alone_.clear();
  page_ = page;
  return leaves;
}

void Stage::begin(const PageArea& whole, bool tabs) {
  whole_ = whole;
  alone_now_ = alone_;
  tabs_ = tabs && alone_.empty();
  found_ = false;
  drawing_.clear();
}

void Stage::showAlone(const std::string& page, const std::string& view) {
  page_ = page;  // begin() with this page keeps it
  alone_ = view;
}

bool Stage::isChosen(std::span<const char* const> views, const std::string& chosen) const {
  return std::ranges::find(views, chosen) != views.end();
}

std::optional<PageArea> Stage::place(std::span<const char* const> views, const char* shown, const char* title,
                                     const PageArea& area) {
  const std::string_view whole_title = title;  // what belongs to the moment follows after three spaces
  drawing_.push_back({shown, std::string(whole_title.substr(0, whole_title.find("   "))), area});
  if (!single()) return area;
  if (!isChosen(views, alone_now_.empty() ? tab() : alone_now_)) return std::nullopt;
  if (std::exchange(found_, true)) return std::nullopt;
  // Both follow the tabs that the panel has itself.
  if (alone_now_.empty()) {
    tab_of_page_[page_] = shown;
  } else if (alone_ == alone_now_) {
    alone_ = shown;
  }
  drawing_.back().area = whole_;
  return whole_;
}

std::optional<PageArea> Stage::place(const char* name, const char* title, const PageArea& area) {
  return place(std::array{name}, name, title, area);
}

bool Stage::end() {
  panels_.swap(drawing_);
  if (!single() || found_ || panels_.empty()) return false;
  if (!alone_now_.empty()) {
    alone_.clear();
    return true;
  }
  // What was chosen is not there any more, or nothing was chosen yet: the page's first panel.
  if (tab() == panels_.front().name) return false;
  chooseTab(panels_.front().name);
  return true;
}

const std::string& Stage::tab() const {
  static const std::string kNone;
  const auto found = tab_of_page_.find(page_);
  return found == tab_of_page_.end() ? kNone : found->second;
}

std::string Stage::viewAt(ImVec2 position) const {
  if (single()) return alone_.empty() ? tab() : alone_;
  const auto found =
      std::ranges::find_if(panels_, [&](const Panel& panel) { return panel.area.contains(position); });
  if (found != panels_.end()) return found->name;
  return panels_.empty() ? "" : panels_.front().name;
}

}  // namespace warpscope
