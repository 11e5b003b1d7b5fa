// Records lane logs on a thread of its own: executing a few blocks takes milliseconds, but making a large
// run's inputs can take seconds. Only the newest wish is kept.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

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
  explicit LaneLogLoader(std::function<void()> wake);
  ~LaneLogLoader();  // stops what is being recorded
  LaneLogLoader(const LaneLogLoader&) = delete;
  LaneLogLoader& operator=(const LaneLogLoader&) = delete;

  void want(std::shared_ptr<const Run> run, const LaneLogOptions& options);
  std::optional<News> poll();

 private:
  struct Wish {
    std::shared_ptr<const Run> run;
    LaneLogOptions options;
  };
  void work(const std::stop_token& stop);

  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Wish> wish_;
  std::optional<News> news_;
  std::jthread worker_;  // begins with the first wish; last: it uses the others
};

}  // namespace warpscope
