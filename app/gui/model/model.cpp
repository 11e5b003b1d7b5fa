// The selection, and what follows from a change of it: launches, undo, and what the pages request. What comes
// back is in model_arrivals.cpp, sessions in model_session.cpp.
#include "app/gui/model/model.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/gui/family_lookup.h"
#include "kernels/metrics/counters.h"
#include "viz/layout/row_selection.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr const char* kDeviceForPrograms = "sim:h100";

// A launch of an impossible setting fails sooner than this: until then an impossible setting stays reported,
// so that a slider that passes through several of them does not flicker.
constexpr double kImpossibleStays_s = 0.25;

int64_t nearest(const std::vector<int64_t>& values, int64_t wanted) {
  return *std::min_element(values.begin(), values.end(), [wanted](int64_t a, int64_t b) {
    return std::abs(a - wanted) < std::abs(b - wanted);
  });
}

}  // namespace

Model::Model(const DeviceSource& source, std::vector<const FamilyInfo*> families, const Settings& settings)
    : choice_(std::move(families)),
      feed_(choice_.family()),
      compare_(source.build_layout, source.wake, [this] { beginEdit(); }),
      lanes_(source.wake),
      values_(source.wake),
      selection_(source.wake),
      devices_(source, settings.device) {
  takeSettings(settings);
  feed_.resetVariants(choice_.family());
}

void Model::takeSettings(const Settings& settings) {
  choice_.take(settings);
  view.instructions = settings.instructions;
  view.rows = settings.rows;
  live_ = settings.live;
  checks_ = settings.checks;
  counters_ = settings.counters;
}

void Model::storeInto(Settings& settings) const {
  choice_.storeInto(settings);
  settings.device = devices_.id();
  settings.live = live_;
  settings.checks = checks_;
  settings.counters = counters_;
  settings.instructions = view.instructions;
  settings.rows = view.rows;
  settings.rows.filter.region.reset();  // regions are numbered by variant
}

std::string Model::takeNotice() {
  return std::exchange(notice_, {});
}

void Model::openDevice(const std::string& id) {
  saved_.reset();
  reopen(id);
}

void Model::reopen(const std::string& id) {
  cancel();
  problem_.reset();
  impossible_.reset();
  devices_.open(id);
}

void Model::selectFamily(const std::string& name) {
  const Edit before = edit();
  if (!choice_.selectFamily(name)) return;
  history_.begin(before);
  view.forgetCode();
  impossible_.reset();
  familyChanged();
  changed();
}

void Model::selectVariant(const std::string& name) {
  const Edit before = edit();
  if (!choice_.selectVariant(name)) return;
  history_.begin(before);
  view.forgetCode();
  impossible_.reset();
  changed();
}

void Model::adopt(const FamilyInfo& program) {
  const Edit before = edit();
  const bool newer = choice_.family().name == program.name;
  const std::shared_ptr<const Run> shown = feed_.shown().run;
  if (newer && shown != nullptr && shown->request.program != program.program) {
    if (former_version_ != 0) compare_.remove(former_version_);
    compare_.keep(shown);
    const auto kept = std::ranges::find(compare_.kept().runs, shown, &KeptRun::run);
    former_version_ = kept == compare_.kept().runs.end() ? 0 : kept->id;
  }
  choice_.adopt(program, devices_.defaultsFor());
  history_.begin(before);
  view.forgetCode();
  impossible_.reset();
  problem_.reset();
  sweep_.runs().forget();
  if (newer) {
    feed_.resetVariants(choice_.family());
  } else {
    former_version_ = 0;
    familyChanged();
  }
  // A recording holds no runs of what was just written.
  if (devices_.offersOnlyRecorded()) {
    keepSelection();
    openDevice(kDeviceForPrograms);
    return;
  }
  changed();
  if (!live_) launch();
}

void Model::setParameter(const std::string& name, int64_t value) {
  const ParameterSpec* spec = findSpec(choice_.family(), name);
  if (spec == nullptr) return;
  if (devices_.offersOnlyRecorded() || !inRange(*spec, value)) value = nearest(offeredValues(*spec), value);
  if (choice_.setValue(name, value)) changed();
}

void Model::resetParameters() {
  beginEdit();
  choice_.resetValues(devices_.defaultsFor());
  changed();
}

const std::vector<int64_t>& Model::offeredValues(const ParameterSpec& spec) {
  const auto [entry, is_new] = offered_.try_emplace(spec.name);
  if (is_new) {
    std::optional<std::vector<int64_t>> offered;
    if (devices_.isOpen()) offered = devices_.device()->offeredValues(request(), spec.name);
    entry->second = offered && !offered->empty() ? std::move(*offered) : everyValue(spec);
  }
  return entry->second;
}

void Model::beginEdit() {
  history_.begin(edit());
}

void Model::undo() {
  if (const auto before = history_.undo(edit())) restore(*before);
}

void Model::redo() {
  if (const auto after = history_.redo(edit())) restore(*after);
}

void Model::restore(const Edit& to) {
  const Edit from = edit();
  choice_.restore(to.choice);
  lab_.setNumbers(to.lab);
  checks_ = to.checks;
  compare_.restore(to.kept);
  view.annotations = to.annotations;
  const bool other_family = to.choice.family != from.choice.family;
  const bool other_run = to.choice != from.choice || !(to.lab == from.lab) || to.checks != from.checks;
  if (!other_run) return;  // the kept runs changed: nothing has to run
  if (other_family || to.choice.variant != from.choice.variant) {
    view.forgetCode();
    impossible_.reset();
  }
  if (other_family) familyChanged();
  changed();
}

void Model::familyChanged() {
  view.selected_warp.reset();
  view.hovered_warp.reset();
  view.selection = {};
  compare_.look.view.selection = {};
  view.fitted = true;
  view.first_row = 0;
  feed_.showNothing();
  feed_.resetVariants(choice_.family());
  compare_.forgetToKeep();
}

void Model::changed() {
  offered_.clear();
  lab_.settingsChanged();
  snapToOffered();
  sweep_.plan(choice_, devices_.device());
  feed_.markStale([this](const RunRequest& request) { return answers(request); });
  if (live_) {
    launch();
  } else {
    impossible_.reset();  // it was about other settings
  }
}

void Model::snapToOffered() {
  const RunRequest wanted = request();
  const RunRequest offered = devices_.nearestOffered(wanted);
  if (offered.family != wanted.family || offered.variant != wanted.variant) return;  // its run will say why
  for (const auto& [name, value] : offered.parameters) choice_.setValue(name, value);
}

void Model::setLive(bool live) {
  live_ = live;
  if (live_ && outdated()) launch();
}

void Model::setChecks(bool checks) {
  if (checks_ == checks) return;
  beginEdit();
  checks_ = checks;
  if (live_) launch();
}

void Model::setCounters(bool counters) {
  if (std::exchange(counters_, counters) != counters && live_) launch();
}

RunRequest Model::request() const {
  RunRequest request = choice_.request();
  // Instructions are logged wherever the device can: it makes a step some percent slower (up to 20 ms for 130
  // thousand instructions), and code and warp states need them, too.
  request.log_instructions = canCheck();
  request.checks = checks_ && canCheck();
  if (counters_ && canCount()) {
    request.counters = usualCounters();
    request.samples = true;
  }
  return request;
}

void Model::launch() {
  if (!devices_.isOpen()) return;
  feed_.await(devices_.submit(request()), now_s_);
  devices_.submitBackground({});  // bars of earlier settings are no longer wanted
}

void Model::cancel() {
  devices_.cancel();
  sweep_.runs().pause();
  if (feed_.busy()) impossible_.reset();  // it is not known yet whether what is selected now is possible
  feed_.stopWaiting();
}

void Model::retry() {
  const bool reopen = problem_ && problem_->device_failed;
  problem_.reset();
  if (reopen || !devices_.isOpen()) {
    openDevice(devices_.id());
  } else {
    launch();
  }
}

bool Model::outdated() const {
  const Run* run = feed_.shown().run.get();
  return run == nullptr || (!devices_.isOpen() && !saved_) ||
         !(run->request.variant == choice_.variant().name && answers(run->request));
}

bool Model::answers(const RunRequest& run) const {
  if (run.family != choice_.family().name) return false;
  const auto variant = findVariant(choice_.family(), run.variant);
  if (!variant) return false;
  const RunRequest wanted = devices_.nearestOffered(choice_.requestOf(*variant));
  return wanted.variant == run.variant && wanted.parameters == run.parameters;
}

std::vector<PredictionResult> Model::theory() const {
  if (!outdated()) return feed_.shown().predictions;
  const DeviceDescription* device = devices_.description();
  return device == nullptr ? std::vector<PredictionResult>{}
                           : predictionsWithoutRun(choice_.request(), device->limits);
}

const Impossible* Model::impossible() const {
  const bool stale = feed_.busyFor(now_s_) > kImpossibleStays_s;
  return impossible_ && !stale ? &*impossible_ : nullptr;
}

std::optional<Model::OfferedSize> Model::sizeForWork(double times) {
  const ParameterSpec* spec =
      findParameter(choice_.family(), choice_.variant().name, ParameterRole::kElements);
  if (spec == nullptr || feed_.shown().run == nullptr || outdated()) return std::nullopt;
  const int64_t now = choice_.value(spec->name);
  const std::vector<int64_t>& offered = offeredValues(*spec);
  if (offered.empty() || offered.back() <= now) return std::nullopt;
  const auto enough = std::ranges::find_if(
      offered, [&](int64_t size) { return static_cast<double>(size) >= times * static_cast<double>(now); });
  return OfferedSize{spec, enough == offered.end() ? offered.back() : *enough};
}

void Model::useSize(const OfferedSize& size) {
  beginEdit();
  setParameter(size.spec->name, size.value);
}

void Model::useNearest() {
  if (!impossible_) return;
  const ParameterValues nearest = impossible_->nearest;
  beginEdit();
  for (const auto& [name, value] : nearest) setParameter(name, value);
  if (!live_) launch();
}

void Model::fillVariants() {
  if (!devices_.isOpen()) return;
  std::vector<RunRequest> missing;
  for (const size_t variant : feed_.missing(choice_.variantIndex())) {
    missing.push_back(devices_.nearestOffered(choice_.requestOf(variant)));
  }
  std::stable_partition(missing.begin(), missing.end(),
                        [this](const RunRequest& request) { return compare_.isToKeep(request.variant); });
  for (RunRequest& request : sweep_.runs().toLaunch(now_s_)) missing.push_back(std::move(request));
  devices_.submitBackground(std::move(missing));
}

void Model::wantLanes() {
  lanes_.want(feed_.shown().run, view.selected_warp);
}

void Model::wantValues() {
  values_.want(feed_.shown().run, view.selected_warp);
}

void Model::wantSelection() {
  const std::shared_ptr<const Run>& run = feed_.shown().run;
  std::vector<SelectionModel::Part> parts{{run, shownSelection(view)}};
  for (const TraceSelection& pin : view.pins) parts.push_back({run, pin});
  selection_.want(std::move(parts));
}

void Model::wantSweep(const std::optional<SweepWish>& wish) {
  if (!sweep_.want(wish)) return;
  sweep_.plan(choice_, devices_.device());
  if (!feed_.busy()) fillVariants();
}

void Model::wantComparison(bool compared, bool race) {
  compare_.want(compared, race);
  compare_.update(feed_, choice_.variantIndex());
}

void Model::pauseSweep() {
  sweep_.runs().pause();
  if (!devices_.isOpen() || feed_.busy()) return;  // the foreground launch has already stopped the sweep
  devices_.cancel();
  fillVariants();
}

void Model::resumeSweep() {
  sweep_.runs().resume();
  if (!feed_.busy()) fillVariants();
}

void Model::raceAgain() {
  feed_.resetVariants(choice_.family());
  launch();
}

std::string Model::keepVariant(const std::string& variant) {
  const auto index = findVariant(choice_.family(), variant);
  if (!index) return trf("There is no variant '{}'.", variant);
  const VariantResult& entry = feed_.variants()[*index];
  const bool is_present = *index == choice_.variantIndex();
  if (is_present && !outdated()) return compare_.keep(feed_.shown().run);
  if (entry.run != nullptr && !entry.stale) return compare_.keep(entry.run);
  if (!devices_.isOpen()) return tr("No device is open: choose one in the toolbar.");
  compare_.keepLater(variant);
  if (feed_.busy()) return {};
  if (is_present) {
    launch();
  } else {
    feed_.clearError(*index);
    fillVariants();
  }
  return {};
}

const ParameterSpec* Model::launchControl(OccupancyAxis axis) const {
  return warpscope::launchControl(choice_.family(), choice_.variant().name, axis);
}

const std::optional<PlannedKernel>& Model::plannedKernel() {
  return lab_.kernel(choice_.request(), devices_.description(), feed_.shown().run.get());
}

bool Model::setLaunched(OccupancyAxis axis, uint32_t value) {
  const ParameterSpec* control = launchControl(axis);
  if (control == nullptr) return false;
  const auto best = LabModel::nearestOffered(axis, *control, value, offeredValues(*control),
                                             choice_.request(), devices_.description());
  if (best) setParameter(control->name, *best);
  return true;
}

std::optional<SweepWish> Model::blockSweep() const {
  const ParameterSpec* control = launchControl(OccupancyAxis::kBlock);
  return control == nullptr ? std::nullopt : std::optional(SweepWish{.parameter = control->name});
}

std::map<uint32_t, const SweptRun*> Model::sweptBlocks() const {
  std::map<uint32_t, const SweptRun*> blocks;
  const ParameterSpec* control = launchControl(OccupancyAxis::kBlock);
  const bool is_swept = control != nullptr && sweep_.wish() && sweep_.wish()->parameter == control->name;
  if (!is_swept || sweep_.lines().empty()) return blocks;
  const SweepLine& line = sweep_.lines().front();
  for (const int64_t value : line.values) {
    const SweptRun* run = sweep_.runs().find(line.at(control->name, value));
    if (run != nullptr && run->problem.empty()) blocks[run->block_threads] = run;
  }
  return blocks;
}

}  // namespace warpscope
