// The lesson's panel: caption, question, answer and navigation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/gui/actions.h"
#include "app/gui/lesson/lessons.h"
#include "app/gui/lesson/rich_text.h"
#include "app/gui/panels.h"
#include "app/gui/ui.h"
#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

using Kind = LessonQuestion::Kind;

void coloured(ImU32 colour, const std::string& text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  textWrapped(text, width);
  ImGui::PopStyleColor();
}

// A button as wide as the panel, with text over several lines. True: it was pressed.
bool optionButton(const Ui& ui, const std::string& name, const std::string& key, const std::string& text,
                  float width, ImU32 edge, bool active) {
  const float margin = ui.px(8), key_width = ui.px(22);
  const std::string lines = brokenLines(text, width - 2 * margin - key_width);
  const float height = ImGui::CalcTextSize(lines.c_str()).y + 2 * ui.px(6);
  const ImVec2 at = ImGui::GetCursorScreenPos(), end{at.x + width, at.y + height};
  const bool pressed = ImGui::InvisibleButton(name.c_str(), {width, height}) && active;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool hovered = active && ImGui::IsItemHovered();
  list.AddRectFilled(
      at, end, hovered ? mixColours(ui.theme.panel, ui.theme.accent, 0.25F) : ui.theme.background, ui.px(4));
  list.AddRect(at, end, edge, ui.px(4), 0, edge == ui.theme.border ? 1 : ui.px(2));
  list.AddText({at.x + margin, at.y + ui.px(6)}, ui.theme.text_quiet, key.c_str());
  list.AddText({at.x + margin + key_width, at.y + ui.px(6)}, ui.theme.text, lines.c_str());
  ui.report.widgetOfLastItem(name);
  ui.report.text(name, text);
  ImGui::SetCursorScreenPos({at.x, end.y + ui.px(5)});  // close together, so that all fit a projector
  return pressed;
}

void drawChoice(const Ui& ui, const LessonQuestion& question, float width) {
  LessonModel& lesson = ui.lessons.model();
  const auto& given = lesson.given();
  const auto& right = lesson.told().right;
  for (size_t i = 0; i < question.options.size(); ++i) {
    const bool is_right = given.done() && right && right->option == i;
    const bool is_given = given.answer && given.answer->option == i;
    // A sign beside the colour, for those who cannot tell colours apart.
    const std::string key = is_right ? "✓" : is_given ? "✗" : std::to_string(i + 1);
    const ImU32 edge = is_right ? ui.theme.ok : is_given ? ui.theme.error : ui.theme.border;
    if (optionButton(ui, "lesson.option." + std::to_string(i), key, question.options[i].text, width, edge,
                     !given.done() && lesson.ready()))
      ui.lessons.answer({.option = i});
  }
}

void drawNumber(const Ui& ui, const LessonQuestion& question, float width) {
  LessonModel& lesson = ui.lessons.model();
  if (lesson.given().done()) return;
  std::array<char, 32> text{};
  std::string& typed = ui.lessons.typed_number;
  std::copy_n(typed.begin(), std::min(typed.size(), text.size() - 1), text.begin());
  ImGui::SetNextItemWidth(std::min(width / 2, ui.px(140)));
  const bool entered =
      ImGui::InputText("##lesson.number", text.data(), text.size(),
                       ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_EnterReturnsTrue |
                           ImGuiInputTextFlags_CallbackEdit,
                       keepTyped, &typed);
  ui.report.widgetOfLastItem("lesson.number");
  ImGui::SameLine();
  if (!question.unit.empty()) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(question.unit.c_str());
    ImGui::SameLine();
  }
  const bool pressed = button(ui, "lesson.check", tr("Check"), ButtonLook::kOn);
  if (!(entered || pressed) || !lesson.ready()) return;
  double number = 0;
  const auto parsed = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != typed.data() + typed.size())
    return notify(ui, tr("Type a number first."));
  ui.lessons.answer({.number = number});
}

// 32 lanes in rows of 16, or 8 where there is less room; a press paints one, a drag paints several.
void drawLanes(const Ui& ui, float width) {
  LessonModel& lesson = ui.lessons.model();
  const auto& given = lesson.given();
  const auto& right = lesson.told().right;
  const int in_row = width < ui.px(16 * 20) ? 8 : 16, rows = kWarpSize / in_row;
  const float cell = std::min(width / static_cast<float>(in_row), ui.px(26));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("lesson.lanes",
                         {cell * static_cast<float>(in_row), cell * static_cast<float>(rows)});
  ui.report.widgetOfLastItem("lesson.lanes");
  const auto lane_at = [&](ImVec2 mouse) -> std::optional<int> {
    const float column = std::floor((mouse.x - at.x) / cell), row = std::floor((mouse.y - at.y) / cell);
    const bool inside =
        column >= 0 && column < static_cast<float>(in_row) && row >= 0 && row < static_cast<float>(rows);
    if (!inside) return std::nullopt;
    return static_cast<int>(row) * in_row + static_cast<int>(column);
  };
  LaneMask& painted = ui.lessons.painted;
  if (!given.done() && ImGui::IsItemActive()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos, moved = ImGui::GetIO().MouseDelta;
    const bool begins = ImGui::IsItemActivated();
    if (const auto lane = lane_at(mouse); begins && lane) ui.lessons.paints = !painted.has(*lane);
    // The mouse may cross several lanes between two frames.
    const float way = begins ? 0 : std::max(std::abs(moved.x), std::abs(moved.y));
    const int steps = 1 + static_cast<int>(way / cell * 2);
    for (int i = 0; i < steps; ++i) {
      const float back = static_cast<float>(i) / static_cast<float>(steps);
      const auto lane = lane_at({mouse.x - moved.x * back, mouse.y - moved.y * back});
      if (!lane) continue;
      const uint32_t bit = 1U << *lane;
      painted.bits = ui.lessons.paints ? painted.bits | bit : painted.bits & ~bit;
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (int i = 0; i < kWarpSize; ++i) {
    const int column = i % in_row, row = i / in_row;
    const ImVec2 min{at.x + cell * static_cast<float>(column), at.y + cell * static_cast<float>(row)};
    const ImVec2 max{min.x + cell - 2, min.y + cell - 2};
    const bool is_painted = given.answer ? given.answer->lanes->has(i) : painted.has(i);
    list.AddRectFilled(min, max, is_painted ? ui.theme.region(0) : ui.theme.background, 2);
    const bool is_right = given.done() && right && right->lanes->has(i);
    list.AddRect(min, max, is_right ? ui.theme.ok : ui.theme.border, 2, 0, is_right ? ui.px(2) : 1);
    const std::string number = std::to_string(i);
    const ImVec2 size = ImGui::CalcTextSize(number.c_str());
    if (size.x < cell - 3)
      list.AddText({(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2},
                   is_painted ? ui.theme.onRegion(0) : ui.theme.text_quiet, number.c_str());
  }
}

void drawPaint(const Ui& ui, float width) {
  drawLanes(ui, width);
  if (ui.lessons.model().given().done()) return;
  if (button(ui, "lesson.check", tr("Check"), ButtonLook::kOn))
    ui.lessons.answer({.lanes = ui.lessons.painted});
  ImGui::SameLine();
  if (button(ui, "lesson.clear", tr("Clear"))) ui.lessons.painted = {};
}

void drawDrag(const Ui& ui, const LessonQuestion& question, float width) {
  const LessonModel& lesson = ui.lessons.model();
  const auto& given = lesson.given();
  if (given.right || given.revealed) return;
  // The settings are hidden with the picture, and in presenter mode, so that the question brings its own.
  const auto controls = ui.model.choice().controls();
  const auto spec = std::ranges::find(controls, question.parameter, &ParameterSpec::name);
  if (spec == controls.end()) return;
  drawParameterControl(ui, **spec, "lesson.control." + question.parameter, width,
                       inStepsOf(question, ui.model.offeredValues(**spec)));
  ImGui::Dummy({0, ui.px(2)});
  const bool possible = ui.model.impossible() == nullptr;
  if (!possible && (lesson.hidesPicture() || ui.lessons.presenting())) drawImpossibleNote(ui, width);
  if (button(ui, "lesson.check", tr("It is here"), possible ? ButtonLook::kOn : ButtonLook::kQuiet) &&
      possible && lesson.ready() && !lesson.pending())
    ui.lessons.answerDragged(ui);
}

std::string rightText(const LessonQuestion& question, const LessonAnswer& right) {
  if (right.number) return numberWithUnit(formatNumber(*right.number, 3), question.unit);
  if (right.lanes)
    return right.lanes->count() == 1 ? trf("lane {}", right.lanes->lowest())
                                     : trf("lanes {}", laneListText(*right.lanes));
  return {};
}

void drawVerdict(const Ui& ui, const LessonQuestion& question, float width) {
  LessonModel& lesson = ui.lessons.model();
  const auto& given = lesson.given();
  if (given.answer) {
    const char* no =
        question.kind == Kind::kDrag ? trMark("✗ Not here.") : trMark("✗ The run shows otherwise.");
    coloured(given.right ? ui.theme.ok : ui.theme.error, given.right ? tr("✓ Right.") : tr(no), width);
    ui.report.widgetOfLastItem("lesson.verdict");
    ui.report.text("lesson.verdict", given.right ? "right" : "wrong");
  }
  if (!given.done() || given.right) return;
  const auto& right = lesson.told().right;
  if (!right) return;
  if (const std::string text = rightText(question, *right); !text.empty())
    coloured(ui.theme.text, trf("In this run: {}", text), width);
}

void drawQuestion(const Ui& ui, const LessonQuestion& question, float width) {
  ImGui::Dummy({0, ui.px(4)});
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.accent);
  textWrapped(question.text, width);
  ImGui::PopStyleColor();
  ui.report.widgetOfLastItem("lesson.question");
  ui.report.text("lesson.question", question.text);
  ImGui::Dummy({0, ui.px(2)});
  switch (question.kind) {
    case Kind::kChoice:
      drawChoice(ui, question, width);
      break;
    case Kind::kNumber:
      drawNumber(ui, question, width);
      break;
    case Kind::kPaint:
      drawPaint(ui, width);
      break;
    case Kind::kDrag:
      drawDrag(ui, question, width);
      break;
  }
  LessonModel& lesson = ui.lessons.model();
  if (!lesson.ready() || lesson.pending())
    coloured(ui.theme.text_quiet, tr("The runs for the answer are being made ..."), width);
  // In presenter mode the answer comes where the question was, and a clicker cannot scroll.
  const bool closed = !lesson.hasOpenQuestion();
  if (closed && ui.lessons.closed_step != lesson.index()) ImGui::SetScrollHereY(0);
  ui.lessons.closed_step = closed ? std::optional(lesson.index()) : std::nullopt;
  drawVerdict(ui, question, width);
  if (!lesson.hasOpenQuestion()) return;
  if (button(ui, "lesson.reveal", tr("Show without an answer"), ButtonLook::kQuiet)) lesson.reveal();
  helpTooltip(ui, "lesson.reveal", tr("Show without an answer"),
              tr("For the teacher: nothing is written to the file of answers."));
}

void drawHead(const Ui& ui, float width) {
  const LessonModel& lesson = ui.lessons.model();
  const bool presenting = ui.lessons.presenting();
  const float gap = ui.px(4);
  float buttons = buttonWidth("×") + gap + buttonWidth(tr("Present"));
  if (presenting) buttons += inkButtonsWidth(ui) + gap;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  ImGui::TextUnformatted(fittedText(ui.fonts.text, lesson.lesson().title, width - buttons - 2 * gap).c_str());
  ImGui::PopStyleColor();
  ImGui::SetCursorScreenPos({at.x + width - buttons, at.y});
  if (presenting) {
    drawInkButtons(ui);
    ImGui::SameLine(0, gap);
  }
  if (button(ui, "lesson.present", tr("Present"), presenting ? ButtonLook::kOn : ButtonLook::kQuiet))
    ui.lessons.present(ui, !presenting);
  helpTooltip(ui, "lesson.present", ui.actions.withKeys(tr("Present"), "lesson.present"),
              tr("One view, and the lesson below it in large type. Escape ends it."));
  ImGui::SameLine(0, gap);
  if (button(ui, "lesson.close", "×", ButtonLook::kQuiet)) ui.screen.lesson_closes = true;
  helpTooltip(ui, "lesson.close", tr("Close the lesson"), tr("The window stays as it is."));
}

// Times of a small simulated launch and of a large recorded one stand side by side in the texts.
void drawRecordedSettings(const Ui& ui, float width) {
  std::string settings;
  for (const RecordedSetting& each : ui.lessons.model().told().recorded_with) {
    settings += fmt::format("{}{} {}", settings.empty() ? "" : ", ", tr(each.spec->label),
                            tr(formatParameter(*each.spec, each.value)));
  }
  if (settings.empty()) return;
  coloured(ui.theme.text_quiet, trf("The recording of the H100 is of a launch with: {}", settings), width);
  ui.report.text("lesson.recorded_with", settings);
}

void drawNavigation(const Ui& ui, float width) {
  LessonModel& lesson = ui.lessons.model();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto look = [](bool possible, bool wanted) {
    return !possible ? ButtonLook::kQuiet : wanted ? ButtonLook::kOn : ButtonLook::kPlain;
  };
  if (button(ui, "lesson.back", tr("◀ Back"), look(lesson.canGo(-1), false))) ui.lessons.go(-1);
  helpTooltip(ui, "lesson.back", tr("The step before"), tr("Or PageUp."));
  const std::string place = fmt::format("{} / {}", lesson.index() + 1, lesson.lesson().steps.size());
  ImGui::SetCursorScreenPos({at.x + (width - ImGui::CalcTextSize(place.c_str()).x) / 2, at.y});
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(place.c_str());
  ui.report.widgetOfLastItem("lesson.place");
  ui.report.text("lesson.place", place);
  const char* next = tr("Next ▶");
  ImGui::SetCursorScreenPos({at.x + width - buttonWidth(next), at.y});
  if (button(ui, "lesson.next", next, look(lesson.canGo(1), !lesson.hasOpenQuestion()))) ui.lessons.go(1);
  helpTooltip(ui, "lesson.next", tr("The next step"), tr("Or PageDown."));
}

void drawStudent(const Ui& ui, float width) {
  LessonModel& lesson = ui.lessons.model();
  std::array<char, 128> text{};
  std::copy_n(lesson.student.begin(), std::min(lesson.student.size(), text.size() - 1), text.begin());
  ImGui::SetNextItemWidth(width);
  ImGui::InputTextWithHint("##lesson.student", tr("Your name, if you like"), text.data(), text.size(),
                           ImGuiInputTextFlags_CallbackEdit, keepTyped, &lesson.student);
  ui.report.widgetOfLastItem("lesson.student");
  if (!ui.lessons.answersFile().empty())
    coloured(ui.theme.text_quiet, trf("Answers: {}", ui.lessons.answersFile().string()), width);
}

}  // namespace

void drawLessonPanel(const Ui& ui, const PageArea& area) {
  const ImVec2 margin{ui.px(12), ui.px(8)};
  const float width = area.width() - 2 * margin.x;
  const float foot = ImGui::GetFrameHeight() + ui.px(8);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ui.theme.panel);
  const float inner = width - ui.px(6);
  // The head stays where it is when the rest scrolls: pen and spotlight are wanted most once the answer is
  // there.
  ImGui::SetCursorScreenPos({area.min.x + margin.x, area.min.y + margin.y});
  drawHead(ui, inner);
  const float top = area.min.y + margin.y + ImGui::GetFrameHeightWithSpacing();
  ImGui::SetCursorScreenPos({area.min.x + margin.x, top});
  ImGui::BeginChild("lesson", {width + ui.px(8), area.max.y - margin.y - foot - top}, false,
                    ImGuiWindowFlags_NoNav);
  LessonModel& lesson = ui.lessons.model();
  const LessonStep& step = lesson.step();
  pushFont(ui.fonts.title);
  textWrapped(step.title, inner);
  ImGui::PopFont();
  ui.report.text("lesson.title", step.title);
  ImGui::Dummy({0, ui.px(4)});
  for (const std::string& note : {ui.lessons.deviceNote(), lesson.problem()}) {
    if (!note.empty()) coloured(ui.theme.warning, note, inner);
  }
  drawRichText(ui, lesson.told().caption, inner);
  if (step.question) {
    drawQuestion(ui, *step.question, inner);
    if (!lesson.hasOpenQuestion()) {
      drawRichText(ui, lesson.told().answer, inner);
      drawRecordedSettings(ui, inner);
    }
    ImGui::Dummy({0, ui.px(10)});
    if (!ui.lessons.presenting()) drawStudent(ui, inner);
  } else {
    drawRecordedSettings(ui, inner);
  }
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({area.min.x + margin.x, area.max.y - margin.y - ImGui::GetFrameHeight()});
  drawNavigation(ui, width);
  ImGui::PopStyleColor();
  ui.report.widget("panel.lesson", area.min, area.max);
}

void drawHiddenPicture(const Ui& ui, const PageArea& area) {
  ImGui::GetWindowDrawList()->AddRectFilled(area.min, area.max, ui.theme.panel);
  const std::string text = brokenLines(tr("What do you expect? The picture comes with your answer."),
                                       area.width() - 2 * ui.px(20));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  ImGui::GetWindowDrawList()->AddText(
      {(area.min.x + area.max.x - size.x) / 2, (area.min.y + area.max.y - size.y) / 2}, ui.theme.text_quiet,
      text.c_str());
  ui.report.widget("lesson.hidden", area.min, area.max);
}

}  // namespace warpscope
