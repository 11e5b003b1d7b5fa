#include "app/gui/device_loader.h"

#include <utility>

namespace warpscope {

DeviceLoader::DeviceLoader(DeviceSource source)
    : source_(std::move(source)), worker_([this](const std::stop_token& stop) { work(stop); }) {}

DeviceLoader::~DeviceLoader() = default;

void DeviceLoader::work(const std::stop_token& stop) {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
      if (stop.stop_requested()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void DeviceLoader::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void DeviceLoader::report(News news) {
  {
    const std::lock_guard lock(mutex_);
    news_.push_back(std::move(news));
  }
  source_.wake();
}

void DeviceLoader::list() {
  post([this] { report(source_.list()); });
}

void DeviceLoader::open(std::string id) {
  post([this, id = std::move(id)] {
    Expected<std::unique_ptr<Device>> device = source_.open(id);
    if (device) {
      report(Opened{id,
                    std::make_unique<DeviceSession>(std::move(*device), source_.build_layout, source_.wake)});
    } else {
      report(Opened{id, tl::unexpected(device.error())});
    }
  });
}

void DeviceLoader::close(std::unique_ptr<DeviceSession> session) {
  if (session == nullptr) return;
  // std::function wants what it holds to be copyable.
  std::shared_ptr<DeviceSession> shared = std::move(session);
  post([shared = std::move(shared)]() mutable { shared.reset(); });
}

std::vector<DeviceLoader::News> DeviceLoader::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace warpscope
