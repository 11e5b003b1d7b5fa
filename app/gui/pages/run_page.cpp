// The page of one run: what its warps did, in views that share one selection and one zoom.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "app/gui/family_lookup.h"
#include "app/gui/model/side_by_side.h"
#include "app/gui/pages/pages.h"
#include "app/gui/pages/run_headline.h"
#include "app/gui/pages/run_panels.h"
#include "app/gui/pages/view_panel.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/run_times.h"
#include "viz/views/view.h"

namespace warpscope {
namespace {

constexpr std::array kRunViews{"timeline", "lanes",     "mapping",  "banks",      "sectors",
                               "shuffle",  "tree",      "tail",     "operations", "slots",
                               "values",   "code",      "details",  "occupancy",  "states",
                               "advice",   "bandwidth", "counters", "precision"};
constexpr size_t kFirstLanesTab = 1, kLanesTabs = 10;

// The shown run: "Even / odd lanes (even_odd)   block 256   work 16".
std::string settingsText(const FamilyInfo& family, const Run& run) {
  std::string text = tr(variantTitle(run.request.family, run.request.variant));
  if (text != run.request.variant) text += " (" + run.request.variant + ")";
  for (const auto& [name, value] : run.request.parameters) {
    const auto label = run.parameter_labels.find(name);
    std::string words = label == run.parameter_labels.end() ? std::to_string(value) : label->second;
    if (const ParameterSpec* spec = findSpec(family, name);
        spec != nullptr && family.name == run.request.family)
      words = formatParameter(*spec, value);
    text += fmt::format("   {} {}", name, words);
  }
  return text;
}

// The text beside the timeline's title.
std::string captionOf(const Model& model) {
  const std::shared_ptr<const Run>& run = model.feed().shown().run;
  if (run == nullptr) return {};
  std::string text = settingsText(model.choice().family(), *run);
  if (const auto kernel = timesOf(*run).kernel_with_probes)
    text += "   " + trf("kernel with probes {}", formatUs(*kernel, 3));
  if (model.devices().description() == nullptr) {
    text += "   " + trf("(on {})", run->device.name);
  } else if (model.outdated() && !model.feed().busy()) {
    text += std::string("   ") + tr("(earlier settings)");
  }
  return text;
}

// The family has kernels of several element types.
bool hasPrecision(const Ui& ui) {
  return std::ranges::any_of(ui.model.choice().family().parameters, [](const ParameterSpec& spec) {
    return spec.role == ParameterRole::kElementType;
  });
}

class RunPage final : public Page {
 public:
  RunPage();
  const char* name() const override { return "trace"; }
  const char* label() const override { return trMark("Warps"); }
  const char* help() const override { return trMark("What the warps of one run did."); }
  std::span<const char* const> views() const override { return kRunViews; }
  std::vector<PanelName> panels(const Ui& ui) const override;
  void show(const Ui& ui, const std::string& view) override;
  PageNeeds needs(const Ui& ui) override {
    followSelection(ui);
    return {.comparison = !ui.model.compare().kept().runs.empty(),
            .lanes = lanesTab(ui).wantsLanes(),
            .values = lanesTab(ui).wantsValues(),
            .selection = ui.screen.code_tab == details_->name()};
  }
  bool isMoving(const Ui& ui) const override {
    return !ui.model.compare().kept().runs.empty() && ui.model.compare().comparison().pending();
  }
  void draw(const Ui& ui, ImVec2 min, ImVec2 max) override;
  ViewState* selecting(const Ui& ui) const override { return &ui.model.view; }

 private:
  View& lanesTab(const Ui& ui) const;
  void followSelection(const Ui& ui);

  std::vector<std::unique_ptr<View>> lanes_tabs_;
  std::unique_ptr<View> timeline_, code_, details_, bandwidth_, occupancy_, states_, advice_, counters_,
      precision_;
  TraceSelection followed_;  // the selection in the last frame
};

RunPage::RunPage()
    : timeline_(makeTimelineView()),
      code_(makeCodeView()),
      details_(makeDetailsView()),
      bandwidth_(makeBandwidthView()),
      occupancy_(makeOccupancyView()),
      states_(makeStatesView()),
      advice_(makeAdviceView()),
      counters_(makeCountersView()),
      precision_(makePrecisionView()) {
  for (const auto make : {makeLanesView, makeMappingView, makeBanksView, makeSectorsView, makeShuffleView,
                          makeTreeView, makeTailView, makeOperationsView, makeSlotsView, makeValuesView}) {
    lanes_tabs_.push_back(make());
  }
}

std::vector<PanelName> RunPage::panels(const Ui& ui) const {
  std::vector<const View*> views{timeline_.get()};
  for (const auto& view : lanes_tabs_) views.push_back(view.get());
  for (const auto* view : {&code_, &details_, &occupancy_, &states_, &advice_, &bandwidth_, &counters_})
    views.push_back(view->get());
  if (hasPrecision(ui)) views.push_back(precision_.get());
  std::vector<PanelName> panels;
  panels.reserve(views.size());
  for (const View* view : views) panels.push_back({view->name(), tr(view->title())});
  return panels;
}

void RunPage::show(const Ui& ui, const std::string& view) {
  if (view == "code" || view == "details") ui.screen.code_tab = view;
  if (view == "states" || view == "occupancy" || view == "advice") ui.screen.upper_tab = view;
  if (view == "counters" || view == "bandwidth" || view == "precision") ui.screen.lower_tab = view;
  if (std::ranges::find(warpscope::lanesTabs(), view) != warpscope::lanesTabs().end()) {
    ui.model.chooseLanesTab(view);
  }
}

View& RunPage::lanesTab(const Ui& ui) const {
  const auto found = std::ranges::find_if(
      lanes_tabs_, [&](const auto& view) { return ui.model.choice().lanesTab() == view->name(); });
  return found == lanes_tabs_.end() ? *lanes_tabs_.front() : **found;
}

// A selection that changes shows its numbers; once there is none, the code is back.
void RunPage::followSelection(const Ui& ui) {
  const TraceSelection& selection = ui.model.view.selection;
  if (selection == followed_) return;
  ui.screen.code_tab = selection.empty() ? code_->name() : details_->name();
  followed_ = selection;
}

void RunPage::draw(const Ui& ui, ImVec2 min, ImVec2 max) {
  Model& model = ui.model;
  const KeptAndPresent kept = keptAndPresent(model);
  min.y += drawHeadline(ui, kept, min, max.x - min.x);
  const RunPanels panels = layOutRunPanels(ui, {min, max});
  ViewInput input = runViewInput(ui, [this, &ui](const std::string& view) { show(ui, view); });
  if (kept) {
    const ComparedRun& run = kept.compared->runs[kept.kept];
    input.ghost = {run.run, run.layout};
  }
  drawViewPanel(ui, input, *timeline_, panels.timeline, captionOf(model));
  std::vector<View*> tabs;
  for (const auto& view : lanes_tabs_) tabs.push_back(view.get());
  if (const char* chosen = drawTabbedPanel(ui, input, tabs, lanesTab(ui), panels.lanes)) {
    model.chooseLanesTab(chosen);
  }
  const auto tabbed = [&](std::span<View* const> views, std::string& shown, const PageArea& area) {
    const auto seen = std::ranges::find_if(views, [&](const View* view) { return shown == view->name(); });
    View& view = seen == views.end() ? *views.front() : **seen;
    if (const char* chosen = drawTabbedPanel(ui, input, views, view, area)) shown = chosen;
  };
  tabbed(std::array{code_.get(), details_.get()}, ui.screen.code_tab, panels.code);
  tabbed(std::array{occupancy_.get(), states_.get(), advice_.get()}, ui.screen.upper_tab, panels.occupancy);
  std::vector<View*> lower{bandwidth_.get(), counters_.get()};
  if (hasPrecision(ui)) lower.push_back(precision_.get());
  tabbed(lower, ui.screen.lower_tab, panels.bandwidth);
  drawRunSplitters(ui, panels);
}

}  // namespace

std::span<const char* const> lanesTabs() {
  return std::span(kRunViews).subspan(kFirstLanesTab, kLanesTabs);
}

std::unique_ptr<Page> makeRunPage() {
  return std::make_unique<RunPage>();
}

}  // namespace warpscope
