// The list of devices, the open one, and launches on it. Finding, opening and closing happen on another
// thread; next() returns the results.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/gui/device_loader.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

class DeviceModel {
 public:
  struct Listed {};
  struct Opened {};
  struct Failed {
    std::string why;
  };
  // A change of the list, or of the device that open() named last.
  using News = std::variant<Listed, Opened, Failed>;

  // `id`: the device to open once it is known which there are; empty: the default.
  DeviceModel(DeviceSource source, std::string id);
  ~DeviceModel();  // closes the device, which may take as long as a launch
  DeviceModel(const DeviceModel&) = delete;
  DeviceModel& operator=(const DeviceModel&) = delete;

  // The next thing that happened; nullopt: nothing more. One at a time, because the caller may open
  // another device, and what happened to this one does not matter any more.
  std::optional<News> next();

  // The list, a device or a run is on its way.
  bool pending() const { return listing_ || opening_ || (isOpen() && runs_->pending()); }
  bool listing() const { return listing_; }
  bool opening() const { return opening_; }
  const DeviceListing& listed() const { return listed_; }
  bool isListed(const std::string& id) const;
  // Another number means that something of this may have changed: the list, the choice, the open device.
  uint64_t version() const { return version_; }
  const std::string& id() const { return id_; }  // of the device that is open, or to be opened
  void choose(const std::string& id);            // without opening it: the list is not there yet
  void open(const std::string& id);              // replaces the open one. Empty: the default

  bool isOpen() const { return runs_ != nullptr; }
  const DeviceDescription* description() const;  // null: none is open
  const Device* device() const;                  // null: none is open
  DeviceKind kind() const;                       // of the open device; CUDA while there is none
  DefaultsFor defaultsFor() const;               // the same
  bool offersOnlyRecorded() const { return isOpen() && kind() == DeviceKind::kRecorded; }
  // The request as the open device can answer it; unchanged if none is open.
  RunRequest nearestOffered(const RunRequest& request) const;

  // Launches on the open device; there must be one. A launch supersedes the one that was submitted before it.
  uint64_t submit(const RunRequest& request) { return runs_->submit(request); }
  void submitBackground(std::vector<RunRequest> requests) { runs_->submitBackground(std::move(requests)); }
  // These do nothing while no device is open.
  void cancel();
  std::vector<Arrival> arrivals();
  std::optional<Progress> progress() const;

 private:
  std::optional<News> take(DeviceListing listing);
  std::optional<News> take(DeviceLoader::Opened opened);
  void list(const DeviceLoader::Opened& opened);

  std::deque<DeviceLoader::News> arrived_;  // not yet looked at by next()
  bool listing_ = true, opening_ = false;
  DeviceListing listed_;
  uint64_t version_ = 0;
  std::string id_;
  std::unique_ptr<WindowRuns> runs_;
  DeviceLoader loader_;  // last: it is asked to close the runs, and must be destroyed first
};

}  // namespace warpscope
