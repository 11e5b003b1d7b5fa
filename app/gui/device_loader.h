// Finds and opens devices on a thread of its own, because a driver may take seconds to start, and closes them
// there, because closing waits for the launch in progress.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "app/gui/device_session.h"

namespace warpscope {

// What the window needs of the world outside; tests give their own.
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
    Expected<std::unique_ptr<DeviceSession>> session;
  };
  using News = std::variant<DeviceListing, Opened>;

  explicit DeviceLoader(DeviceSource source);
  ~DeviceLoader();  // waits for what is being done

  void list();
  void open(std::string id);
  void close(std::unique_ptr<DeviceSession> session);
  std::vector<News> poll();

 private:
  void work(const std::stop_token& stop);
  void post(std::function<void()> task);
  void report(News news);

  DeviceSource source_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<News> news_;
  std::jthread worker_;  // last: it uses the others
};

}  // namespace warpscope
