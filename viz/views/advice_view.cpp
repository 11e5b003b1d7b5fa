// What would make the run faster: a short list, most of all first, each with its evidence, and with links to
// the view that shows it and to the variant that does it.
#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/advice.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr size_t kMostShown = 5;

std::string translatedLines(const std::string& lines) {
  std::string text;
  for (size_t from = 0; from <= lines.size();) {
    const size_t end = std::min(lines.find('\n', from), lines.size());
    text += (text.empty() ? "" : " ") + trMessage(lines.substr(from, end - from));
    from = end + 1;
  }
  return text;
}

class AdviceView : public View {
 public:
  const char* name() const override { return "advice"; }
  const char* title() const override { return trMark("ADVICE"); }
  const char* help() const override {
    return trMark("What would make the kernel faster, by how much, and the evidence for it.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Entry {
    Advice advice;
    size_t by = SIZE_MAX;  // index into ViewInput::variants; SIZE_MAX: none
  };
  void update(const ViewInput& input);
  void drawEntry(const ViewInput& input, size_t place) const;

  std::vector<std::shared_ptr<const Run>> of_;  // the run, then the variants' that entries_ were made from
  std::vector<Entry> entries_;
};

// Computed when a run has arrived, not in each frame.
void AdviceView::update(const ViewInput& input) {
  std::vector<std::shared_ptr<const Run>> runs{input.run};
  std::vector<const Run*> others;
  for (const VariantResult& result : input.variants) {
    const bool ceiling = isCeiling(input.run->request.family, result.variant);
    runs.push_back(result.stale || ceiling ? nullptr : result.run);
    others.push_back(runs.back().get());
  }
  if (runs == of_) return;
  of_ = std::move(runs);
  entries_.clear();
  for (Advice& advice : adviceFor(*input.run)) {
    if (entries_.size() == kMostShown) break;
    const auto by = variantThatDoes(advice, *input.run, others);
    entries_.push_back({std::move(advice), by.value_or(SIZE_MAX)});
  }
}

void AdviceView::drawEntry(const ViewInput& input, size_t place) const {
  const Theme& theme = *input.theme;
  const Advice& advice = entries_[place].advice;
  const std::string name = fmt::format("advice.{}", place);
  ImGui::PushID(static_cast<int>(place));
  ImGui::BeginGroup();
  textWrapped(fmt::format("{}. {}", place + 1, trMessage(advice.text)));
  ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
  textWrapped(trMessage(advice.evidence));
  ImGui::PopStyleColor();
  ImGui::EndGroup();
  input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (ImGui::IsItemHovered()) {
    Tooltip tooltip(theme, *input.fonts, trMessage(advice.text));
    tooltip.note(translatedLines(advice.how));
    tooltip.note(tr("Expected by this model, not found: what else changes with the code is not in it."));
  }
  if (advice.work) {
    if (ImGui::SmallButton(tr("more work"))) input.use_work(*advice.work);
  } else if (ImGui::SmallButton(tr("show it"))) {
    input.show_view(std::string(advice.view));
  }
  input.report->widget(name + ".show", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  const size_t by = entries_[place].by;
  if (by < input.variants.size() && input.variants[by].run != nullptr) {
    const VariantResult& variant = input.variants[by];
    ImGui::SameLine();
    const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
    const std::string label = fittedText(ImGui::GetFont(), trf("try: {}", tr(variant.title)), room);
    if (ImGui::SmallButton((label + "##try").c_str())) input.select_variant(variant.variant);
    input.report->widget(name + ".try", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (ImGui::IsItemHovered()) {
      Tooltip tooltip(theme, *input.fonts, tr(variant.title) + " (" + variant.variant + ")");
      tooltip.row(tr("expected"), formatSignificant(advice.gain, 2) + "×");
      tooltip.row(tr("found"),
                  formatSignificant(input.run->timing.median_us / variant.run->timing.median_us, 2) + "×");
      tooltip.note(tr("The fastest variant at these settings of which this is not advised, or much less."));
    }
  }
  ImGui::Dummy({1, theme.px(4)});
  ImGui::PopID();
}

void AdviceView::draw(const ViewInput& input, ViewState& /*state*/) {
  if (input.run == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  update(input);
  ImGui::BeginChild("advice", ImVec2(0, 0), false, ImGuiWindowFlags_NoNav);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(input.theme->px(4), input.theme->px(2)));
  for (size_t place = 0; place < entries_.size(); ++place) drawEntry(input, place);
  ImGui::PushStyleColor(ImGuiCol_Text, input.theme->text_quiet);
  if (entries_.empty()) textWrapped(tr("Nothing stands out in this run."));
  if (input.run->counters.empty()) {
    textWrapped(noCountersText(*input.run));
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<View> makeAdviceView() {
  return std::make_unique<AdviceView>();
}

}  // namespace warpscope
