#include "kernels/export/svg_axis.h"

#include <cmath>

#include "kernels/core/units.h"

namespace warpscope {
namespace {

constexpr int kMostTicks = 10;

// Nanoseconds, microseconds or milliseconds, or cycles if the clock's rate is not known.
struct TimeUnit {
  double cycles = 1;  // in one unit
  const char* name = "cycles";
};

TimeUnit unitFor(const SvgAxis& axis) {
  if (!(axis.cycles_per_ns > 0) || !std::isfinite(axis.cycles_per_ns)) return {};
  const double range_ns = (axis.end_cycles - axis.begin_cycles) / axis.cycles_per_ns;
  if (range_ns < 5e3) return {axis.cycles_per_ns, "ns"};
  if (range_ns < 5e6) return {axis.cycles_per_ns * 1e3, "µs"};
  return {axis.cycles_per_ns * 1e6, "ms"};
}

}  // namespace

void writeSvgAxis(const SvgAxis& axis, double top, double bottom, const std::string& title, TextWriter& out) {
  const TimeUnit unit = unitFor(axis);
  const Ticks ticks = niceTicks(axis.begin_cycles / unit.cycles, axis.end_cycles / unit.cycles, kMostTicks);
  for (int i = 0; i < ticks.count; ++i) {
    const double at = axis.x(ticks.at(i) * unit.cycles);
    out.print(R"(<line class="grid" x1="{:.2f}" y1="{:g}" x2="{:.2f}" y2="{:g}"/>)", at, top, at, bottom + 4);
    out.print(R"(<text class="tick" x="{:.2f}" y="{:g}">{}</text>)", at, bottom + 16,
              formatTick(ticks.at(i), ticks.decimals));
  }
  out.print(R"(<line class="axis" x1="{:g}" y1="{:.2f}" x2="{:g}" y2="{:.2f}"/>)", axis.left, bottom,
            axis.right, bottom);
  const std::string name = unit.name;
  out.print(R"(<text class="axis-title" x="{:.2f}" y="{:g}">{}</text>)", (axis.left + axis.right) / 2,
            bottom + 36, markupText(fmt::vformat(title, fmt::make_format_args(name))));
  out.put("\n");
}

}  // namespace warpscope
