// Everything that a PlotFrame draws inside its axes.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "viz/widgets/axis.h"
#include "viz/widgets/bars.h"
#include "viz/widgets/plot_frame.h"
#include "viz/widgets/strokes.h"

namespace warpscope {
namespace {

constexpr float kLineWidth = 1.75F, kDash = 6, kLevelDash = 3, kWhiskerWidth = 1.25F, kCap = 4;  // at 100 %
constexpr float kMarkRadius = 4;  // pixels at 100 % around a point that no label may cover
constexpr float kShadeAlpha = 0.16F;

// Adjacent translucent shapes with smooth edges would show seams.
class HardEdges {
 public:
  explicit HardEdges(ImDrawList& list) : list_(list), flags_(list.Flags) {
    list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  }
  ~HardEdges() { list_.Flags = flags_; }
  HardEdges(const HardEdges&) = delete;
  HardEdges& operator=(const HardEdges&) = delete;

 private:
  ImDrawList& list_;
  ImDrawListFlags flags_;
};

PlotPoint pointOf(ImVec2 at) {
  return {at.x, at.y};
}

Stroke strokeOf(const Theme& theme, const MarkLook& look, float width = kLineWidth) {
  return {look.colour, theme.px(width), look.modelled ? theme.px(kDash) : 0};
}

}  // namespace

void PlotFrame::line(std::span<const PlotPoint> points, const MarkLook& look) {
  Stroke stroke = strokeOf(theme_, look);
  stroke.dash_across = denserThanPixels(points.size());
  Pen pen(*draw_list_, area_min_, area_max_, stroke);
  std::optional<PlotPoint> last;
  forEachShown(points, x_scale_, columns(), [&](size_t i) {
    if (!holds(points[i].x, points[i].y)) {
      last.reset();
      return pen.lift();
    }
    const ImVec2 at = toScreen(points[i].x, points[i].y);
    pen.to(at);
    room_->takeSegment(last.value_or(pointOf(at)), pointOf(at));
    last = pointOf(at);
  });
}

void PlotFrame::steps(std::span<const PlotPoint> points, const MarkLook& look) {
  Stroke stroke = strokeOf(theme_, look);
  stroke.dash_across = denserThanPixels(points.size());
  Pen pen(*draw_list_, area_min_, area_max_, stroke);
  ImVec2 last;
  bool on = false;
  const auto go = [&](ImVec2 to) {
    pen.to(to);
    if (on) room_->takeSegment(pointOf(last), pointOf(to));
    last = to;
  };
  forEachShown(points, x_scale_, columns(), [&](size_t i) {
    const bool shown = holds(points[i].x, points[i].y);
    // The last value holds until a gap begins.
    if (on && x_scale_.holds(points[i].x)) go({toScreen(points[i].x, y_scale_.min()).x, last.y});
    if (!shown) pen.lift();
    if (shown) go(toScreen(points[i].x, points[i].y));
    on = shown;
  });
}

void PlotFrame::point(double x, double y, const MarkLook& look) {
  if (!holds(x, y)) return;
  const ImVec2 at = toScreen(x, y);
  // Half a pixel of tolerance: a point on the edge is inside, however it was rounded.
  if (at.x < area_min_.x - 0.5F || at.x > area_max_.x + 0.5F || at.y < area_min_.y - 0.5F ||
      at.y > area_max_.y + 0.5F)
    return;
  drawMark(theme_, *draw_list_, at, look);
  room_->takeMark(pointOf(at), theme_.px(kMarkRadius));
}

void PlotFrame::points(std::span<const PlotPoint> points, const MarkLook& look) {
  forEachShown(points, x_scale_, columns(), [&](size_t i) { point(points[i].x, points[i].y, look); });
}

void PlotFrame::whiskers(std::span<const PlotSpread> spreads, const MarkLook& look) {
  const float cap = theme_.px(kCap);
  const Stroke stroke{look.colour, theme_.px(kWhiskerWidth), look.modelled ? theme_.px(kLevelDash) : 0};
  forEachShown(spreads, x_scale_, columns(), [&](size_t i) {
    const PlotSpread& spread = spreads[i];
    if (!holds(spread.x, spread.high)) return;
    const ImVec2 top = toScreen(spread.x, spread.high), bottom = toScreen(spread.x, spread.low);
    if (top.x < area_min_.x || top.x > area_max_.x) return;
    room_->takeSegment(pointOf(top), pointOf(bottom));
    const auto draw = [&](ImVec2 from, ImVec2 to, const Stroke& how) {
      Pen pen(*draw_list_, area_min_, area_max_, how);
      pen.to(from);
      pen.to(to);
    };
    draw(top, bottom, stroke);
    for (const ImVec2 end : {top, bottom})
      draw({end.x - cap, end.y}, {end.x + cap, end.y}, {look.colour, theme_.px(kWhiskerWidth)});
  });
}

void PlotFrame::band(std::span<const PlotSpread> spreads, const MarkLook& look) {
  const ImU32 fill = withAlpha(look.colour, kShadeAlpha);
  const Stroke edge{withAlpha(look.colour, 0.6F), theme_.px(1), look.modelled ? theme_.px(kDash) : 0,
                    denserThanPixels(spreads.size())};
  Pen upper(*draw_list_, area_min_, area_max_, edge), lower(*draw_list_, area_min_, area_max_, edge);
  const HardEdges hard(*draw_list_);
  draw_list_->PushClipRect(area_min_, area_max_, true);
  ImVec2 last_top, last_bottom;
  bool on = false;
  forEachShown(spreads, x_scale_, columns(), [&](size_t i) {
    const PlotSpread& spread = spreads[i];
    if (std::isnan(spread.low) || !holds(spread.x, spread.high)) {
      on = false;
      upper.lift();
      lower.lift();
      return;
    }
    const ImVec2 a = toScreen(spread.x, spread.high), b = toScreen(spread.x, spread.low);
    const ImVec2 top{a.x, std::min(a.y, b.y)}, bottom{a.x, std::max(a.y, b.y)};
    if (on) draw_list_->AddQuadFilled(last_top, top, bottom, last_bottom, fill);
    upper.to(top);
    lower.to(bottom);
    last_top = top, last_bottom = bottom;
    on = true;
  });
  draw_list_->PopClipRect();
}

void PlotFrame::area(std::span<const PlotPoint> points, double base, const MarkLook& look, bool stepped) {
  const ImU32 fill = withAlpha(look.colour, kShadeAlpha);
  const float floor = std::clamp(toScreen(x_scale_.min(), base).y, area_min_.y, area_max_.y);
  const HardEdges hard(*draw_list_);
  draw_list_->PushClipRect(area_min_, area_max_, true);
  ImVec2 last;
  bool on = false;
  forEachShown(points, x_scale_, columns(), [&](size_t i) {
    const bool shown = holds(points[i].x, points[i].y);
    const ImVec2 at = toScreen(points[i].x, shown ? points[i].y : base);
    if (on && (shown || (stepped && x_scale_.holds(points[i].x)))) {
      const ImVec2 end{at.x, stepped ? last.y : at.y};
      // If a curve crosses the base, the quad would intersect itself: use two triangles that meet there.
      if ((last.y - floor) * (end.y - floor) < 0) {
        const float share = (floor - last.y) / (end.y - last.y);
        const ImVec2 cross{last.x + (end.x - last.x) * share, floor};
        draw_list_->AddTriangleFilled({last.x, floor}, last, cross, fill);
        draw_list_->AddTriangleFilled(cross, end, {end.x, floor}, fill);
      } else {
        draw_list_->AddQuadFilled(last, end, {end.x, floor}, {last.x, floor}, fill);
      }
    }
    last = at;
    on = shown;
  });
  draw_list_->PopClipRect();
}

void PlotFrame::shade(double x0, double x1, ImU32 colour) {
  const float left = std::max(area_min_.x, toScreen(std::min(x0, x1), y_scale_.min()).x);
  const float right = std::min(area_max_.x, toScreen(std::max(x0, x1), y_scale_.min()).x);
  if (right > left)
    draw_list_->AddRectFilled({left, area_min_.y}, {right, area_max_.y}, withAlpha(colour, kShadeAlpha));
}

bool PlotFrame::bar(double x, double width, double value, ImU32 colour, bool modelled) {
  const auto inside = [&](ImVec2 at) {
    return ImVec2{std::clamp(at.x, area_min_.x, area_max_.x), std::clamp(at.y, area_min_.y, area_max_.y)};
  };
  const ImVec2 from = inside(toScreen(x - width / 2, std::max(0.0, value)));
  const ImVec2 to = inside(toScreen(x + width / 2, std::min(0.0, value)));
  drawBar(theme_, *draw_list_, from, to, colour, modelled);
  room_->takeBox({from.x, from.y, to.x, to.y});
  const float mouse_x = ImGui::GetIO().MousePos.x;
  return hovered_ && mouse_x >= from.x && mouse_x < to.x;
}

void PlotFrame::level(double y, ImU32 colour, const char* text) {
  if (!y_scale_.holds(y)) return;
  const float at = std::round(toScreen(x_scale_.min(), y).y);
  if (at < area_min_.y || at > area_max_.y) return;
  strokeLine(*draw_list_, {area_min_.x, at}, {area_max_.x, at},
             {colour, theme_.px(1), theme_.px(kLevelDash)});
  room_->takeRule({area_min_.x, at - 0.5, area_max_.x, at + 0.5});
  if (*text == 0) return;
  const ImVec2 extent = textSize(fonts_.text, text);
  labels_.push_back({placesAtLevel(room_->area(), at, extent.x, extent.y, theme_.px(1)),
                     {area_min_.x, at},
                     {area_max_.x, at},
                     extent,
                     colour,
                     text});
}

void PlotFrame::upright(double x, ImU32 colour, const char* text) {
  if (!x_scale_.holds(x)) return;
  const float at = std::round(toScreen(x, y_scale_.min()).x);
  if (at < area_min_.x || at > area_max_.x) return;
  strokeLine(*draw_list_, {at, area_min_.y}, {at, area_max_.y},
             {colour, theme_.px(1), theme_.px(kLevelDash)});
  room_->takeRule({at - 0.5, area_min_.y, at + 0.5, area_max_.y});
  if (*text == 0) return;
  const ImVec2 extent = textSize(fonts_.text, text);
  const double beside = at + theme_.px(4), before = at - theme_.px(4) - extent.x;
  std::vector<PlotPoint> places;
  for (double top = area_min_.y + theme_.px(2); top + extent.y <= area_max_.y;
       top += extent.y + theme_.px(1)) {
    places.push_back({beside, top});
    places.push_back({before, top});
  }
  labels_.push_back({std::move(places), {at, area_min_.y}, {at, area_max_.y}, extent, colour, text});
}

void PlotFrame::slope(PlotPoint from, PlotPoint to, const MarkLook& look, const char* text) {
  line(std::array{from, to}, look);
  const PlotPoint a = pointOf(toScreen(from.x, from.y)), b = pointOf(toScreen(to.x, to.y));
  const auto part = partInside(a, b, room_->area());
  if (*text == 0 || !part) return;
  const auto at = [&](double share) {
    return PlotPoint{a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
  };
  const auto pixel = [](PlotPoint point) {
    return ImVec2{static_cast<float>(point.x), static_cast<float>(point.y)};
  };
  const PlotPoint first = at(part->from), last = at(part->to);
  const ImVec2 extent = textSize(fonts_.text, text);
  // Beyond the cells that the line itself has taken.
  const double gap = room_->cell() * 1.5;
  labels_.push_back({placesAlong(first, last, extent.x, extent.y, gap), pixel(first), pixel(last), extent,
                     theme_.text_quiet, text});
}

}  // namespace warpscope
