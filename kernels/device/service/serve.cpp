#include "kernels/device/service/serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/device/service/backend_calls.h"
#include "kernels/device/service/captured_stdout.h"
#include "kernels/device/service/frame.h"
#include "kernels/device/service/wire.h"
#include "kernels/device/service/worker.h"
#include "kernels/program/program.h"

namespace warpscope {
namespace {

constexpr size_t kMaxQueued =
    64;  // a client waits for answers; one that queues more than this does not follow the protocol
constexpr auto kHangLimit = std::chrono::seconds(1);

// Reads in the calling thread and works in another, so that a cancel is received while a kernel runs.
class Server {
 public:
  Server(int in_fd, int out_fd, const ServerParts& parts)
      : reader_(in_fd, "the client"), out_fd_(out_fd), parts_(parts) {}

  // A CUDA context belongs to the thread that made it, so the backend goes in the worker's.
  ~Server() {
    worker_.cancel();
    worker_.queue([this](const std::stop_token&) {
      executor_.reset();
      backend_.reset();
    });
    worker_.waitUntilIdle();
  }

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Runs until the client goes away (0) or sends something that is not the protocol (1).
  int readUntilEnd() {
    send(FrameType::kHello, wire::hello());
    while (true) {
      auto frame = reader_.read();
      if (!frame) {
        sendError(frame.error(), false);
        return 1;
      }
      if (!frame->has_value()) return 0;
      if (!accept(std::move(**frame))) return 1;
    }
  }

  // Stops what runs and drops what waits; false: something still runs after `limit`.
  bool windDown(std::chrono::milliseconds limit) {
    worker_.cancel();
    return worker_.waitUntilIdle(limit);
  }

 private:
  bool accept(Frame frame) {
    switch (frame.type) {
      case FrameType::kListDevices:
      case FrameType::kOpenDevice:
      case FrameType::kRunRequest:
      case FrameType::kBackendCall:
        break;
      case FrameType::kCancel:
        worker_.stopAll();  // every request is still answered
        return true;
      default:
        sendError({ErrorKind::kBadRequest,
                   fmt::format("a message of type {} is not a request", static_cast<uint32_t>(frame.type))},
                  false);
        return true;
    }
    if (worker_.waiting() >= kMaxQueued) {
      sendError({ErrorKind::kBadRequest, "too many requests wait for an answer"}, false);
      return false;
    }
    worker_.queue([this, request = std::make_shared<const Frame>(std::move(frame))](
                      const std::stop_token& stop) { answer(*request, stop); });
    return true;
  }

  void answer(const Frame& frame, const std::stop_token& stop) {
    const auto done = guarded("the request", [&] { return makeAnswer(frame, stop); });
    if (!done) sendError(done.error(), backend_ != nullptr && backend_->poisoned());
  }

  Expected<void> makeAnswer(const Frame& frame, const std::stop_token& stop) {
    switch (frame.type) {
      case FrameType::kListDevices:
        send(FrameType::kDevices, wire::devices(parts_.list()));
        return {};
      case FrameType::kOpenDevice:
        return open(frame);
      case FrameType::kBackendCall:
        return call(frame, stop);
      default:
        return run(frame, stop);
    }
  }

  Expected<void> open(const Frame& frame) {
    const auto id = wire::decodeOpenDevice(frame);
    if (!id) return tl::unexpected(id.error());
    executor_.reset();
    backend_.reset();
    callee_ = {};
    auto backend = parts_.open(*id);
    if (!backend) return tl::unexpected(backend.error());
    backend_ = std::move(*backend);
    executor_ = std::make_unique<Executor>(*backend_, parts_.kernels);
    send(FrameType::kDeviceOpened, wire::deviceOpened(backend_->description()));
    return {};
  }

  Expected<void> run(const Frame& frame, const std::stop_token& stop) {
    const auto request = wire::decodeRunRequest(frame);
    if (!request) return tl::unexpected(request.error());
    if (executor_ == nullptr) {
      return fail(ErrorKind::kBadRequest, "a run was asked for before a device was opened");
    }
    if (request->program) {
      if (const auto added = addProgram(request->program); !added) return tl::unexpected(added.error());
    }
    Expected<void> sent;
    const auto tell = [&](const Progress& progress) {
      if (!progress.early) {
        send(FrameType::kProgress, wire::progress(progress));
      } else {
        sent = sendRun(FrameType::kEarlyRun, *progress.early);
      }
    };
    const auto result = executor_->run(*request, tell, stop);
    if (!sent) return sent;
    if (!result) return tl::unexpected(result.error());
    return sendRun(FrameType::kRun, *result);
  }

  Expected<void> sendRun(FrameType type, const Run& run) {
    const auto bytes = wire::run(run);
    if (!bytes) return tl::unexpected(bytes.error());
    const std::lock_guard lock(write_mutex_);
    return writeFrame(out_fd_, type, *bytes);
  }

  Expected<void> call(const Frame& frame, const std::stop_token& stop) {
    if (backend_ == nullptr) {
      return fail(ErrorKind::kBadRequest, "a call was made before a device was opened");
    }
    const LaunchListener listener{[this](double share) {
                                    send(FrameType::kProgress, wire::progress({share, "executing"}));
                                  },
                                  [this](std::string_view text) { sendPrinted(text); }};
    const auto reply = [&] {
      std::optional<CapturedStdout> capture;
      const calls::Call made = calls::callOf(frame.payload);
      // A timed kernel prints what its launch has printed already.
      const auto drop = [](std::string_view) {};
      const bool launches = made == calls::Call::kLaunch || made == calls::Call::kRunStreams;
      if (parts_.owns_stdout && launches) capture.emplace(listener.printed);
      if (parts_.owns_stdout && made == calls::Call::kTime) capture.emplace(drop);
      return callee_.answer(*backend_, frame.payload, stop, listener);
    }();
    if (!reply) return tl::unexpected(reply.error());
    const std::lock_guard lock(write_mutex_);
    return writeFrame(out_fd_, FrameType::kBackendReply, *reply);
  }

  void sendPrinted(std::string_view text) {
    constexpr size_t kMostAtOnce = size_t{64} << 10;
    const std::lock_guard lock(write_mutex_);
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMostAtOnce))) {
      static_cast<void>(
          writeFrame(out_fd_, FrameType::kPrinted, std::as_bytes(std::span(text.substr(0, kMostAtOnce)))));
    }
  }

  // A client that is gone shows as the end of the input; nothing else needs to be done about it here.
  void send(FrameType type, const std::string& text) {
    const std::lock_guard lock(write_mutex_);
    static_cast<void>(writeFrame(out_fd_, type, text));
  }
  void sendError(const Error& error, bool poisoned) {
    send(FrameType::kError, wire::error({error, poisoned}));
  }

  FrameReader reader_;
  const int out_fd_;
  std::mutex write_mutex_;
  const ServerParts& parts_;

  // The worker's thread alone uses these.
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Executor> executor_;
  calls::Callee callee_;  // of backend_

  Worker worker_;  // last: it uses everything above
};

ServerParts cudaParts() {
  return {listCudaDevices,
          [](const std::string& id) -> Expected<std::unique_ptr<Backend>> {
            const auto ordinal = cudaOrdinal(id);
            if (!ordinal) return tl::unexpected(ordinal.error());
            return openCudaBackend(*ordinal);
          },
          builtInKernels(), true};
}

// Moves `fd` away from the standard streams and puts `replacement` in its place.
int moveAway(int fd, int replacement) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return fd;
  dup2(replacement, fd);
  return moved;
}

}  // namespace

int serve(int in_fd, int out_fd) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (in_fd == STDIN_FILENO) in_fd = moveAway(in_fd, nothing);
  if (out_fd == STDOUT_FILENO) {
    const bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
    out_fd = moveAway(out_fd, has_stderr ? STDERR_FILENO : nothing);
  }
  // Ctrl+C reaches every process of a terminal; whether work is to be stopped is for the client to say.
  std::signal(SIGINT, SIG_IGN);
  const ServerParts parts = cudaParts();
  Server server(in_fd, out_fd, parts);
  const int status = server.readUntilEnd();
  // A kernel that never ends cannot be stopped from within; there is no client left to report to, and nothing
  // to save.
  if (!server.windDown(kHangLimit)) std::_Exit(status);
  return status;
}

int serve(int in_fd, int out_fd, const ServerParts& parts) {
  Server server(in_fd, out_fd, parts);
  return server.readUntilEnd();
}

}  // namespace warpscope
