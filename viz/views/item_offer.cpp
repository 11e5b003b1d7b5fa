#include "viz/views/item_offer.h"

#include <imgui.h>

#include "viz/layout/shown_item.h"
#include "viz/text/translate.h"

namespace warpscope {

void offerItem(const Canvas& canvas, Tooltip& tooltip, const TraceSelection& where, const Run* run) {
  tooltip.note(tr("Right click: pin or copy."));
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Right)) return;
  ShownItem item{.title = tooltip.title(), .values = tooltip.rows(), .where = where};
  if (run != nullptr) {
    item.run = runText(*run);
    item.command = windowCommand(*run, where);
  }
  canvas.pick(item);
}

}  // namespace warpscope
