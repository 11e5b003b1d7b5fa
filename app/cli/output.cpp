#include "app/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "app/cli/terminal_text.h"
#include "kernels/core/files.h"
#include "kernels/core/json.h"

namespace warpscope {
namespace {

class StandardOutput {
 public:
  void write(std::string_view bytes) {
    pending_ += bytes;
    if (pending_.size() >= kPieceBytes || is_terminal_) flush();
  }
  void flush() {
    file_.write(pending_);
    pending_.clear();
  }
  Expected<void> finish() {
    flush();
    return file_.commit();
  }

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 16;

  AtomicFile file_ = AtomicFile::standardOutput();
  std::string pending_;
  bool is_terminal_ = ::isatty(STDOUT_FILENO) != 0;
};

StandardOutput& standardOutput() {
  static StandardOutput output;
  return output;
}

}  // namespace

void openStandardStreams() {
  // Nothing can be written to standard output when it was closed, and that is an error; standard error has
  // nobody to tell.
  constexpr int kModes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is taken, and all lower ones are in use by now.
    static_cast<void>(::open("/dev/null", kModes[stream]));
  }
}

void printText(std::string_view text) {
  writeOutput(terminalText(text));
}

void printErrorText(std::string_view text) {
  writeError(terminalText(text));
}

void printJson(const Json& json) {
  writeOutput(terminalJson(json.dump(2)));
  writeOutput("\n");
}

void writeOutput(std::string_view bytes) {
  standardOutput().write(bytes);
}

void writeError(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void flushOutput() {
  standardOutput().flush();
}

Expected<void> finishOutput() {
  auto finished = standardOutput().finish();
  // This includes text that others printed: a library, a kernel's printf.
  if (finished && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
    return fail(ErrorKind::kWorkFailed, "cannot write standard output: {}", std::strerror(errno));
  }
  return finished;
}

}  // namespace warpscope
