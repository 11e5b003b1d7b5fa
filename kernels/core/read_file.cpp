#include "kernels/core/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpscope {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Why it is no regular file of at most `most_bytes`; empty: it is one.
std::string whyNotReadable(const struct stat& status, uint64_t most_bytes) {
  if (S_ISDIR(status.st_mode)) return "it is a folder";
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (static_cast<uint64_t>(status.st_size) <= most_bytes) return "";
  return fmt::format("it has {} bytes, and at most {} are read", status.st_size, most_bytes);
}

}  // namespace

Expected<std::string> readFile(const std::filesystem::path& path, uint64_t most_bytes) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::kBadRequest, "cannot read {}: {}", path.string(), why);
  };
  // Without O_NONBLOCK, opening a pipe would wait until somebody writes to it.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return refuse(std::strerror(errno));
  if (const std::string why = whyNotReadable(status, most_bytes); !why.empty()) return refuse(why);
  std::string content(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(std::strerror(errno));
    if (got == 0) break;  // it has become shorter
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

}  // namespace warpscope
