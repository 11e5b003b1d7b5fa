// A field for source code: with colours, line numbers, and errors at their lines. Dear ImGui's field does the
// editing (cursor, selection, clipboard, undo); this draws the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "kernels/compile/diagnostics.h"

namespace warpscope {

class CodeEditor {
 public:
  // Draws the editor into the current child window, `room` large. `version` changes whenever something other
  // than the user replaces the text. True: the user changed it.
  bool draw(const Ui& ui, const std::string& name, std::string& text, uint64_t version,
            std::span<const Diagnostic> diagnostics, ImVec2 room);
  void showLine(uint32_t line) { wanted_line_ = line; }  // from 1
  void find(const Ui& ui, const std::string& text, const std::string& wanted);

 private:
  static int callback(ImGuiInputTextCallbackData* data);
  void drawText(const Ui& ui, const std::string& text, std::span<const Diagnostic> diagnostics, ImVec2 origin,
                float gutter);
  void drawMessages(const Ui& ui, std::span<const Diagnostic> diagnostics, uint32_t line, ImVec2 at,
                    float right) const;

  struct Line {
    size_t begin = 0, end = 0;
    bool begins_in_comment = false;
  };
  void readLines(const std::string& text, uint64_t version);
  size_t lineOf(size_t byte) const;  // from 0

  std::vector<Line> lines_;  // of the text as it was read last
  uint64_t version_ = 0;     // and this is its version and size
  size_t bytes_ = 0, longest_line_ = 0;
  int cursor_ = 0, drawn_cursor_ = -1;
  int select_begin_ = -1, select_end_ = -1;
  uint32_t wanted_line_ = 0;
  size_t found_ = 0;
  std::string* text_ = nullptr;  // during draw()
};

}  // namespace warpscope
