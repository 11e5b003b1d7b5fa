// A backend's calls as they cross the wire: what a client asks of the GPU that a `warpscope serve` process
// holds, as bytes in a frame (kBackendCall), and what comes back (kBackendReply). Numbers are 64 bits,
// little-endian; texts and bytes carry their length. Decoding trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"

namespace warpscope::calls {

enum class Call : uint64_t {
  kModule = 1,  // name, PTX, fatbin: once for each module that kKernel and kSymbol name
  kKernel,
  kResources,
  kMaxActiveBlocks,
  kSymbol,
  kMemory,
  kAllocate,
  kAllocateManaged,
  kFree,
  kUpload,
  kDownload,
  kCopy,
  kFill,
  kLaunch,
  kTime,
  kTimeCopy,
  kCreateImage,
  kFreeImage,
  kForgetHost,  // the host's memory that operations use: none yet
  kAddHost,     // region, whether it is pinned, bytes: appended to the region, which may be the next one
  kRunStreams,  // operations in that memory
  kFetchHost,   // region, offset, number of bytes
  kEncodeTensorMap,
};

// The most that one upload or download carries; longer ones are split into pieces.
inline constexpr uint64_t kPieceBytes = uint64_t{16} << 20;

class Writer {
 public:
  Writer() = default;
  explicit Writer(Call call) { number(static_cast<uint64_t>(call)); }
  Writer& number(uint64_t value);
  Writer& real(double value);
  Writer& bytes(std::span<const std::byte> value);
  Writer& text(std::string_view value) { return bytes(std::as_bytes(std::span(value))); }
  Writer& launch(const LaunchSpec& spec);
  Writer& image(const ImageDescription& image);
  Writer& tensorMap(const TensorMapDescription& map);
  const std::vector<std::byte>& payload() const { return payload_; }

 private:
  void put(const void* from, size_t count);
  std::vector<std::byte> payload_;
};

// Reads what a Writer wrote. Where something is missing it returns zeros, and good() is false from then on.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> payload) : rest_(payload) {}
  uint64_t number();
  uint64_t choice(uint64_t count);  // a number from 0 to count - 1
  uint32_t small() { return static_cast<uint32_t>(number()); }
  double real();
  std::span<const std::byte> bytes();
  std::string text();
  LaunchSpec launch();
  ImageDescription image();
  TensorMapDescription tensorMap();
  void refuse() { good_ = false; }  // what was read cannot be
  bool good() const { return good_; }
  bool complete() const { return good_ && rest_.empty(); }

 private:
  LaunchSpec oneLaunch();
  std::span<const std::byte> take(uint64_t count);
  std::span<const std::byte> rest_;
  bool good_ = true;
};

Call callOf(std::span<const std::byte> payload);  // may be none of the above

// The server's side: makes the calls that a client sends on an open backend.
class Callee {
 public:
  // Errors: the backend's, and kBadRequest for bytes that are not a call.
  Expected<std::vector<std::byte>> answer(Backend& backend, std::span<const std::byte> payload,
                                          const std::stop_token& stop, const LaunchListener& listener);

 private:
  struct Module {
    std::string ptx;
    std::vector<std::byte> fatbin;
  };
  struct Host {
    std::vector<std::byte> bytes;
    bool pinned = false;
  };
  Expected<void> addHost(Reader& call);
  Expected<void> fetchHost(Reader& call, Writer& reply) const;
  Expected<void> runStreams(Backend& backend, Reader& call, Writer& reply, const std::stop_token& stop,
                            const LaunchListener& listener);
  Expected<ModuleImage> module(const std::string& name) const;
  Expected<void> addModule(Reader& call);
  Expected<void> make(Call call, Backend& backend, Reader& arguments, Writer& reply,
                      const std::stop_token& stop, const LaunchListener& listener);

  std::map<std::string, Module> modules_;  // by name; a backend may keep views of them
  std::vector<Host> host_;                 // by region
};

}  // namespace warpscope::calls
