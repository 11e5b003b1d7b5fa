// The plots: a background sweep over one control, the roofline, bytes in flight, and recent runs. A click on
// a point selects its setting.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "app/gui/family_lookup.h"
#include "app/gui/fold_row.h"
#include "app/gui/lenient_reader.h"
#include "app/gui/pages/page_parts.h"
#include "app/gui/pages/pages.h"
#include "app/gui/pages/plots_data.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/experiments/roofline.h"
#include "kernels/occupancy/littles_law.h"
#include "viz/plots/in_flight_plot.h"
#include "viz/plots/live_plot.h"
#include "viz/plots/roofline_plot.h"
#include "viz/plots/sweep_plot.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr std::array kPlotsViews{"plots"};
constexpr float kSweepShare = 0.6F, kRooflineShare = 0.38F, kInFlightShare = 0.34F;
constexpr double kLogFrom = 40;  // ratio of the largest to the smallest value that makes an axis logarithmic
constexpr double kFarAbove = 4;  // a ceiling this many times above all values would flatten them: left out

bool isModelled(const Model& model) {
  return model.devices().description() != nullptr &&
         model.devices().description()->provenance == Provenance::kModelled;
}

void plotsPanel(const Ui& ui, const char* name, const std::string& title, const PageArea& area,
                const auto& draw) {
  pagePanel(ui, fmt::format("plots.{}", name), title, area,
            ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse, draw);
}

std::vector<PlotLevel> levelsOf(const MemoryCeilings& ceilings, double factor) {
  std::vector<PlotLevel> levels;
  if (const auto& copy = ceilings.copy_gb_per_s) {
    levels.push_back({*copy * factor, trf("copy {}", formatGbPerS(*copy))});
  }
  if (const auto& peak = ceilings.peak_gb_per_s) {
    levels.push_back({*peak * factor, trf("memory peak {}", formatGbPerS(*peak))});
  }
  return levels;
}

// The variant, with settings that differ from the chosen ones: "shuffle (Block size 512)".
std::string labelOf(const FamilyInfo& family, const SweepLine& line) {
  std::string label = tr(family.variants[line.variant].title);
  for (const auto& [name, value] : line.instead) {
    const ParameterSpec* spec = findSpec(family, name);
    if (spec != nullptr) label += fmt::format(" ({} {})", tr(spec->label), formatParameter(*spec, value));
  }
  return label;
}

// Fits the axis around the values and the ceilings near them; logarithmic if the values are far apart.
void fitAxis(PlotAxis& axis, const std::vector<SweepCurve>& curves, std::vector<PlotLevel>& levels) {
  double least = 1e300, most = 0;
  for (const SweepCurve& curve : curves) {
    for (const PlottedRun& point : curve.points) {
      if (!point.problem.empty()) continue;
      least = std::min(least, point.low);
      most = std::max(most, point.high);
    }
  }
  const bool log = least > 0 && most > least * kLogFrom;
  std::erase_if(levels, [&](const PlotLevel& level) { return !log && level.y > most * kFarAbove; });
  for (const PlotLevel& level : levels) most = std::max(most, level.y);
  if (log) {
    axis.scale = ScaleKind::kLog10;
    axis.min = std::pow(10.0, std::floor(std::log10(least)));
    axis.max = most * 1.5;
  } else {
    axis.min = 0;
    axis.max = axis.unit == "%" && most <= 100 ? 105 : niceRange(0, most > 0 ? most : 1).max;
  }
}

class PlotsPage final : public Page {
 public:
  const char* name() const override { return "plots"; }
  const char* label() const override { return trMark("Plots"); }
  const char* help() const override {
    return trMark(
        "Sweep a control, and see what bounds the kernel: copy ceiling, roofline, bytes in flight.");
  }
  const char* key() const override { return "P"; }
  std::span<const char* const> views() const override { return kPlotsViews; }
  std::vector<PanelName> panels(const Ui& /*ui*/) const override {
    return {{"plots.sweep", tr("SWEEP")},
            {"plots.roofline", tr("ROOFLINE AT THESE SETTINGS")},
            {"plots.in_flight", tr("BYTES IN FLIGHT")},
            {"plots.live", tr("RECENT RUNS")}};
  }
  PageNeeds needs(const Ui& ui) override;
  void draw(const Ui& ui, ImVec2 min, ImVec2 max) override;
  std::string store() const override;
  void describe(const Model& /*model*/, Json& state) const override {
    Json names = Json::array();
    for (const std::string& name : hidden_) names.push_back(name);
    state["hidden_series"] = std::move(names);
  }
  void restore(std::string_view state) override;

 private:
  const PlottedQuantity& shownQuantity() const;
  void drawHeader(const Ui& ui, float width);
  void drawQuantity(const Ui& ui, float width);
  void drawControl(const Ui& ui, float width);
  void drawPause(const Ui& ui, const char* label);
  void drawProgress(const Ui& ui, float room) const;
  bool combo(const Ui& ui, const char* name, const std::string& preview, float width, const auto& entries);
  void drawSweep(const Ui& ui, const PlotsInput& input, ImVec2 room);
  void choose(const Ui& ui, const SweepCurve& curve, const PlottedRun& point) const;
  void drawRoofline(const Ui& ui, const PlotsInput& input, ImVec2 room) const;
  void drawInFlight(const Ui& ui, const PlotsInput& input, ImVec2 room) const;

  std::map<std::string, std::string> control_of_family_;
  bool control_chosen_ = false;  // by the user, in any family
  std::string quantity_;         // of the sweep; empty: the usual one
  bool all_variants_ = false;
  HiddenSeries hidden_;
  std::vector<PlottedQuantity> quantities_;  // of this frame
};

// Sweeps the control that was chosen last in this family, if the variant has it.
PageNeeds PlotsPage::needs(const Ui& ui) {
  Model& model = ui.model;
  std::string& control = control_of_family_[model.choice().family().name];
  const auto controls = model.choice().controls();
  const bool has = std::ranges::any_of(controls, [&](const auto* spec) { return spec->name == control; });
  if (!has) control = usualControl(model);
  PageNeeds needs;
  if (!control.empty()) needs.sweep = SweepWish{control, all_variants_};
  return needs;
}

const PlottedQuantity& PlotsPage::shownQuantity() const {
  const auto found = std::ranges::find(quantities_, quantity_, &PlottedQuantity::id);
  return found == quantities_.end() ? quantities_.front() : *found;
}

bool PlotsPage::combo(const Ui& ui, const char* name, const std::string& preview, float width,
                      const auto& entries) {
  ImGui::SetNextItemWidth(width);
  ImGui::PushID(name);
  const std::string fitted = fittedText(ui.fonts.text, preview, width - ImGui::GetFrameHeight() - ui.px(10));
  const bool open = ImGui::BeginCombo("##combo", fitted.c_str(), ImGuiComboFlags_HeightLarge);
  ui.report.widgetOfLastItem(name);
  if (open) {
    entries();
    ImGui::EndCombo();
  }
  ImGui::PopID();
  return open;
}

void PlotsPage::drawQuantity(const Ui& ui, float width) {
  combo(ui, "plots.quantity", shownQuantity().title, width, [&] {
    for (const PlottedQuantity& entry : quantities_) {
      if (ImGui::Selectable((entry.title + "##" + entry.id).c_str(), entry.id == shownQuantity().id)) {
        quantity_ = entry.id;
      }
      ui.report.widgetOfLastItem("plots.quantity." + entry.id);
    }
  });
}

void PlotsPage::drawControl(const Ui& ui, float width) {
  Model& model = ui.model;
  std::string& control = control_of_family_[model.choice().family().name];
  const float begin = ImGui::GetCursorScreenPos().x;
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  ImGui::TextUnformatted(tr("over"));
  ImGui::PopStyleColor();
  ImGui::SameLine(0, ui.px(5));
  const ParameterSpec* spec = findSpec(model.choice().family(), control);
  const float left = width - (ImGui::GetCursorScreenPos().x - begin);
  combo(ui, "plots.control", spec == nullptr ? "" : tr(spec->label), left, [&] {
    for (const ParameterSpec* entry : model.choice().controls()) {
      if (model.offeredValues(*entry).size() < 2) continue;
      if (ImGui::Selectable((tr(entry->label) + "##" + entry->name).c_str(), entry->name == control)) {
        control = entry->name;
        control_chosen_ = true;
      }
      ui.report.widgetOfLastItem("plots.control." + entry->name);
    }
  });
}

void PlotsPage::drawHeader(const Ui& ui, float width) {
  const auto look = [](bool on) { return on ? ButtonLook::kOn : ButtonLook::kPlain; };
  const float over = ImGui::CalcTextSize(tr("over")).x + ui.px(5);
  std::vector<FoldItem> items;
  items.push_back({.least = ui.px(90), .width = ui.px(180), .rank = 0, .draw = [&](float room) {
                     drawQuantity(ui, room);
                   }});
  items.push_back({.least = over + ui.px(80),
                   .width = over + ui.px(180),
                   .gap = ui.px(8),
                   .rank = 10,
                   .draw = [&](float room) { drawControl(ui, room); }});
  const char *one = tr("This variant"), *all = tr("All variants");
  items.push_back(fixedItem(buttonWidth(one), 30, ui.px(10), [&, one](float) {
    if (button(ui, "plots.one_variant", one, look(!all_variants_))) all_variants_ = false;
  }));
  items.push_back(fixedItem(buttonWidth(all), 20, ui.px(2), [&, all](float) {
    if (button(ui, "plots.all_variants", all, look(all_variants_))) all_variants_ = true;
    helpTooltip(ui, "plots.all_variants", tr("All variants"),
                tr("A curve for each variant of the family, run in the background one after the other."));
  }));
  const BackgroundSweep& sweeps = ui.model.sweep().runs();
  ui.report.text("plots.progress",
                 fmt::format("{} of {}", sweeps.wanted() - sweeps.missing(), sweeps.wanted()));
  if (sweeps.missing() > 0) {
    const char* label = sweeps.asks() ? tr("Start") : sweeps.paused() ? tr("Resume") : tr("■ Stop");
    items.push_back(fixedItem(buttonWidth(label), 5, ui.px(10), [&, label](float) { drawPause(ui, label); }));
    items.push_back({.gap = ui.px(8), .draw = [&](float room) { drawProgress(ui, room); }, .spring = true});
  }
  drawFoldingRow(ui, "plots", width, items);
}

void PlotsPage::drawPause(const Ui& ui, const char* label) {
  if (ui.model.sweep().runs().paused()) {
    if (button(ui, "plots.resume", label)) ui.model.resumeSweep();
    if (ui.model.sweep().runs().asks()) {
      helpTooltip(ui, "plots.resume", tr("A long sweep waits for you"),
                  tr("It runs in the background. Smaller sizes are faster; Stop keeps what has been run."));
    }
  } else {
    if (button(ui, "plots.pause", label)) ui.model.pauseSweep();
    helpTooltip(ui, "plots.pause", tr("Stop the sweep"),
                tr("Finished runs are kept. Resume continues with the missing ones."));
  }
}

// "12 of 17 run, about 8 s more"
void PlotsPage::drawProgress(const Ui& ui, float room) const {
  const Model& model = ui.model;
  const BackgroundSweep& sweeps = model.sweep().runs();
  std::string text = trf("{} of {} run", sweeps.wanted() - sweeps.missing(), sweeps.wanted());
  if (!model.live() && model.outdated()) {
    text += std::string(", ") + tr("continues with the next run (▶ Run)");
  } else if (sweeps.asks()) {
    text =
        trf("{} runs would take about {}", sweeps.missing(), formatRoughSeconds(*sweeps.expectedSeconds()));
  } else if (const auto left = sweeps.secondsLeft(); left && !sweeps.paused() && *left >= 1) {
    text += std::string(", ") + trf("about {} more", formatRoughSeconds(*left));
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  drawTextFitted(*ImGui::GetWindowDrawList(), ui.fonts.text, {at.x, at.y + ImGui::GetStyle().FramePadding.y},
                 room, ui.theme.text_quiet, text.c_str());
}

void PlotsPage::choose(const Ui& ui, const SweepCurve& curve, const PlottedRun& point) const {
  Model& model = ui.model;
  const std::string& control = control_of_family_.at(model.choice().family().name);
  // Both changes are one edit; choosing a variant begins one by itself.
  if (curve.name == model.choice().variant().name) model.beginEdit();
  model.selectVariant(curve.name);
  model.setParameter(control, point.value);
  if (!model.live()) model.launch();
}

void PlotsPage::drawSweep(const Ui& ui, const PlotsInput& input, ImVec2 room) {
  Model& model = ui.model;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  drawHeader(ui, room.x);
  const float header = ImGui::GetFrameHeight() + ui.px(6);
  ImGui::SetCursorScreenPos({at.x, at.y + header});
  const ImVec2 size(room.x, room.y - header);
  const ParameterSpec* spec =
      model.sweep().wish() ? findSpec(model.choice().family(), model.sweep().wish()->parameter) : nullptr;
  SweepPlotInput sweep;
  sweep.modelled = isModelled(model);
  std::vector<SweepCurve> curves;
  std::vector<int64_t> values;
  for (const SweepLine& line : model.sweep().lines()) {
    values.insert(values.end(), line.values.begin(), line.values.end());
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const PlottedQuantity& shown = shownQuantity();
  sweep.message = spec == nullptr ? tr("Nothing to sweep: no control of this variant has two values here.")
                                  : tr("Nothing was run yet.");
  if (spec != nullptr) {
    const ControlAxis control = controlAxis(*spec, values);
    sweep.x = control.axis;
    sweep.present = control.place(model.choice().value(spec->name));
    for (const SweepLine& line : model.sweep().lines()) {
      SweepCurve curve{.name = model.choice().family().variants[line.variant].name,
                       .label = labelOf(model.choice().family(), line),
                       .look = line.variant,
                       .points = {}};
      for (const int64_t value : line.values) {
        const SweptRun* run = model.sweep().runs().find(line.at(spec->name, value));
        if (run == nullptr) continue;
        PlottedRun point{.value = value, .x = control.place(value), .problem = run->problem};
        if (const auto number = valueOf(*run, shown.id)) {
          point.y = number->value, point.low = number->low, point.high = number->high;
        } else if (run->problem.empty()) {
          continue;  // the device does not report it
        }
        point.wrong = run->problem.empty() && !run->verified;
        curve.points.push_back(std::move(point));
      }
      curves.push_back(std::move(curve));
    }
  }
  sweep.y = {.title = shown.title, .unit = shown.unit, .numbers = shown.numbers};
  if (shown.id == "bandwidth") sweep.levels = levelsOf(memoryCeilings(model), 1e9);
  fitAxis(sweep.y, curves, sweep.levels);
  sweep.curves = curves;
  if (const auto choice = drawSweepPlot(input, sweep, size)) {
    choose(ui, curves[choice->curve], curves[choice->curve].points[choice->point]);
  }
}

void PlotsPage::drawRoofline(const Ui& ui, const PlotsInput& input, ImVec2 room) const {
  Model& model = ui.model;
  RooflineInput roofline;
  for (size_t i = 0; i < model.feed().variants().size(); ++i) {
    const VariantResult& result = model.feed().variants()[i];
    if (result.run == nullptr || result.stale) continue;
    const auto point = rooflinePoint(*result.run);
    if (!point) {
      roofline.gaps.push_back({tr(result.title), trMessage(point.error().message)});
      continue;
    }
    roofline.marks.push_back({.name = result.variant,
                              .label = tr(result.title),
                              .look = i,
                              .operations_per_byte = point->operationsPerByte(),
                              .operations_per_s = point->operations_per_s,
                              .operations = point->count.operations,
                              .bytes = point->bytes,
                              .integers = point->count.integers,
                              .modelled = result.run->device.provenance == Provenance::kModelled,
                              .present = result.variant == model.choice().variant().name});
  }
  const MemoryCeilings ceilings = memoryCeilings(model);
  roofline.copy_gb_per_s = ceilings.copy_gb_per_s;
  roofline.memory_gb_per_s = ceilings.peak_gb_per_s;
  roofline.copy_modelled = isModelled(model);
  if (model.devices().description() != nullptr) {
    const Peaks peaks = peaksOf(*model.devices().description());
    const auto any = [&](bool integers) {
      return std::ranges::any_of(roofline.marks, [&](const auto& mark) { return mark.integers == integers; });
    };
    if (any(false)) roofline.float_operations_per_s = peaks.float_operations_per_s;
    if (any(true)) roofline.integer_operations_per_s = peaks.integer_operations_per_s;
  }
  ui.report.text("plots.roofline.points", std::to_string(roofline.marks.size()));
  if (const auto chosen = drawRooflinePlot(input, roofline, room)) {
    model.selectVariant(roofline.marks[*chosen].name);
  }
}

void PlotsPage::drawInFlight(const Ui& ui, const PlotsInput& input, ImVec2 room) const {
  const Model& model = ui.model;
  InFlightInput in_flight;
  in_flight.modelled = isModelled(model);
  in_flight.message = whyNoBytesInFlight(model);
  const ParameterSpec* spec =
      model.sweep().wish() ? findSpec(model.choice().family(), model.sweep().wish()->parameter) : nullptr;
  std::vector<InFlightCurve> curves;
  if (in_flight.message.empty() && spec != nullptr) {
    for (const SweepLine& line : model.sweep().lines()) {
      InFlightCurve curve{.name = model.choice().family().variants[line.variant].name,
                          .label = labelOf(model.choice().family(), line),
                          .look = line.variant,
                          .points = {}};
      for (const int64_t value : line.values) {
        const SweptRun* run = model.sweep().runs().find(line.at(spec->name, value));
        if (run == nullptr || !run->bytes_in_flight || run->bandwidth.gb_per_s <= 0) continue;
        curve.points.push_back({*run->bytes_in_flight, run->bandwidth.gb_per_s,
                                fmt::format("{}: {}", tr(spec->label), formatParameter(*spec, value))});
      }
      if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
    const DeviceDescription& device = *model.devices().description();
    if (const auto figures = latencyFigures(device.limits); figures && device.sm_clock_khz > 0) {
      const double sm_cycles_per_s = device.sm_clock_khz * 1e3 * device.limits.sm_count;
      in_flight.laws = {
          {trf("L2: {} cycles", figures->l2), sm_cycles_per_s / figures->l2 / 1e9},
          {trf("device memory: {} cycles", figures->device), sm_cycles_per_s / figures->device / 1e9}};
    }
    in_flight.ceilings = levelsOf(memoryCeilings(model), 1);
  }
  in_flight.curves = curves;
  drawInFlightPlot(input, in_flight, room);
}

void PlotsPage::draw(const Ui& ui, ImVec2 min, ImVec2 max) {
  const Model& model = ui.model;
  ui.report.widget("view.plots", min, max);
  quantities_ = plottedQuantities(model);
  PlotsInput input{.hidden = &hidden_};
  static_cast<Canvas&>(input) = ui.canvas();
  const float gap = ui.px(kPanelGap), width = max.x - min.x, height = max.y - min.y;
  const float left_end = min.x + (width - gap) * kSweepShare, right = left_end + gap;
  const float first = min.y + (height - 2 * gap) * kRooflineShare;
  const float second = first + gap + (height - 2 * gap) * kInFlightShare;
  const std::string badge = model.devices().description() == nullptr
                                ? ""
                                : std::string("   ") + (isModelled(model) ? tr("modelled") : tr("measured"));
  plotsPanel(ui, "sweep", tr("SWEEP") + badge, {min, {left_end, max.y}},
             [&](ImVec2 room) { drawSweep(ui, input, room); });
  plotsPanel(ui, "roofline", tr("ROOFLINE AT THESE SETTINGS") + badge, {{right, min.y}, {max.x, first}},
             [&](ImVec2 room) { drawRoofline(ui, input, room); });
  plotsPanel(ui, "in_flight", tr("BYTES IN FLIGHT") + badge, {{right, first + gap}, {max.x, second}},
             [&](ImVec2 room) { drawInFlight(ui, input, room); });
  plotsPanel(ui, "live", tr("RECENT RUNS") + badge, {{right, second + gap}, max}, [&](ImVec2 room) {
    drawLivePlot(input,
                 {.history = &model.feed().history(),
                  .levels = levelsOf({memoryCeilings(model).copy_gb_per_s, std::nullopt}, 1),
                  .modelled = isModelled(model)},
                 room);
  });
}

std::string PlotsPage::store() const {
  if (!control_chosen_ && quantity_.empty() && !all_variants_) return {};
  return Json{
      {"control_of_family", control_of_family_}, {"quantity", quantity_}, {"all_variants", all_variants_}}
      .dump();
}

void PlotsPage::restore(std::string_view state) {
  control_of_family_.clear();
  control_chosen_ = false;
  quantity_.clear();
  all_variants_ = false;
  const auto root = Json::parse(state);
  if (!root || !root->isObject()) return;
  LenientReader in(*root);
  in.text("quantity", quantity_);
  in.flag("all_variants", all_variants_);
  const Json* controls = in.object("control_of_family");
  if (controls == nullptr) return;
  for (const auto& [family, control] : controls->items()) {
    if (control.isString()) control_of_family_[family] = control.get<std::string>();
  }
  control_chosen_ = !control_of_family_.empty();
}

}  // namespace

std::unique_ptr<Page> makePlotsPage() {
  return std::make_unique<PlotsPage>();
}

}  // namespace warpscope
