// The part of the model that is about sessions: what of it is kept in one, and showing what one kept.
#include <utility>

#include "app/gui/family_lookup.h"
#include "app/gui/model.h"
#include "app/gui/session.h"
#include "viz/text/translate.h"

namespace warpscope {

void Model::storeInto(Session& session) const {
  storeInto(session.settings);
  if (device() != nullptr) session.device_name = device()->name;
  session.view = view;
  session.lab = lab_;
  session.run = shown_.run;
  for (const VariantResult& result : variants_) {
    if (result.run != nullptr && !result.stale && result.run != shown_.run)
      session.bars.push_back(result.run);
  }
  for (const KeptRun& kept : kept_.runs) session.kept.push_back(kept.run);
}

void Model::show(const OpenedSession& opened) {
  const Session& session = opened.session;
  cancel();
  if (shown_.run != nullptr) beginEdit();
  takeChoices(session.settings);
  lab_ = session.lab;
  kept_ = {};
  for (const RunPointer& run : session.kept) kept_.runs.push_back({next_kept_id_++, run});
  view = session.view;
  offered_.clear();
  at_hand_.reset();
  history_.clear();
  problem_.reset();
  impossible_.reset();
  clearVariants();
  for (const RunPointer& run : session.bars) takeVariant(run);
  if (session.run != nullptr) takeVariant(session.run);
  shown_ = {session.run, opened.layout, 0, opened.predictions, 0};
  if (session.run != nullptr)
    history_.push_back({now_s_, session.run->bandwidth.gb_per_s, session.run->request.variant});
  saved_.reset();
  if (session.run != nullptr)
    saved_ = SavedRun{session.device_name, opened.path.empty() ? "" : "file:" + opened.path.string()};
  useDeviceOf(session);
}

void Model::useDeviceOf(const Session& session) {
  const std::string& wanted = session.settings.device;
  if (session_ != nullptr && !opening_ && device_id_ == wanted && isSavedDevice(*device())) {
    saved_ ? fillVariants() : launch();
  } else if (listing_) {
    device_id_ = wanted;  // opened when it is known which there are
  } else {
    reopen(wanted);
  }
}

bool Model::isSavedDevice(const DeviceDescription& device) const {
  return !saved_ || saved_->device_name.empty() || saved_->device_name == device.name;
}

bool Model::showsSavedInstead(const DeviceLoader::Opened& opened) {
  if (!saved_) return false;
  const bool here = opened.session && isSavedDevice((*opened.session)->device().description());
  if (here || saved_->file_device.empty() || opened.id == saved_->file_device) return false;
  const std::string name = saved_->device_name.empty() ? opened.id : saved_->device_name;
  notice_ = trf("{} is not here: its runs are shown from the session's file.", name);
  reopen(saved_->file_device);
  return true;
}

std::string Model::takeNotice() {
  return std::exchange(notice_, {});
}

}  // namespace warpscope
