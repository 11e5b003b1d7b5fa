// Recording files (.wsrec) and the wire form of runs: one serializer. docs/recording_format.md describes the
// bytes. Reading trusts no size or offset: truncated, corrupt or newer content is refused, naming what is
// wrong and where.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/files.h"
#include "kernels/run/run.h"

namespace warpscope {

enum class Compression { kNone, kZstd };  // none on the wire, zstd in files

Expected<std::vector<std::byte>> encodeRuns(std::span<const Run> runs, Compression compression);
// `name` is only used in errors.
Expected<std::vector<Run>> decodeRuns(std::span<const std::byte> bytes, const std::string& name);

// Writes a temporary file next to `path` and renames it: the old content stays until the new one is complete.
Expected<void> writeRecording(const std::filesystem::path& path, std::span<const Run> runs,
                              Links links = Links::kFollow);
// The runs of a recording, or of a session: then as RecordingIndex has them.
Expected<std::vector<Run>> readRecording(const std::filesystem::path& path);

// The contents of a recording, without decoding traces: for listings and for the recorded device. Also opens
// sessions (session_file.h): the runs that they show and keep, in that order.
class RecordingIndex {
 public:
  static Expected<RecordingIndex> open(const std::filesystem::path& path);
  size_t size() const;
  const Run& summary(size_t i) const;  // the run with an empty trace
  Expected<Run> load(size_t i) const;  // with its trace, read from the file

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace warpscope
