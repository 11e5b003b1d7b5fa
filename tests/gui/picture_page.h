// An HTML page that shows pictures before and after a change, and where they differ, side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/gui/picture.h"

namespace warpscope::testing {

class PicturePage {
 public:
  struct Entry {
    std::string name;  // "timeline-dark.png"
    Image before;      // empty: there was none
    Image after;
  };
  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  // FOLDER/NAME.html with those that differ, the worst first; their pictures go to FOLDER/before and
  // FOLDER/difference, those after the change are in FOLDER/after already.
  Expected<void> write(const std::filesystem::path& folder, const std::string& name,
                       const Tolerance& tolerance) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace warpscope::testing
