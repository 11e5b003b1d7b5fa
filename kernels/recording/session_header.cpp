// What a session's header says of its parts.
#include <array>
#include <set>

#include "kernels/core/json_reader.h"
#include "kernels/recording/session_format.h"

namespace warpscope {
namespace {

constexpr std::array kKinds{"json", "text", "recording", "summaries"};

SessionPartEntry readEntry(const JsonReader& in) {
  SessionPartEntry entry;
  entry.name = in.text("name");
  entry.kind_name = in.text("kind");
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (entry.kind_name == kKinds[i]) entry.kind = static_cast<SessionPartKind>(i);
  }
  const auto codec = in.integer<uint32_t>("codec");
  if (codec > static_cast<uint32_t>(Codec::kZstd)) in.complain("codec", "is not known");
  entry.section.codec = static_cast<Codec>(codec);
  entry.section.raw_bytes = in.integer<uint64_t>("bytes");
  entry.section.stored_bytes = in.integer<uint64_t>("stored_bytes");
  entry.section.xxh64 = in.integer<uint64_t>("xxh64");
  return entry;
}

}  // namespace

const char* kindName(SessionPartKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kKinds.size() ? kKinds[index] : "";
}

Expected<std::vector<SessionPartEntry>> readSessionHeader(std::span<const std::byte> text,
                                                          const Preamble& preamble) {
  const auto* begin = reinterpret_cast<const char*>(text.data());
  const auto root = Json::parse({begin, text.size()});
  if (!root) return fail(ErrorKind::kDamagedFile, "header: {}", root.error().message);
  std::string problem;
  std::vector<SessionPartEntry> entries;
  std::set<std::string> names;
  uint64_t offset = kPreambleBytes + preamble.header.stored_bytes;
  const JsonReader reader(*root, "", problem);
  reader.array("parts", [&](const Json& element) {
    if (!problem.empty()) return;
    SessionPartEntry entry = readEntry(JsonReader(element, "parts.", problem));
    if (!names.insert(entry.name).second) reader.complain("parts", "has '" + entry.name + "' twice");
    // Compared so that no sum can overflow.
    if (entry.section.stored_bytes > preamble.file_bytes - offset) {
      reader.complain("parts", "has '" + entry.name + "', which is longer than the file");
      return;
    }
    entry.offset = offset;
    offset += entry.section.stored_bytes;
    entries.push_back(std::move(entry));
  });
  if (problem.empty() && offset != preamble.file_bytes) reader.complain("parts", "does not fill the file");
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "header: {}", problem);
  return entries;
}

}  // namespace warpscope
