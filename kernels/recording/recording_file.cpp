// Recording files: replaced as a whole, read run by run.
#include <algorithm>
#include <iterator>

#include "kernels/core/files.h"
#include "kernels/recording/recording.h"
#include "kernels/recording/recording_format.h"
#include "kernels/recording/session_format.h"

namespace warpscope {
namespace {

struct Framed {
  Preamble preamble;
  std::vector<std::byte> header;
};
// The preamble and header at this place of the file.
Expected<Framed> readFrame(const ReadableFile& file, uint64_t offset, uint64_t bytes, const FileKind& kind) {
  const auto first = file.readAt(offset, std::min<uint64_t>(bytes, kPreambleBytes));
  if (!first) return tl::unexpected(first.error());
  const auto preamble = readPreamble(*first, bytes, kind);
  if (!preamble) return tl::unexpected(preamble.error());
  const auto stored = file.readAt(offset + kPreambleBytes, preamble->header.stored_bytes);
  if (!stored) return tl::unexpected(stored.error());
  auto header = loadSection(preamble->header, *stored);
  if (!header) {
    return fail(ErrorKind::kDamagedFile, "header at offset {}: {}", offset + kPreambleBytes,
                header.error().message);
  }
  return Framed{*preamble, std::move(*header)};
}

// The runs of a recording that is the file, or is embedded in it; their offsets are relative to the file.
Expected<std::vector<RunEntry>> runsAt(const ReadableFile& file, uint64_t offset, uint64_t bytes) {
  const auto frame = readFrame(file, offset, bytes, kRecordingFiles);
  if (!frame) return tl::unexpected(frame.error());
  auto entries = readHeader(frame->header, frame->preamble);
  if (!entries) return entries;
  for (RunEntry& entry : *entries) entry.offset += offset;
  return entries;
}

// The runs of all recordings in a session; those without traces are not included.
Expected<std::vector<RunEntry>> runsOfSession(const ReadableFile& file) {
  const auto frame = readFrame(file, 0, file.bytes(), kSessionFiles);
  if (!frame) return tl::unexpected(frame.error());
  const auto parts = readSessionHeader(frame->header, frame->preamble);
  if (!parts) return tl::unexpected(parts.error());
  std::vector<RunEntry> all;
  for (const SessionPartEntry& part : *parts) {
    if (part.kind != SessionPartKind::kRecording) continue;
    if (part.section.codec != Codec::kRaw)
      return fail(ErrorKind::kDamagedFile, "part '{}' is a recording, but compressed", part.name);
    auto runs = runsAt(file, part.offset, part.section.stored_bytes);
    if (!runs) return fail(runs.error().kind, "part '{}': {}", part.name, runs.error().message);
    std::ranges::move(*runs, std::back_inserter(all));
  }
  return all;
}

}  // namespace

Expected<void> writeRecording(const std::filesystem::path& path, std::span<const Run> runs, Links links) {
  const auto bytes = encodeRuns(runs, Compression::kZstd);
  if (!bytes) return fail(bytes.error().kind, "{}: {}", path.string(), bytes.error().message);
  auto file = AtomicFile::open(path, links);
  if (!file) return tl::unexpected(file.error());
  file->write({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  file->sync();
  return file->commit();
}

struct RecordingIndex::State {
  std::filesystem::path path;
  std::vector<RunEntry> entries;
  uint64_t file_bytes = 0;
};

Expected<RecordingIndex> RecordingIndex::open(const std::filesystem::path& path) {
  const auto file = ReadableFile::open(path);
  if (!file) return tl::unexpected(file.error());
  const auto refuse = [&](const std::string& message) {
    return fail(ErrorKind::kDamagedFile, "{}: {}", path.string(), message);
  };
  const auto first = file->readAt(0, std::min<uint64_t>(file->bytes(), kSessionFiles.magic.size()));
  if (!first) return refuse(first.error().message);
  const bool session = std::ranges::equal(*first, std::as_bytes(std::span(kSessionFiles.magic)));
  auto entries = session ? runsOfSession(*file) : runsAt(*file, 0, file->bytes());
  if (!entries) return refuse(entries.error().message);
  RecordingIndex index;
  index.state_ = std::make_shared<const State>(State{path, std::move(*entries), file->bytes()});
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
  const auto file = ReadableFile::open(state_->path);
  if (!file) return tl::unexpected(file.error());
  if (file->bytes() != state_->file_bytes) {
    return fail(ErrorKind::kDamagedFile, "{} was changed while it was open: open it again",
                state_->path.string());
  }
  auto run =
      file->readAt(entry.offset, entry.storedBytes()).and_then([&](const std::vector<std::byte>& stored) {
        return readRun(entry, stored);
      });
  if (!run) return fail(run.error().kind, "{}: run {}: {}", state_->path.string(), i, run.error().message);
  return run;
}

Expected<std::vector<Run>> readRecording(const std::filesystem::path& path) {
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

}  // namespace warpscope
