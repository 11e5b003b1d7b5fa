// Tooltips with the same form everywhere: a title, then lines of label and value, with numbers in the mono
// font.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "viz/widgets/theme.h"

namespace warpscope {

// One tooltip in one frame, open from construction to destruction.
class Tooltip {
 public:
  // `label_width`: where values begin, in pixels at 100 %; after a longer label they follow it.
  Tooltip(const Theme& theme, const Fonts& fonts, const std::string& title, float label_width = 92);
  ~Tooltip();
  Tooltip(const Tooltip&) = delete;
  Tooltip& operator=(const Tooltip&) = delete;

  void row(const char* label, const std::string& value);
  // A coloured square before the value.
  void colourRow(const char* label, ImU32 colour, const std::string& value);
  // A quiet line across the whole width: how a value was obtained, or what a click does.
  void note(const std::string& text);

  const std::string& title() const { return title_; }
  const std::vector<std::pair<std::string, std::string>>& rows() const { return rows_; }  // so far

 private:
  void drawLabel(const char* text);

  const Theme& theme_;
  const Fonts& fonts_;
  float label_width_;
  std::string title_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace warpscope
