// The part of a session's header that describes its parts.
#include <algorithm>
#include <array>
#include <set>

#include "kernels/core/fields.h"
#include "kernels/recording/session_format.h"

namespace warpscope {
namespace {

constexpr std::array kKinds{"json", "text", "recording", "summaries"};

}  // namespace

const char* partKindName(SessionPartKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kKinds.size() ? kKinds[index] : "";
}

void describe(Fields& fields, SessionPartEntry& entry) {
  fields.field("name", entry.name);
  fields.field("kind", entry.kind_name);
  auto codec = static_cast<uint32_t>(entry.section.codec);
  fields.field("codec", codec);
  fields.field("bytes", entry.section.raw_bytes);
  fields.field("stored_bytes", entry.section.stored_bytes);
  fields.field("xxh64", entry.section.xxh64);
  const JsonReader* reader = fields.reader();
  if (reader == nullptr) return;
  if (codec > static_cast<uint32_t>(Codec::kZstd)) reader->complain("codec", "is not known");
  entry.section.codec = static_cast<Codec>(codec);
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (entry.kind_name == kKinds[i]) entry.kind = static_cast<SessionPartKind>(i);
  }
}

Expected<std::vector<SessionPartEntry>> readSessionHeader(std::span<const std::byte> text,
                                                          const Preamble& preamble) {
  const auto* begin = reinterpret_cast<const char*>(text.data());
  const auto root = Json::parse({begin, text.size()});
  if (!root) return fail(ErrorKind::kDamagedFile, "header: {}", root.error().message);
  std::string problem;
  std::vector<SessionPartEntry> entries;
  std::set<std::string> names;
  uint64_t offset = kPreambleBytes + preamble.header.stored_bytes, raw_bytes = 0;
  const JsonReader reader(*root, "", problem);
  reader.array("parts", [&](const Json& element) {
    if (!problem.empty()) return;
    SessionPartEntry entry = readDescribed<SessionPartEntry>({element, "parts.", problem});
    if (!names.insert(entry.name).second) reader.complain("parts", "has '" + entry.name + "' twice");
    // Compared in this form so that no sum can overflow.
    if (entry.section.stored_bytes > preamble.file_bytes - offset) {
      reader.complain("parts", "has '" + entry.name + "', which is longer than the file");
      return;
    }
    entry.offset = offset;
    offset += entry.section.stored_bytes;
    raw_bytes += std::min(entry.section.raw_bytes, kMaxSectionBytes + 1);
    entries.push_back(std::move(entry));
  });
  if (problem.empty() && offset != preamble.file_bytes) reader.complain("parts", "does not fill the file");
  if (problem.empty() && !isWithin(kTextGrowth, raw_bytes, preamble.file_bytes)) {
    reader.complain("parts",
                    fmt::format("has {} bytes, which cannot be in {}", raw_bytes, preamble.file_bytes));
  }
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "header: {}", problem);
  return entries;
}

}  // namespace warpscope
