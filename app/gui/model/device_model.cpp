#include "app/gui/model/device_model.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace warpscope {

DeviceModel::DeviceModel(DeviceSource source, std::string id)
    : id_(std::move(id)), loader_(std::move(source)) {
  loader_.list();
}

DeviceModel::~DeviceModel() {
  loader_.close(std::move(runs_));
}

std::optional<DeviceModel::News> DeviceModel::next() {
  for (DeviceLoader::News& item : loader_.poll()) arrived_.push_back(std::move(item));
  while (!arrived_.empty()) {
    DeviceLoader::News item = std::move(arrived_.front());
    arrived_.pop_front();
    auto news = std::visit([this](auto& value) { return take(std::move(value)); }, item);
    if (news) return news;
  }
  return std::nullopt;
}

std::optional<DeviceModel::News> DeviceModel::take(DeviceListing listing) {
  listing_ = false;
  listed_ = std::move(listing);
  ++version_;
  return Listed{};
}

std::optional<DeviceModel::News> DeviceModel::take(DeviceLoader::Opened opened) {
  ++version_;
  if (opened.session) list(opened);
  if (opened.id != id_) {  // another was chosen meanwhile
    if (opened.session) loader_.close(std::move(*opened.session));
    return std::nullopt;
  }
  opening_ = false;
  if (!opened.session) return Failed{opened.session.error().message};
  runs_ = std::move(*opened.session);
  return Opened{};
}

// A file that was opened while the window is open can be chosen again.
void DeviceModel::list(const DeviceLoader::Opened& opened) {
  if (isListed(opened.id)) return;
  DeviceDescription description = (*opened.session)->device().description();
  description.id = opened.id;
  if (const auto file = fileOfDevice(opened.id)) description.name += " in " + file->filename().string();
  listed_.devices.push_back(std::move(description));
}

bool DeviceModel::isListed(const std::string& id) const {
  return std::ranges::find(listed_.devices, id, &DeviceDescription::id) != listed_.devices.end();
}

void DeviceModel::choose(const std::string& id) {
  id_ = id;
  ++version_;
}

void DeviceModel::open(const std::string& id) {
  ++version_;
  loader_.close(std::move(runs_));
  id_ = id.empty() && !listed_.devices.empty() ? listed_.devices.front().id : id;
  opening_ = true;
  loader_.open(id_);
}

const DeviceDescription* DeviceModel::description() const {
  return isOpen() ? &runs_->device().description() : nullptr;
}

const Device* DeviceModel::device() const {
  return isOpen() ? &runs_->device() : nullptr;
}

DefaultsFor DeviceModel::defaultsFor() const {
  return isOpen() ? DefaultsFor(runs_->device().description()) : DefaultsFor();
}

DeviceKind DeviceModel::kind() const {
  return isOpen() ? runs_->device().description().kind : DeviceKind::kCuda;
}

RunRequest DeviceModel::nearestOffered(const RunRequest& request) const {
  return isOpen() ? runs_->device().nearestOffered(request) : request;
}

void DeviceModel::cancel() {
  if (isOpen()) runs_->cancel();
}

std::vector<Arrival> DeviceModel::arrivals() {
  return isOpen() ? runs_->poll() : std::vector<Arrival>{};
}

std::optional<Progress> DeviceModel::progress() const {
  return isOpen() ? runs_->progress() : std::nullopt;
}

}  // namespace warpscope
