// Replaces a file in one step, so that a reader or a full disk sees the old content or the new, never a part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

// What temporary files end with: PATH.PID.COUNT.tmp. One that is still there was left by a program that was
// killed.
inline constexpr std::string_view kTemporaryEnding = ".tmp";

// A file that is written piece by piece beside its final name, and takes that name when it is whole. A link
// is followed; what is no regular file (a pipe, /dev/stdout) is written to directly. Errors name the file.
class AtomicFile {
 public:
  // The folder must exist.
  static Expected<AtomicFile> open(const std::filesystem::path& path);
  static AtomicFile standardOutput();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  // without commit(): what was written is thrown away

  // After a failure, which commit() reports, the rest is ignored.
  void write(std::string_view content);
  bool failed() const { return error_number_ != 0; }
  uint64_t bytes() const { return bytes_; }  // written so far
  void sync();  // waits until the disk has it: for what a power cut must not take
  Expected<void> commit();

 private:
  AtomicFile() = default;

  std::filesystem::path path_, temporary_;  // no temporary: written to directly
  int fd_ = -1;
  int error_number_ = 0;
  uint64_t bytes_ = 0;
};

// The whole content at once. Makes missing folders.
Expected<void> replaceFile(const std::filesystem::path& path, std::string_view content);

}  // namespace warpscope
