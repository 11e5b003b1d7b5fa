// The frames that a `warpscope serve` process and its client exchange over two byte streams (pipes, sockets,
// later ssh). A frame is a fixed header (magic, type, payload length, xxh64 of the payload; little-endian)
// and a payload that wire.h describes. The reader trusts nothing: garbage, truncation, a wrong checksum or an
// oversized length is an error, and memory grows only with the bytes that really arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

enum class FrameType : uint32_t {
  kHello = 1,          // server, once at its start
  kListDevices = 2,    // client
  kDevices = 3,        // server's answer
  kOpenDevice = 4,     // client
  kDeviceOpened = 5,   // server's answer
  kRunRequest = 6,     // client
  kCancel = 7,         // client: stop the run in progress, which is then answered with kError
  kProgress = 8,       // server, any number before the answer to kRunRequest
  kRun = 9,            // server's answer
  kError = 10,         // server's answer to anything that failed
  kBackendCall = 11,   // client: one call on the opened device (backend_calls.h)
  kBackendReply = 12,  // server's answer
  kPrinted = 13,       // server, any number before the answer to a launch: what the kernel's printf wrote
  kEarlyRun = 14,      // server, at most once before the answer to kRunRequest: the run as it is so far
};

struct Frame {
  FrameType type = FrameType::kHello;  // may be a number that is none of the above
  std::vector<std::byte> payload;
};

inline constexpr uint32_t kFrameMagic = 0x31465357;  // "WSF1"
inline constexpr size_t kFrameHeaderBytes = 24;
// The size limit of a run, or of a call on a backend; everything else is a small text.
inline constexpr uint64_t kMaxRunBytes = uint64_t{1} << 30;
inline constexpr uint64_t kMaxTextBytes = uint64_t{1} << 20;

// Blocks until everything is written. Never raises SIGPIPE: a reader that is gone is an error.
Expected<void> writeFrame(int fd, FrameType type, std::span<const std::byte> payload);
Expected<void> writeFrame(int fd, FrameType type, const std::string& text);

class FrameReader {
 public:
  // `peer` names the sender in errors: "the CUDA process". Does not own fd.
  FrameReader(int fd, std::string peer) : fd_(fd), peer_(std::move(peer)) {}

  // Makes one read(2), so that a caller who waits with poll(2) never blocks. Returns a frame once it is
  // complete; nullopt while more is to come, and at the end of the stream (then ended() is true). After an
  // error nothing more can be read.
  Expected<std::optional<Frame>> readSome();
  // Blocks for a whole frame; nullopt: the stream has ended.
  Expected<std::optional<Frame>> read();
  bool ended() const { return ended_; }

 private:
  Expected<std::optional<Frame>> parseHeader();
  Expected<std::optional<Frame>> finish();
  Expected<size_t> readInto(std::span<std::byte> to);

  int fd_;
  std::string peer_;
  std::byte header_[kFrameHeaderBytes] = {};
  size_t header_filled_ = 0;
  uint64_t length_ = 0, checksum_ = 0;
  size_t payload_filled_ = 0;
  Frame frame_;
  bool ended_ = false;
};

}  // namespace warpscope
