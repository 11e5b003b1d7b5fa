#include <algorithm>

#include "app/gui/panels.h"
#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

std::string numberWithUnit(double value, const std::string& unit) {
  return unit.empty() ? formatSignificant(value) : formatSignificant(value) + " " + tr(unit);
}

std::string foundText(const PredictionResult& result) {
  if (!result.measured) return "-";
  return formatSignificant(*result.measured) + (result.fulfilled() ? "" : " !");
}

std::string tooltipText(const Ui& ui, const PredictionResult& result) {
  std::string text = trf("Theory: {}", trMessage(result.reason));
  if (result.tolerance > 0)
    text += "\n" + trf("It holds on average: within {}.", formatPercent(result.tolerance));
  if (result.measured) {
    text += "\n" + trf("This run: {}", numberWithUnit(*result.measured, result.unit));
    if (!result.fulfilled()) text += "\n" + std::string(tr("! This is not what theory predicts."));
  } else {
    text +=
        "\n" + std::string(ui.model.outdated() ? tr("No run of these settings yet.")
                                               : tr("This device does not report it: a simulated GPU does."));
  }
  return text;
}

void rightAligned(ImDrawList& list, ImFont* font, float right, float y, ImU32 colour,
                  const std::string& text) {
  list.AddText(font, fontSize(*font), ImVec2(right - textSize(font, text.c_str()).x, y), colour,
               text.c_str());
}

}  // namespace

void drawTheoryTable(const Ui& ui) {
  const std::vector<PredictionResult> results = ui.model.theory();
  if (results.empty()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x;
  const auto values = [&](const char* theory, const std::string& found, ImFont* font, ImU32 colour) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
    rightAligned(list, font, at.x + width * 0.52F, at.y, colour, theory);
    rightAligned(list, font, at.x + width, at.y, colour, found);
  };
  values(tr("theory"), tr("this run"), ui.fonts.text, ui.theme.text);
  for (size_t i = 0; i < results.size(); ++i) {
    const PredictionResult& result = results[i];
    ImGui::BeginGroup();
    ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
    textWrapped(trMessage(result.label));
    ImGui::PopStyleColor();
    values(formatSignificant(result.predicted).c_str(), foundText(result), ui.fonts.mono, ui.theme.text);
    ImGui::EndGroup();
    const std::string name = fmt::format("theory.{}", i);
    ui.report.widgetOfLastItem(name);
    helpTooltip(ui, name, trMessage(result.label) + ": " + numberWithUnit(result.predicted, result.unit),
                tooltipText(ui, result));
    copyOnRightClick(ui, formatSignificant(result.measured.value_or(result.predicted)));
  }
}

}  // namespace warpscope
