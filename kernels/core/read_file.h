// Files that others wrote. Only regular files are read: a pipe may never have a writer, and a device may
// never end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

// A regular file that is open for reading.
class ReadableFile {
 public:
  // Error kBadRequest, naming the file.
  static Expected<ReadableFile> open(const std::filesystem::path& path);
  ReadableFile(ReadableFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_) {}
  ReadableFile& operator=(ReadableFile&&) = delete;
  ~ReadableFile();

  uint64_t bytes() const { return bytes_; }  // when it was opened
  // All of these bytes, or an error that says where in the file they cease.
  Expected<std::vector<std::byte>> readAt(uint64_t offset, uint64_t bytes) const;
  Expected<void> readInto(std::span<std::byte> target, uint64_t offset) const;

 private:
  explicit ReadableFile(int fd) : fd_(fd) {}

  int fd_ = -1;
  uint64_t bytes_ = 0;
};

inline constexpr uint64_t kMostFileBytes = uint64_t{1} << 30;

// A file's whole content. Error kBadRequest, naming the file: it is not there, is a folder or something else,
// cannot be read, or has more than `most_bytes`.
Expected<std::string> readFile(const std::filesystem::path& path, uint64_t most_bytes = kMostFileBytes);

}  // namespace warpscope
