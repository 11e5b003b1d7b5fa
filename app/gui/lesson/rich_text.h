// Markdown in the window: paragraphs, lists and code, wrapped to a width.
#pragma once

#include <span>

#include "app/gui/ui.h"
#include "kernels/lesson/markdown.h"

namespace warpscope {

// At the cursor, one below the other.
void drawRichText(const Ui& ui, std::span<const MarkdownBlock> blocks, float width);

}  // namespace warpscope
