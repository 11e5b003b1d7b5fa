#include "kernels/device/service/serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>

#include "kernels/backend/cuda/cuda_backend.h"
#include "kernels/device/service/backend_calls.h"
#include "kernels/device/service/captured_stdout.h"
#include "kernels/device/service/frame.h"
#include "kernels/device/service/wire.h"

namespace warpscope {
namespace {

constexpr size_t kMaxQueued = 64;  // a client waits for answers; more than this is not one of ours
constexpr auto kHangLimit = std::chrono::seconds(1);

// Reads in the calling thread, works in another, so that a cancel is heard while a kernel runs.
class Server {
 public:
  Server(int in_fd, int out_fd, const ServerParts& parts)
      : reader_(in_fd, "the client"), out_fd_(out_fd), parts_(parts), worker_([this] { work(); }) {}

  ~Server() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      for (Task& task : queue_) task.stop.request_stop();
      current_.request_stop();
    }
    changed_.notify_all();
  }

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Until the client goes away (0) or sends what is not the protocol (1).
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

  // Stops what runs or waits; false: it still runs after `limit`.
  bool windDown(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    queue_.clear();
    current_.request_stop();
    return changed_.wait_for(lock, limit, [this] { return !working_; });
  }

 private:
  struct Task {
    Frame frame;
    std::stop_source stop;
  };

  bool accept(Frame frame) {
    switch (frame.type) {
      case FrameType::kListDevices:
      case FrameType::kOpenDevice:
      case FrameType::kRunRequest:
      case FrameType::kBackendCall:
        break;
      case FrameType::kCancel: {
        const std::lock_guard lock(mutex_);
        for (Task& task : queue_) task.stop.request_stop();
        current_.request_stop();
        return true;
      }
      default:
        sendError({ErrorKind::kBadRequest,
                   fmt::format("a message of type {} is no request", static_cast<uint32_t>(frame.type))},
                  false);
        return true;
    }
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() < kMaxQueued) {
        queue_.push_back({std::move(frame), {}});
        changed_.notify_all();
        return true;
      }
    }
    sendError({ErrorKind::kBadRequest, "too many requests wait for an answer"}, false);
    return false;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (closing_) break;
      Task task = std::move(queue_.front());
      queue_.pop_front();
      current_ = task.stop;
      working_ = true;
      lock.unlock();
      answer(task);
      lock.lock();
      working_ = false;
      changed_.notify_all();
    }
    lock.unlock();
    // Where they were made: a CUDA context belongs to this thread.
    executor_.reset();
    backend_.reset();
  }

  void answer(const Task& task) {
    Expected<void> done;
    try {
      switch (task.frame.type) {
        case FrameType::kListDevices:
          send(FrameType::kDevices, wire::devices(parts_.list()));
          break;
        case FrameType::kOpenDevice:
          done = open(task.frame);
          break;
        case FrameType::kBackendCall:
          done = call(task);
          break;
        default:
          done = run(task);
          break;
      }
    } catch (const std::exception& problem) {  // out of memory, or a library's exception
      done = fail(ErrorKind::kWorkFailed, "the request failed within the program: {}", problem.what());
    }
    if (!done) sendError(done.error(), backend_ != nullptr && backend_->poisoned());
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

  Expected<void> run(const Task& task) {
    const auto request = wire::decodeRunRequest(task.frame);
    if (!request) return tl::unexpected(request.error());
    if (executor_ == nullptr) {
      return fail(ErrorKind::kBadRequest, "a run was asked for before a device was opened");
    }
    const auto result = executor_->run(
        *request, [this](const Progress& progress) { send(FrameType::kProgress, wire::progress(progress)); },
        task.stop.get_token());
    if (!result) return tl::unexpected(result.error());
    const auto bytes = wire::run(*result);
    if (!bytes) return tl::unexpected(bytes.error());
    const std::lock_guard lock(write_mutex_);
    return writeFrame(out_fd_, FrameType::kRun, *bytes);
  }

  Expected<void> call(const Task& task) {
    if (backend_ == nullptr) {
      return fail(ErrorKind::kBadRequest, "a call was made before a device was opened");
    }
    const LaunchListener listener{[this](double share) {
                                    send(FrameType::kProgress, wire::progress({share, "executing"}));
                                  },
                                  [this](std::string_view text) { sendPrinted(text); }};
    const auto reply = [&] {
      std::optional<CapturedStdout> capture;
      if (parts_.owns_stdout && calls::isLaunch(task.frame.payload)) capture.emplace(listener.printed);
      return callee_.answer(*backend_, task.frame.payload, task.stop.get_token(), listener);
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

  // A client that is gone shows as the end of the input; nothing else is to be done about it here.
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

  // Of the worker's thread.
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Executor> executor_;
  calls::Callee callee_;  // of backend_

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Task> queue_;
  std::stop_source current_;
  bool working_ = false, closing_ = false;
  std::jthread worker_;  // last: it uses everything above
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

// Moves `fd` away from the standard streams, in whose place `replacement` then stands.
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
  // A kernel that never ends cannot be stopped from within; nobody is left to be told, and nothing to be
  // saved.
  if (!server.windDown(kHangLimit)) std::_Exit(status);
  return status;
}

int serve(int in_fd, int out_fd, const ServerParts& parts) {
  Server server(in_fd, out_fd, parts);
  return server.readUntilEnd();
}

}  // namespace warpscope
