// A log of the shown run, recorded when a view asks for it, and kept until that of the next run is available.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/gui/run_log_loader.h"

namespace warpscope {

template <class Options, class Log>
class RunLog {
 public:
  // `wake` is called from another thread when update() has something.
  RunLog(typename RunLogLoader<Options, Log>::Record record, const char* doing, std::function<void()> wake)
      : loader_(std::move(record), doing, std::move(wake)) {}

  // true: there is a new log, or a problem.
  bool update(const std::shared_ptr<const Run>& shown) {
    auto news = loader_.poll();
    if (!news || news->run != wanted_of_ || news->options != wanted_) return false;
    pending_ = false;
    if (news->run != shown) return false;
    log_of_ = news->run;
    problem_.clear();
    if (news->log) {
      log_ = std::move(*news->log);
    } else {
      log_.reset();
      problem_ = news->log.error().message;
    }
    return true;
  }

  // The newest log there is; it is of an earlier run while refreshing(). Null: none.
  const std::shared_ptr<const Log>& log() const { return log_; }
  bool refreshing(const std::shared_ptr<const Run>& shown) const { return log_of_ != shown || pending_; }
  bool pending() const { return pending_; }
  const std::string& problem() const { return problem_; }  // why there is no log; empty: none

 protected:
  const Options& wanted() const { return wanted_; }
  // Cheap to call again and again.
  void want(const std::shared_ptr<const Run>& shown, const Options& options) {
    if (wanted_of_ == shown && wanted_ == options) return;
    wanted_of_ = shown;
    wanted_ = options;
    pending_ = true;
    loader_.want(shown, options);
  }

 private:
  std::shared_ptr<const Run> wanted_of_;
  Options wanted_;
  bool pending_ = false;
  std::shared_ptr<const Log> log_;
  std::shared_ptr<const Run> log_of_;  // the run that log_ or problem_ is about
  std::string problem_;
  RunLogLoader<Options, Log> loader_;
};

}  // namespace warpscope
