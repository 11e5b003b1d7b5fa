#include "app/gui/model.h"

#include <algorithm>
#include <utility>

#include "app/gui/family_lookup.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

constexpr size_t kHistory = 240;  // samples of the rolling plot
// A launch that takes longer is no impossible one: so long a slider that passes through impossible values
// keeps saying so.
constexpr double kImpossibleStays_s = 0.25;

std::string adviceFor(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadRequest:  // shown as impossible, beside the controls
      break;
    case ErrorKind::kNoDevice:
      return tr("Choose another device in the toolbar, or try again.");
    case ErrorKind::kDamagedFile:
      return tr("Record it anew, or choose another device in the toolbar.");
    case ErrorKind::kWorkFailed:
      return tr("Try again: the next launch starts afresh. If it fails again, choose smaller settings.");
    case ErrorKind::kCancelled:
      return tr("Press Space to run.");
  }
  return "";
}

}  // namespace

Model::Model(DeviceSource source, std::vector<const FamilyInfo*> families, const Settings& settings)
    : families_(std::move(families)),
      device_id_(settings.device),
      lane_log_loader_(source.wake),
      comparison_(source.build_layout, source.wake, false),
      race_(source.build_layout, source.wake, true),
      loader_(std::move(source)) {
  for (const FamilyInfo* family : families_) {
    ParameterValues& values = values_[family->name];
    for (const ParameterSpec& spec : family->parameters) values[spec.name] = spec.default_value;
  }
  family_ = families_.front();
  takeChoices(settings);
  clearVariants();
  loader_.list();
}

// What is not known here, or not in range, stays as it is.
void Model::takeChoices(const Settings& settings) {
  for (const FamilyInfo* family : families_) {
    ParameterValues& values = values_[family->name];
    const auto remembered = settings.families.find(family->name);
    if (remembered == settings.families.end()) continue;
    variant_of_family_[family->name] = findVariant(*family, remembered->second.variant).value_or(0);
    if (!remembered->second.view.empty()) lanes_tab_of_family_[family->name] = remembered->second.view;
    for (const auto& [name, value] : remembered->second.parameters) {
      const ParameterSpec* spec = findSpec(*family, name);
      if (spec != nullptr && inRange(*spec, value)) values[name] = value;
    }
  }
  for (const FamilyInfo* family : families_) {
    if (family->name == settings.family) family_ = family;
  }
  variant_ = variant_of_family_[family_->name];
  view.instructions = settings.instructions;
  view.grouping = settings.grouping == "block" ? ViewState::Grouping::kByBlock : ViewState::Grouping::kBySm;
  live_ = settings.live;
  checks_ = settings.checks;
}

Model::~Model() {
  loader_.close(std::move(session_));
}

bool Model::update(double now_s) {
  now_s_ = now_s;
  bool news = false;
  for (DeviceLoader::News& item : loader_.poll()) {
    std::visit([this](auto& value) { take(std::move(value)); }, item);
    news = true;
  }
  if (session_ != nullptr) {
    for (Arrival& arrival : session_->poll()) {
      take(std::move(arrival), now_s);
      news = true;
    }
  }
  if (takeLanes()) news = true;
  return updateComparison() || news;
}

void Model::take(DeviceListing listing) {
  listing_ = false;
  listing_result_ = std::move(listing);
  const auto& devices = listing_result_.devices;
  if (devices.empty()) {
    Problem problem{
        .title = tr("There is no device to run on"),
        .advice = tr("Give recordings on the command line (warpscope gui FILE.wsrec), or see the README.")};
    for (const std::string& note : listing_result_.notes)
      problem.detail += (problem.detail.empty() ? "" : "\n") + note;
    problem_ = std::move(problem);
    return;
  }
  // A remembered device may not be there today.
  const bool known = std::any_of(devices.begin(), devices.end(),
                                 [this](const DeviceDescription& device) { return device.id == device_id_; });
  if (saved_) {
    reopen(device_id_);  // what it needs may be here without being listed
  } else {
    openDevice(known ? device_id_ : devices.front().id);
  }
}

void Model::openDevice(const std::string& id) {
  saved_.reset();
  reopen(id);
}

void Model::reopen(const std::string& id) {
  cancel();
  loader_.close(std::move(session_));
  device_id_ = id.empty() && !listing_result_.devices.empty() ? listing_result_.devices.front().id : id;
  opening_ = true;
  problem_.reset();
  impossible_.reset();
  loader_.open(device_id_);
}

void Model::take(DeviceLoader::Opened opened) {
  if (opened.session) list(opened);
  if (opened.id != device_id_) {  // another was chosen meanwhile
    if (opened.session) loader_.close(std::move(*opened.session));
    return;
  }
  opening_ = false;
  if (showsSavedInstead(opened)) {
    if (opened.session) loader_.close(std::move(*opened.session));
    return;
  }
  if (!opened.session) {
    problem_ = Problem{.title = trf("The device could not be opened: {}", opened.id),
                       .detail = opened.session.error().message,
                       .advice = tr("Choose another device in the toolbar, or try again."),
                       .device_failed = true};
    return;
  }
  session_ = std::move(*opened.session);
  if (saved_) {
    forgetDevice();
    offered_.clear();
    if (live_ && outdated()) {  // something was changed meanwhile
      launch();
    } else {
      fillVariants();
    }
    return;
  }
  shown_ = {};
  history_.clear();
  clearVariants();
  forgetDevice();
  offered_.clear();
  moveDefaults();
  snapToOffered();
  planSweep();
  launch();
}

// A file that was opened while the window is there can be chosen again.
void Model::list(const DeviceLoader::Opened& opened) {
  auto& devices = listing_result_.devices;
  const auto same = [&](const DeviceDescription& device) { return device.id == opened.id; };
  if (std::any_of(devices.begin(), devices.end(), same)) return;
  DeviceDescription description = (*opened.session)->device().description();
  description.id = opened.id;
  const std::filesystem::path file = opened.id.substr(std::min(opened.id.find(':') + 1, opened.id.size()));
  if (opened.id.starts_with("file:")) description.name += " in " + file.filename().string();
  devices.push_back(std::move(description));
}

const DeviceDescription* Model::device() const {
  return session_ == nullptr ? nullptr : &session_->device().description();
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

void Model::launch() {
  if (session_ == nullptr) return;
  if (!pending_ticket_) pending_since_s_ = now_s_;
  pending_ticket_ = session_->submit(request());
  session_->submitBackground({});  // bars of earlier settings are no longer wanted
}

const Impossible* Model::impossible() const {
  const bool stale = pending_ticket_ && now_s_ - pending_since_s_ > kImpossibleStays_s;
  return impossible_ && !stale ? &*impossible_ : nullptr;
}

void Model::useNearest() {
  if (!impossible_) return;
  const ParameterValues nearest = impossible_->nearest;
  beginEdit();
  for (const auto& [name, value] : nearest) setParameter(name, value);
  if (!live_) launch();
}

void Model::cancel() {
  if (session_ != nullptr) session_->cancel();
  sweeps_.pause();
  if (pending_ticket_) impossible_.reset();  // nobody knows of what is chosen now
  pending_ticket_.reset();
}

void Model::retry() {
  const bool reopen = problem_ && problem_->device_failed;
  problem_.reset();
  if (reopen || session_ == nullptr) {
    openDevice(device_id_);
  } else {
    launch();
  }
}

RunRequest Model::requestOf(size_t variant) const {
  RunRequest request;
  request.family = family_->name;
  request.variant = family_->variants[variant].name;
  const ParameterValues& values = values_.at(family_->name);
  for (const ParameterSpec* spec : parametersOf(*family_, request.variant)) {
    request.parameters[spec->name] = values.at(spec->name);
  }
  return request;
}

RunRequest Model::request() const {
  RunRequest request = requestOf(variant_);
  // Always, where they can be had: they cost a step some percent (up to 20 ms for 130 thousand), and code and
  // warp states show them too.
  request.log_instructions = kind() == DeviceKind::kSimulated;
  request.checks = checks_ && canCheck();
  return request;
}

std::optional<Progress> Model::progress() const {
  return session_ == nullptr ? std::nullopt : session_->progress();
}

bool Model::outdated() const {
  return shown_.run == nullptr || (session_ == nullptr && !saved_) ||
         !(shown_.run->request.variant == variant().name && answers(shown_.run->request));
}

std::vector<PredictionResult> Model::theory() const {
  if (!outdated()) return shown_.predictions;
  return device() == nullptr ? std::vector<PredictionResult>{}
                             : predictionsWithoutRun(requestOf(variant_), device()->limits);
}

bool Model::answers(const RunRequest& run) const {
  if (run.family != family_->name) return false;
  const auto variant = findVariant(*family_, run.variant);
  if (!variant) return false;
  RunRequest wanted = requestOf(*variant);
  if (session_ != nullptr) wanted = session_->device().nearestOffered(wanted);
  return wanted.variant == run.variant && wanted.parameters == run.parameters;
}

void Model::clearVariants() {
  variants_.clear();
  for (const VariantInfo& info : family_->variants)
    variants_.push_back({.variant = info.name, .title = info.title});
}

void Model::take(Arrival arrival, double now_s) {
  const bool newest = pending_ticket_ && arrival.result.ticket == *pending_ticket_;
  if (arrival.result.foreground && newest) pending_ticket_.reset();
  sweeps_.take(arrival, now_s);
  if (arrival.result.request.family != family_->name) return;
  if (arrival.result.run) learnResources(**arrival.result.run);
  // In the background other blocks of a sweep are run, too: they are no bars of these settings.
  const bool cancelled = !arrival.result.run && arrival.result.run.error().kind == ErrorKind::kCancelled;
  if (!arrival.result.foreground) {
    if (!cancelled && answers(arrival.result.request)) takeVariant(arrival.result);
    return;
  }
  if (arrival.result.run) takeVariant(arrival.result);
  if (arrival.result.run) {
    if (arrival.result.request.variant == variant().name) show(arrival, now_s);
  } else if (newest && arrival.result.run.error().kind == ErrorKind::kBadRequest) {
    const Error& error = arrival.result.run.error();
    impossible_ = Impossible{error.message, error.nearest};
    takeVariant(arrival.result);
  } else if (newest && arrival.result.run.error().kind != ErrorKind::kCancelled) {
    const Error& error = arrival.result.run.error();
    problem_ = Problem{.title = trf("{} / {} did not run", tr(family_->title), tr(variant().title)),
                       .detail = error.message,
                       .advice = adviceFor(error.kind)};
    takeVariant(arrival.result);
  }
  if (newest) fillVariants();
}

void Model::takeVariant(const RunResult& result) {
  const auto index = findVariant(*family_, result.request.variant);
  if (!index) return;
  if (result.run) {
    takeVariant(*result.run);
  } else {
    variants_[*index].error = result.run.error().message;
  }
  keepIfAsked(variants_[*index]);
}

void Model::takeVariant(const std::shared_ptr<const Run>& run) {
  const auto index = findVariant(*family_, run->request.variant);
  if (!index || run->request.family != family_->name) return;
  VariantResult& entry = variants_[*index];
  entry.run = run;
  entry.stale = !answers(run->request);
  entry.error.clear();
}

void Model::show(const Arrival& arrival, double now_s) {
  const std::shared_ptr<const Run>& run = *arrival.result.run;
  saved_.reset();
  shown_ = {run, arrival.layout, arrival.result.ticket, arrival.predictions, arrival.result.elapsed_ms};
  problem_.reset();
  if (!outdated()) impossible_.reset();
  history_.push_back({now_s, run->bandwidth.gb_per_s, run->request.variant});
  if (history_.size() > kHistory) history_.pop_front();
  // The lanes view has something to show from the start; later a selection stays as it is.
  if (!view.selected_warp && !run->trace.warps.empty()) {
    const TraceWarp& first = run->trace.warps.front();
    view.selected_warp = WarpKey{first.block, first.warp_in_block};
  }
}

void Model::fillVariants() {
  if (session_ == nullptr) return;
  std::vector<RunRequest> missing;
  for (size_t i = 0; i < variants_.size(); ++i) {
    if (i != variant_ && (variants_[i].run == nullptr || variants_[i].stale) && variants_[i].error.empty()) {
      missing.push_back(session_->device().nearestOffered(requestOf(i)));
    }
  }
  std::ranges::stable_partition(
      missing, [this](const RunRequest& request) { return to_keep_.contains(request.variant); });
  for (RunRequest& request : sweeps_.toLaunch(now_s_)) missing.push_back(std::move(request));
  session_->submitBackground(std::move(missing));
}

void Model::storeInto(Settings& settings) const {
  settings.device = device_id_;
  settings.family = family_->name;
  settings.live = live_;
  settings.checks = checks_;
  settings.instructions = view.instructions;
  settings.grouping = view.grouping == ViewState::Grouping::kByBlock ? "block" : "sm";
  for (const FamilyInfo* family : families_) {
    const auto remembered = variant_of_family_.find(family->name);
    const size_t variant = family == family_                        ? variant_
                           : remembered == variant_of_family_.end() ? 0
                                                                    : remembered->second;
    const auto tab = lanes_tab_of_family_.find(family->name);
    settings.families[family->name] = {family->variants[variant].name, values_.at(family->name),
                                       tab == lanes_tab_of_family_.end() ? "" : tab->second};
  }
}

}  // namespace warpscope
