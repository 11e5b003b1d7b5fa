#include "app/gui/device_loader.h"

#include <utility>

namespace warpscope {

void DeviceLoader::list() {
  worker_.queue([this](const std::stop_token&) {
    auto listing =
        guarded("listing the devices", [&]() -> Expected<DeviceListing> { return source_.list(); });
    if (!listing) {
      DeviceListing none;
      none.notes.push_back(listing.error().message);
      listing = std::move(none);
    }
    news_.put(std::move(*listing));
  });
}

void DeviceLoader::open(std::string id) {
  worker_.queue([this, id = std::move(id)](const std::stop_token&) {
    auto runs = guarded("opening " + id, [&] {
      return source_.open(id).map([&](std::unique_ptr<Device>&& device) {
        return serveRuns(std::move(device), source_.build_layout, source_.wake);
      });
    });
    news_.put(Opened{id, std::move(runs)});
  });
}

void DeviceLoader::close(std::unique_ptr<WindowRuns> runs) {
  if (runs == nullptr) return;
  // std::function requires that what it holds can be copied. The worker frees a task on its own thread.
  worker_.queue([shared = std::shared_ptr<WindowRuns>(std::move(runs))](const std::stop_token&) {});
}

}  // namespace warpscope
