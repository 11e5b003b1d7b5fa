// The model's part in sessions: storing its state in one, and showing one.
#include <utility>

#include "app/gui/model/model.h"
#include "app/gui/session.h"
#include "kernels/device/device.h"
#include "viz/text/translate.h"

namespace warpscope {

void Model::storeInto(Session& session) const {
  storeInto(session.settings);
  if (devices_.isOpen()) session.device_name = devices_.description()->name;
  session.view = view;
  session.lab = lab_.numbers();
  session.run = feed_.shown().run;
  for (const VariantResult& result : feed_.variants()) {
    if (result.run != nullptr && !result.stale && result.run != session.run)
      session.bars.push_back(result.run);
  }
  for (const KeptRun& kept : compare_.kept().runs) session.kept.push_back(kept.run);
}

void Model::show(const OpenedSession& opened) {
  const Session& session = opened.session;
  cancel();
  if (feed_.shown().run != nullptr) beginEdit();
  const auto program = session.run == nullptr ? nullptr : session.run->request.program;
  if (const Experiment* known = program ? addedExperiment(*program) : nullptr; known != nullptr)
    choice_.know(known->info(), devices_.defaultsFor());
  takeSettings(session.settings);
  lab_.setNumbers(session.lab);
  lab_.settingsChanged();
  compare_.restore(session.kept);
  compare_.forgetToKeep();
  view = session.view;
  offered_.clear();
  problem_.reset();
  impossible_.reset();
  feed_.resetVariants(choice_.family());
  for (const RunPointer& run : session.bars) takeVariant(run->request, run);
  feed_.forgetHistory();
  feed_.show({session.run, opened.layout, 0, opened.predictions, 0}, now_s_);
  saved_.reset();
  if (session.run != nullptr) {
    takeVariant(session.run->request, session.run);
    saved_ = SavedRun{session.device_name, opened.path.empty() ? "" : fileDeviceId(opened.path)};
  }
  useDeviceOf(session);
}

void Model::useDeviceOf(const Session& session) {
  const std::string& wanted = session.settings.device;
  const bool is_open = devices_.isOpen() && !devices_.opening() && devices_.id() == wanted;
  if (is_open && isSavedDevice(*devices_.description())) {
    saved_ ? fillVariants() : launch();
  } else if (devices_.listing()) {
    devices_.choose(wanted);  // opened once it is known which devices there are
  } else {
    reopen(wanted);
  }
}

bool Model::isSavedDevice(const DeviceDescription& device) const {
  return !saved_ || saved_->device_name.empty() || saved_->device_name == device.name;
}

bool Model::showsSavedInstead() {
  const bool is_here = devices_.isOpen() && isSavedDevice(*devices_.description());
  if (is_here || saved_->file_device.empty() || devices_.id() == saved_->file_device) return false;
  const std::string name = saved_->device_name.empty() ? devices_.id() : saved_->device_name;
  notice_ = trf("{} does not exist here: its runs are shown from the session's file.", name);
  reopen(saved_->file_device);
  return true;
}

}  // namespace warpscope
