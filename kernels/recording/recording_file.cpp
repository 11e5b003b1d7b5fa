// Recording files: replaced as a whole, read run by run.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "kernels/core/atomic_file.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/recording_format.h"
#include "kernels/recording/session_file.h"
#include "kernels/recording/session_format.h"

namespace warpscope {
namespace {

// Closes on all paths.
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

// Opening a pipe would wait until somebody writes to it; sizeOf refuses pipes.
int openToRead(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

std::string reason() {
  return std::strerror(errno);
}

Expected<std::vector<std::byte>> readAt(int fd, uint64_t offset, uint64_t bytes) {
  std::vector<std::byte> content(bytes);
  uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(fd, content.data() + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(ErrorKind::kDamagedFile, "reading failed at offset {}: {}", offset + done, reason());
    if (got == 0) return fail(ErrorKind::kDamagedFile, "it ends at offset {}", offset + done);
    done += static_cast<uint64_t>(got);
  }
  return content;
}

// A regular file that can be read, and its size.
Expected<uint64_t> sizeOf(int fd, const std::filesystem::path& path) {
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    return fail(ErrorKind::kBadRequest, "cannot open {}: {}", path.string(), reason());
  }
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::kBadRequest, "{} is not a file", path.string());
  return static_cast<uint64_t>(status.st_size);
}

struct Framed {
  Preamble preamble;
  std::vector<std::byte> header;
};
// Preamble and header of what lies there in the file.
Expected<Framed> readFrame(int fd, uint64_t offset, uint64_t bytes, const FileKind& kind) {
  const auto first = readAt(fd, offset, std::min<uint64_t>(bytes, kPreambleBytes));
  if (!first) return tl::unexpected(first.error());
  const auto preamble = readPreamble(*first, bytes, kind);
  if (!preamble) return tl::unexpected(preamble.error());
  const auto stored = readAt(fd, offset + kPreambleBytes, preamble->header.stored_bytes);
  if (!stored) return tl::unexpected(stored.error());
  auto header = loadSection(preamble->header, *stored);
  if (!header) {
    return fail(ErrorKind::kDamagedFile, "header at offset {}: {}", offset + kPreambleBytes,
                header.error().message);
  }
  return Framed{*preamble, std::move(*header)};
}

// The runs of a recording that is the file, or lies in it; their offsets are the file's.
Expected<std::vector<RunEntry>> runsAt(int fd, uint64_t offset, uint64_t bytes) {
  const auto frame = readFrame(fd, offset, bytes, kRecordingFiles);
  if (!frame) return tl::unexpected(frame.error());
  auto entries = readHeader(frame->header, frame->preamble);
  if (!entries) return entries;
  for (RunEntry& entry : *entries) entry.offset += offset;
  return entries;
}

// Of all recordings in a session; those without traces are no runs to look at.
Expected<std::vector<RunEntry>> runsOfSession(int fd, uint64_t bytes) {
  const auto frame = readFrame(fd, 0, bytes, kSessionFiles);
  if (!frame) return tl::unexpected(frame.error());
  const auto parts = readSessionHeader(frame->header, frame->preamble);
  if (!parts) return tl::unexpected(parts.error());
  std::vector<RunEntry> all;
  for (const SessionPartEntry& part : *parts) {
    if (part.kind != SessionPartKind::kRecording) continue;
    if (part.section.codec != Codec::kRaw)
      return fail(ErrorKind::kDamagedFile, "part '{}' is a recording, but compressed", part.name);
    auto runs = runsAt(fd, part.offset, part.section.stored_bytes);
    if (!runs) return fail(runs.error().kind, "part '{}': {}", part.name, runs.error().message);
    std::ranges::move(*runs, std::back_inserter(all));
  }
  return all;
}

Expected<std::vector<Run>> readRunsOfSession(const std::filesystem::path& path) {
  const auto index = RecordingIndex::open(path);
  if (!index) return tl::unexpected(index.error());
  std::vector<Run> runs;
  for (size_t i = 0; i < index->size(); ++i) {
    auto run = index->load(i);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace

Expected<void> writeRecording(const std::filesystem::path& path, std::span<const Run> runs) {
  const auto bytes = encodeRuns(runs, Compression::kZstd);
  if (!bytes) return fail(bytes.error().kind, "{}: {}", path.string(), bytes.error().message);
  auto file = AtomicFile::open(path);
  if (!file) return tl::unexpected(file.error());
  file->write({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  file->sync();
  return file->commit();
}

Expected<std::vector<Run>> readRecording(const std::filesystem::path& path) {
  if (isSessionFile(path)) return readRunsOfSession(path);
  const FileDescriptor file(openToRead(path));
  const auto size = sizeOf(file.get(), path);
  if (!size) return tl::unexpected(size.error());
  const auto bytes = readAt(file.get(), 0, *size);
  if (!bytes) return fail(bytes.error().kind, "{}: {}", path.string(), bytes.error().message);
  return decodeRuns(*bytes, path.string());
}

struct RecordingIndex::State {
  std::filesystem::path path;
  std::vector<RunEntry> entries;
  uint64_t file_bytes = 0;
};

Expected<RecordingIndex> RecordingIndex::open(const std::filesystem::path& path) {
  const FileDescriptor file(openToRead(path));
  const auto size = sizeOf(file.get(), path);
  if (!size) return tl::unexpected(size.error());
  const auto refuse = [&](const std::string& message) {
    return fail(ErrorKind::kDamagedFile, "{}: {}", path.string(), message);
  };
  const auto first = readAt(file.get(), 0, std::min<uint64_t>(*size, kSessionFiles.magic.size()));
  if (!first) return refuse(first.error().message);
  const bool session = std::ranges::equal(*first, std::as_bytes(std::span(kSessionFiles.magic)));
  auto entries = session ? runsOfSession(file.get(), *size) : runsAt(file.get(), 0, *size);
  if (!entries) return refuse(entries.error().message);
  RecordingIndex index;
  index.state_ = std::make_shared<const State>(State{path, std::move(*entries), *size});
  return index;
}

size_t RecordingIndex::size() const {
  return state_ ? state_->entries.size() : 0;
}

const Run& RecordingIndex::summary(size_t i) const {
  return state_->entries.at(i).summary;
}

Expected<Run> RecordingIndex::load(size_t i) const {
  if (i >= size()) return fail(ErrorKind::kBadRequest, "the recording has {} runs, not {}", size(), i + 1);
  const RunEntry& entry = state_->entries[i];
  const FileDescriptor file(openToRead(state_->path));
  const auto bytes = sizeOf(file.get(), state_->path);
  if (!bytes) return tl::unexpected(bytes.error());
  if (*bytes != state_->file_bytes) {
    return fail(ErrorKind::kDamagedFile, "{} was changed while it was open: open it again",
                state_->path.string());
  }
  const auto stored = readAt(file.get(), entry.offset, entry.storedBytes());
  if (!stored) return fail(stored.error().kind, "{}: {}", state_->path.string(), stored.error().message);
  auto run = readRun(entry, *stored);
  if (!run) return fail(run.error().kind, "{}: run {}: {}", state_->path.string(), i, run.error().message);
  return run;
}

}  // namespace warpscope
