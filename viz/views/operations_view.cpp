// The operations of a run on streams over time: the host's calls, the streams with what each operation waits
// for, what executes them, and below, the warps of all launches in the slots of their SMs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/core/units.h"
#include "kernels/metrics/operation_rows.h"
#include "kernels/metrics/streams.h"
#include "viz/layout/navigation.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/time_mouse.h"
#include "viz/views/view.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/rect_batch.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kTallestRow = 26, kLeastRow = 9, kLeastSlots = 24;  // pixels at 100 %
constexpr size_t kMostSms = 4;                                      // whose slots are drawn

// "chunk 2", "stream 1": translated as "chunk {}".
std::string numbered(const std::string& name) {
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return tr(name);
  const std::string form = name.substr(0, digits) + "{}", number = name.substr(digits);
  return fmt::vformat(tr(form.c_str()), fmt::make_format_args(number));
}

std::string nameOf(const StreamOperation& operation) {
  return numbered(operation.name);
}

// "chunk 2: copy to the device"
std::string titleOf(const StreamOperation& operation) {
  if (operation.skipped) return trf("{}: launch, skipped", nameOf(operation));
  return trf("{}: {}", nameOf(operation), tr(operationKindName(operation.kind)));
}

std::string about(const char* sentence, const StreamOperation& other) {
  const std::string kind = tr(operationKindName(other.kind)), name = nameOf(other);
  return fmt::vformat(tr(sentence), fmt::make_format_args(kind, name));
}

std::string waitTextOf(const StreamLog& log, const StreamOperation& operation) {
  if (operation.waited_for == StreamWait::kNothing || operation.waited_on >= log.operations.size()) return {};
  return about(streamWaitSentence(operation.waited_for), log.operations[operation.waited_on]);
}

// What the GPU takes to begin an operation that waits for no other.
const char* latencyText(const StreamOperation& operation) {
  return operation.graph ? tr("The graph's launch: what the GPU takes to begin its first nodes.")
                         : tr("What the GPU takes to begin it.");
}

std::string timeText(double ns) {
  return formatUs(ns / 1e3, 4);
}

// What told the times, and how certain they are; nothing for modelled ones, which are exact.
void tellClock(Tooltip& tooltip, const StreamTiming& timing) {
  if (timing.clock == StreamClock::kModel) return;
  tooltip.row(tr("timed by"), tr(streamClockName(timing.clock)));
  tooltip.row(tr("certain to"), trf("± {}; the host's calls ± {}", timeText(timing.uncertainty_ns),
                                    timeText(timing.host_uncertainty_ns)));
  if (timing.gpu_uncertainty_ns > 0)
    tooltip.row(tr("GPU 1 against GPU 0"), trf("± {}", timeText(timing.gpu_uncertainty_ns)));
  if (!timing.problem.empty()) tooltip.note(timing.problem);
}

class OperationsView : public View {
 public:
  const char* name() const override { return "operations"; }
  const char* title() const override { return trMark("OPERATIONS"); }
  const char* help() const override {
    return trMark(
        "Copies, launches and other operations on streams: when each ran, what it waited for, and the warps "
        "of all launches.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Frame {
    TimeScale scale;
    float left = 0, axis_top = 0, top = 0, row_height = 1;
    float slots_top = 0, bottom = 0, slot_height = 1;
    double cycles_per_ns = 1;
    float x(double ns) const { return scale.x(ns * cycles_per_ns); }
    float y(size_t row) const { return top + row_height * static_cast<float>(row); }
    // Where a bar of the row is, from the top to the bottom.
    std::pair<float, float> extent(const OperationBar& bar, size_t row) const {
      const float middle = (y(row) + y(row + 1)) / 2;
      return {bar.part == OperationBar::Part::kLower ? middle : y(row),
              bar.part == OperationBar::Part::kUpper ? middle : y(row + 1)};
    }
  };

  void read(const ViewInput& input, const ViewState& state);
  void drawSummary(const ViewInput& input) const;
  bool arrange(const ViewInput& input, const ViewState& state, Frame& frame) const;
  std::string labelOf(const OperationRow& row) const;
  std::string ofGpu(uint32_t gpu, const std::string& what) const;
  std::string unitText(StreamUnit unit, uint32_t gpu) const;
  void drawRows(const ViewInput& input, const Frame& frame) const;
  void drawBar(const ViewInput& input, const Frame& frame, const OperationBar& bar, size_t row) const;
  void drawGap(const ViewInput& input, const Frame& frame, const OperationBar& gap, size_t row) const;
  void drawGapText(const ViewInput& input, const char* text, ImVec2 min, ImVec2 max) const;
  void drawArrows(const ViewInput& input, const Frame& frame) const;
  void drawArrow(const ViewInput& input, const Frame& frame, uint32_t from, uint32_t to, bool strong) const;
  void drawSlots(const ViewInput& input, const ViewState& state, const Frame& frame) const;
  void handleMouse(const ViewInput& input, ViewState& state, const Frame& frame);
  void tell(const ViewInput& input, uint32_t operation, bool waiting) const;
  void tellGraph(const ViewInput& input, uint32_t operation) const;
  void tellMigration(const ViewInput& input, uint32_t migration) const;
  void select(const ViewInput& input, ViewState& state, uint32_t operation);

  const StreamLog& log() const { return *read_->streams; }
  ImU32 colourOf(const Theme& theme, const StreamOperation& operation) const;
  ImU32 onColourOf(const Theme& theme, const StreamOperation& operation) const;
  std::optional<size_t> rowOf(uint32_t operation) const;

  std::shared_ptr<const Run> read_;
  std::vector<OperationRow> rows_;
  OperationSlots slots_;
  std::optional<uint32_t> chosen_;
  std::optional<WarpKey> followed_;  // the selected warp in the last frame
};

ImU32 OperationsView::colourOf(const Theme& theme, const StreamOperation& operation) const {
  return theme.series(operationSeries(log(), operation));
}

ImU32 OperationsView::onColourOf(const Theme& theme, const StreamOperation& operation) const {
  return theme.onSeries(operationSeries(log(), operation));
}

// A warp that was selected elsewhere selects its launch here.
void OperationsView::read(const ViewInput& input, const ViewState& state) {
  if (read_ != input.run) {
    read_ = input.run;
    rows_ = operationRows(log());
    slots_ = operationSlots(*read_, kMostSms);
    if (chosen_ && *chosen_ >= log().operations.size()) chosen_.reset();
  }
  if (followed_ == state.selected_warp) return;
  followed_ = state.selected_warp;
  if (followed_) chosen_ = log().operationOf(followed_->block);
}

void OperationsView::drawSummary(const ViewInput& input) const {
  const StreamTimes times = streamTimes(log());
  const std::string total = timeText(times.total_ns), busy = timeText(times.boundNs());
  const std::string busiest = unitText(times.busiest().unit, times.busiest().gpu);
  const std::string text =
      times.unitsUsed() < 2
          ? trf("{} in all; {} are busy for {} of that", total, busiest, busy)
          : trf("{} in all; the busiest unit needs {} of that ({}); {} of what can overlap does", total, busy,
                busiest, formatPercent(std::clamp(times.overlap(), 0.0, 1.0)));
  ImGui::BeginGroup();
  textWrapped(text);
  ImGui::EndGroup();
  input.report->widget("operations.summary", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  input.report->text("operations.summary", text);
  if (chosen_) {
    input.report->text("operations.chosen", titleOf(log().operations[*chosen_]));
    const std::string wait = waitTextOf(log(), log().operations[*chosen_]);
    const bool graph = wait.empty() && log().operations[*chosen_].graph;
    input.report->text("operations.wait", graph ? latencyText(log().operations[*chosen_]) : wait);
  }
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(*input.theme, *input.fonts, tr("Operations"), 170);
  for (const BusyUnit& unit : times.busy)
    tooltip.row(unitText(unit.unit, unit.gpu).c_str(), timeText(unit.busy_ns));
  tooltip.row(tr("one after another"), timeText(times.sumNs()));
  tooltip.row(tr("all in all"), timeText(times.total_ns));
  if (!log().graphs.empty()) tooltip.row(tr("calls that launch"), formatCount(log().launchCalls()));
  tellClock(tooltip, log().timing);
  tooltip.note(tr(
      "Whatever the order, these operations take at least as long as the busiest of the three. The rest is "
      "waiting: for each other, for the host's calls, and for what every copy and launch takes to begin."));
  offerItem(input, tooltip);
}

// Of several GPUs, whose it is.
std::string OperationsView::ofGpu(uint32_t gpu, const std::string& what) const {
  return log().gpus() > 1 ? trf("GPU {}: {}", gpu, what) : what;
}
std::string OperationsView::unitText(StreamUnit unit, uint32_t gpu) const {
  const std::string name = tr(streamUnitName(unit));
  return unit == StreamUnit::kHost ? name : ofGpu(gpu, name);
}

std::string OperationsView::labelOf(const OperationRow& row) const {
  switch (row.kind) {
    case OperationRow::Kind::kHost:
      return tr("host");
    case OperationRow::Kind::kStream:
      return ofGpu(row.gpu, numbered(log().streams[row.index].name));
    case OperationRow::Kind::kUnit:
      return unitText(static_cast<StreamUnit>(row.index), row.gpu);
    case OperationRow::Kind::kMigrations:
      return tr("page migrations");
  }
  return {};
}

bool OperationsView::arrange(const ViewInput& input, const ViewState& state, Frame& frame) const {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  frame.cycles_per_ns = read_->trace.clocks.cycles_per_ns;
  const SmId longest = smOf(read_->device.limits, {log().gpus() - 1, 131});
  float labels = textSize(input.fonts->text, trSm(read_->device.limits, longest).c_str()).x;
  for (const OperationRow& row : rows_)
    labels = std::max(labels, textSize(input.fonts->text, labelOf(row).c_str()).x);
  labels = std::min(labels + theme.px(10), room.x / 3);
  frame.left = at.x;
  frame.scale = {state.begin_cycles, state.end_cycles, at.x + labels, at.x + room.x};
  frame.axis_top = at.y;
  frame.top = at.y + timeAxisHeight(theme, frame.cycles_per_ns);
  frame.bottom = at.y + room.y;
  const auto count = static_cast<float>(rows_.size());
  const float height = frame.bottom - frame.top;
  if (height < count * theme.px(kLeastRow) || room.x - labels < theme.px(40)) return false;
  const float for_slots = slots_.rows.empty() ? 0 : std::max(theme.px(kLeastSlots), height * 0.3F);
  frame.row_height = std::clamp((height - for_slots) / count, theme.px(kLeastRow), theme.px(kTallestRow));
  frame.slots_top = frame.top + frame.row_height * count + theme.px(6);
  const auto slots = static_cast<float>(std::max<size_t>(slots_.rows.size(), 1));
  frame.slot_height = std::min((frame.bottom - frame.slots_top) / slots, theme.px(8));
  return true;
}

void OperationsView::drawBar(const ViewInput& input, const Frame& frame, const OperationBar& bar,
                             size_t row) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const StreamOperation& operation = log().operations[bar.operation];
  const auto [top, bottom] = frame.extent(bar, row);
  const ImVec2 min{frame.x(bar.begin_ns), top + 1};
  const ImVec2 max{std::max(min.x + 1.5F, frame.x(bar.end_ns) - 0.5F), bottom - 1};
  if (max.x < frame.scale.left || min.x > frame.scale.right) return;
  if (bar.migration) {
    const PageMigration& migration = log().migrations[*bar.migration];
    list.AddRectFilled(min, max, theme.series(migration.to_device ? kMovesInSeries : kMovesOutSeries));
    return input.report->widget(fmt::format("operations.migration.{}", *bar.migration), min, max);
  }
  const bool skipped = operation.skipped && rows_[row].kind == OperationRow::Kind::kStream;
  if (skipped) {
    list.AddRect(min, max, colourOf(theme, operation));
  } else {
    list.AddRectFilled(min, max, colourOf(theme, operation));
  }
  if (chosen_ == bar.operation) list.AddRect(min, max, theme.text, 0, 0, theme.px(2));
  input.report->widget(fmt::format("operations.{}.{}", row, bar.operation), min, max);
  const bool launches_graph = operation.graph && rows_[row].kind == OperationRow::Kind::kHost;
  const std::string name = launches_graph ? numbered(log().graphs[*operation.graph].name) : nameOf(operation);
  const ImVec2 size = textSize(input.fonts->text, name.c_str());
  if (size.y > max.y - min.y || max.x - min.x < size.x + theme.px(6)) return;
  drawText(list, input.fonts->text, {min.x + theme.px(3), (min.y + max.y - size.y) / 2},
           skipped ? theme.text_quiet : onColourOf(theme, operation), name.c_str());
}

// What the default stream or a full GPU costs is hatched otherwise than a busy copy engine.
void OperationsView::drawGap(const ViewInput& input, const Frame& frame, const OperationBar& gap,
                             size_t row) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = (frame.y(row) + frame.y(row + 1)) / 2, half = frame.row_height / 5;
  const ImVec2 min{frame.x(gap.begin_ns), middle - half}, max{frame.x(gap.end_ns), middle + half};
  if (max.x - min.x < 2) return;
  const StreamWait wait = log().operations[gap.operation].waited_for;
  const Hatch hatch = wait == StreamWait::kCopyEngine      ? Hatch::kRising
                      : wait == StreamWait::kDefaultStream ? Hatch::kCrossed
                      : wait == StreamWait::kSms           ? Hatch::kFalling
                                                           : Hatch::kLevel;
  drawHatch(list, hatch, min, max, inkScale(theme).middle, theme.px(5), theme.px(1));
  if (log().operations[gap.operation].graph && wait == StreamWait::kNothing)
    drawGapText(input, tr("graph launch"), {min.x, frame.y(row)}, {max.x, frame.y(row + 1)});
  input.report->widget(fmt::format("operations.gap.{}", gap.operation), min, max);
}

// In the middle of a gap, where there is room.
void OperationsView::drawGapText(const ViewInput& input, const char* text, ImVec2 min, ImVec2 max) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 size = textSize(input.fonts->text, text);
  if (size.x + theme.px(8) > max.x - min.x || size.y > max.y - min.y) return;
  const ImVec2 at{(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2};
  list.AddRectFilled({at.x - theme.px(3), at.y}, {at.x + size.x + theme.px(3), at.y + size.y},
                     mixColours(theme.background, theme.text, 0.05F));
  drawText(list, input.fonts->text, at, theme.text_quiet, text);
}

void OperationsView::drawRows(const ViewInput& input, const Frame& frame) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = textSize(input.fonts->text, "0").y;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const OperationRow& row = rows_[i];
    list.AddRectFilled({frame.scale.left, frame.y(i) + 1}, {frame.scale.right, frame.y(i + 1) - 1},
                       mixColours(theme.background, theme.text, 0.05F));
    if (i > 0 && row.kind != rows_[i - 1].kind)
      list.AddLine({frame.left, frame.y(i)}, {frame.scale.right, frame.y(i)}, theme.border);
    if (line <= frame.row_height + theme.px(4)) {
      drawTextFitted(list, input.fonts->text, {frame.left, frame.y(i) + (frame.row_height - line) / 2},
                     frame.scale.left - frame.left - theme.px(4), theme.text_quiet, labelOf(row).c_str());
    }
    for (const OperationBar& gap : row.gaps) drawGap(input, frame, gap, i);
    for (const OperationBar& bar : row.bars) drawBar(input, frame, bar, i);
  }
}

std::optional<size_t> OperationsView::rowOf(uint32_t operation) const {
  const uint32_t stream = log().operations[operation].stream;
  const auto row = std::ranges::find_if(rows_, [&](const OperationRow& each) {
    return each.kind == OperationRow::Kind::kStream && each.index == stream;
  });
  if (row == rows_.end()) return std::nullopt;
  return static_cast<size_t>(row - rows_.begin());
}

void OperationsView::drawArrow(const ViewInput& input, const Frame& frame, uint32_t from, uint32_t to,
                               bool strong) const {
  const Theme& theme = *input.theme;
  const auto above = rowOf(from), below = rowOf(to);
  if (!above || !below) return;
  const float half = frame.row_height / 2;
  const ImVec2 begin{frame.x(log().operations[from].end_ns), frame.y(*above) + half};
  const ImVec2 end{frame.x(log().operations[to].begin_ns), frame.y(*below) + half};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = strong ? theme.accent : inkScale(theme).middle;
  const float width = theme.px(strong ? 2.0F : 1.0F), head = theme.px(strong ? 5.0F : 4.0F);
  list.AddLine(begin, end, colour, width);
  const float length = std::hypot(end.x - begin.x, end.y - begin.y);
  if (length < head) return;
  const ImVec2 along{(end.x - begin.x) / length, (end.y - begin.y) / length};
  const ImVec2 base{end.x - along.x * head, end.y - along.y * head};
  list.AddTriangleFilled(end, {base.x - along.y * head / 2, base.y + along.x * head / 2},
                         {base.x + along.y * head / 2, base.y - along.x * head / 2}, colour);
}

// From stream to stream all that orders operations; of the chosen one everything that it waited for.
void OperationsView::drawArrows(const ViewInput& input, const Frame& frame) const {
  for (uint32_t i = 0; i < log().operations.size(); ++i) {
    const StreamOperation& operation = log().operations[i];
    for (const uint32_t before : operation.after) {
      const bool chosen = chosen_ == i || chosen_ == before;
      if (chosen || log().operations[before].stream != operation.stream)
        drawArrow(input, frame, before, i, chosen);
    }
    const bool waited = operation.waited_for != StreamWait::kNothing;
    if (chosen_ == i && waited &&
        std::ranges::find(operation.after, operation.waited_on) == operation.after.end())
      drawArrow(input, frame, operation.waited_on, i, true);
  }
}

// Launches that follow one another are alternately brighter and darker, so that they can be told apart.
void OperationsView::drawSlots(const ViewInput& input, const ViewState& state, const Frame& frame) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (slots_.rows.empty() || frame.bottom - frame.slots_top < theme.px(10)) return;
  const auto y = [&](size_t row) { return frame.slots_top + frame.slot_height * static_cast<float>(row); };
  for (size_t i = 0, next = 0; i < slots_.rows.size(); i = next) {
    const SmId sm = slots_.rows[i].sm;
    while (next < slots_.rows.size() && slots_.rows[next].sm == sm) ++next;
    list.AddLine({frame.left, y(i)}, {frame.scale.right, y(i)}, theme.border);
    const std::string name = trSm(read_->device.limits, sm);
    // An SM with few slots in use has no room for its name.
    if (y(next) - y(i) >= textSize(input.fonts->text, name.c_str()).y)
      drawText(list, input.fonts->text, {frame.left, y(i) + theme.px(1)}, theme.text_quiet, name.c_str());
  }
  std::optional<SlotBar> selected;
  std::set<uint32_t> reported;  // launches: one warp of each can be found by tests and reached by keyboard
  {
    RectBatch batch(list);
    for (const SlotBar& bar : slots_.bars) {
      const TraceWarp& warp = read_->trace.warps[bar.warp];
      const ImVec2 min{frame.scale.x(static_cast<double>(warp.begin_cycles)), y(bar.row)};
      const float right = frame.scale.x(static_cast<double>(warp.end_cycles));
      const ImVec2 max{std::max(min.x + 1, right), y(bar.row + 1) - (frame.slot_height > 3 ? 0.5F : 0)};
      ImU32 colour = colourOf(theme, log().operations[bar.operation]);
      if (bar.operation % 2 == 1) colour = mixColours(theme.background, colour, 0.75F);
      batch.add(min, max, colour);
      if (reported.insert(bar.operation).second)
        input.report->widget(fmt::format("operations.warp.{}", bar.operation), min, max);
      if (state.selected_warp == WarpKey{warp.block, warp.warp_in_block}) selected = bar;
    }
  }
  if (!selected) return;
  const TraceWarp& warp = read_->trace.warps[selected->warp];
  list.AddRect({frame.scale.x(static_cast<double>(warp.begin_cycles)) - 1, y(selected->row) - 1},
               {frame.scale.x(static_cast<double>(warp.end_cycles)) + 1, y(selected->row + 1) + 1},
               theme.text);
}

void OperationsView::tell(const ViewInput& input, uint32_t index, bool waiting) const {
  const StreamOperation& operation = log().operations[index];
  const StreamInfo& stream = log().streams[operation.stream];
  Tooltip tooltip(*input.theme, *input.fonts, titleOf(operation), 110);
  tooltip.row(tr("stream"), trf("{} ({})", numbered(stream.name), tr(streamKindName(stream.kind))));
  if (stream.priority != 0) tooltip.row(tr("priority"), fmt::format("{}", stream.priority));
  if (operation.kind == OperationKind::kLaunch) {
    tooltip.row(tr("kernel"), operation.kernel);
    tooltip.row(tr("blocks"), formatCount(operation.blocks));
  }
  const double lasts = operation.end_ns - operation.begin_ns;
  if (operation.bytes > 0) {
    std::string bytes = formatBytes(operation.bytes);
    if (operation.memory) bytes += std::string(", ") + tr(hostMemoryName(*operation.memory));
    tooltip.row(tr("bytes"), bytes);
    if (lasts > 0)
      tooltip.row(tr("rate"), fmt::format("{:.1f} GB/s", static_cast<double>(operation.bytes) / lasts));
  }
  if (operation.graph) {
    tooltip.row(tr("graph"), trf("one of {} nodes that one call launches", log().nodesOf(*operation.graph)));
  }
  tooltip.row(tr("host's call"),
              trf("{} to {}", timeText(operation.enqueue_ns), timeText(operation.enqueued_ns)));
  tooltip.row(operation.skipped ? tr("skipped at") : tr("begins"), timeText(operation.begin_ns));
  if (!operation.skipped || lasts > 0) tooltip.row(tr("lasts"), timeText(lasts));
  if (operation.waitedNs() > 0) tooltip.row(tr("waited"), timeText(operation.waitedNs()));
  tellClock(tooltip, log().timing);
  if (operation.skipped)
    tooltip.note(
        tr("Skipped: its node's condition was 0. No block of it was launched, so there are no warps."));
  const std::string wait = waitTextOf(log(), operation);
  if (!wait.empty()) tooltip.note(wait);
  if (log().overlapsPrimary(operation))
    tooltip.note(about(kHeldSentence, log().operations[*operation.primary]));
  if (wait.empty() && operation.begin_ns > operation.enqueued_ns && waiting)
    tooltip.note(latencyText(operation));
  tooltip.note(firstWarpOf(*read_, index) ? tr("Click selects it and its warps.") : tr("Click selects it."));
  offerItem(input, tooltip);
}

// The host's one call for all of a graph, of which the operation is the first.
void OperationsView::tellGraph(const ViewInput& input, uint32_t index) const {
  const StreamOperation& operation = log().operations[index];
  const StreamGraph& graph = log().graphs[*operation.graph];
  Tooltip tooltip(*input.theme, *input.fonts, trf("{}: {}", numbered(graph.name), tr("graph launch")), 110);
  tooltip.row(tr("stream"), numbered(log().streams[graph.stream].name));
  tooltip.row(tr("nodes"), formatCount(log().nodesOf(*operation.graph)));
  const uint32_t skipped = log().skippedOf(*operation.graph);
  const NodeTimes times = nodeTimes(log(), *operation.graph);
  if (skipped > 0) tooltip.row(tr("skipped"), formatCount(skipped));
  tooltip.row(tr("time of a node"), timeText(times.executed_ns));
  if (times.skipped_ns > 0) tooltip.row(tr("of one that is skipped"), timeText(times.skipped_ns));
  tooltip.row(tr("host's call"),
              trf("{} to {}", timeText(operation.enqueue_ns), timeText(operation.enqueued_ns)));
  tooltip.row(tr("lasts"), timeText(operation.enqueued_ns - operation.enqueue_ns));
  tooltip.row(tr("made"), tr(graphMakingName(graph.making)));
  tooltip.row(tr("made in"), timeText(graph.make_ns));
  tellClock(tooltip, log().timing);
  tooltip.note(
      tr("One call launches all nodes, and the GPU goes from node to node without the host. The graph was "
         "made before the time begins; that pays off when it is launched again and again."));
  tooltip.note(tr("Click selects its first node."));
  offerItem(input, tooltip);
}

// A launch's warps become the selection; the first of them the selected one.
// What a batch of page faults brought.
void OperationsView::tellMigration(const ViewInput& input, uint32_t index) const {
  const PageMigration& migration = log().migrations[index];
  const StreamOperation& operation = log().operations[migration.operation];
  Tooltip tooltip(*input.theme, *input.fonts,
                  migration.to_device ? tr("Pages move to the device") : tr("Pages move to the host"), 110);
  tooltip.row(tr("touched by"), titleOf(operation));
  tooltip.row(tr("pages with faults"), formatCount(migration.faults));
  tooltip.row(tr("pages that move"), formatCount(static_cast<int64_t>(managedPages(migration.bytes))));
  tooltip.row(tr("bytes"), formatBytes(migration.bytes));
  tooltip.row(tr("begins"), timeText(migration.begin_ns));
  const double lasts = migration.end_ns - migration.begin_ns;
  tooltip.row(tr("lasts"), timeText(lasts));
  if (lasts > 0)
    tooltip.row(tr("rate"), fmt::format("{:.1f} GB/s", static_cast<double>(migration.bytes) / lasts));
  tooltip.note(
      tr("Whoever touches a page that is not there waits until the driver has moved it. It serves faults in "
         "batches, and sends the pages around them along."));
  tooltip.note(tr("Click selects what touched them."));
  offerItem(input, tooltip);
}

void OperationsView::select(const ViewInput& input, ViewState& state, uint32_t index) {
  const StreamOperation& operation = log().operations[index];
  chosen_ = index;
  state.selection = {};
  if (const auto first = firstWarpOf(*input.run, index)) {
    const TraceWarp& warp = input.run->trace.warps[*first];
    state.selected_warp = followed_ = WarpKey{warp.block, warp.warp_in_block};
    state.selection = {{{{}, {{operation.first_block, operation.first_block + operation.blocks - 1}}}}};
  }
}

void OperationsView::handleMouse(const ViewInput& input, ViewState& state, const Frame& frame) {
  const PlotMouse plot =
      handlePlotMouse(*input.report, state, TimeExtent(*input.layout), frame.scale, "operations.plot",
                      {frame.scale.left, frame.axis_top}, {frame.scale.right, frame.bottom});
  if (!plot.hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  state.hovered_cycle = frame.scale.cycles(mouse.x);
  if (mouse.y >= frame.top && mouse.y < frame.y(rows_.size())) {
    const OperationRow& row = rows_[static_cast<size_t>((mouse.y - frame.top) / frame.row_height)];
    const auto at = [&](const OperationBar& bar) {
      const auto [top, bottom] = frame.extent(bar, static_cast<size_t>(&row - rows_.data()));
      return mouse.y >= top && mouse.y < bottom && mouse.x >= frame.x(bar.begin_ns) - 1 &&
             mouse.x <= frame.x(bar.end_ns) + 1;
    };
    const auto bar = std::ranges::find_if(row.bars, at);
    const auto gap = std::ranges::find_if(row.gaps, at);
    if (bar == row.bars.end() && gap == row.gaps.end()) {
      if (plot.clicked) chosen_.reset();
      return;
    }
    const uint32_t operation = bar != row.bars.end() ? bar->operation : gap->operation;
    if (bar != row.bars.end() && bar->migration) {
      tellMigration(input, *bar->migration);
    } else if (row.kind == OperationRow::Kind::kHost && log().operations[operation].graph) {
      tellGraph(input, operation);
    } else {
      tell(input, operation, bar == row.bars.end());
    }
    if (plot.clicked) select(input, state, operation);
    return;
  }
  if (mouse.y < frame.slots_top || slots_.rows.empty()) return;
  const auto row = static_cast<size_t>((mouse.y - frame.slots_top) / frame.slot_height);
  const double cycle = frame.scale.cycles(mouse.x);
  for (const SlotBar& bar : slots_.bars) {
    const TraceWarp& warp = read_->trace.warps[bar.warp];
    if (bar.row != row || cycle < static_cast<double>(warp.begin_cycles) ||
        cycle > static_cast<double>(warp.end_cycles))
      continue;
    if (plot.clicked) state.selected_warp = WarpKey{warp.block, warp.warp_in_block};
    spanTooltip(input, warp, input.layout->pick(bar.warp, cycle),
                trf("Of {}. Click selects both.", titleOf(log().operations[bar.operation])));
    return;
  }
}

void OperationsView::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  input.report->widget("operations", min, {min.x + size.x, min.y + size.y});
  if (!input.run || input.layout == nullptr) return drawMessage(theme, *input.fonts, input.empty_message);
  if (!input.run->streams || input.run->trace.clocks.cycles_per_ns <= 0) {
    return drawMessage(
        theme, *input.fonts,
        tr("This run is a single launch. The family \"Streams\" shows copies and launches that "
           "overlap."));
  }
  read(input, state);
  followFit(state, *input.layout);
  drawSummary(input);
  Frame frame;
  if (!arrange(input, state, frame))
    return drawMessage(theme, *input.fonts,
                       tr("There is no room for the operations here: enlarge the panel."));
  drawTimeAxis(theme, *input.fonts, frame.scale, timeAxisOf(*input.run), frame.axis_top, frame.bottom);
  const ImVec2 clip_min{frame.left, frame.axis_top}, clip_max{frame.scale.right, frame.bottom};
  ImGui::GetWindowDrawList()->PushClipRect(clip_min, clip_max, true);
  drawRows(input, frame);
  drawArrows(input, frame);
  drawSlots(input, state, frame);
  ImGui::GetWindowDrawList()->PopClipRect();
  if (input.refreshing) {
    ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + size.x, min.y + size.y},
                                              withAlpha(theme.background, 0.5F));
  }
  handleMouse(input, state, frame);
}

}  // namespace

std::unique_ptr<View> makeOperationsView() {
  return std::make_unique<OperationsView>();
}

}  // namespace warpscope
