// Records lane logs on a thread of its own: executing a few blocks takes milliseconds, but making a large
// run's inputs can take seconds. Only the newest request is kept. The thread contract is worker.h's.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "kernels/device/service/worker.h"
#include "kernels/execute/lane_recorder.h"

namespace warpscope {

class LaneLogLoader {
 public:
  struct News {
    std::shared_ptr<const Run> run;
    LaneLogOptions options;
    Expected<std::shared_ptr<const LaneLog>> log;
  };

  // `wake` is called from the worker whenever poll() has something.
  explicit LaneLogLoader(std::function<void()> wake) : news_(std::move(wake)) {}

  void want(std::shared_ptr<const Run> run, const LaneLogOptions& options);
  std::optional<News> poll();  // the newest that has arrived

 private:
  LaneRecorder recorder_;  // used by the worker only
  Mailbox<News> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
