// Shared-memory banks: the 32 lanes of a warp, the 32 banks below them, and for one access which lane
// accesses a word of which bank. The words that a bank has to deliver are stacked in its column, each in the
// row of the wavefront that serves it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/access/access_shape.h"
#include "kernels/core/units.h"
#include "viz/layout/lane_columns.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/step_view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kBankLane = 16, kMostBox = 20, kLeastWires = 34;  // pixels at 100 %

// The positions of the parts of the picture.
struct BankPicture {
  LaneColumns columns;
  float lanes_top = 0, lanes_bottom = 0;  // the row of lanes
  float boxes_top = 0, box_height = 1;    // the stacks
  uint32_t depth = 1;
  float numbers_top = 0;  // of the banks, below the stacks

  float boxTop(uint32_t wavefront) const { return boxes_top + box_height * static_cast<float>(wavefront); }
  float boxesBottom() const { return boxTop(depth); }
};

class BanksView : public StepView {
 public:
  BanksView() : StepView(StepKind::kShared) {}
  const char* name() const override { return "banks"; }
  const char* title() const override { return trMark("BANKS"); }
  const char* help() const override {
    return trMark("Which lane accesses a word of which bank, and in which wavefront.");
  }

 protected:
  std::string nothingToShow(const LoggedWarp& warp) const override {
    return trf(
        "{} accesses no shared memory. The families banks, transpose and reduction have kernels that do.",
        warpText(warp));
  }
  std::string costText(const StepList& steps, size_t i) const override {
    return steps.cost(i) == 1 ? tr("1 wavefront") : trf("{} wavefronts", steps.cost(i));
  }
  void drawStep(const ViewInput& input, const StepList& steps, size_t i) override;

 private:
  struct Pointed {
    std::optional<int> lane, bank;
    const sim::SharedWord* word = nullptr;
  };

  BankPicture layOut(const ViewInput& input, const sim::SharedShape& shape) const;
  Pointed pointedAt(const ViewInput& input, const BankPicture& picture, const sim::SharedShape& shape) const;
  void drawWires(const ViewInput& input, const BankPicture& picture, const sim::SharedShape& shape,
                 const Pointed& pointed) const;
  void drawLanes(const ViewInput& input, const BankPicture& picture, LaneMask mask,
                 const Pointed& pointed) const;
  void drawBoxes(const ViewInput& input, const BankPicture& picture, const sim::SharedShape& shape,
                 const Pointed& pointed) const;
  void drawLabels(const ViewInput& input, const BankPicture& picture) const;
  void tell(const ViewInput& input, const StepList& steps, size_t i, const sim::SharedShape& shape,
            const Pointed& pointed) const;
};

// The lane that accesses a word, or the number of lanes if there are several.
std::string boxText(const sim::SharedWord& word) {
  return word.lanes.count() > 1 ? fmt::format("×{}", word.lanes.count())
                                : fmt::format("{}", word.lanes.lowest());
}

std::string summaryOf(const sim::SharedShape& shape) {
  std::string text = shape.wavefronts == 1 ? tr("1 wavefront") : trf("{} wavefronts", shape.wavefronts);
  text += trf(" (ideal {})", shape.ideal);
  if (shape.wavefronts == shape.ideal) {
    text += ", ";
    text += tr("no bank conflicts");
  }
  if (shape.most_lanes > 1) text += trf(", up to {} lanes share a word", shape.most_lanes);
  return text;
}

BankPicture BanksView::layOut(const ViewInput& input, const sim::SharedShape& shape) const {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float labels = textSize(input.fonts->text, tr("wavefront 32")).x + theme.px(8);
  const float line = textSize(input.fonts->mono, "0").y;
  BankPicture picture;
  picture.columns = {at.x + labels, at.x + room.x};
  picture.lanes_top = at.y + line + theme.px(2);
  picture.lanes_bottom = picture.lanes_top + theme.px(kBankLane);
  picture.depth = std::max(1U, shape.wavefronts);
  picture.numbers_top = at.y + room.y - line;
  const float between = picture.numbers_top - theme.px(3) - picture.lanes_bottom;
  const float most = std::max(theme.px(4), between - std::max(theme.px(kLeastWires), between * 0.3F));
  picture.box_height = std::min(theme.px(kMostBox), most / static_cast<float>(picture.depth));
  picture.boxes_top =
      picture.numbers_top - theme.px(3) - picture.box_height * static_cast<float>(picture.depth);
  return picture;
}

BanksView::Pointed BanksView::pointedAt(const ViewInput& input, const BankPicture& picture,
                                        const sim::SharedShape& shape) const {
  Pointed pointed;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 min{picture.columns.left, picture.lanes_top};
  const ImVec2 max{picture.columns.right, picture.numbers_top + textSize(input.fonts->mono, "0").y};
  input.report->widget("banks.picture", min, max);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(min, max)) return pointed;
  const auto column = picture.columns.at(mouse.x);
  if (!column) return pointed;
  if (mouse.y < picture.lanes_bottom) pointed.lane = *column;
  if (mouse.y >= picture.boxes_top) {
    pointed.bank = *column;
    for (const sim::SharedWord& word : shape.words) {
      if (word.bank != static_cast<uint32_t>(*column)) continue;
      const float top = picture.boxTop(word.wavefront);
      if (mouse.y >= top && mouse.y < top + picture.box_height) pointed.word = &word;
    }
  }
  return pointed;
}

void BanksView::drawWires(const ViewInput& input, const BankPicture& picture, const sim::SharedShape& shape,
                          const Pointed& pointed) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  const bool any_pointed = pointed.lane || pointed.bank;
  for (const bool lit : {false, true}) {
    for (const sim::SharedWord& word : shape.words) {
      const ImVec2 to{picture.columns.centre(static_cast<int>(word.bank)), picture.boxes_top};
      for (LaneMask rest = word.lanes; !rest.empty(); rest.bits &= rest.bits - 1) {
        const int lane = rest.lowest();
        const bool is_lit =
            (pointed.lane && *pointed.lane == lane) || pointed.word == &word ||
            (pointed.bank && pointed.word == nullptr && *pointed.bank == static_cast<int>(word.bank));
        if (is_lit != lit) continue;
        const ImVec2 from{picture.columns.centre(lane), picture.lanes_bottom};
        const float bend = (to.y - from.y) * 0.45F;
        const ImU32 colour = lit ? theme.accent : withAlpha(ink.line, any_pointed ? 0.35F : 0.85F);
        list.AddBezierCubic(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, colour,
                            theme.px(lit ? 2.0F : 1.2F));
      }
    }
  }
}

void BanksView::drawLanes(const ViewInput& input, const BankPicture& picture, LaneMask mask,
                          const Pointed& pointed) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const ImVec2 min{picture.columns.edge(lane) + 1, picture.lanes_top};
    const ImVec2 max{picture.columns.edge(lane + 1) - 1, picture.lanes_bottom};
    const bool wanted =
        (pointed.lane && *pointed.lane == lane) || (pointed.word != nullptr && pointed.word->lanes.has(lane));
    if (mask.has(lane)) {
      list.AddRectFilled(min, max, wanted ? theme.accent : ink.full, theme.px(2));
    } else {
      list.AddRect(min, max, ink.faint, theme.px(2));
    }
  }
}

// Solid boxes are words that every such access needs a wavefront for. Hatched boxes wait for another word in
// their bank.
void BanksView::drawBoxes(const ViewInput& input, const BankPicture& picture, const sim::SharedShape& shape,
                          const Pointed& pointed) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const InkScale ink = inkScale(theme);
  // Either all boxes have room for their text, or none is written.
  float widest = 0;
  for (const sim::SharedWord& word : shape.words)
    widest = std::max(widest, textSize(input.fonts->mono, boxText(word).c_str()).x);
  const bool written =
      picture.box_height >= textSize(input.fonts->mono, "0").y && picture.columns.width() - 2 >= widest;
  for (int bank = 0; bank < kWarpSize; ++bank) {
    list.AddRect({picture.columns.edge(bank) + 1, picture.boxes_top},
                 {picture.columns.edge(bank + 1) - 1, picture.boxesBottom()}, ink.faint);
  }
  for (const sim::SharedWord& word : shape.words) {
    const int bank = static_cast<int>(word.bank);
    const float top = picture.boxTop(word.wavefront);
    const float gap = picture.box_height > theme.px(5) ? 1.0F : 0.5F;
    const ImVec2 min{picture.columns.edge(bank) + 1, top + gap / 2};
    const ImVec2 max{picture.columns.edge(bank + 1) - 1, top + picture.box_height - gap / 2};
    const bool lit = pointed.word == &word || (pointed.lane && word.lanes.has(*pointed.lane));
    const bool first = !word.waits;
    list.AddRectFilled(min, max, lit ? theme.accent : first ? ink.full : ink.middle);
    if (!first && !lit && picture.box_height >= theme.px(4)) {
      drawHatch(list, min, max, withAlpha(theme.background, 0.55F), theme.px(5), theme.px(1.2F));
    }
    const std::string lanes = boxText(word);
    const ImVec2 text = textSize(input.fonts->mono, lanes.c_str());
    if (!written) continue;
    const ImVec2 at{(min.x + max.x - text.x) / 2, top + (picture.box_height - text.y) / 2};
    if (!first && !lit) {
      list.AddRectFilled({at.x - 1, min.y}, {at.x + text.x + 1, max.y}, ink.middle);
    }
    drawText(list, input.fonts->mono, at, theme.background, lanes.c_str());
  }
}

void BanksView::drawLabels(const ViewInput& input, const BankPicture& picture) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImFont* mono = input.fonts->mono;
  ImFont* text = input.fonts->text;
  const float line = textSize(mono, "0").y;
  const float left = ImGui::GetCursorScreenPos().x;
  const int step = picture.columns.labelStep(textSize(mono, "31").x + theme.px(3));
  for (int i = 0; i < kWarpSize; i += step) {
    const std::string number = fmt::format("{}", i);
    const float x = picture.columns.centre(i) - textSize(mono, number.c_str()).x / 2;
    drawText(list, mono, {x, picture.lanes_top - line - theme.px(1)}, theme.text_quiet, number.c_str());
    drawText(list, mono, {x, picture.numbers_top}, theme.text_quiet, number.c_str());
  }
  drawText(list, text, {left, picture.lanes_top - line - theme.px(1)}, theme.text_quiet, tr("lane"));
  drawText(list, text, {left, picture.numbers_top}, theme.text_quiet, tr("bank"));
  // Number every wavefront whose row has room for its number.
  const auto every = static_cast<uint32_t>(std::max(1.0F, std::ceil(line / picture.box_height)));
  for (uint32_t wavefront = 0; wavefront < picture.depth; wavefront += every) {
    const std::string label = wavefront == 0 ? trf("wavefront {}", 1) : fmt::format("{}", wavefront + 1);
    const float width = textSize(text, label.c_str()).x;
    const float y = picture.boxTop(wavefront) + std::max(0.0F, (picture.box_height - line) / 2);
    drawText(list, text, {std::max(left, picture.columns.left - theme.px(6) - width), y}, theme.text_quiet,
             label.c_str());
  }
}

void BanksView::tell(const ViewInput& input, const StepList& steps, size_t i, const sim::SharedShape& shape,
                     const Pointed& pointed) const {
  const MemoryRequest& request = steps.request(i);
  if (!pointed.lane && !pointed.bank) return;
  const TraceSelection where = selectWarp(steps.warp().block, steps.warp().warp_in_block);
  if (pointed.lane) {
    const int lane = *pointed.lane;
    Tooltip tooltip(*input.theme, *input.fonts, trf("Lane {}", lane));
    if (!request.mask.has(lane)) {
      tooltip.note(steps.warp().live.has(lane) ? tr("Does not take part in this access.")
                                               : tr("Has no thread."));
      return;
    }
    tooltip.row(tr("thread"), threadText(steps.warp().threads[static_cast<size_t>(lane)]));
    const uint64_t byte = request.addresses[static_cast<size_t>(lane)];
    tooltip.row(tr("bytes"),
                trf("{} to {} of the block's shared memory", formatCount(static_cast<int64_t>(byte)),
                    formatCount(static_cast<int64_t>(byte + request.bytes - 1))));
    for (const sim::SharedWord& word : shape.words) {
      if (!word.lanes.has(lane)) continue;
      tooltip.row(tr("word"), trf("{} in bank {}, wavefront {}", word.word, word.bank, word.wavefront + 1));
    }
    tooltip.note(tr("Address from executing the kernel on the simulated GPU."));
    offerItem(input, tooltip, where);
  } else if (pointed.word != nullptr) {
    const sim::SharedWord& word = *pointed.word;
    Tooltip tooltip(*input.theme, *input.fonts, trf("Bank {}, wavefront {}", word.bank, word.wavefront + 1));
    tooltip.row(tr("word"), trf("{} (bytes {} to {})", word.word, word.word * 4, word.word * 4 + 3));
    tooltip.row(tr("lanes"), lanesText(word.lanes));
    tooltip.note(word.lanes.count() > 1 ? tr("One read of the word serves all these lanes: a broadcast.")
                 : word.waits ? tr("The bank delivers one word per wavefront: this one waits for those above "
                                   "it. The hardware's order is not known, only the number of wavefronts.")
                              : tr("The first word that this bank delivers."));
    offerItem(input, tooltip, where);
  } else {
    const auto words = std::ranges::count_if(shape.words, [&](const sim::SharedWord& word) {
      return static_cast<int>(word.bank) == *pointed.bank;
    });
    Tooltip tooltip(*input.theme, *input.fonts, trf("Bank {}", *pointed.bank));
    tooltip.row(tr("words"), fmt::format("{}", words));
    tooltip.note(tr("Words 32 apart are in the same bank, which delivers one of them per wavefront."));
    offerItem(input, tooltip, where);
  }
}

void BanksView::drawStep(const ViewInput& input, const StepList& steps, size_t i) {
  const sim::SharedShape shape = sim::sharedShape(steps.request(i));
  drawSummary(input, summaryOf(shape));
  const BankPicture picture = layOut(input, shape);
  if (picture.columns.width() < 3 || picture.boxes_top <= picture.lanes_bottom) return;
  const Pointed pointed = pointedAt(input, picture, shape);
  drawWires(input, picture, shape, pointed);
  drawLanes(input, picture, steps.request(i).mask, pointed);
  drawBoxes(input, picture, shape, pointed);
  drawLabels(input, picture);
  tell(input, steps, i, shape, pointed);
}

}  // namespace

std::unique_ptr<View> makeBanksView() {
  return std::make_unique<BanksView>();
}

}  // namespace warpscope
