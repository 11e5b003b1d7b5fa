// Session files (.wssession): named parts in one file, each with sizes and checksum. What the parts mean is
// the window's business (app/gui/session.h); recordings among them can be read where they lie
// (RecordingIndex). docs/session_format.md describes the bytes. Reading trusts nothing.
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
  kSummaries,  // the same, but of runs whose traces were left out
  kOther,      // of a newer program
};

struct SessionPart {
  std::string name;
  SessionPartKind kind = SessionPartKind::kJson;
  std::vector<std::byte> bytes;
  std::string kind_name;  // of kOther: what the file says
};
SessionPart textPart(std::string name, SessionPartKind kind, std::string_view text);
std::string_view textOf(const SessionPart& part);

// Names must differ.
Expected<std::vector<std::byte>> encodeSession(std::span<const SessionPart> parts);
// `name` is used in errors only.
Expected<std::vector<SessionPart>> decodeSession(std::span<const std::byte> bytes, const std::string& name);

// Replaces the file in one step, or leaves it as it was.
Expected<void> writeSessionFile(const std::filesystem::path& path, std::span<const SessionPart> parts);
Expected<std::vector<SessionPart>> readSessionFile(const std::filesystem::path& path);

// By its first bytes, whatever it is called.
bool isSessionFile(const std::filesystem::path& path);

}  // namespace warpscope
