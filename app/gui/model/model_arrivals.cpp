// The results that workers deliver to the model: the list of devices, a device that was opened or could not
// be, and runs.
#include <algorithm>
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model/model.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

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
      return tr("Press ▶ Run.");
  }
  return "";
}

}  // namespace

bool Model::update(double now_s) {
  now_s_ = now_s;
  bool news = false;
  while (auto item = devices_.next()) {
    std::visit([this](auto& value) { take(std::move(value)); }, *item);
    news = true;
  }
  for (const Arrival& arrival : devices_.arrivals()) {
    take(arrival);
    news = true;
  }
  if (lanes_.update(feed_.shown().run)) news = true;
  if (values_.update(feed_.shown().run)) news = true;
  if (selection_.update()) news = true;
  return compare_.update(feed_, choice_.variantIndex()) || news;
}

bool Model::pending() const {
  return devices_.pending() || feed_.busy() || lanes_.pending() || values_.pending() ||
         selection_.pending() || compare_.comparison().pending() || compare_.race().pending() ||
         compare_.selected().pending();
}

void Model::take(DeviceModel::Listed) {
  if (devices_.opening()) return;  // a file was opened before the list was there
  const DeviceListing& listed = devices_.listed();
  if (listed.devices.empty()) {
    Problem problem{
        .title = tr("There is no device to run on"),
        .advice = tr("Name recordings on the command line (warpscope gui FILE.wsrec), or see the README.")};
    for (const std::string& note : listed.notes)
      problem.detail += (problem.detail.empty() ? "" : "\n") + note;
    problem_ = std::move(problem);
    return;
  }
  if (saved_) {
    reopen(devices_.id());  // what it needs may be here without being listed
  } else {
    // A remembered device may not exist today.
    openDevice(devices_.isListed(devices_.id()) ? devices_.id() : listed.devices.front().id);
  }
}

void Model::take(const DeviceModel::Failed& failed) {
  if (saved_ && showsSavedInstead()) return;
  problem_ = Problem{.title = trf("The device could not be opened: {}", devices_.id()),
                     .detail = failed.why,
                     .advice = tr("Choose another device in the toolbar, or try again."),
                     .device_failed = true};
}

void Model::take(DeviceModel::Opened) {
  if (saved_ && showsSavedInstead()) return;
  forgetDevice();
  if (saved_) {
    if (live_ && outdated()) {  // something was changed meanwhile
      launch();
    } else {
      fillVariants();
    }
    return;
  }
  feed_.showNothing();
  const DefaultsFor before = std::exchange(defaults_for_, devices_.defaultsFor());
  choice_.moveDefaults(before, defaults_for_);
  // Otherwise undo would return to a size that suited another device.
  history_.forEach([&](Edit& edit) { Choice::moveDefaults(edit.choice, before, defaults_for_); });
  selectRecorded();
  feed_.resetVariants(choice_.family());
  snapToOffered();
  sweep_.plan(choice_, devices_.device());
  launch();
}

void Model::selectRecorded() {
  if (std::exchange(keep_selection_, false)) return;
  const std::vector<RunRequest> recorded = devices_.device()->recordedRequests();
  const auto is_selected = [this](const RunRequest& request) {
    return request.family == choice_.family().name && request.variant == choice_.variant().name;
  };
  if (std::ranges::any_of(recorded, is_selected)) return;
  const FamilyInfo* before = &choice_.family();
  for (const RunRequest& request : recorded) {
    if (!choice_.select(request)) continue;  // recorded by a version that had other families
    view.forgetCode();
    if (&choice_.family() != before) familyChanged();
    return;
  }
}

void Model::forgetDevice() {
  offered_.clear();
  lab_.deviceChanged();
  sweep_.runs().forget();
}

void Model::take(const Arrival& arrival) {
  const auto& result = arrival.result;
  const bool newest = feed_.isAwaited(result.ticket);
  // It is shown, and still awaited.
  if (result.early) {
    if (result.request.family == choice_.family().name) takeRun(arrival);
    return;
  }
  if (arrival.result.foreground && newest) feed_.stopWaiting();
  const bool asked = sweep_.runs().asks();
  sweep_.runs().take(arrival, now_s_);
  // The sweep turns out to be long: what was submitted of it is withdrawn until the user agrees.
  if (!asked && sweep_.runs().asks() && !feed_.busy() && devices_.isOpen()) {
    devices_.cancel();
    fillVariants();
  }
  if (result.request.family != choice_.family().name) return;
  if (result.run) lab_.learn(**result.run, devices_.description());
  if (!arrival.result.foreground) {
    // A sweep also runs other settings in the background: these are not bars of the current ones.
    const bool cancelled = !result.run && result.run.error().kind == ErrorKind::kCancelled;
    if (!cancelled && answers(result.request)) takeVariant(result.request, result.run);
    return;
  }
  if (result.run) {
    takeRun(arrival);
  } else if (newest) {
    takeFailure(result.request, result.run.error());
  }
  if (newest) fillVariants();
}

void Model::takeRun(const Arrival& arrival) {
  const auto& result = arrival.result;
  const std::shared_ptr<const Run>& run = *result.run;
  takeVariant(result.request, run);
  if (result.request.variant != choice_.variant().name) return;
  saved_.reset();
  const std::shared_ptr<const Run> before = feed_.shown().run;
  if (before != nullptr && feed_.shown().ticket == result.ticket) compare_.replace(before.get(), run);
  if (before != nullptr && (before->request != run->request || before->device.id != run->device.id)) {
    view.zoom_history.clear();  // positions in another run
  }
  feed_.show({run, arrival.layout, result.ticket, arrival.predictions, result.elapsed_ms, result.submitted},
             now_s_);
  problem_.reset();
  if (!outdated()) impossible_.reset();
  // The lanes view has something to show from the start; later a selection is kept.
  if (!view.selected_warp && !run->trace.warps.empty()) {
    const TraceWarp& first = run->trace.warps.front();
    view.selected_warp = WarpKey{first.block, first.warp_in_block};
  }
}

void Model::takeFailure(const RunRequest& request, const Error& error) {
  if (error.kind == ErrorKind::kCancelled) return;
  if (error.kind == ErrorKind::kBadRequest) {
    impossible_ = Impossible{error.message, error.nearest};
  } else {
    problem_ =
        Problem{.title = trf("{} / {} did not run", tr(choice_.family().title), tr(choice_.variant().title)),
                .detail = error.message,
                .advice = adviceFor(error.kind)};
  }
  takeVariant(request, tl::unexpected(error));
}

void Model::takeVariant(const RunRequest& request, const Expected<std::shared_ptr<const Run>>& run) {
  const auto index = findVariant(choice_.family(), request.variant);
  if (!index || request.family != choice_.family().name) return;
  if (run) {
    feed_.takeRun(*index, *run, !answers((*run)->request));
  } else {
    feed_.takeError(*index, run.error());
  }
  compare_.takeVariant(feed_.variants()[*index]);
}

}  // namespace warpscope
