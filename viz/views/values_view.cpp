// The registers of one lane of the selected warp, what it wrote into global memory, and the shared memory of
// its block, all as they are at the play head; without a play head as they are when the warp ends.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "kernels/core/units.h"
#include "viz/layout/play_head.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/views/lane_log_parts.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr size_t kMostResults = 8;
constexpr float kSharedFrom = 460, kWordWidth = 46, kOffsetWidth = 44;  // pixels at 100 %

// Where the block is at the play head.
struct Instant {
  uint32_t warp = 0;             // whose registers are shown
  std::vector<ValueTime> times;  // of each warp of the block
};

class ValuesView : public View {
 public:
  const char* name() const override { return "values"; }
  const char* title() const override { return trMark("VALUES"); }
  const char* help() const override {
    return trMark("What a lane's registers and the block's shared memory hold at the play head.");
  }
  bool wantsValues() const override { return true; }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void readState(const ViewInput& input, const ViewState& state);
  void drawPlace(const ViewInput& input, const ViewState& state) const;
  void drawLanes(const ViewInput& input, ViewState& state) const;
  void drawRegisters(const ViewInput& input, const ViewState& state) const;
  void drawRegister(const ViewInput& input, const ViewState& state, const RegisterValue& value) const;
  void drawResults(const ViewInput& input, const ViewState& state) const;
  void drawShared(const ViewInput& input) const;
  // How many words of shared memory fit side by side: 32 (one of each bank), 16, 8 ...
  static uint32_t wordsOfRow(const Theme& theme);
  std::string valueText(const LoggedRegister& of, const RegisterValue& value) const;
  void drawWord(const ViewInput& input, uint32_t word, ImVec2 at, float width) const;
  const WarpValues& warp() const { return read_->warps[now_.warp]; }
  const ValueTime& time() const { return now_.times[now_.warp]; }
  // The kernel's own step that was issued last; nullopt: none was.
  std::optional<uint32_t> findLastStep() const;
  const ListedInstruction& listed(const ValueStep& step) const { return (*read_->listing)[step.listed]; }
  bool isProbes(uint32_t step) const { return isProbeInstruction(listed(warp().steps[step])); }

  std::shared_ptr<const ValueLog> read_;
  Instant now_;
  double read_at_ = -1;  // the cycle
  int lane_ = -1;
  std::optional<uint32_t> last_step_;
  std::vector<RegisterValue> registers_;  // of the lane, the newest first
  bool shared_are_floats_ = false;
  uint32_t shared_words_ = 0;  // up to the last one that is ever written
};

std::optional<uint32_t> ValuesView::findLastStep() const {
  const std::vector<ValueIssue>& issues = warp().issues;
  const auto after = std::ranges::partition_point(
      issues, [&](const ValueIssue& issue) { return static_cast<double>(issue.cycle) <= time().cycle; });
  for (auto at = after; at != issues.begin();) {
    if (!isProbes((--at)->step)) return at->step;
  }
  return std::nullopt;
}

// Everything that depends on the instant is looked up once for it, not in every frame.
void ValuesView::readState(const ViewInput& input, const ViewState& state) {
  Instant now;
  if (state.selected_warp && state.selected_warp->block == input.values->block &&
      state.selected_warp->warp_in_block < input.values->warps.size())
    now.warp = state.selected_warp->warp_in_block;
  const double at = state.play_head.value_or(1e18);
  for (const WarpValues& each : input.values->warps) now.times.push_back(timeAt(each, at));
  const bool new_log = read_ != input.values;
  if (!new_log && now.warp == now_.warp && at == read_at_ && lane_ == state.value_lane) return;
  read_ = input.values;
  now_ = std::move(now);
  read_at_ = at;
  lane_ = state.value_lane;
  last_step_ = findLastStep();
  registers_ = registersAt(*read_, warp(), time(), lane_);
  std::erase_if(registers_, [&](const RegisterValue& value) { return isProbes(value.step); });
  std::ranges::stable_sort(registers_, std::ranges::greater(), &RegisterValue::step);
  if (!new_log) return;
  shared_words_ = 0;
  for (uint32_t i = 0; i < read_->shared_writes_into.size(); ++i) {
    if (!read_->shared_writes_into[i].empty()) shared_words_ = i + 1;
  }
  std::vector<uint32_t> words;
  for (const SharedWrite& write : read_->shared_writes) {
    for (uint32_t i = 0; i + 4 <= write.bytes; i += 4) {
      uint32_t word = 0;
      std::memcpy(&word, write.data.data() + i, 4);
      words.push_back(word);
    }
  }
  shared_are_floats_ = lookLikeFloats(words);
}

void ValuesView::drawPlace(const ViewInput& input, const ViewState& state) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  std::string text = trf("block {}, warp {}", formatCount(read_->block.value), now_.warp);
  text += state.play_head ? trf(" at cycle {}", formatCount(static_cast<int64_t>(*state.play_head)))
                          : trf(" at its end; {} plays from the beginning", input.keys("play.forward"));
  const float right =
      drawSimulatedBadge(input, tr("values: simulated"), at.x + width, at.y) - theme.px(8) - at.x;
  drawTextFitted(list, input.fonts->text, {at.x, at.y + theme.px(2)}, right, theme.text, text.c_str());
  const float line = ImGui::GetTextLineHeight() + theme.px(6);
  std::string instruction = tr("nothing was executed yet");
  if (last_step_) {
    const ListedInstruction& last = listed(warp().steps[*last_step_]);
    const uint32_t number = lineIn(read_->source_file, last);
    instruction = (number > 0 ? trf("line {}: ", number) : "") + last.text;
  }
  drawTextFitted(list, input.fonts->mono, {at.x, at.y + line}, width, theme.text, instruction.c_str());
  ImGui::Dummy({width, 2 * line});
  input.report->widget("values.place", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  input.report->text("values.place", text);
  input.report->text("values.instruction", instruction);
  if (read_->full) {
    ImGui::PushStyleColor(ImGuiCol_Text, theme.warning);
    textWrapped(tr("The block does more than fits into memory: its values are known up to here only."));
    ImGui::PopStyleColor();
  }
}

// Addresses by the buffer that they are in.
std::string ValuesView::valueText(const LoggedRegister& of, const RegisterValue& value) const {
  std::string text = formatRegister(of, value);
  if (of.bits != 64 || of.is_float) return text;
  const uint64_t address = value.words[0] | uint64_t{value.words[1]} << 32;
  const std::string place = placeIn(read_->buffers, address, 4);
  return place.starts_with("0x") ? text : "&" + place;
}

uint32_t ValuesView::wordsOfRow(const Theme& theme) {
  const float room = ImGui::GetContentRegionAvail().x - theme.px(kOffsetWidth);
  const auto fit = static_cast<uint32_t>(std::max(1.0F, room / theme.px(kWordWidth)));
  return std::min(32U, std::bit_floor(fit));
}

// The lanes of the last instruction are filled; a press chooses the lane.
void ValuesView::drawLanes(const ViewInput& input, ViewState& state) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::floor(ImGui::GetContentRegionAvail().x / kWarpSize);
  const float height = theme.px(18);
  const LaneMask active = last_step_ ? warp().steps[*last_step_].mask : LaneMask{};
  ImGui::InvisibleButton("values.lanes", {width * kWarpSize, height});
  input.report->widget("values.lanes", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  const int pointed = static_cast<int>((ImGui::GetIO().MousePos.x - at.x) / width);
  if (ImGui::IsItemActive() && pointed >= 0 && pointed < kWarpSize) state.value_lane = pointed;
  const InkScale ink = inkScale(theme);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const ImVec2 min{at.x + width * static_cast<float>(lane), at.y}, max{min.x + width - 1, at.y + height};
    const bool on = active.has(lane);
    if (on) list.AddRectFilled(min, max, ink.middle);
    list.AddRect(min, max, lane == state.value_lane ? theme.accent : ink.line, 0, 0,
                 lane == state.value_lane ? theme.px(2) : 1);
    const std::string number = fmt::format("{}", lane);
    const ImVec2 size = textSize(input.fonts->mono, number.c_str());
    if (size.x > width && lane % 8 != 0) continue;
    drawText(list, input.fonts->mono, {(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2},
             on ? theme.background : theme.text, number.c_str());
  }
  if (ImGui::IsItemHovered() && pointed >= 0 && pointed < kWarpSize) {
    Tooltip tooltip(theme, *input.fonts, trf("lane {}", pointed));
    tooltip.note(active.has(pointed) ? tr("It took part in this instruction.")
                                     : tr("It did not take part in this instruction."));
    tooltip.note(tr("A press shows its registers."));
  }
  ImGui::Dummy({0, theme.px(4)});
}

void ValuesView::drawRegister(const ViewInput& input, const ViewState& state,
                              const RegisterValue& value) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const LoggedRegister& of = read_->registers[value.of];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({width, ImGui::GetTextLineHeight() + theme.px(3)});
  if (!ImGui::IsItemVisible()) return;
  const std::string name = "values." + of.name, text = valueText(of, value);
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  input.report->text(name, text);
  const bool hovered = ImGui::IsItemHovered();
  const bool fresh = last_step_ == value.step;  // this instruction wrote it
  if (fresh || hovered)
    list.AddRectFilled(at, ImGui::GetItemRectMax(), withAlpha(theme.accent, fresh ? 0.25F : 0.12F));
  const float value_x = at.x + theme.px(76);
  drawTextFitted(list, input.fonts->mono, {at.x + theme.px(6), at.y}, theme.px(68), theme.text,
                 of.name.c_str());
  drawTextFitted(list, input.fonts->mono, {value_x, at.y}, at.x + width - value_x, theme.text, text.c_str());
  if (!hovered) return;
  Tooltip tooltip(theme, *input.fonts, trf("{} of lane {}", of.name, state.value_lane));
  tooltip.row(tr("value"), text);
  const ListedInstruction& writer = listed(warp().steps[value.step]);
  tooltip.row(tr("written by"), writer.text);
  if (const uint32_t line = lineIn(read_->source_file, writer); line > 0)
    tooltip.row(tr("line"), fmt::format("{}", line));
  constexpr int kOfRow = 4;
  for (int first = 0; first < kWarpSize; first += kOfRow) {
    std::string lanes;
    for (int lane = first; lane < first + kOfRow; ++lane) {
      const auto there = registerAt(*read_, warp(), time(), value.slot, lane);
      const bool same = there && there->of == value.of;
      lanes += fmt::format("{:<14}", same ? valueText(of, *there) : "·");
    }
    tooltip.row(trf("lanes {}–{}", first, first + kOfRow - 1).c_str(), lanes);
  }
  offerItem(input, tooltip);
}

void ValuesView::drawRegisters(const ViewInput& input, const ViewState& state) const {
  const auto heading = [&](const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, input.theme->text_quiet);
    textWrapped(text);
    ImGui::PopStyleColor();
  };
  if (!warp().live.has(state.value_lane)) {
    heading(trf("Lane {} does not exist: the block has no thread for it.", state.value_lane));
    return;
  }
  heading(trf("Lane {}, newest first", state.value_lane));
  for (const RegisterValue& value : registers_) drawRegister(input, state, value);
  if (registers_.empty()) heading(tr("None was written yet."));
  drawResults(input, state);
}

void ValuesView::drawResults(const ViewInput& input, const ViewState& state) const {
  const auto results = resultsAt(warp(), time(), state.value_lane, kMostResults);
  std::vector<std::pair<std::string, std::string>> lines;
  for (const GlobalWrite* result : results) {
    if (isProbes(result->step)) continue;
    const uint32_t bytes = std::max(1U, result->bytes / std::max(1U, result->elements));
    std::string values;
    for (uint32_t i = 0; i * bytes < result->bytes; ++i) {
      uint32_t word = 0;
      std::memcpy(&word, result->data.data() + size_t{i} * bytes, std::min(bytes, 4U));
      values += (i > 0 ? ", " : "") + formatWord(word, lookLikeFloats({&word, 1}));
    }
    lines.emplace_back(placeIn(read_->buffers, result->address, bytes), values);
  }
  if (lines.empty()) return;
  ImGui::Dummy({0, input.theme->px(6)});
  ImGui::PushStyleColor(ImGuiCol_Text, input.theme->text_quiet);
  textWrapped(tr("Results of this lane"));
  ImGui::PopStyleColor();
  for (const auto& [place, value] : lines) {
    const std::string line = fmt::format("{} = {}", place, value);
    ImGui::PushFont(input.fonts->mono);
    ImGui::TextUnformatted(line.c_str());
    ImGui::PopFont();
    input.report->text("values.result", line);
  }
}

void ValuesView::drawWord(const ViewInput& input, uint32_t word, ImVec2 at, float width) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const SharedWord known = sharedWordAt(*read_, now_.times, word);
  const float height = ImGui::GetTextLineHeight() + theme.px(3);
  const bool fresh = known.written != 0 && known.warp == now_.warp && last_step_ == known.step;
  if (fresh) list.AddRectFilled(at, {at.x + width - 1, at.y + height - 1}, withAlpha(theme.accent, 0.25F));
  const std::string text = known.written == 0 ? "·" : formatWord(known.value, shared_are_floats_);
  drawTextFitted(list, input.fonts->mono, {at.x + theme.px(3), at.y}, width - theme.px(4),
                 known.written == 0 ? theme.text_quiet : theme.text, text.c_str());
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + height})) return;
  Tooltip tooltip(theme, *input.fonts, trf("shared memory, bytes {} to {}", word * 4, word * 4 + 3));
  if (known.written == 0) {
    tooltip.note(tr("Nothing was written here yet."));
    return;
  }
  tooltip.row(tr("as float"), formatWord(known.value, true));
  tooltip.row(tr("as integer"), formatWord(known.value, false));
  tooltip.row(tr("bits"), fmt::format("0x{:08x}", known.value));
  tooltip.row(tr("bank"), fmt::format("{}", word % 32));
  tooltip.row(tr("written by"),
              trf("warp {}: {}", known.warp, listed(read_->warps[known.warp].steps[known.step]).text));
  offerItem(input, tooltip);
}

void ValuesView::drawShared(const ViewInput& input) const {
  const Theme& theme = *input.theme;
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
  textWrapped(trf("Shared memory, {} B", formatCount(read_->shared_bytes)));
  ImGui::PopStyleColor();
  ImGui::BeginChild("values.words", {0, 0}, false, ImGuiWindowFlags_NoNav);
  const float height = ImGui::GetTextLineHeight() + theme.px(3);
  ImGuiListClipper clipper;
  const uint32_t in_row = wordsOfRow(theme);
  clipper.Begin(static_cast<int>((shared_words_ + in_row - 1) / in_row), height);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float offset_width = theme.px(kOffsetWidth);
      const float width = (ImGui::GetContentRegionAvail().x - offset_width) / static_cast<float>(in_row);
      drawText(*ImGui::GetWindowDrawList(), input.fonts->mono, at, theme.text_quiet,
               fmt::format("{}", row * static_cast<int>(in_row) * 4).c_str());
      for (uint32_t i = 0; i < in_row; ++i)
        drawWord(input, static_cast<uint32_t>(row) * in_row + i,
                 {at.x + offset_width + width * static_cast<float>(i), at.y}, width);
      ImGui::Dummy({offset_width + width * static_cast<float>(in_row), height});
    }
  }
  ImGui::EndChild();
}

void ValuesView::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  if (input.run == nullptr) return drawMessage(theme, *input.fonts, input.empty_message);
  if (!input.values_problem.empty()) return drawMessage(theme, *input.fonts, input.values_problem);
  if (input.run->trace.warps.empty())
    return drawMessage(theme, *input.fonts, tr("This run has no trace, so no block is known."));
  if (input.values == nullptr || input.values->listing == nullptr)
    return drawMessage(theme, *input.fonts, tr("Launching once more to record the values ..."));
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  readState(input, state);
  drawPlace(input, state);
  drawLanes(input, state);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const bool beside = shared_words_ > 0 && room.x >= theme.px(kSharedFrom);
  const float left = beside ? std::min(room.x * 0.42F, theme.px(260)) : room.x;
  ImGui::BeginChild("values.registers", {left, 0}, false, ImGuiWindowFlags_NoNav);
  if (read_->shared_from_outside) {
    ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
    textWrapped(tr(
        "Registers only: what bulk copies, or other blocks of the cluster, write into shared memory is not "
        "recorded."));
    ImGui::PopStyleColor();
    ImGui::Dummy({0, theme.px(6)});
  }
  drawRegisters(input, state);
  if (shared_words_ > 0 && !beside) {
    ImGui::Dummy({0, theme.px(6)});
    drawShared(input);
  }
  ImGui::EndChild();
  if (beside) {
    ImGui::SameLine(0, theme.px(10));
    ImGui::BeginChild("values.shared", {0, 0}, false, ImGuiWindowFlags_NoNav);
    drawShared(input);
    ImGui::EndChild();
  }
  ImGui::PopStyleVar();
  if (input.refreshing || input.values_refreshing)
    ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + room.x, min.y + room.y},
                                              withAlpha(theme.background, 0.5F));
}

}  // namespace

std::unique_ptr<View> makeValuesView() {
  return std::make_unique<ValuesView>();
}

}  // namespace warpscope
