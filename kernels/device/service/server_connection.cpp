#include "kernels/device/service/server_connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "kernels/device/service/wire.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = ServerConnection::Seconds;

constexpr Seconds kHelloLimit{10};
constexpr Seconds kListLimit{10};
// Creating a context on a machine with many GPUs takes seconds, and longer the first time after boot.
constexpr Seconds kOpenLimit{30};
constexpr Seconds kCancelLimit{1};

// A descriptor that becomes readable when a stop is requested, so that poll(2) wakes up.
class StopSignal {
 public:
  explicit StopSignal(const std::stop_token& stop) : callback_(stop, Raise{event_.fd}) {}
  int fd() const { return event_.fd; }

 private:
  struct EventFd {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    EventFd() = default;
    ~EventFd() {
      if (fd >= 0) close(fd);
    }
    EventFd(const EventFd&) = delete;
    EventFd& operator=(const EventFd&) = delete;
  };
  struct Raise {
    int fd;
    void operator()() const { static_cast<void>(eventfd_write(fd, 1)); }
  };
  EventFd event_;
  std::stop_callback<Raise>
      callback_;  // gone before the descriptor is closed, and with it any call in flight
};

}  // namespace

// The awaited answer, which determines limits and messages.
struct ServerConnection::Waiting {
  std::string what;  // "running reduction/shuffle"
  Seconds limit{};   // of silence
  std::stop_token stop;
  const ProgressSink* progress = nullptr;
  const LaunchListener* listener = nullptr;
  std::string restart;    // "; it will be restarted at the next launch"
  std::string advice;     // after an error of silence
  std::string last_step;  // of progress
  bool cancelled = false;
  Clock::time_point deadline;

  void heard() { deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit); }
};

ServerConnection::ServerConnection(std::unique_ptr<ChildProcess> child)
    : child_(std::move(child)), reader_(child_->fromChild(), "the CUDA process") {}

Expected<std::unique_ptr<ServerConnection>> ServerConnection::start(const std::string& command) {
  auto child = ChildProcess::start({command.empty() ? "/proc/self/exe" : command, "serve"});
  if (!child) return tl::unexpected(child.error());
  std::unique_ptr<ServerConnection> connection(new ServerConnection(std::move(*child)));
  Waiting waiting{.what = "starting", .limit = kHelloLimit};
  waiting.heard();
  const auto hello = connection->answer(waiting);
  if (!hello) return tl::unexpected(hello.error());
  if (auto spoken = wire::checkHello(*hello); !spoken)
    return connection->lost(waiting, spoken.error().message);
  return connection;
}

Expected<DeviceListing> ServerConnection::list() {
  Waiting waiting{.what = "listing the GPUs", .limit = kListLimit};
  const auto frame = ask(FrameType::kListDevices, {}, waiting);
  if (!frame) return tl::unexpected(frame.error());
  if (frame->type != FrameType::kDevices) return failure(*frame, waiting);
  auto listing = wire::decodeDevices(*frame);
  if (!listing) return lost(waiting, "sent something that cannot be understood: " + listing.error().message);
  return listing;
}

Expected<DeviceDescription> ServerConnection::open(const std::string& id) {
  Waiting waiting{.what = "opening " + id, .limit = kOpenLimit};
  const std::string text = wire::openDevice(id);
  const auto frame = ask(FrameType::kOpenDevice, std::as_bytes(std::span(text)), waiting);
  if (!frame) return tl::unexpected(frame.error());
  if (frame->type != FrameType::kDeviceOpened) return failure(*frame, waiting);
  auto device = wire::decodeDeviceOpened(*frame);
  if (!device) return lost(waiting, "sent something that cannot be understood: " + device.error().message);
  return device;
}

Expected<Run> ServerConnection::run(const RunRequest& request, const ProgressSink& progress,
                                    const std::stop_token& stop, Seconds watchdog) {
  Waiting waiting{.what = fmt::format("running {}/{}", request.family, request.variant),
                  .limit = watchdog,
                  .stop = stop,
                  .progress = &progress,
                  .restart = "; it will be restarted at the next launch"};
  const std::string text = wire::runRequest(request);
  const auto frame = ask(FrameType::kRunRequest, std::as_bytes(std::span(text)), waiting);
  if (!frame) return tl::unexpected(frame.error());
  if (frame->type != FrameType::kRun) return failure(*frame, waiting);
  auto run = wire::decodeRun(*frame);
  if (!run) return lost(waiting, "sent something that cannot be understood: " + run.error().message);
  return run;
}

Expected<std::vector<std::byte>> ServerConnection::call(const BackendCall& call) {
  Waiting waiting{.what = call.what,
                  .limit = call.limit,
                  .stop = call.stop,
                  .listener = &call.listener,
                  .advice = call.advice};
  auto frame = ask(FrameType::kBackendCall, call.payload, waiting);
  if (!frame) return tl::unexpected(frame.error());
  if (frame->type != FrameType::kBackendReply) return failure(*frame, waiting);
  return std::move(frame->payload);
}

bool ServerConnection::alive() {
  if (!usable_) return false;
  pollfd child{child_->fromChild(), POLLIN, 0};
  // Between requests a server has nothing to say: readable input is its end, or not the protocol.
  if (poll(&child, 1, 0) != 0) usable_ = false;
  return usable_;
}

Expected<Frame> ServerConnection::ask(FrameType type, std::span<const std::byte> payload, Waiting& waiting) {
  waiting.heard();
  if (auto sent = writeFrame(child_->toChild(), type, payload); !sent) return ended(waiting);
  return answer(waiting);
}

// The next frame that answers; progress and printed text, which come before it, are passed on.
Expected<Frame> ServerConnection::answer(Waiting& waiting) {
  const StopSignal stop(waiting.stop);
  while (true) {
    auto frame = nextFrame(waiting, stop.fd());
    if (!frame) return tl::unexpected(frame.error());
    if (!frame->has_value()) continue;
    if ((*frame)->type == FrameType::kPrinted) {
      const auto& text = (*frame)->payload;
      if (waiting.listener != nullptr && waiting.listener->printed)
        waiting.listener->printed({reinterpret_cast<const char*>(text.data()), text.size()});
    } else if ((*frame)->type == FrameType::kEarlyRun) {
      auto run = wire::decodeRun(**frame);
      if (!run) return lost(waiting, "sent something that cannot be understood: " + run.error().message);
      if (waiting.progress != nullptr && *waiting.progress)
        (*waiting.progress)({.early = std::make_shared<const Run>(std::move(*run))});
    } else if ((*frame)->type == FrameType::kProgress) {
      if (auto taken = takeProgress(**frame, waiting); !taken) return tl::unexpected(taken.error());
    } else {
      return std::move(**frame);
    }
  }
}

Expected<void> ServerConnection::takeProgress(const Frame& frame, Waiting& waiting) {
  const auto progress = wire::decodeProgress(frame);
  if (!progress)
    return lost(waiting, "sent something that cannot be understood: " + progress.error().message);
  waiting.last_step = progress->step;
  if (waiting.progress != nullptr && *waiting.progress) (*waiting.progress)(*progress);
  if (waiting.listener != nullptr && waiting.listener->progress) {
    waiting.listener->progress(progress->fraction);
  }
  return {};
}

// Waits for bytes, a stop or the limit, whichever comes first; nullopt: there is no complete frame yet.
Expected<std::optional<Frame>> ServerConnection::nextFrame(Waiting& waiting, int stop_fd) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting.deadline - Clock::now()).count();
  pollfd events[2] = {{child_->fromChild(), POLLIN, 0},
                      {waiting.cancelled ? -1 : stop_fd, POLLIN, 0}};  // poll skips negative descriptors
  const int ready = poll(events, 2, static_cast<int>(std::clamp<long>(left, 0, 1 << 30)));
  if (ready < 0 && errno != EINTR)
    return lost(waiting, fmt::format("is out of reach: {}", std::strerror(errno)));
  if (ready < 0) return std::nullopt;
  if (ready == 0) {
    if (waiting.cancelled) {
      child_->kill();
      usable_ = false;
      return fail(ErrorKind::kCancelled, "stopped; the CUDA process did not react and was killed{}",
                  waiting.restart);
    }
    auto silent =
        lost(waiting, fmt::format("gave no sign for {:.3g} s and was killed", waiting.limit.count()));
    silent.value().message += waiting.advice;
    return silent;
  }
  if (events[1].revents != 0) {
    waiting.cancelled = true;
    waiting.limit = kCancelLimit;
    waiting.heard();
    if (auto sent = writeFrame(child_->toChild(), FrameType::kCancel, ""); !sent) return ended(waiting);
  }
  if (events[0].revents == 0) return std::nullopt;
  auto frame = reader_.readSome();
  if (reader_.ended()) return ended(waiting);
  if (!frame) return lost(waiting, "sent garbage and was ended (" + frame.error().message + ")");
  // A server that was told to stop gets its second in total, whatever it still sends.
  if (frame->has_value() && !waiting.cancelled) waiting.heard();
  return frame;
}

tl::unexpected<Error> ServerConnection::lost(const Waiting& waiting, const std::string& how) {
  child_->kill();
  usable_ = false;
  const std::string step = waiting.last_step.empty() ? "" : fmt::format(" ({})", waiting.last_step);
  return fail(ErrorKind::kWorkFailed, "The CUDA process {} while {}{}{}.", how, waiting.what, step,
              waiting.restart);
}

tl::unexpected<Error> ServerConnection::ended(const Waiting& waiting) {
  return lost(waiting, child_->describeEnd());
}

// The answer was an error, or one that does not fit the request.
tl::unexpected<Error> ServerConnection::failure(const Frame& frame, const Waiting& waiting) {
  if (frame.type != FrameType::kError) {
    return lost(waiting, fmt::format("sent an unexpected answer (type {}) and was ended",
                                     static_cast<uint32_t>(frame.type)));
  }
  auto error = wire::decodeError(frame);
  if (!error) return lost(waiting, "sent something that cannot be understood: " + error.error().message);
  if (error->poisoned) {
    child_->kill();
    usable_ = false;
    error->error.message +=
        " (the GPU context is lost; the CUDA process will be restarted at the next launch)";
  }
  return tl::unexpected(std::move(error->error));
}

}  // namespace warpscope
