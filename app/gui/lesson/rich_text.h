// Markdown in the window: paragraphs, lists and code, wrapped to a width.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "kernels/lesson/lesson_file.h"

namespace warpscope {

// At the cursor, one below the other. `number` writes the numbers that stand in braces.
void drawRichText(const Ui& ui, std::span<const MarkdownBlock> blocks, float width,
                  const std::function<std::string(const TextNumber&)>& number);

}  // namespace warpscope
