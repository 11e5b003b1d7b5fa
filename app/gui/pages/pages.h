// The pages of the window, in the order of the toolbar.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/gui/pages/page.h"

namespace warpscope {

class Pages {
 public:
  Pages();

  std::span<const std::unique_ptr<Page>> all() const { return pages_; }
  Page& first() const { return *pages_.front(); }  // the run
  Page& find(const std::string& name) const;       // the first page if there is none with that name
  Page* withView(const std::string& view) const;   // null: no page has that view
  std::vector<const char*> viewNames() const;      // of all pages, in order
  // Opens each page, or leaves it for the first; and what the pages add.
  std::vector<Action> actions() const;

 private:
  std::vector<std::unique_ptr<Page>> pages_;
};

// The views that share the lanes' panel, in order.
std::span<const char* const> lanesTabs();

}  // namespace warpscope
