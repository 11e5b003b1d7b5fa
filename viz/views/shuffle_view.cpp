// Exchanges between lanes: for one shuffle, vote or match of a warp, the input of each lane, the lane that
// each one received its value from, and the lanes that did not take part. Arrows go from the lanes above,
// which give, to those below, which receive.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/core/units.h"
#include "viz/layout/lane_columns.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/step_view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kBoxHeight = 20, kMostBetween = 170;  // pixels at 100 %

struct ExchangePicture {
  LaneColumns columns;
  float upper_top = 0, upper_bottom = 0, lower_top = 0, lower_bottom = 0;
};

class ShuffleView : public StepView {
 public:
  ShuffleView() : StepView(StepKind::kExchange) {}
  const char* name() const override { return "shuffle"; }
  const char* title() const override { return trMark("SHUFFLE"); }
  const char* help() const override {
    return trMark("Which lane gives its value to which, in each exchange of the warp.");
  }

 protected:
  std::string nothingToShow(const LoggedWarp& warp) const override {
    return trf(
        "The lanes of {} do not exchange anything: no shuffle, vote or match. The family "
        "warp_primitives has them.",
        warpText(warp));
  }
  std::string costText(const StepList& steps, size_t i) const override {
    return trf("{} lanes", steps.exchange(i).mask.count());
  }
  void drawStep(const ViewInput& input, const StepList& steps, size_t i) override;

 private:
  void drawRow(const ViewInput& input, const ExchangePicture& picture, const LaneExchange& exchange,
               LaneMask live, bool upper, std::optional<int> lit) const;
  void drawArrows(const ViewInput& input, const ExchangePicture& picture, const LaneExchange& exchange,
                  std::optional<int> pointed, bool upper) const;
  void drawLabels(const ViewInput& input, const ExchangePicture& picture) const;
  void tell(const ViewInput& input, const StepList& steps, size_t i, int lane) const;
};

bool isVote(ExchangeKind kind) {
  return kind >= ExchangeKind::kVoteAll && kind <= ExchangeKind::kBallot;
}

bool isMatch(ExchangeKind kind) {
  return kind == ExchangeKind::kMatchAny || kind == ExchangeKind::kMatchAll;
}

bool isMask(ExchangeKind kind) {
  return kind == ExchangeKind::kBallot || isMatch(kind) || kind == ExchangeKind::kActiveMask;
}

// The participating lanes from which a lane receives: one for a shuffle, all for a vote or a reduction.
LaneMask sourcesOf(const LaneExchange& exchange, int lane) {
  const auto i = static_cast<size_t>(lane);
  if (!exchange.mask.has(lane)) return {};
  if (isShuffle(exchange.kind)) return LaneMask{1U << exchange.source[i]};
  if (isMatch(exchange.kind)) return LaneMask{static_cast<uint32_t>(exchange.received[i])} & exchange.mask;
  if (isVote(exchange.kind)) return exchange.predicate & exchange.mask;
  return exchange.mask;
}

std::string maskText(uint64_t mask) {
  return fmt::format("0x{:08x}", mask);
}

// Only the bits of a 32-bit value are known, so both readings are shown.
std::string valueText(uint64_t bits) {
  return fmt::format("{} (0x{:x})", formatCount(static_cast<int64_t>(bits)), bits);
}

std::string summaryOf(const LaneExchange& exchange) {
  const auto first = static_cast<size_t>(std::min(exchange.mask.lowest(), kWarpSize - 1));
  const uint64_t result = exchange.received[first];
  std::string text = tr(exchangeName(exchange.kind));
  text += trf(": {} lanes take part", exchange.mask.count());
  if (isShuffle(exchange.kind)) {
    const int outside = (exchange.mask & ~exchange.in_range).count();
    if (outside > 0) text += trf(", {} read out of range and keep their own value", outside);
  } else if (isVote(exchange.kind)) {
    text += trf(", {} vote true", exchange.predicate.count());
    text += exchange.kind == ExchangeKind::kBallot ? trf(", all get {}", maskText(result))
            : result != 0                          ? std::string(tr(", all get true"))
                                                   : std::string(tr(", all get false"));
  } else if (exchange.kind == ExchangeKind::kReduce) {
    text += trf(", all get {}", valueText(result));
  } else if (exchange.kind == ExchangeKind::kActiveMask) {
    text += trf(", all get {}", maskText(result));
  }
  return text;
}

// The text in a lane's box, if there is room.
std::string boxText(const LaneExchange& exchange, int lane, bool upper) {
  const auto i = static_cast<size_t>(lane);
  if (!exchange.mask.has(lane)) return "";
  if (isVote(exchange.kind)) {
    if (upper) return exchange.predicate.has(lane) ? "1" : "0";
    if (exchange.kind != ExchangeKind::kBallot) return exchange.received[i] != 0 ? "1" : "0";
    return exchange.predicate.has(lane) ? "1" : "0";  // its bit of the ballot
  }
  if (isShuffle(exchange.kind) && !upper) return fmt::format("{}", exchange.source[i]);
  if (isMatch(exchange.kind) && !upper) return fmt::format("{}", sourcesOf(exchange, lane).count());
  return "";
}

ExchangePicture layOutExchange(const ViewInput& input) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float line = textSize(input.fonts->mono, "0").y;
  const float labels =
      std::max(textSize(input.fonts->text, tr("brings")).x, textSize(input.fonts->text, tr("gets")).x) +
      theme.px(8);
  ExchangePicture picture;
  picture.columns = {at.x + labels, at.x + room.x};
  picture.upper_top = at.y + line + theme.px(4);
  picture.upper_bottom = picture.upper_top + theme.px(kBoxHeight);
  const float lowest = at.y + room.y - line - theme.px(4);
  picture.lower_bottom =
      std::min(lowest, picture.upper_bottom + theme.px(kMostBetween) + theme.px(kBoxHeight));
  picture.lower_top = picture.lower_bottom - theme.px(kBoxHeight);
  return picture;
}

void ShuffleView::drawRow(const ViewInput& input, const ExchangePicture& picture,
                          const LaneExchange& exchange, LaneMask live, bool upper,
                          std::optional<int> lit) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const float top = upper ? picture.upper_top : picture.lower_top;
  const float bottom = upper ? picture.upper_bottom : picture.lower_bottom;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const ImVec2 min{picture.columns.edge(lane) + 1, top}, max{picture.columns.edge(lane + 1) - 1, bottom};
    if (!live.has(lane)) continue;
    if (!exchange.mask.has(lane)) {
      list.AddRect(min, max, ink.faint, theme.px(2));
      continue;
    }
    // A false vote is present, but empty.
    const bool empty = isVote(exchange.kind) && boxText(exchange, lane, upper) == "0";
    const bool outside = !upper && isShuffle(exchange.kind) && !exchange.in_range.has(lane);
    const ImU32 colour = lit && *lit == lane ? theme.accent : ink.full;
    if (empty || outside) {
      list.AddRectFilled(min, max, ink.faint, theme.px(2));
      list.AddRect(min, max, colour, theme.px(2), 0, theme.px(1.3F));
    } else {
      list.AddRectFilled(min, max, colour, theme.px(2));
    }
    const std::string text = boxText(exchange, lane, upper);
    const ImVec2 size = textSize(input.fonts->mono, text.c_str());
    // Either all lane numbers have room, or none is written.
    const float widest = isShuffle(exchange.kind) ? textSize(input.fonts->mono, "31").x : size.x;
    if (text.empty() || widest > max.x - min.x - theme.px(1)) continue;
    drawText(list, input.fonts->mono, {(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2},
             empty || outside ? theme.text : theme.background, text.c_str());
  }
}

void ShuffleView::drawArrows(const ViewInput& input, const ExchangePicture& picture,
                             const LaneExchange& exchange, std::optional<int> pointed, bool upper) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  // If all lanes receive the same from all lanes, there are many lines with little information: draw them
  // fainter.
  const bool many = !isShuffle(exchange.kind);
  const float head = theme.px(4);
  for (const bool lit : {false, true}) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (LaneMask rest = sourcesOf(exchange, lane); !rest.empty(); rest.bits &= rest.bits - 1) {
        const int from_lane = rest.lowest();
        const bool is_lit = pointed && (upper ? *pointed == from_lane : *pointed == lane);
        if (is_lit != lit) continue;
        const bool outside = isShuffle(exchange.kind) && !exchange.in_range.has(lane);
        const ImVec2 from{picture.columns.centre(from_lane), picture.upper_bottom + 1};
        const ImVec2 to{picture.columns.centre(lane), picture.lower_top - 1};
        const float strength = outside ? 0.35F : (many ? 0.25F : 0.9F) * (pointed ? 0.5F : 1.0F);
        const ImU32 colour = lit ? theme.accent : withAlpha(ink.line, strength);
        list.AddLine(from, {to.x, to.y - head}, colour, theme.px(lit ? 2.0F : 1.2F));
        if (outside || (many && !lit)) continue;
        list.AddTriangleFilled({to.x, to.y}, {to.x - head * 0.7F, to.y - head},
                               {to.x + head * 0.7F, to.y - head}, colour);
      }
    }
  }
}

void ShuffleView::drawLabels(const ViewInput& input, const ExchangePicture& picture) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* mono = input.fonts->mono;
  const float line = textSize(mono, "0").y, left = ImGui::GetCursorScreenPos().x;
  const int step = picture.columns.labelStep(textSize(mono, "31").x + theme.px(3));
  for (int lane = 0; lane < kWarpSize; lane += step) {
    const std::string number = fmt::format("{}", lane);
    const float x = picture.columns.centre(lane) - textSize(mono, number.c_str()).x / 2;
    drawText(list, mono, {x, picture.upper_top - line - theme.px(1)}, theme.text_quiet, number.c_str());
    drawText(list, mono, {x, picture.lower_bottom + theme.px(1)}, theme.text_quiet, number.c_str());
  }
  const float inset = theme.px(3);
  drawText(list, input.fonts->text, {left, picture.upper_top - line - theme.px(1)}, theme.text_quiet,
           tr("lane"));
  drawText(list, input.fonts->text, {left, picture.upper_top + inset}, theme.text_quiet, tr("brings"));
  drawText(list, input.fonts->text, {left, picture.lower_top + inset}, theme.text_quiet, tr("gets"));
  drawText(list, input.fonts->text, {left, picture.lower_bottom + theme.px(1)}, theme.text_quiet, tr("lane"));
}

void ShuffleView::tell(const ViewInput& input, const StepList& steps, size_t i, int lane) const {
  const LaneExchange& exchange = steps.exchange(i);
  const auto at = static_cast<size_t>(lane);
  Tooltip tooltip(*input.theme, *input.fonts, trf("Lane {}", lane));
  if (!steps.warp().live.has(lane)) return tooltip.note(tr("Has no thread."));
  tooltip.row(tr("thread"), threadText(steps.warp().threads[at]));
  if (!exchange.mask.has(lane)) return tooltip.note(tr("Does not take part."));
  if (isVote(exchange.kind)) {
    tooltip.row(tr("brings"), exchange.predicate.has(lane) ? tr("true") : tr("false"));
  } else if (exchange.kind != ExchangeKind::kActiveMask && exchange.kind != ExchangeKind::kElect) {
    tooltip.row(tr("brings"), valueText(exchange.given[at]));
  }
  if (isShuffle(exchange.kind)) {
    const int from = exchange.source[at];
    tooltip.row(tr("from"), trf("lane {}", from));
    if (!exchange.in_range.has(lane)) {
      tooltip.note(tr("Its source lane is outside its segment: it keeps its own value."));
    } else if (!exchange.mask.has(from)) {
      tooltip.note(tr("Its source lane does not take part: the value it gets is undefined."));
    }
  }
  tooltip.row(tr("gets"),
              isMask(exchange.kind) ? maskText(exchange.received[at]) : valueText(exchange.received[at]));
  if (isMatch(exchange.kind)) tooltip.row(tr("lanes"), lanesText(sourcesOf(exchange, lane)));
  tooltip.note(tr("From executing the kernel on the simulated GPU."));
  offerItem(input, tooltip, selectWarp(steps.warp().block, steps.warp().warp_in_block));
}

void ShuffleView::drawStep(const ViewInput& input, const StepList& steps, size_t i) {
  const LaneExchange& exchange = steps.exchange(i);
  drawSummary(input, summaryOf(exchange));
  const ExchangePicture picture = layOutExchange(input);
  if (picture.columns.width() < 3 || picture.lower_top <= picture.upper_bottom) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 min{picture.columns.left, picture.upper_top}, max{picture.columns.right, picture.lower_bottom};
  input.report->widget("shuffle.picture", min, max);
  std::optional<int> pointed;
  const bool upper = mouse.y < picture.upper_bottom;
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max) &&
      (upper || mouse.y >= picture.lower_top)) {
    pointed = picture.columns.at(mouse.x);
  }
  drawArrows(input, picture, exchange, pointed, upper);
  drawRow(input, picture, exchange, steps.warp().live, true, upper ? pointed : std::nullopt);
  drawRow(input, picture, exchange, steps.warp().live, false, upper ? std::nullopt : pointed);
  drawLabels(input, picture);
  if (pointed) tell(input, steps, i, *pointed);
}

}  // namespace

std::unique_ptr<View> makeShuffleView() {
  return std::make_unique<ShuffleView>();
}

}  // namespace warpscope
