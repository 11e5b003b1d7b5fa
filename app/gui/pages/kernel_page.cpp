// The page of the user's own kernel: its source, which can be edited, beside what its warps do. Compiler
// messages stand at their lines; the picture is that of what compiled last.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "app/gui/editor/code_editor.h"
#include "app/gui/fold_row.h"
#include "app/gui/model/side_by_side.h"
#include "app/gui/pages/page_parts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/pages/run_headline.h"
#include "app/gui/pages/view_panel.h"
#include "app/gui/programs.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "viz/views/view.h"

namespace warpscope {

void beginKernel(const Ui& ui, const KernelTemplate& from);  // file_menu.cpp

namespace {

constexpr std::array kKernelViews{"kernel"};
constexpr float kSourceShare = 0.5F, kTimelineShare = 0.62F;

std::string whyNoKernel(const Ui& ui) {
  return ui.programs.isOpen() ? std::string() : tr("No file of kernels is open.");
}

class KernelPage final : public Page {
 public:
  KernelPage() : timeline_(makeTimelineView()) {}
  const char* name() const override { return "kernel"; }
  const char* label() const override { return trMark("Kernel"); }
  const char* help() const override {
    return trMark("Write a kernel of your own, and see what its warps do.");
  }
  const char* key() const override { return "E"; }
  std::span<const char* const> views() const override { return kKernelViews; }
  std::vector<PanelName> panels(const Ui& /*ui*/) const override {
    return {{"kernel.source", tr("SOURCE")},
            {timeline_->name(), tr(timeline_->title())},
            {"kernel.messages", tr("WHAT THE COMPILER SAYS")}};
  }
  PageNeeds needs(const Ui& ui) override { return {.comparison = !ui.model.compare().kept().runs.empty()}; }
  bool isMoving(const Ui& ui) const override { return ui.programs.busy(); }
  void draw(const Ui& ui, ImVec2 min, ImVec2 max) override;
  ViewState* selecting(const Ui& ui) const override { return &ui.model.view; }
  std::vector<Action> actions() override;

 private:
  void drawSource(const Ui& ui, ImVec2 room);
  void drawStart(const Ui& ui, ImVec2 room) const;
  void drawButtons(const Ui& ui, float width);
  void drawMessages(const Ui& ui, ImVec2 room);

  std::unique_ptr<View> timeline_;
  CodeEditor editor_;
  std::string wanted_;
};

std::vector<Action> KernelPage::actions() {
  return {{.id = "kernel.run",
           .name = trMark("Compile the kernel as it is in the editor, and run it"),
           .group = ActionGroup::kRun,
           .keys = "F5",
           .act = [](const Ui& ui) { ui.programs.compile(); },
           .why_not = whyNoKernel,
           .while_typing = true},
          {.id = "kernel.comment",
           .name = trMark("Write the present settings into the source, as a launch comment"),
           .group = ActionGroup::kRun,
           .keys = "",
           .act = [](const Ui& ui) { ui.programs.writeLaunchComment(); },
           .why_not = whyNoKernel},
          {.id = "kernel.comment_back",
           .name = trMark("Take the launch comment back"),
           .group = ActionGroup::kRun,
           .keys = "",
           .act = [](const Ui& ui) { ui.programs.takeCommentBack(); },
           .why_not =
               [](const Ui& ui) {
                 return ui.programs.canTakeCommentBack() ? std::string() : tr("No comment was just written.");
               }}};
}

void KernelPage::drawButtons(const Ui& ui, float width) {
  std::vector<FoldItem> items;
  const char *run = tr("▶ Run"), *save = tr("Save"), *comment = tr("Launch comment"), *next = tr("Find");
  items.push_back(fixedItem(buttonWidth(run), 0, 0, [&, run](float) {
    if (button(ui, "kernel.run", run)) perform(ui, "kernel.run");
    helpTooltip(ui, "kernel.run", tr("Compile and run"),
                ui.actions.withKeys(tr("What is in the editor, saved or not."), "kernel.run"));
  }));
  items.push_back(fixedItem(buttonWidth(save), 10, ui.px(4), [&, save](float) {
    if (button(ui, "kernel.save", save, ui.programs.isChanged() ? ButtonLook::kOn : ButtonLook::kPlain))
      ui.programs.save();
    helpTooltip(ui, "kernel.save", tr("Save the source"), ui.programs.file().string());
  }));
  const bool undo = ui.programs.canTakeCommentBack();
  if (undo) comment = tr("Undo the comment");
  items.push_back(fixedItem(buttonWidth(comment), 40, ui.px(4), [&, comment, undo](float) {
    if (undo) {
      if (button(ui, "kernel.comment_back", comment)) perform(ui, "kernel.comment_back");
      return helpTooltip(ui, "kernel.comment_back", tr("Take the launch comment back"),
                         tr("The text is again what it was before."));
    }
    if (button(ui, "kernel.comment", comment)) perform(ui, "kernel.comment");
    helpTooltip(ui, "kernel.comment", tr("Write the launch into the source"),
                tr("A comment with the block, the grid, the sizes and the arrays as they are set now. Opened "
                   "again, the kernel is launched so."));
  }));
  items.push_back(
      {.least = ui.px(60), .width = ui.px(140), .gap = ui.px(10), .rank = 30, .draw = [&](float room) {
         ImGui::SetNextItemWidth(room);
         wanted_.resize(std::max<size_t>(wanted_.capacity(), 100));
         const bool enter = ImGui::InputTextWithHint("##find", tr("find in the source"), wanted_.data(),
                                                     wanted_.size(), ImGuiInputTextFlags_EnterReturnsTrue);
         wanted_.resize(std::strlen(wanted_.c_str()));
         ui.report.widgetOfLastItem("kernel.find");
         if (enter) editor_.find(ui, ui.programs.text(), wanted_);
       }});
  items.push_back(fixedItem(buttonWidth(next), 35, ui.px(2), [&, next](float) {
    if (button(ui, "kernel.find_next", next)) editor_.find(ui, ui.programs.text(), wanted_);
  }));
  drawFoldingRow(ui, "kernel", width, items);
}

// Before a file is open: how to begin.
void KernelPage::drawStart(const Ui& ui, ImVec2 room) const {
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room.x);
  ImGui::TextUnformatted(
      tr("Drop a .cu or .ptx file onto the window, open one, or begin with one of these:"));
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  const float left = ImGui::GetCursorPosX();
  for (const KernelTemplate& each : ui.programs.templates()) {
    const char* label = tr(each.name.c_str());
    if (ImGui::GetCursorPosX() > left && ImGui::GetCursorPosX() + buttonWidth(label) > left + room.x)
      ImGui::NewLine();
    if (button(ui, "kernel.new." + each.file.stem().string(), label)) beginKernel(ui, each);
    ImGui::SameLine(0, ui.px(4));
  }
}

void KernelPage::drawSource(const Ui& ui, ImVec2 room) {
  Programs& programs = ui.programs;
  if (!programs.isOpen()) return drawStart(ui, room);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  drawButtons(ui, room.x);
  const float header = ImGui::GetFrameHeight() + ui.px(6);
  ImGui::SetCursorScreenPos({at.x, at.y + header});
  editor_.draw(ui, "kernel.editor", programs.text(), programs.version(), programs.diagnostics(),
               {room.x, room.y - header});
}

void KernelPage::drawMessages(const Ui& ui, ImVec2 room) {
  const Programs& programs = ui.programs;
  if (!programs.isOpen()) return;
  const auto line = [&](ImU32 colour, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room.x - ui.px(12));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  };
  if (programs.busy()) {
    line(ui.theme.text_quiet, tr("Compiling ..."));
  } else if (!programs.error().empty()) {
    line(ui.theme.error,
         std::string("✗ ") + tr("It was not compiled. The picture is of what compiled last."));
  } else if (const auto& program = programs.program()) {
    const std::string by = program->compiler.empty() ? tr("PTX, as it is") : program->compiler;
    line(ui.theme.ok, trf("✓ compiled in {} by {}", fmt::format("{:.2f} s", programs.compile_s()), by));
  }
  ui.report.text("kernel.error", programs.error());
  int index = 0;
  for (const Diagnostic& each : programs.diagnostics()) {
    const bool is_error = each.severity == Severity::kError;
    line(is_error ? ui.theme.error : ui.theme.warning,
         each.line > 0 ? trf("line {}: {}", each.line, each.message) : each.message);
    ui.report.widgetOfLastItem(fmt::format("kernel.message.{}", index++));
    if (ImGui::IsItemClicked() && each.line > 0) editor_.showLine(each.line);
  }
  if (!programs.error().empty() && programs.diagnostics().empty()) line(ui.theme.error, programs.error());
  if (programs.error().empty() && programs.program() != nullptr) {
    const Model& model = ui.model;
    if (model.choice().family().program == programs.program())
      line(ui.theme.text_quiet, trMessage(model.choice().variant().summary));
    if (const auto& run = model.feed().shown().run; run != nullptr) {
      line(ui.theme.text_quiet, trf("Result: {}.", trMessage(run->verification.detail)));
      for (const std::string& note : markNotes(run->request))
        line(ui.theme.text_quiet, trf("Marks: {}.", note));
      if (run->probe.ratio > 0) {
        if (run->probe.registers_per_thread && run->probe.theoretical_occupancy) {
          line(ui.theme.text_quiet,
               trf("Registers: {}, with marks {}. Theoretical occupancy: {}, with marks {}.",
                   run->resources.registers_per_thread, *run->probe.registers_per_thread,
                   formatPercent(run->occupancy.theoretical),
                   formatPercent(*run->probe.theoretical_occupancy)));
        }
        line(ui.theme.text_quiet,
             trf("Marks cost {} times the kernel's time; {} events, {} lost.",
                 fmt::format("{:.2f}", run->probe.ratio), formatCount(static_cast<int64_t>(run->probe.kept)),
                 formatCount(static_cast<int64_t>(run->probe.dropped))));
      }
    }
  }
}

void KernelPage::draw(const Ui& ui, ImVec2 min, ImVec2 max) {
  ui.report.widget("view.kernel", min, max);
  const float gap = ui.px(kPanelGap);
  const float middle = min.x + (max.x - min.x - gap) * kSourceShare;
  const float lower = min.y + (max.y - min.y - gap) * kTimelineShare;
  const Programs& programs = ui.programs;
  const std::string title = programs.isOpen()
                                ? std::string(tr("SOURCE")) + "   " + programs.file().filename().string() +
                                      (programs.isChanged() ? std::string("   ") + tr("(not saved)") : "")
                                : tr("SOURCE");
  constexpr auto kFixed = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  pagePanel(ui, "kernel.source", title, {min, {middle, max.y}}, kFixed,
            [&](ImVec2 room) { drawSource(ui, room); });
  ViewInput input = runViewInput(ui, [](const std::string&) {});
  // The version before, or what else was kept.
  if (const KeptAndPresent kept = keptAndPresent(ui.model)) {
    const ComparedRun& run = kept.compared->runs[kept.kept];
    input.ghost = {run.run, run.layout};
  }
  drawViewPanel(ui, input, *timeline_, {{middle + gap, min.y}, {max.x, lower}});
  pagePanel(ui, "kernel.messages", tr("WHAT THE COMPILER SAYS"), {{middle + gap, lower + gap}, max}, 0,
            [&](ImVec2 room) { drawMessages(ui, room); });
}

}  // namespace

std::unique_ptr<Page> makeKernelPage() {
  return std::make_unique<KernelPage>();
}

}  // namespace warpscope
