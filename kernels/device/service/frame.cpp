#include "kernels/device/service/frame.h"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace warpscope {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian and written as they lie");

constexpr size_t kGrowBytes = size_t{1}
                              << 20;  // payloads grow by at most this much ahead of what has arrived

struct Header {
  uint32_t magic = kFrameMagic;
  uint32_t type = 0;
  uint64_t length = 0;
  uint64_t checksum = 0;
};
static_assert(sizeof(Header) == kFrameHeaderBytes);

// Blocks SIGPIPE in this thread while alive, and consumes the one that a write may have raised. (MSG_NOSIGNAL
// would need a socket, and the disposition of signals belongs to the program that uses this library.)
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~WithoutSigpipe() {
    if (!was_pending_) {
      const timespec at_once{};
      while (sigtimedwait(&sigpipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t sigpipe_, before_;
  bool was_pending_ = false;
};

uint64_t maxPayload(FrameType type) {
  const bool large = type == FrameType::kRun || type == FrameType::kEarlyRun ||
                     type == FrameType::kBackendCall || type == FrameType::kBackendReply;
  return large ? kMaxRunBytes : kMaxTextBytes;
}

}  // namespace

Expected<void> writeFrame(int fd, FrameType type, std::span<const std::byte> payload) {
  if (payload.size() > maxPayload(type)) {
    return fail(ErrorKind::kWorkFailed,
                "a message of {} bytes is larger than the {} that may be sent: record fewer "
                "warps",
                payload.size(), maxPayload(type));
  }
  Header header{kFrameMagic, static_cast<uint32_t>(type), payload.size(),
                XXH64(payload.data(), payload.size(), 0)};
  iovec parts[2] = {{&header, sizeof header},
                    // writev only reads.
                    {const_cast<std::byte*>(payload.data()), payload.size()}};
  const WithoutSigpipe guard;
  size_t part = 0;
  while (part < 2) {
    const ssize_t written = writev(fd, parts + part, static_cast<int>(2 - part));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return fail(ErrorKind::kWorkFailed, "cannot send to the other process: {}", std::strerror(errno));
    }
    auto left = static_cast<size_t>(written);
    while (part < 2 && left >= parts[part].iov_len) left -= parts[part++].iov_len;
    if (part < 2) {
      parts[part].iov_base = static_cast<char*>(parts[part].iov_base) + left;
      parts[part].iov_len -= left;
    }
  }
  return {};
}

Expected<void> writeFrame(int fd, FrameType type, const std::string& text) {
  return writeFrame(fd, type, std::as_bytes(std::span(text)));
}

Expected<size_t> FrameReader::readInto(std::span<std::byte> to) {
  while (true) {
    const ssize_t count = ::read(fd_, to.data(), to.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) {
      return fail(ErrorKind::kWorkFailed, "cannot read from {}: {}", peer_, std::strerror(errno));
    }
  }
}

Expected<std::optional<Frame>> FrameReader::readSome() {
  const bool in_header = header_filled_ < kFrameHeaderBytes;
  if (!in_header) {
    const uint64_t ahead = std::min<uint64_t>(length_, payload_filled_ + kGrowBytes);
    if (frame_.payload.size() < ahead) frame_.payload.resize(ahead);
  }
  const std::span<std::byte> target = in_header ? std::span(header_).subspan(header_filled_)
                                                : std::span(frame_.payload).subspan(payload_filled_);
  const auto count = readInto(target);
  if (!count) return tl::unexpected(count.error());
  if (*count == 0) {
    ended_ = true;
    if (header_filled_ == 0) return std::nullopt;
    return fail(ErrorKind::kWorkFailed, "{} stopped sending within a message, after {} bytes of it", peer_,
                header_filled_ + payload_filled_);
  }
  if (in_header) {
    header_filled_ += *count;
    if (header_filled_ < kFrameHeaderBytes) return std::nullopt;
    return parseHeader();
  }
  payload_filled_ += *count;
  if (payload_filled_ < length_) return std::nullopt;
  return finish();
}

Expected<std::optional<Frame>> FrameReader::parseHeader() {
  Header header;
  std::memcpy(&header, header_, sizeof header);
  if (header.magic != kFrameMagic) {
    return fail(ErrorKind::kWorkFailed,
                "{} sent 0x{:08X} where a message begins, not 0x{:08X}: something else "
                "than warpscope's protocol is on this stream",
                peer_, header.magic, kFrameMagic);
  }
  frame_ = Frame{static_cast<FrameType>(header.type), {}};
  if (header.length > maxPayload(frame_.type)) {
    return fail(ErrorKind::kWorkFailed,
                "{} announced a message (type {}) of {} bytes; at most {} are allowed", peer_, header.type,
                header.length, maxPayload(frame_.type));
  }
  length_ = header.length;
  checksum_ = header.checksum;
  payload_filled_ = 0;
  if (length_ == 0) return finish();
  return std::nullopt;
}

Expected<std::optional<Frame>> FrameReader::finish() {
  header_filled_ = 0;
  payload_filled_ = 0;
  if (XXH64(frame_.payload.data(), frame_.payload.size(), 0) != checksum_) {
    return fail(ErrorKind::kWorkFailed, "{} sent a message (type {}, {} bytes) whose checksum is wrong",
                peer_, static_cast<uint32_t>(frame_.type), frame_.payload.size());
  }
  return std::exchange(frame_, {});
}

Expected<std::optional<Frame>> FrameReader::read() {
  while (true) {
    auto frame = readSome();
    if (!frame || frame->has_value() || ended_) return frame;
  }
}

}  // namespace warpscope
