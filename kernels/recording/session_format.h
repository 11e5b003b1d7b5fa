// The frame of a session file: a preamble like a recording's, and a header that lists the parts. Internal to
// sessions and recordings; docs/session_format.md describes every byte.
#pragma once

#include "kernels/recording/recording_format.h"
#include "kernels/recording/session_file.h"

namespace warpscope {

class Fields;

inline constexpr uint32_t kSessionVersion = 1;
inline constexpr FileKind kSessionFiles{
    {'W', 'S', 'S', 'E', 'S', '\r', '\n', '\x1A'}, kSessionVersion, "session"};

const char* partKindName(SessionPartKind kind);  // "json"; "" for kOther

// The position of a part in the file.
struct SessionPartEntry {
  std::string name;
  SessionPartKind kind = SessionPartKind::kOther;
  std::string kind_name;
  Section section;
  uint64_t offset = 0;  // from the file's start
};
void describe(Fields& fields, SessionPartEntry& entry);  // kernels/core/fields.h

// Parts are one directly after another, up to the end of the file; names are unique.
Expected<std::vector<SessionPartEntry>> readSessionHeader(std::span<const std::byte> text,
                                                          const Preamble& preamble);

}  // namespace warpscope
