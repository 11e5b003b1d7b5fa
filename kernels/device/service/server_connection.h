// A client's end of one `warpscope serve` process: sends requests, waits for answers with a limit, and turns
// whatever may happen to the process into an Error that a user understands. Used by one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "kernels/core/error.h"
#include "kernels/device/device.h"
#include "kernels/device/service/child_process.h"
#include "kernels/device/service/frame.h"

namespace warpscope {

class ServerConnection {
 public:
  using Seconds = std::chrono::duration<double>;

  // Starts `command serve` (empty: this program) and waits for its hello.
  static Expected<std::unique_ptr<ServerConnection>> start(const std::string& command);

  Expected<DeviceListing> list();
  Expected<DeviceDescription> open(const std::string& id);
  // `watchdog`: the longest silence; a progress report ends a silence. A stop is passed on; a server that
  // does not react within a second is killed.
  Expected<Run> run(const RunRequest& request, const ProgressSink& progress, const std::stop_token& stop,
                    Seconds watchdog);

  // Makes a call on the opened device (backend_calls.h); returns the reply's payload. `what`, for the user:
  // "running spin". `limit`: the longest silence.
  struct BackendCall {
    std::span<const std::byte> payload;
    std::string what;
    Seconds limit{};
    std::string advice;  // after an error of silence: what to do if the work only needs longer
    std::stop_token stop;
    LaunchListener listener;
  };
  Expected<std::vector<std::byte>> call(const BackendCall& call);

  // False once the process has ended, hung, sent garbage or reported that it can do no more work. Only a new
  // connection helps.
  bool usable() const { return usable_; }
  // Whether the process still exists, judged by its pipe; costs a system call.
  bool alive();

 private:
  struct Waiting;
  explicit ServerConnection(std::unique_ptr<ChildProcess> child);

  Expected<Frame> ask(FrameType type, std::span<const std::byte> payload, Waiting& waiting);
  Expected<void> takeProgress(const Frame& frame, Waiting& waiting);
  Expected<Frame> answer(Waiting& waiting);
  Expected<std::optional<Frame>> nextFrame(Waiting& waiting, int stop_fd);
  tl::unexpected<Error> lost(const Waiting& waiting, const std::string& how);
  tl::unexpected<Error> ended(const Waiting& waiting);
  tl::unexpected<Error> failure(const Frame& frame, const Waiting& waiting);

  std::unique_ptr<ChildProcess> child_;
  FrameReader reader_;
  bool usable_ = true;
};

}  // namespace warpscope
