// Files: those that others wrote are read, one is replaced in a single step, and the program finds its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

// A regular file that is open for reading. Only regular files are read: a pipe may never have a writer, and a
// device may never end.
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

// The ending of temporary files: PATH.PID.COUNT.tmp. One that still exists was left by a program that was
// killed.
inline constexpr std::string_view kTemporaryEnding = ".tmp";

// The treatment of a name that is already that of a link.
enum class Links {
  kFollow,   // its target is replaced, and it stays a link: for files that the user names
  kReplace,  // it is replaced itself: for folders that others can write to, where it could lead anywhere
};

// Replaces a file in one step, so that a reader, or a full disk, sees either the old content or the new one:
// it is written piece by piece next to its final name, and gets that name when it is complete. Where links
// are followed, anything but a regular file (a pipe, /dev/stdout) is written to directly. Owns the open file.
// Errors name the file.
class AtomicFile {
 public:
  // The folder must exist.
  static Expected<AtomicFile> open(const std::filesystem::path& path, Links links = Links::kFollow);
  static AtomicFile standardOutput();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  // without commit(), what was written is discarded

  // After a failure, which commit() reports, further content is ignored.
  void write(std::string_view content);
  bool failed() const { return error_number_ != 0; }
  uint64_t bytes() const { return bytes_; }  // written so far
  void sync();  // waits until the data is on the disk, for files that must survive a power cut
  Expected<void> commit();

 private:
  AtomicFile() = default;

  std::filesystem::path path_, temporary_;  // no temporary: the file is written directly
  int fd_ = -1;
  int error_number_ = 0;
  uint64_t bytes_ = 0;
};

// Writes the whole content at once. Creates missing folders.
Expected<void> replaceFile(const std::filesystem::path& path, std::string_view content,
                           Links links = Links::kFollow);

// The folder of the files that are read at run time: the bundled recordings and device profiles. (Kernels and
// sources are embedded.) $WARPSCOPE_ASSETS; otherwise ../share/warpscope next to the executable, if it
// exists; otherwise the assets folder of the source tree that the program was built from. The folder may not
// exist.
std::filesystem::path assetsFolder();

}  // namespace warpscope
