#include "viz/widgets/strokes.h"

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

ImVec2 between(ImVec2 from, ImVec2 to, float share) {
  return {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
}

}  // namespace

void Pen::to(ImVec2 point) {
  const ImVec2 from = at_;
  at_ = point;
  if (!down_) {
    down_ = true;
    gone_ = 0;
    return;
  }
  const float length = std::hypot(point.x - from.x, point.y - from.y);
  const auto part = partInside({from.x, from.y}, {point.x, point.y}, area_);
  if (stroke_.dash > 0 && stroke_.dash_across) {
    const bool drawn = gone_ < stroke_.dash;
    gone_ = std::fmod(gone_ + std::abs(point.x - from.x), stroke_.dash * 2);
    if (part && drawn) {
      list_.AddLine(between(from, point, static_cast<float>(part->from)),
                    between(from, point, static_cast<float>(part->to)), stroke_.colour, stroke_.width);
    }
    return;
  }
  const auto skip = [&](double share) {
    if (stroke_.dash > 0) gone_ = std::fmod(gone_ + length * static_cast<float>(share), stroke_.dash * 2);
  };
  if (!part || length <= 0) return skip(1);
  const ImVec2 begin = between(from, point, static_cast<float>(part->from));
  const ImVec2 end = between(from, point, static_cast<float>(part->to));
  if (stroke_.dash <= 0) {
    list_.AddLine(begin, end, stroke_.colour, stroke_.width);
    return;
  }
  skip(part->from);
  dashes(begin, end, length * static_cast<float>(part->to - part->from));
  skip(1 - part->to);
}

void Pen::dashes(ImVec2 from, ImVec2 to, float length) {
  const float period = stroke_.dash * 2;
  for (float at = 0; at < length;) {
    const bool drawn = gone_ < stroke_.dash;
    // Advance at least a little, so that rounding cannot stop the loop.
    const float step = std::max(0.01F, (drawn ? stroke_.dash : period) - gone_);
    const float end = std::min(length, at + step);
    if (drawn)
      list_.AddLine(between(from, to, at / length), between(from, to, end / length), stroke_.colour,
                    stroke_.width);
    gone_ = std::fmod(gone_ + (end - at), period);
    at = end;
  }
}

void strokeLine(ImDrawList& list, ImVec2 from, ImVec2 to, const Stroke& stroke) {
  Pen pen(list, {std::min(from.x, to.x), std::min(from.y, to.y)},
          {std::max(from.x, to.x), std::max(from.y, to.y)}, stroke);
  pen.to(from);
  pen.to(to);
}

}  // namespace warpscope
