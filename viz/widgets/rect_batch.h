// Many filled rectangles, for which a draw list makes room at once: drawn one by one, half of the time goes
// into that.
#pragma once

#include <imgui.h>

namespace warpscope {

class RectBatch {
 public:
  explicit RectBatch(ImDrawList& list) : list_(list), white_(ImGui::GetFontTexUvWhitePixel()) {}
  ~RectBatch() { flush(); }
  RectBatch(const RectBatch&) = delete;
  RectBatch& operator=(const RectBatch&) = delete;

  void add(ImVec2 min, ImVec2 max, ImU32 colour) {
    if ((colour & IM_COL32_A_MASK) == 0) return;
    if (room_ == 0) {
      list_.PrimReserve(kRoom * kIndices, kRoom * kVertices);
      room_ = kRoom;
    }
    // ImDrawList::PrimRect, inline.
    const auto first = static_cast<ImDrawIdx>(list_._VtxCurrentIdx);
    for (const int corner : {0, 1, 2, 0, 2, 3}) list_.PrimWriteIdx(static_cast<ImDrawIdx>(first + corner));
    list_.PrimWriteVtx(min, white_, colour);
    list_.PrimWriteVtx({max.x, min.y}, white_, colour);
    list_.PrimWriteVtx(max, white_, colour);
    list_.PrimWriteVtx({min.x, max.y}, white_, colour);
    --room_;
  }
  // Must be called before anything else is drawn into the list.
  void flush() {
    if (room_ > 0) list_.PrimUnreserve(room_ * kIndices, room_ * kVertices);
    room_ = 0;
  }

 private:
  static constexpr int kRoom = 128, kIndices = 6, kVertices = 4;
  ImDrawList& list_;
  ImVec2 white_;  // of the font's texture
  int room_ = 0;  // rectangles that were reserved and not drawn yet
};

}  // namespace warpscope
