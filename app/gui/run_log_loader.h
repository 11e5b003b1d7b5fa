// Makes logs of runs on a thread of its own: executing a few blocks takes milliseconds, but making a large
// run's inputs can take seconds. Only the newest request is kept. The thread contract is worker.h's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/device/service/worker.h"
#include "kernels/run/run.h"

namespace warpscope {

template <class Options, class Log>
class RunLogLoader {
 public:
  using Record = std::function<Expected<Log>(const Run&, const Options&, const std::stop_token&)>;
  struct News {
    std::shared_ptr<const Run> run;
    Options options;
    Expected<std::shared_ptr<const Log>> log;
  };

  // `record` is called by the worker only. `doing` says what it does: "recording what the lanes do".
  // `wake` is called from the worker whenever poll() has something.
  RunLogLoader(Record record, const char* doing, std::function<void()> wake)
      : record_(std::move(record)), doing_(doing), news_(std::move(wake)) {}

  void want(std::shared_ptr<const Run> run, const Options& options) {
    worker_.wish([this, run = std::move(run), options](const std::stop_token& stop) {
      auto log = guarded(doing_, [&] {
        return record_(*run, options, stop).map([](Log&& recorded) {
          return std::make_shared<const Log>(std::move(recorded));
        });
      });
      if (!stop.stop_requested()) news_.put({run, options, std::move(log)});
    });
  }

  std::optional<News> poll() {  // the newest that has arrived
    std::vector<News> news = news_.take();
    if (news.empty()) return std::nullopt;
    return std::move(news.back());
  }

 private:
  Record record_;
  const char* doing_;
  Mailbox<News> news_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
