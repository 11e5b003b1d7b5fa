// An open device, made asynchronous: the newest request wins, background requests run when none waits, and
// what came out is kept until poll() takes it, so that launching never blocks a window. A foreground run that
// can be shown before its result is checked (Progress::early) arrives twice; the check is given up when
// another request comes. The thread contract is worker.h's; device() may be asked what it offers during a run
// (device.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/device/service/worker.h"

namespace warpscope {

struct RunResult {
  uint64_t ticket = 0;
  RunRequest request;
  Expected<std::shared_ptr<const Run>> run;
  double elapsed_ms = 0;    // from submit to result
  bool foreground = false;  // it was submitted with submit()
  bool early = false;       // the same run follows, its result checked, unless another is submitted meanwhile
  std::chrono::steady_clock::time_point submitted = {};
};

// `Arrival` is what a result becomes before it is polled: it is made on the worker's thread, so that what
// takes long (a window's layout) is done there.
template <class Arrival>
class RunService {
 public:
  using Complete = std::function<Arrival(RunResult)>;

  RunService(std::unique_ptr<Device> device, Complete complete, std::function<void()> wake)
      : device_(std::move(device)), complete_(std::move(complete)), arrivals_([this, wake = std::move(wake)] {
          arriving_ = false;
          if (!worker_.ending()) wake();
        }) {}

  const Device& device() const { return *device_; }

  // Replaces a foreground request that has not begun, and stops a background one that runs.
  uint64_t submit(RunRequest request) {
    const uint64_t ticket = ++last_ticket_;
    {
      const std::lock_guard lock(mutex_);
      newest_ = ticket;
      if (checking_ != nullptr) checking_->request_stop();
    }
    worker_.wish(task(ticket, std::move(request), true));
    return ticket;
  }
  // Work for idle times: in order, in place of all earlier background requests that have not begun.
  void submitBackground(std::vector<RunRequest> requests) {
    std::vector<Worker::Task> tasks;
    tasks.reserve(requests.size());
    for (RunRequest& request : requests) tasks.push_back(task(++last_ticket_, std::move(request), false));
    worker_.replaceQueue(std::move(tasks));
  }
  void cancel() { worker_.cancel(); }  // the running request and all that wait

  std::vector<Arrival> poll() { return arrivals_.take(); }
  bool busy() const { return worker_.busy(); }
  // Busy, or a result is about to arrive: once this is false, poll() has all there will be.
  bool pending() const { return worker_.busy() || arriving_; }
  // The progress of the running request; nullopt: none runs, or it has not reported anything yet.
  std::optional<Progress> progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Worker::Task task(uint64_t ticket, RunRequest request, bool foreground) {
    return [this, ticket, request = std::move(request), foreground,
            submitted = Clock::now()](const std::stop_token& stop) {
      const auto arrive = [&](Expected<std::shared_ptr<const Run>> run, bool early) {
        RunResult result{ticket, request, std::move(run), 0, foreground, early, submitted};
        result.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - submitted).count();
        return completed(std::move(result));
      };
      std::stop_source ending;  // by `stop`, or because the check of the result is given up
      const std::stop_callback forward(stop, [&] { ending.request_stop(); });
      bool given_up = false;
      auto run = this->run(request, ending.get_token(), [&](const std::shared_ptr<const Run>& early) {
        if (!foreground) return;
        arrivals_.put(arrive(early, true));
        const std::lock_guard lock(mutex_);
        given_up = newest_ != ticket;
        if (given_up) ending.request_stop();
        checking_ = &ending;
      });
      {
        const std::lock_guard lock(mutex_);
        given_up = given_up || (checking_ != nullptr && newest_ != ticket);
        checking_ = nullptr;
        progress_.reset();
      }
      const bool cancelled = !run && run.error().kind == ErrorKind::kCancelled;
      if (given_up && cancelled && !stop.stop_requested()) return;
      Arrival arrival = arrive(std::move(run), false);
      arriving_ = true;
      worker_.settle();
      arrivals_.put(std::move(arrival));
    };
  }

  using Early = std::function<void(const std::shared_ptr<const Run>&)>;
  Expected<std::shared_ptr<const Run>> run(const RunRequest& request, const std::stop_token& stop,
                                           const Early& early) {
    return guarded("the run", [&] {
      const auto progress = [&](const Progress& step) {
        if (step.early) return early(step.early);
        const std::lock_guard lock(mutex_);
        progress_ = step;
      };
      return device_->run(request, progress, stop).map([](Run&& run) {
        return std::make_shared<const Run>(std::move(run));
      });
    });
  }

  // A result that cannot be completed becomes a failure, which always can.
  Arrival completed(RunResult result) {
    RunResult failed{result.ticket,     result.request, nullptr,         result.elapsed_ms,
                     result.foreground, result.early,   result.submitted};
    try {
      return complete_(std::move(result));
    } catch (const std::exception& problem) {
      failed.run = tl::unexpected(
          Error{ErrorKind::kWorkFailed,
                std::string("the run could not be prepared for the window: ") + problem.what()});
    }
    return complete_(std::move(failed));
  }

  std::unique_ptr<Device> device_;
  Complete complete_;
  Mailbox<Arrival> arrivals_;
  mutable std::mutex mutex_;  // guards the next three
  std::optional<Progress> progress_;
  uint64_t newest_ = 0;                   // the foreground request that was submitted last
  std::stop_source* checking_ = nullptr;  // ends the run whose result is being checked
  uint64_t last_ticket_ = 0;
  std::atomic<bool> arriving_{false};  // the worker is done, and the result is not there yet
  Worker worker_;                      // last: it uses the others until it has joined
};

}  // namespace warpscope
