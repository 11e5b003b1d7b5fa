// The occupancy lab: the same kernel and settings as on the run's page, or numbers that the user types.
// Dragging here moves the controls and launches.
#include <algorithm>
#include <array>
#include <memory>

#include "app/gui/pages/occupancy_header.h"
#include "app/gui/pages/page_parts.h"
#include "app/gui/pages/pages.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/metrics.h"
#include "kernels/occupancy/capabilities.h"
#include "kernels/occupancy/littles_law.h"
#include "viz/lab/lab_panels.h"
#include "viz/text/share_text.h"
#include "viz/text/words.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr std::array kLabViews{"occupancy_lab"};

// One SM according to a run's trace; computed once per run.
struct RecordedSm {
  std::shared_ptr<const Run> run;
  SmId sm;
  std::vector<Residency> steps;
  std::vector<PlotPoint> warps, blocks;
  std::optional<AchievedOccupancy> achieved;
  int64_t at_cycles = 0;
  std::vector<WarpSlot> slots;  // at that instant

  void lookAt(int64_t cycles) {
    at_cycles = cycles;
    slots = recordedSlots(run->trace, sm, cycles, run->occupancy.max_warps_per_sm);
  }
};

RecordedSm recordedSm(std::shared_ptr<const Run> run) {
  RecordedSm recorded{.run = std::move(run)};
  if (recorded.run == nullptr || recorded.run->trace.warps.empty()) return recorded;
  const Trace& trace = recorded.run->trace;
  recorded.sm = trace.warps.front().sm;
  recorded.steps = residency(trace, recorded.sm);
  recorded.warps = residencyCurve(recorded.steps, &Residency::warps);
  recorded.blocks = residencyCurve(recorded.steps, &Residency::blocks);
  recorded.achieved = achievedOf(*recorded.run);
  recorded.lookAt(fullestInstant(trace, recorded.sm).value_or(0));
  return recorded;
}

uint32_t subPartitions(const LabSide& side) {
  return factsOf(side.answer.question.limits.compute_capability).rules.sub_partitions;
}

std::string missingFor(const OccupancyAnswer& answer) {
  for (const ResourceBudget& budget : answer.budgets) {
    if (budget.resource != answer.occupancy.limiter) continue;
    if (budget.fragmented) {
      return trf("One more does not fit: the remaining {} are fragmented.", limiterLabel(budget.resource));
    }
    return trf("One more does not fit: {} short by {}.", limiterLabel(budget.resource),
               formatAmount(budget.resource, budget.missing));
  }
  return limiterSentence(answer.occupancy);
}

void labPanel(const Ui& ui, const char* name, const std::string& title, const PageArea& area,
              const auto& draw) {
  pagePanel(ui, std::string("lab.") + name, title, area, ImGuiWindowFlags_None, draw);
}

OccupancyQuestion questionOf(const LabNumbers& numbers, const PlannedKernel* kernel) {
  OccupancyQuestion question;
  if (numbers.typed || kernel == nullptr) {
    question.block_threads = numbers.block;
    question.resources = {numbers.registers, 0, numbers.shared_bytes, 0, numbers.barriers};
  } else {
    question.block_threads = static_cast<uint32_t>(kernel->block.count());
    question.resources = kernel->resources;
    if (numbers.registers_instead) question.resources.registers_per_thread = *numbers.registers_instead;
    if (numbers.shared_instead) {
      question = withAxisValue(question, OccupancyAxis::kShared, *numbers.shared_instead);
    }
  }
  return question;
}

// The answer in large letters, legible from the last row of a class, if the header has room.
void drawSummary(const Ui& ui, ImVec2 at, float right, const OccupancyAnswer& answer) {
  const std::string share = formatPercent(answer.occupancy.theoretical);
  const std::string text = answer.impossible ? limiterSentence(answer.occupancy)
                                             : share + "   " + briefly(answer.occupancy) + "   " +
                                                   limiterSentence(answer.occupancy);
  const ImVec2 size = textSize(ui.fonts.title, text.c_str());
  const float left = right - size.x - ui.px(8), top = at.y + ui.px(2) + ImGui::GetFrameHeight() + ui.px(10);
  if (left < at.x + ui.px(14)) return;
  drawText(*ImGui::GetWindowDrawList(), ui.fonts.title, {left, top}, ui.theme.text, text.c_str());
  ui.report.widget("lab.summary", {left, top}, {right, top + size.y});
}

LabSide sideOf(const LabDevice& device, OccupancyQuestion question, const LabNumbers& numbers,
               std::optional<uint64_t> grid) {
  question.limits = device.description.limits;
  if (numbers.carve_out_bytes) {
    question.shared_configuration_bytes =
        std::min(*numbers.carve_out_bytes, question.limits.shared_bytes_per_sm);
  }
  question.cached_loads = numbers.cached_loads;
  return {device.label, answerOccupancy(question, grid)};
}

const LabDevice* find(const LabDevices& devices, const std::string& id) {
  const auto found = std::ranges::find(devices, id, &LabDevice::id);
  return found == devices.end() ? nullptr : &*found;
}

class OccupancyPage final : public Page {
 public:
  const char* name() const override { return "occupancy"; }
  const char* label() const override { return trMark("Occupancy"); }
  const char* help() const override { return trMark("Drag a block size and see why the SM is full or not."); }
  const char* key() const override { return "O"; }
  std::span<const char* const> views() const override { return kLabViews; }
  std::vector<PanelName> panels(const Ui& /*ui*/) const override {
    return {{"lab.sm", tr("SM BY CALCULATION")},
            {"lab.budgets", tr("BUDGETS OF AN SM")},
            {"lab.suggestions", tr("WHAT WOULD HELP")},
            {"lab.block", tr("OVER BLOCK SIZE")},
            {"lab.registers", tr("OVER REGISTERS")},
            {"lab.shared", tr("OVER SHARED MEMORY")},
            {"lab.speed", tr("OCCUPANCY AND SPEED OVER BLOCK SIZE")},
            {"lab.residency", tr("RESIDENCY OVER TIME")},
            {"lab.recorded_sm", tr("SM AS RECORDED")},
            {"lab.littles_law", tr("LITTLE'S LAW: WARPS NEEDED, WARPS RESIDENT")}};
  }
  ImVec2 leastSize() const override { return {1100, 620}; }  // for its ten panels
  PageNeeds needs(const Ui& ui) override { return {.sweep = ui.model.blockSweep()}; }
  void draw(const Ui& ui, ImVec2 min, ImVec2 max) override;
  void describe(const Model& model, Json& state) const override;

 private:
  bool answer(const Ui& ui);
  void apply(const Ui& ui, OccupancyAxis axis, const LabEdit& edit) const;
  void use(const Ui& ui, const Suggestion& suggestion) const;
  void drawTop(const Ui& ui, const LabInput& input, const PageArea& area);
  void drawCurves(const Ui& ui, const LabInput& input, const PageArea& area);
  void drawBottom(const Ui& ui, const LabInput& input, const PageArea& area);
  void drawSpeed(const Ui& ui, const LabInput& input);
  void drawRecorded(const Ui& ui, const LabInput& input, const PageArea& residency_area,
                    const PageArea& sm_area);
  void drawLaw(const Ui& ui, const LabInput& input);

  LabDeviceList devices_;
  LabSide first_, second_;
  bool has_second_ = false;
  std::string answered_;  // the question that first_ and second_ answer, as a text
  RecordedSm recorded_;
  std::vector<LittlesLaw> laws_;  // empty: must be computed
  std::shared_ptr<const Run> laws_of_;
  double laws_warps_ = -1;
  bool as_time_ = false;
};

// Computes the answer if the question changed. False: there is no question yet.
bool OccupancyPage::answer(const Ui& ui) {
  Model& model = ui.model;
  const LabNumbers& numbers = model.lab().numbers();
  const auto& planned = model.plannedKernel();
  if (!planned && !numbers.typed) return false;
  const OccupancyQuestion question = questionOf(numbers, planned ? &*planned : nullptr);
  const uint64_t grid = numbers.typed || !planned ? 0 : planned->grid.count();
  const KernelResources& needs = question.resources;
  std::string now =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", question.block_threads, needs.registers_per_thread,
                  needs.static_shared_bytes, needs.dynamic_shared_bytes, needs.barriers_per_block, grid,
                  numbers.carve_out_bytes.value_or(UINT32_MAX), numbers.cached_loads, numbers.device,
                  numbers.second_device, model.devices().version(), language().code);
  if (now == answered_) return true;
  const LabDevices& devices = devices_.of(model);
  const LabDevice* device = find(devices, numbers.device);
  if (device == nullptr) device = devices.empty() ? nullptr : &devices.front();
  if (device == nullptr) return false;
  const std::optional<uint64_t> grid_blocks = grid == 0 ? std::nullopt : std::optional(grid);
  first_ = sideOf(*device, question, numbers, grid_blocks);
  const LabDevice* other = numbers.second_device.empty() ? nullptr : find(devices, numbers.second_device);
  has_second_ = other != nullptr;
  if (has_second_) second_ = sideOf(*other, question, numbers, grid_blocks);
  answered_ = std::move(now);
  laws_.clear();
  return true;
}

void OccupancyPage::apply(const Ui& ui, OccupancyAxis axis, const LabEdit& edit) const {
  Model& model = ui.model;
  if (edit.begins) model.beginEdit();
  if (!edit.to) return;
  LabNumbers numbers = model.lab().numbers();
  if (numbers.typed) {
    (axis == OccupancyAxis::kBlock       ? numbers.block
     : axis == OccupancyAxis::kRegisters ? numbers.registers
                                         : numbers.shared_bytes) = *edit.to;
    return model.lab().setNumbers(numbers);
  }
  std::optional<uint32_t>& instead =
      axis == OccupancyAxis::kRegisters ? numbers.registers_instead : numbers.shared_instead;
  if (model.canLaunch(axis)) {
    if (axis != OccupancyAxis::kBlock && instead) {
      instead.reset();
      model.lab().setNumbers(numbers);
    }
    model.setLaunched(axis, *edit.to);
  } else if (axis != OccupancyAxis::kBlock) {
    instead = edit.to;
    model.lab().setNumbers(numbers);
  } else {
    notify(ui, tr("This variant has no control that sets the block size. The calculator has one."));
  }
}

void OccupancyPage::use(const Ui& ui, const Suggestion& suggestion) const {
  ui.model.beginEdit();
  if (suggestion.block_threads) apply(ui, OccupancyAxis::kBlock, {false, suggestion.block_threads});
  if (suggestion.registers) apply(ui, OccupancyAxis::kRegisters, {false, suggestion.registers});
  if (suggestion.shared_bytes) apply(ui, OccupancyAxis::kShared, {false, suggestion.shared_bytes});
}

void OccupancyPage::drawTop(const Ui& ui, const LabInput& input, const PageArea& area) {
  const auto columns = cutArea(area, true, std::array{0.36F, 0.34F, 0.30F}, ui.px(kPanelGap));
  const std::array sides{&first_, &second_};
  const std::array names{"first", "second"};
  const size_t count = has_second_ ? 2 : 1;
  labPanel(ui, "sm", tr("SM BY CALCULATION"), columns[0], [&](ImVec2 room) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = room.y / static_cast<float>(count);
    for (size_t i = 0; i < count; ++i) {
      const OccupancyAnswer& answer = sides[i]->answer;
      const auto slots = calculatedSlots(answer.question, answer.occupancy);
      const std::string name = std::string("lab.sm.") + names[i];
      ImGui::SetCursorScreenPos({at.x, at.y + height * static_cast<float>(i)});
      drawSmPicture(input,
                    {.name = name.c_str(),
                     .title = sides[i]->name + "  " + formatPercent(answer.occupancy.theoretical) + "  " +
                              briefly(answer.occupancy),
                     .subtitle = answer.impossible ? trMessage(*answer.impossible) : missingFor(answer),
                     .slots = &slots,
                     .sub_partitions = subPartitions(*sides[i])},
                    {room.x, height - (count > 1 ? ui.px(6) : 0)});
    }
  });
  labPanel(ui, "budgets", tr("BUDGETS OF AN SM"), columns[1], [&](ImVec2 room) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = room.y / static_cast<float>(count);
    for (size_t i = 0; i < count; ++i) {
      ImGui::SetCursorScreenPos({at.x, at.y + height * static_cast<float>(i)});
      drawBudgetBars(input, *sides[i], names[i], {room.x, height - (count > 1 ? ui.px(6) : 0)});
    }
  });
  labPanel(ui, "suggestions", tr("WHAT WOULD HELP"), columns[2], [&](ImVec2) {
    if (const Suggestion* suggestion = drawSuggestions(input)) use(ui, *suggestion);
  });
}

void OccupancyPage::drawCurves(const Ui& ui, const LabInput& input, const PageArea& area) {
  const auto columns = cutArea(area, true, std::array{1.0F, 1.0F, 1.0F}, ui.px(kPanelGap));
  const std::array titles{tr("OVER BLOCK SIZE"), tr("OVER REGISTERS"), tr("OVER SHARED MEMORY")};
  const LabNumbers numbers = ui.model.lab().numbers();
  const auto& kernel = ui.model.plannedKernel();
  for (const OccupancyAxis axis : kOccupancyAxes) {
    const auto i = static_cast<size_t>(axis);
    OccupancyCurveLook look{.axis = axis, .launches = !numbers.typed && ui.model.canLaunch(axis)};
    if (kernel && !numbers.typed) {
      const OccupancyQuestion own{{}, kernel->resources, static_cast<uint32_t>(kernel->block.count())};
      if (axisValue(own, axis) != axisValue(first_.answer.question, axis)) {
        look.kernels_value = axisValue(own, axis);
      }
    }
    const std::string title = std::string(titles[i]) + "   " +
                              (numbers.typed   ? tr("drag the point")
                               : look.launches ? tr("drag the point: it launches")
                                               : tr("drag the point: what if"));
    labPanel(ui, axisName(axis), title, columns[i],
             [&](ImVec2 room) { apply(ui, axis, drawOccupancyCurve(input, look, room)); });
  }
}

void OccupancyPage::drawSpeed(const Ui& ui, const LabInput& input) {
  const Model& model = ui.model;
  std::vector<SpeedPoint> points;
  for (const auto& [threads, run] : model.sweptBlocks()) {
    points.push_back({threads, run->occupancy.theoretical, run->metrics[*findMetric("achieved")],
                      run->timing.median_us, run->timing.min_us, run->timing.max_us, run->bandwidth.gb_per_s,
                      run->verified});
  }
  const bool no_bandwidth =
      std::ranges::all_of(points, [](const SpeedPoint& point) { return point.gb_per_s <= 0; });
  SpeedPlotInput speed{.points = points,
                       .last_block = first_.answer.question.limits.max_threads_per_block,
                       .block_threads = first_.answer.question.block_threads,
                       .modelled = model.devices().description() != nullptr &&
                                   model.devices().description()->provenance == Provenance::kModelled,
                       .as_time = as_time_ || no_bandwidth,
                       .missing = model.sweep().runs().missing(),
                       .title = model.devices().description() == nullptr
                                    ? ""
                                    : tr(model.choice().variant().title) + std::string(", ") +
                                          model.devices().description()->name,
                       .can_sweep = model.canLaunch(OccupancyAxis::kBlock)};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const char* label = as_time_ ? tr("as bandwidth") : tr("as time");
  const float button_width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  if (!no_bandwidth) speed.taken = button_width + ui.px(6);
  const LabEdit edit = drawSpeedPlot(input, speed, room);
  if (!no_bandwidth) {
    ImGui::SetCursorScreenPos({at.x + room.x - button_width, at.y});
    if (ImGui::SmallButton(label)) as_time_ = !as_time_;
    ui.report.widgetOfLastItem("lab.speed.as_time");
  }
  if (!model.lab().numbers().typed) apply(ui, OccupancyAxis::kBlock, edit);
}

void OccupancyPage::drawRecorded(const Ui& ui, const LabInput& input, const PageArea& residency_area,
                                 const PageArea& sm_area) {
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  if (recorded_.run != run) recorded_ = recordedSm(run);
  const bool modelled = run != nullptr && run->device.provenance == Provenance::kModelled;
  const std::string badge =
      run == nullptr ? "" : std::string("   ") + (modelled ? tr("modelled") : tr("measured"));
  labPanel(ui, "residency", tr("RESIDENCY OVER TIME") + badge, residency_area, [&](ImVec2 room) {
    ResidencyPlotInput plot;
    plot.steps = recorded_.steps;
    plot.warps = recorded_.warps;
    plot.blocks = recorded_.blocks;
    if (run != nullptr) {
      plot.sm = trSm(run->device.limits, recorded_.sm);
      plot.max_warps = run->occupancy.max_warps_per_sm;
      plot.theoretical_warps = run->occupancy.warps_per_sm;
      if (const auto& achieved = recorded_.achieved) {
        plot.achieved_warps = MetricValue{achieved->share * plot.max_warps, achieved->low * plot.max_warps,
                                          achieved->high * plot.max_warps};
      }
      const int64_t complete = completeUntil(run->trace);
      plot.cut = complete < run->trace.duration_cycles;
      plot.end_cycles = std::min(complete, run->trace.duration_cycles);
      plot.at_cycles = recorded_.at_cycles;
      plot.modelled = modelled;
    }
    const auto chosen = drawResidencyPlot(input, plot, room);
    if (chosen && *chosen != recorded_.at_cycles) recorded_.lookAt(*chosen);
  });
  labPanel(ui, "recorded_sm", tr("SM AS RECORDED") + badge, sm_area, [&](ImVec2 room) {
    if (recorded_.steps.empty()) {
      drawMessage(ui.theme, ui.fonts, tr("The warp slots are drawn from a run's trace."));
      return;
    }
    std::string achieved;
    if (recorded_.achieved) {
      achieved = trf("achieved {} of theoretical {}", shareTextShown(*recorded_.achieved),
                     formatPercent(run->occupancy.theoretical));
    }
    drawSmPicture(input,
                  {.name = "lab.sm.recorded",
                   .title = trf("{} at cycle {}", trSm(run->device.limits, recorded_.sm),
                                formatCount(recorded_.at_cycles)),
                   .subtitle = achieved,
                   .slots = &recorded_.slots,
                   .sub_partitions = subPartitions(first_),
                   .recorded = true,
                   .modelled = modelled},
                  room);
  });
}

void OccupancyPage::drawLaw(const Ui& ui, const LabInput& input) {
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  const double warps = first_.answer.occupancy.warps_per_sm;
  if (laws_of_ != run || laws_warps_ != warps || laws_.empty()) {
    LittlesQuestion question{.resident_warps = warps};
    const LabDevice* device = find(devices_.of(ui.model), ui.model.lab().numbers().device);
    if (device != nullptr) question.device = device->description;
    const auto ilp = run == nullptr ? ParameterValues::const_iterator{} : run->request.parameters.find("ilp");
    if (run != nullptr && ilp != run->request.parameters.end()) {
      question.instructions_ahead = static_cast<double>(ilp->second);
    }
    if (run != nullptr) question.bytes_ahead = bytesAhead(*run).value_or(question.bytes_ahead);
    laws_ = littlesLaw(question);
    if (run != nullptr && !ui.model.lab().numbers().typed) {
      if (auto of_run = littlesLawOf(*run)) laws_.push_back(std::move(*of_run));
    }
    laws_of_ = run;
    laws_warps_ = warps;
  }
  drawLittlesLaw(input, laws_, ImGui::GetContentRegionAvail());
}

void OccupancyPage::drawBottom(const Ui& ui, const LabInput& input, const PageArea& area) {
  const auto columns = cutArea(area, true, std::array{0.30F, 0.24F, 0.22F, 0.24F}, ui.px(kPanelGap));
  labPanel(ui, "speed", tr("OCCUPANCY AND SPEED OVER BLOCK SIZE"), columns[0],
           [&](ImVec2) { drawSpeed(ui, input); });
  drawRecorded(ui, input, columns[1], columns[2]);
  labPanel(ui, "littles_law", tr("LITTLE'S LAW: WARPS NEEDED, WARPS RESIDENT"), columns[3],
           [&](ImVec2) { drawLaw(ui, input); });
}

void OccupancyPage::draw(const Ui& ui, ImVec2 min, ImVec2 max) {
  ui.report.widget("view.occupancy_lab", min, max);
  PageArea area{min, max};
  Stage& stage = ui.screen.stage;
  float header_right = min.x;
  if (stage.showsHeader()) {
    const OccupancyHeader header = drawOccupancyHeader(ui, devices_.of(ui.model), min, max.x - min.x);
    header_right = header.right;
    area.min.y += header.height;
    stage.drawnBelow(area);
  }
  if (!answer(ui)) {
    drawMessage(ui.theme, ui.fonts, area.min, area.max,
                ui.model.impossible() != nullptr
                    ? tr("These settings are impossible here: see the left panel.")
                    : tr("Waiting for the kernel: what it needs is known once it has run."));
    return;
  }
  const OccupancyAnswer& answer = first_.answer;
  ui.report.text("lab.answer.block", std::to_string(answer.question.block_threads));
  ui.report.text("lab.answer.registers", std::to_string(answer.question.resources.registers_per_thread));
  ui.report.text("lab.answer.shared", std::to_string(axisValue(answer.question, OccupancyAxis::kShared)));
  ui.report.text("lab.answer.warps", std::to_string(answer.occupancy.warps_per_sm));
  ui.report.text("lab.answer.limiter", limiterName(answer.occupancy.limiter));
  ui.report.text("lab.answer.second_warps",
                 has_second_ ? std::to_string(second_.answer.occupancy.warps_per_sm) : "");
  if (!stage.single()) drawSummary(ui, {header_right, min.y}, max.x, answer);
  LabInput input{
      .first = &first_, .second = has_second_ ? &second_ : nullptr, .refreshing = ui.model.feed().busy()};
  static_cast<Canvas&>(input) = ui.canvas();
  const auto rows = cutArea(area, false, std::array{0.35F, 0.27F, 0.38F}, ui.px(kPanelGap));
  drawTop(ui, input, rows[0]);
  drawCurves(ui, input, rows[1]);
  drawBottom(ui, input, rows[2]);
}

void OccupancyPage::describe(const Model& model, Json& state) const {
  const LabNumbers& lab = model.lab().numbers();
  state["lab"] = {{"typed", lab.typed},
                  {"what_if", lab.registers_instead.has_value() || lab.shared_instead.has_value()},
                  {"swept", model.sweptBlocks().size()},
                  {"sweep_missing", model.sweep().runs().missing()}};
}

}  // namespace

std::unique_ptr<Page> makeOccupancyPage() {
  return std::make_unique<OccupancyPage>();
}

}  // namespace warpscope
