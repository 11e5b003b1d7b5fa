// Replaces a file in one step, so that a reader, or a full disk, sees either the old content or the new one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

// The ending of temporary files: PATH.PID.COUNT.tmp. One that still exists was left by a program that was
// killed.
inline constexpr std::string_view kTemporaryEnding = ".tmp";

// The treatment of a name that is already that of a link.
enum class Links {
  kFollow,   // its target is replaced, and it stays a link: for files that the user names
  kReplace,  // it is replaced itself: for folders that others can write to, where it could lead anywhere
};

// A file that is written piece by piece next to its final name, and gets that name when it is complete. Where
// links are followed, anything but a regular file (a pipe, /dev/stdout) is written to directly. Owns the open
// file. Errors name the file.
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

}  // namespace warpscope
