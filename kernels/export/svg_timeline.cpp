#include "kernels/export/svg_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/svg_axis.h"
#include "kernels/run/run.h"

namespace warpscope {
namespace {

constexpr double kGutter = 84;  // for the names of warps
constexpr double kHeader = 6;
constexpr double kTitledWidth = 5;  // spans at least this wide have a tooltip
constexpr size_t kRegionIds = 256;

// Neighbouring spans that are drawn as one.
struct Fold {
  double begin = 0, end = 0;
  double lane_cycles = 0;
  size_t spans = 0;
  std::array<std::pair<size_t, double>, 8>
      regions{};  // index, cycles; few meet in a pixel, the rest do not compete
  size_t region_count = 0;

  void add(const Span& span, size_t region) {
    const auto cycles = static_cast<double>(span.end_cycles - span.begin_cycles);
    if (spans++ == 0) begin = static_cast<double>(span.begin_cycles);
    end = static_cast<double>(span.end_cycles);
    lane_cycles += cycles * span.mask.count();
    for (size_t i = 0; i < region_count; ++i) {
      if (regions[i].first == region) {
        regions[i].second += cycles;
        return;
      }
    }
    if (region_count < regions.size()) regions[region_count++] = {region, cycles};
  }
  size_t region() const {
    size_t best = 0;
    for (size_t i = 1; i < region_count; ++i) best = regions[i].second > regions[best].second ? i : best;
    return regions[best].first;
  }
};

class Timeline {
 public:
  Timeline(const Run& run, TextWriter& out, const TimelineSize& size)
      : run_(run),
        names_(run),
        out_(out),
        size_(size),
        rows_(std::min(size.most_rows, run.trace.warps.size())) {
    index_of_.fill(run.regions.size());
    for (size_t i = 0; i < run.regions.size(); ++i) index_of_[run.regions[i].id.value & 0xFFU] = i;
    begin_ = static_cast<double>(run.trace.warps.front().begin_cycles);
    end_ = begin_ + 1;
    for (size_t row = 0; row < rows_; ++row) {
      begin_ = std::min(begin_, static_cast<double>(run.trace.warps[row].begin_cycles));
      end_ = std::max(end_, static_cast<double>(run.trace.warps[row].end_cycles));
    }
    scale_ = (size.width - kGutter - 8) / (end_ - begin_);
  }

  void write() {
    const double height = kHeader + static_cast<double>(rows_) * size_.row_height + kSvgAxisHeight;
    const bool modelled = run_.device.provenance == Provenance::kModelled;
    out_.print(R"(<svg class="timeline{}" viewBox="0 0 {:g} {:g}" role="img"><title>{}</title>)",
               modelled ? " modelled" : "", size_.width, height,
               markupText(fmt::format("Timeline of {} {}: {} of {} recorded warps", run_.request.family,
                                      variantLabel(run_.request.family, run_.request.variant), rows_,
                                      run_.trace.warps.size())));
    writeAxis(kHeader + static_cast<double>(rows_) * size_.row_height);
    for (size_t row = 0; row < rows_; ++row) writeRow(row);
    out_.put("</svg>\n");
  }

 private:
  double x(double cycles) const { return kGutter + (cycles - begin_) * scale_; }

  void writeAxis(double bottom) {
    const char* since = run_.streams ? "the host's first call" : "the launch's first recorded instant";
    writeSvgAxis({kGutter, size_.width - 8, begin_, end_, run_.trace.clocks.cycles_per_ns}, kHeader, bottom,
                 fmt::format("time since {} ({{}}), {}", since, provenanceName(run_.device.provenance)),
                 out_);
  }

  void writeRow(size_t row) {
    const TraceWarp& warp = run_.trace.warps[row];
    const double top = kHeader + static_cast<double>(row) * size_.row_height + 1;
    const double height = size_.row_height - 2;
    const bool first_of_sm = row == 0 || run_.trace.warps[row - 1].sm != warp.sm;
    if (first_of_sm) {
      out_.print(
          R"(<line class="sm" x1="0" y1="{:g}" x2="{:g}" y2="{:g}"/><text class="sm" x="0" y="{:g}">{}</text>)",
          top - 1, size_.width, top - 1, top + height - 1, smName(run_.device.limits, warp.sm));
    }
    out_.print(R"(<text class="warp" x="{:g}" y="{:g}">b{} w{}</text>)", kGutter - 6, top + height - 1,
               warp.block.value, warp.warp_in_block);
    const auto begin = static_cast<double>(warp.begin_cycles), end = static_cast<double>(warp.end_cycles);
    const double live_height = height * warp.live.count() / kWarpSize;
    putBar("resident", begin, end, top + height - live_height, live_height);
    out_.put("/>");
    Fold fold;
    forEachSpan(run_.trace, warp, [&](const Span& span) {
      const auto length = static_cast<double>(span.end_cycles - span.begin_cycles);
      if (fold.spans > 0 &&
          (length * scale_ >= size_.fold || (fold.end - fold.begin) * scale_ >= size_.fold)) {
        writeFold(fold, top, height);
        fold = {};
      }
      fold.add(span, index_of_[span.region.value & 0xFFU]);
      if (length * scale_ >= size_.fold) {
        writeFold(fold, top, height, &span);
        fold = {};
      }
    });
    if (fold.spans > 0) writeFold(fold, top, height);
    out_.put("\n");
  }

  // `span` is set if it consists of that span only.
  void writeFold(const Fold& fold, double top, double height, const Span* span = nullptr) {
    const double cycles = fold.end - fold.begin;
    const double lanes = cycles > 0 ? fold.lane_cycles / cycles : 0;
    if (lanes <= 0) return;
    const double filled = height * lanes / kWarpSize;
    const bool known = fold.region() < run_.regions.size();
    putBar(known ? fmt::format("span r{}", fold.region()) : "span unknown", fold.begin, fold.end,
           top + height - filled, filled);
    if (span == nullptr || cycles * scale_ < kTitledWidth) return out_.put("/>");
    out_.print("><title>{}: {}, {} of 32 lanes</title></rect>", markupText(names_.name(span->region)),
               formatCycles(span->end_cycles - span->begin_cycles), span->mask.count());
  }

  void putBar(const std::string& classes, double begin, double end, double top, double height) {
    out_.print(R"(<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}")", classes, x(begin),
               top, std::max(0.2, (end - begin) * scale_), height);
  }

  const Run& run_;
  const RegionNames names_;
  TextWriter& out_;
  const TimelineSize& size_;
  size_t rows_;
  std::array<size_t, kRegionIds> index_of_{};
  double begin_ = 0, end_ = 1, scale_ = 1;
};

}  // namespace

void writeTimelineSvg(const Run& run, TextWriter& out, const TimelineSize& size) {
  if (!run.trace.warps.empty()) Timeline(run, out, size).write();
}

}  // namespace warpscope
