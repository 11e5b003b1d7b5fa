// Session files (.wssession): named parts in one file, each with its sizes and checksum. The window defines
// the meaning of the parts (app/gui/session.h); recordings among them can be read in place (RecordingIndex).
// docs/session_format.md describes the bytes. Reading trusts nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace warpscope {

enum class SessionPartKind {
  kJson,
  kText,       // UTF-8
  kRecording,  // the bytes of a .wsrec; whole runs
  kSummaries,  // the same, for runs whose traces were left out
  kOther,      // from a newer program
};

struct SessionPart {
  std::string name;
  SessionPartKind kind = SessionPartKind::kJson;
  std::vector<std::byte> bytes;
  std::string kind_name;  // for kOther: the kind as named in the file
};
SessionPart textPart(std::string name, SessionPartKind kind, std::string_view text);
std::string_view textOf(const SessionPart& part);

// Names must be unique.
Expected<std::vector<std::byte>> encodeSession(std::span<const SessionPart> parts);
// `name` is only used in errors.
Expected<std::vector<SessionPart>> decodeSession(std::span<const std::byte> bytes, const std::string& name);

// Replaces the file in one step, or leaves it unchanged.
Expected<void> writeSessionFile(const std::filesystem::path& path, std::span<const SessionPart> parts);
Expected<std::vector<SessionPart>> readSessionFile(const std::filesystem::path& path);

// Decides by the first bytes of the file, whatever its name.
bool isSessionFile(const std::filesystem::path& path);

}  // namespace warpscope
