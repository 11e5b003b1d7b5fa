// Lists, opens and closes devices on a thread of its own: a driver may take seconds to start, and closing
// waits for the launch in progress. The thread contract is worker.h's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/gui/arrival.h"
#include "kernels/device/service/worker.h"

namespace warpscope {

// The window's dependencies on the outside world; tests provide their own.
struct DeviceSource {
  std::function<DeviceListing()> list;
  std::function<Expected<std::unique_ptr<Device>>(const std::string& id)> open;
  LayoutBuilder build_layout;
  std::function<void()> wake;  // called from other threads when there is news
};

class DeviceLoader {
 public:
  struct Opened {
    std::string id;
    Expected<std::unique_ptr<WindowRuns>> session;
  };
  using News = std::variant<DeviceListing, Opened>;

  explicit DeviceLoader(DeviceSource source) : source_(std::move(source)), news_(source_.wake) {}

  void list();
  void open(std::string id);
  void close(std::unique_ptr<WindowRuns> runs);
  std::vector<News> poll() { return news_.take(); }

 private:
  DeviceSource source_;
  Mailbox<News> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
