#include "kernels/export/svg_operations.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/colours.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/svg_axis.h"
#include "kernels/metrics/operation_rows.h"

namespace warpscope {
namespace {

constexpr double kWidth = 1000, kRowNames = 150, kMargin = 8;
constexpr double kTop = 4, kRow = 20, kSlotsGap = 8;
constexpr double kTallestSlot = 4, kSlotsRoom = 160;  // all slots together are no higher than this
constexpr size_t kMostSms = 4;                        // of each GPU, whose slots are drawn
constexpr double kNameHeight = 12;
constexpr double kLetter = 5.4;  // the mean width of one
constexpr double kLeastGap = 1, kArrowHead = 5;

class OperationsPicture {
 public:
  OperationsPicture(const Run& run, TextWriter& out)
      : run_(run),
        log_(*run.streams),
        out_(out),
        rows_(operationRows(log_)),
        slots_(operationSlots(run, kMostSms)) {
    axis_ = {
        .left = kRowNames, .right = kWidth - kMargin, .begin_cycles = 0, .end_cycles = 1, .cycles_per_ns = 1};
    for (const StreamOperation& operation : log_.operations) {
      axis_.begin_cycles = std::min({axis_.begin_cycles, operation.enqueue_ns, operation.begin_ns});
      axis_.end_cycles = std::max({axis_.end_cycles, operation.enqueued_ns, operation.end_ns});
    }
    slots_top_ = y(rows_.size()) + (slots_.rows.empty() ? 0 : kSlotsGap);
    const auto slots = static_cast<double>(std::max<size_t>(1, slots_.rows.size()));
    slot_height_ = std::min(kTallestSlot, kSlotsRoom / slots);
  }

  void write() {
    const double bottom = slots_top_ + static_cast<double>(slots_.rows.size()) * slot_height_;
    const bool modelled = run_.device.provenance == Provenance::kModelled;
    out_.print(R"(<svg class="operations{}" viewBox="0 0 {:g} {:g}" role="img"><title>{}</title>)",
               modelled ? " modelled" : "", kWidth, bottom + kSvgAxisHeight,
               markupText(fmt::format("Operations of {} {}", run_.request.family,
                                      variantLabel(run_.request.family, run_.request.variant))));
    writeSvgAxis(
        axis_, kTop, bottom,
        fmt::format("time since the host's first call ({{}}), {}", provenanceName(run_.device.provenance)),
        out_);
    for (size_t i = 0; i < rows_.size(); ++i) writeRow(i);
    writeArrows();
    writeSlots();
    out_.put("</svg>\n");
  }

 private:
  double x(double ns) const { return axis_.x(ns); }
  static double y(size_t row) { return kTop + kRow * static_cast<double>(row); }

  // A copy engine, a full GPU and the default stream are hatched otherwise than what orders operations.
  static const char* hatchOf(StreamWait wait) {
    return wait == StreamWait::kCopyEngine      ? "rising"
           : wait == StreamWait::kDefaultStream ? "crossed"
           : wait == StreamWait::kSms           ? "falling"
                                                : "level";
  }

  void writeRow(size_t index) {
    const OperationRow& row = rows_[index];
    const double top = y(index);
    out_.print(R"(<text class="row" x="4" y="{:g}">{}</text>)", top + 13,
               markupText(operationRowName(log_, row)));
    out_.print(R"(<rect class="resident" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>)", axis_.left,
               top + 1, axis_.right - axis_.left, kRow - 2);
    for (const OperationBar& gap : row.gaps) writeGap(gap, top);
    for (const OperationBar& bar : row.bars) writeBar(row, bar, top);
    out_.put("\n");
  }

  void writeGap(const OperationBar& gap, double top) {
    const double left = x(gap.begin_ns), width = x(gap.end_ns) - left;
    if (width < kLeastGap) return;
    const StreamOperation& operation = log_.operations[gap.operation];
    const bool waits = operation.waited_for != StreamWait::kNothing;
    out_.print(
        R"(<rect class="gap {}" x="{:.2f}" y="{:g}" width="{:.2f}" height="8"><title>{}</title></rect>)",
        hatchOf(operation.waited_for), left, top + 6, width,
        markupText(fmt::format("{} for {}: {}", operationTitle(operation),
                               timeText(gap.end_ns - gap.begin_ns),
                               waits ? log_.waitText(operation) : "what the GPU takes to begin it")));
  }

  std::string titleOf(const OperationRow& row, const OperationBar& bar) const {
    if (bar.migration) {
      const PageMigration& migration = log_.migrations[*bar.migration];
      return fmt::format("{} to the {}, after faults of {} pages, touched by {}",
                         formatBytes(migration.bytes), migration.to_device ? "device" : "host",
                         migration.faults, operationTitle(log_.operations[bar.operation]));
    }
    const StreamOperation& operation = log_.operations[bar.operation];
    if (row.kind == OperationRow::Kind::kHost)
      return fmt::format("the host enqueues {}",
                         operation.graph ? log_.graphs[*operation.graph].name : operationTitle(operation));
    std::string title = operationTitle(operation);
    if (operation.bytes > 0) title += ", " + formatBytes(operation.bytes);
    if (!operation.kernel.empty())
      title += fmt::format(", {}, {} blocks", operation.kernel, operation.blocks);
    return title;
  }

  void writeBar(const OperationRow& row, const OperationBar& bar, double top) {
    const double left = x(bar.begin_ns), width = std::max(0.75, x(bar.end_ns) - left);
    const bool half = bar.part != OperationBar::Part::kWhole;
    const double height = half ? (kRow - 3) / 2 : kRow - 2;
    const double at = bar.part == OperationBar::Part::kLower ? top + kRow / 2 : top + 1;
    const StreamOperation& operation = log_.operations[bar.operation];
    const size_t series = !bar.migration                              ? operationSeries(log_, operation)
                          : log_.migrations[*bar.migration].to_device ? kMovesInSeries
                                                                      : kMovesOutSeries;
    out_.print(
        R"(<rect class="operation s{}" x="{:.2f}" y="{:g}" width="{:.2f}" height="{:g}"><title>{}</title></rect>)",
        series % kSeriesColours, left, at, width, height,
        markupText(fmt::format("{}: {}", titleOf(row, bar), timeText(bar.end_ns - bar.begin_ns))));
    const bool of_graph = operation.graph && row.kind == OperationRow::Kind::kHost;
    const std::string& name = of_graph ? log_.graphs[*operation.graph].name : operation.name;
    if (half || bar.migration || static_cast<double>(name.size()) * kLetter + 4 > width) return;
    out_.print(R"(<text class="on s{}" x="{:.2f}" y="{:g}">{}</text>)", series % kSeriesColours, left + 3,
               top + 13, markupText(name));
  }

  // From stream to stream all that orders operations.
  void writeArrows() {
    for (const StreamOperation& operation : log_.operations) {
      for (const uint32_t before : operation.after) {
        if (log_.operations[before].stream != operation.stream)
          writeArrow(log_.operations[before], operation);
      }
    }
    out_.put("\n");
  }
  double middleOf(uint32_t stream) const {
    const auto row = std::ranges::find_if(rows_, [&](const OperationRow& each) {
      return each.kind == OperationRow::Kind::kStream && each.index == stream;
    });
    return y(static_cast<size_t>(row - rows_.begin())) + kRow / 2;
  }
  void writeArrow(const StreamOperation& from, const StreamOperation& to) {
    const double left = x(from.end_ns), top = middleOf(from.stream), right = x(to.begin_ns),
                 bottom = middleOf(to.stream);
    const double length = std::hypot(right - left, bottom - top);
    if (length < kArrowHead) return;
    const double dx = (right - left) / length, dy = (bottom - top) / length;
    const double base_x = right - dx * kArrowHead, base_y = bottom - dy * kArrowHead, half = kArrowHead / 2;
    out_.print(R"(<line class="arrow" x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}"/>)", left, top, base_x,
               base_y);
    out_.print(R"(<path class="arrow" d="M{:.2f},{:.2f}L{:.2f},{:.2f}L{:.2f},{:.2f}Z"/>)", right, bottom,
               base_x - dy * half, base_y + dx * half, base_x + dy * half, base_y - dx * half);
  }

  // Launches that follow one another are alternately lighter, so that they can be told apart.
  void writeSlots() {
    const double rate = run_.trace.clocks.cycles_per_ns;
    if (!(rate > 0)) return;
    for (size_t i = 0, next = 0; i < slots_.rows.size(); i = next) {
      const SmId sm = slots_.rows[i].sm;
      while (next < slots_.rows.size() && slots_.rows[next].sm == sm) ++next;
      const double top = slots_top_ + static_cast<double>(i) * slot_height_;
      out_.print(R"(<line class="sm" x1="0" y1="{:g}" x2="{:g}" y2="{:g}"/>)", top, kWidth - kMargin, top);
      // An SM with few slots in use has no room for its name.
      if (static_cast<double>(next - i) * slot_height_ < kNameHeight) continue;
      out_.print(R"(<text class="sm row" x="4" y="{:g}">{}</text>)", top + 11,
                 smName(run_.device.limits, sm));
    }
    for (const SlotBar& bar : slots_.bars) {
      const TraceWarp& warp = run_.trace.warps[bar.warp];
      const double left = x(static_cast<double>(warp.begin_cycles) / rate);
      const double right = x(static_cast<double>(warp.end_cycles) / rate);
      out_.print(R"(<rect class="warp s{}{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"/>)",
                 operationSeries(log_, log_.operations[bar.operation]) % kSeriesColours,
                 bar.operation % 2 == 1 ? " odd" : "", left, slots_top_ + bar.row * slot_height_,
                 std::max(0.3, right - left), slot_height_ * 0.85);
    }
    out_.put("\n");
  }

  static std::string timeText(double ns) { return formatUs(ns / 1e3, 3); }

  const Run& run_;
  const StreamLog& log_;
  TextWriter& out_;
  std::vector<OperationRow> rows_;
  OperationSlots slots_;
  SvgAxis axis_;
  double slots_top_ = 0, slot_height_ = kTallestSlot;
};

}  // namespace

void writeOperationHatches(TextWriter& out) {
  out.put(R"(<svg class="hatches" width="0" height="0"><defs>)");
  const auto hatch = [&](const char* name, const char* path) {
    out.print(
        R"(<pattern id="{}" width="5" height="5" patternUnits="userSpaceOnUse"><path class="hatch" d="{}"/>)",
        name, path);
    out.put("</pattern>");
  };
  hatch("rising", "M0,5L5,0");
  hatch("falling", "M0,0L5,5");
  hatch("crossed", "M0,5L5,0M0,0L5,5");
  hatch("level", "M0,2.5L5,2.5");
  out.put("</defs></svg>\n");
}

void writeOperationsSvg(const Run& run, TextWriter& out) {
  if (run.streams) OperationsPicture(run, out).write();
}

}  // namespace warpscope
