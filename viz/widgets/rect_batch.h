// Many filled rectangles, for which a draw list makes room at once: drawn one by one, half of the time goes
// into that.
#pragma once

#include <imgui.h>

#include <algorithm>

namespace warpscope {

class RectBatch {
 public:
  explicit RectBatch(ImDrawList& list) : list_(list), white_(ImGui::GetFontTexUvWhitePixel()) {}
  ~RectBatch() { flush(); }
  RectBatch(const RectBatch&) = delete;
  RectBatch& operator=(const RectBatch&) = delete;

  void add(ImVec2 min, ImVec2 max, ImU32 colour) {
    if ((colour & IM_COL32_A_MASK) == 0) return;
    makeRoom(1);
    // ImDrawList::PrimRect, inline.
    const auto first = static_cast<ImDrawIdx>(list_._VtxCurrentIdx);
    for (const int corner : {0, 1, 2, 0, 2, 3}) list_.PrimWriteIdx(static_cast<ImDrawIdx>(first + corner));
    list_.PrimWriteVtx(min, white_, colour);
    list_.PrimWriteVtx({max.x, min.y}, white_, colour);
    list_.PrimWriteVtx(max, white_, colour);
    list_.PrimWriteVtx({min.x, max.y}, white_, colour);
    --room_;
  }
  // Upright strokes of that width within a rectangle, which they start from `first` on: the same as adding
  // them one by one, in less than half of the time.
  void addStrokes(ImVec2 min, ImVec2 max, float first, float spacing, float width, ImU32 colour) {
    if ((colour & IM_COL32_A_MASK) == 0 || !(first < max.x)) return;
    const int count = static_cast<int>((max.x - first) / spacing) + 1;
    makeRoom(count);
    // The list's own pointers would be loaded and stored for every corner.
    ImDrawVert* vertex = list_._VtxWritePtr;
    ImDrawIdx* index = list_._IdxWritePtr;
    auto corner = static_cast<ImDrawIdx>(list_._VtxCurrentIdx);
    int drawn = 0;
    for (int i = 0; i < count; ++i) {
      const float at = first + spacing * static_cast<float>(i);
      const float from = std::max(min.x, at), to = std::min(max.x, at + width);
      if (!(to > from)) continue;
      vertex[0] = {{from, min.y}, white_, colour};
      vertex[1] = {{to, min.y}, white_, colour};
      vertex[2] = {{to, max.y}, white_, colour};
      vertex[3] = {{from, max.y}, white_, colour};
      for (const int next : {0, 1, 2, 0, 2, 3}) *index++ = static_cast<ImDrawIdx>(corner + next);
      vertex += kVertices;
      corner = static_cast<ImDrawIdx>(corner + kVertices);
      ++drawn;
    }
    list_._VtxWritePtr = vertex;
    list_._IdxWritePtr = index;
    list_._VtxCurrentIdx += static_cast<unsigned>(drawn * kVertices);
    room_ -= drawn;
  }
  // Must be called before anything else is drawn into the list.
  void flush() {
    if (room_ > 0) list_.PrimUnreserve(room_ * kIndices, room_ * kVertices);
    room_ = 0;
  }

 private:
  void makeRoom(int rectangles) {
    if (room_ >= rectangles) return;
    flush();
    room_ = std::max(kRoom, rectangles);
    list_.PrimReserve(room_ * kIndices, room_ * kVertices);
  }

  static constexpr int kRoom = 128, kIndices = 6, kVertices = 4;
  ImDrawList& list_;
  ImVec2 white_;  // of the font's texture
  int room_ = 0;  // rectangles that were reserved and not drawn yet
};

}  // namespace warpscope
