#include "viz/lab/lab_panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/text_block.h"

namespace warpscope {

const Suggestion* drawSuggestions(const LabInput& input) {
  const Theme& theme = *input.theme;
  const Suggestion* used = nullptr;
  const auto& all = input.first->answer.suggestions;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(theme.px(6), theme.px(2)));
  for (size_t i = 0; i < all.size(); ++i) {
    const Suggestion& suggestion = all[i];
    const bool usable = suggestion.block_threads || suggestion.registers || suggestion.shared_bytes;
    const std::string name = "lab.suggestion." + std::to_string(i);
    ImGui::PushID(name.c_str());
    textWrapped("• " + trMessage(suggestion.text));
    input.report->widget(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    ImGui::PushStyleColor(ImGuiCol_Text, theme.text_quiet);
    textWrapped(trMessage(suggestion.reason));
    ImGui::PopStyleColor();
    if (usable) {
      if (ImGui::SmallButton(tr("Try it"))) used = &suggestion;
      input.report->widget(name + ".use", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::Dummy(ImVec2(0, theme.px(3)));
    ImGui::PopID();
  }
  ImGui::PopStyleVar();
  return used;
}

}  // namespace warpscope
