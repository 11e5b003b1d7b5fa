// Makes the runs that a step of a lesson needs beside the one on screen, on a thread of its own, with devices
// of its own. Only the newest wish is kept. The thread contract is worker.h's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kernels/device/device.h"
#include "kernels/device/service/worker.h"
#include "kernels/lesson/run_keeper.h"

namespace warpscope {

using OpenDevice = std::function<Expected<std::unique_ptr<Device>>(const std::string& id)>;
using NamedRequests = std::map<std::string, RunRequest>;
using NamedRuns = std::map<std::string, std::shared_ptr<const Run>, std::less<>>;

class LessonRunner {
 public:
  struct News {
    uint64_t ticket = 0;
    NamedRuns runs, recorded;
    std::optional<Error> error;  // of the first run that could not be made on the device
  };

  LessonRunner(OpenDevice open, std::function<void()> wake)
      : open_(std::move(open)), news_(std::move(wake)) {}

  // `recorded`: from the bundled recordings; what they lack is left out. Returns the ticket of the news.
  uint64_t want(std::string device, NamedRequests requests, NamedRequests recorded);
  std::optional<News> poll();  // the newest that has arrived

 private:
  Expected<std::shared_ptr<const Run>> run(const std::string& device, const RunRequest& asked,
                                           const std::stop_token& stop);

  OpenDevice open_;
  uint64_t last_ticket_ = 0;
  struct Opened {
    std::unique_ptr<Device> device;
    RunKeeper runs;
  };
  std::map<std::string, Opened> devices_;  // by id; used by the worker only
  Mailbox<News> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
