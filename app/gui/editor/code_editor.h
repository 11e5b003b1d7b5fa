// A field for source code: with colours, line numbers, and errors at their lines. Dear ImGui's field does the
// editing (cursor, selection, clipboard, undo); this draws the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/gui/ui.h"
#include "kernels/compile/diagnostics.h"

namespace warpscope {

class CodeEditor {
 public:
  // Draws the editor into the current child window, `room` large. `version`: of the text, if something else
  // than this replaced it. True: the user changed the text.
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

  // Of the text as it was drawn last.
  struct Extent {
    uint64_t version = 0;
    size_t bytes = 0, lines = 1;
    float letters = 0;  // of the longest line
  };
  Extent extent_;
  int cursor_ = 0, drawn_cursor_ = -1;
  int select_begin_ = -1, select_end_ = -1;
  uint32_t wanted_line_ = 0;
  size_t found_ = 0;
  std::string* text_ = nullptr;  // during draw()
};

}  // namespace warpscope
