#include "kernels/recording/session_file.h"

#include <algorithm>
#include <set>

#include "kernels/core/fields.h"
#include "kernels/core/files.h"
#include "kernels/core/units.h"
#include "kernels/recording/session_format.h"

namespace warpscope {
namespace {

constexpr size_t kMostCompressed = size_t{256} << 10;
constexpr uint64_t kMostSessionBytes = uint64_t{4} << 30;

std::vector<std::byte> bytesOf(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

SessionPart textPart(std::string name, SessionPartKind kind, std::string_view text) {
  return {.name = std::move(name), .kind = kind, .bytes = bytesOf(text), .kind_name = {}};
}

std::string_view textOf(const SessionPart& part) {
  return {reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size()};
}

Expected<std::vector<std::byte>> encodeSession(std::span<const SessionPart> parts) {
  Json list = Json::array();
  std::set<std::string> names;
  std::vector<std::vector<std::byte>> stored_parts;
  uint64_t part_bytes = 0;
  for (const SessionPart& part : parts) {
    if (!names.insert(part.name).second)
      return fail(ErrorKind::kWorkFailed, "a session cannot hold two parts '{}'", part.name);
    // Recordings are compressed already, and are read where they lie. Large texts could shrink so much that
    // readers would refuse them.
    const bool recording =
        part.kind == SessionPartKind::kRecording || part.kind == SessionPartKind::kSummaries;
    auto stored =
        storeSection(part.bytes, recording || part.bytes.size() > kMostCompressed ? Compression::kNone
                                                                                  : Compression::kZstd);
    if (!stored) return tl::unexpected(stored.error());
    const std::string kind = part.kind == SessionPartKind::kOther ? part.kind_name : partKindName(part.kind);
    list.push_back(describedJson(SessionPartEntry{part.name, part.kind, kind, stored->section, 0}));
    part_bytes += stored->section.stored_bytes;
    stored_parts.push_back(std::move(stored->bytes));
  }
  const Json root{{"created", nowIso()}, {"parts", list}};
  auto header = storeHeader(root.dump(), Compression::kZstd);
  if (!header) return tl::unexpected(header.error());
  const uint64_t total = kPreambleBytes + header->bytes.size() + part_bytes;
  std::vector<std::byte> bytes = writePreamble(kSessionVersion, header->section, total, kSessionFiles);
  bytes.reserve(total);
  bytes.insert(bytes.end(), header->bytes.begin(), header->bytes.end());
  for (const auto& part : stored_parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

Expected<std::vector<SessionPart>> decodeSession(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&](const std::string& message) {
    return fail(ErrorKind::kDamagedFile, "{}: {}", name, message);
  };
  const auto preamble = readPreamble(bytes, bytes.size(), kSessionFiles);
  if (!preamble) return refuse(preamble.error().message);
  const auto header =
      loadSection(preamble->header, bytes.subspan(kPreambleBytes, preamble->header.stored_bytes));
  if (!header) return refuse(fmt::format("header at offset {}: {}", kPreambleBytes, header.error().message));
  const auto entries = readSessionHeader(*header, *preamble);
  if (!entries) return refuse(entries.error().message);
  std::vector<SessionPart> parts;
  for (const SessionPartEntry& entry : *entries) {
    auto raw = loadSection(entry.section, bytes.subspan(entry.offset, entry.section.stored_bytes));
    if (!raw)
      return refuse(fmt::format("part '{}' at offset {}: {}", entry.name, entry.offset, raw.error().message));
    parts.push_back({entry.name, entry.kind, std::move(*raw), entry.kind_name});
  }
  return parts;
}

Expected<void> writeSessionFile(const std::filesystem::path& path, std::span<const SessionPart> parts) {
  const auto bytes = encodeSession(parts);
  if (!bytes) return fail(bytes.error().kind, "{}: {}", path.string(), bytes.error().message);
  auto file = AtomicFile::open(path);
  if (!file) return tl::unexpected(file.error());
  file->write({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  file->sync();
  return file->commit();
}

Expected<std::vector<SessionPart>> readSessionFile(const std::filesystem::path& path) {
  const auto content = readFile(path, kMostSessionBytes);
  if (!content) return tl::unexpected(content.error());
  return decodeSession(std::as_bytes(std::span(*content)), path.string());
}

bool isSessionFile(const std::filesystem::path& path) {
  const auto file = ReadableFile::open(path);
  if (!file) return false;
  const auto first = file->readAt(0, kSessionFiles.magic.size());
  return first && std::ranges::equal(*first, std::as_bytes(std::span(kSessionFiles.magic)));
}

}  // namespace warpscope
