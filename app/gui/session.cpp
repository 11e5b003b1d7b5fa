#include "app/gui/session.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "app/gui/session_json.h"
#include "kernels/program/program.h"
#include "kernels/recording/recording.h"
#include "viz/layout/trace_layout.h"

namespace warpscope {
namespace {

constexpr const char* kPagePrefix = "page.";

// Encodes a part's runs as a recording, with their traces or without.
Expected<std::vector<std::byte>> bytesOf(std::span<const RunPointer> pointers, bool traces) {
  std::vector<Run> runs;
  for (const RunPointer& pointer : pointers) {
    if (traces) {
      runs.push_back(*pointer);
    } else {
      runs.push_back(withoutTrace(*pointer));
    }
  }
  return encodeRuns(runs, Compression::kZstd);
}

Expected<std::vector<RunPointer>> runsOf(const SessionPart& part, const std::string& name) {
  auto runs = decodeRuns(part.bytes, fmt::format("{}: part '{}'", name, part.name));
  if (!runs) return tl::unexpected(runs.error());
  std::vector<RunPointer> pointers;
  for (Run& run : *runs) pointers.push_back(std::make_shared<const Run>(std::move(run)));
  return pointers;
}

// Access to the runs of a part within a session.
std::vector<RunPointer> shownRun(const Session& session) {
  return session.run == nullptr ? std::vector<RunPointer>{} : std::vector{session.run};
}
void takeShownRun(Session& session, std::vector<RunPointer> runs) {
  if (!runs.empty()) session.run = std::move(runs.front());
}

struct RunsPart {
  const char* name;
  bool traces;
  std::vector<RunPointer> (*runs)(const Session&);
  void (*take)(Session&, std::vector<RunPointer>);
};
// The order in the file: the shown run must be its first.
constexpr std::array kRunsParts{
    RunsPart{"run", true, shownRun, takeShownRun},
    RunsPart{"kept_runs", true, [](const Session& session) { return session.kept; },
             [](Session& session, std::vector<RunPointer> runs) { session.kept = std::move(runs); }},
    RunsPart{"bars", false, [](const Session& session) { return session.bars; },
             [](Session& session, std::vector<RunPointer> runs) { session.bars = std::move(runs); }},
};

struct TextPart {
  const char* name;
  SessionPartKind kind;
  std::string (*text)(const Session&);
  std::string (*take)(Session&, std::string_view);  // returns what was not understood; empty: nothing
};
constexpr std::array kParts{
    TextPart{"settings", SessionPartKind::kJson, settingsText, takeSettings},
    TextPart{"view", SessionPartKind::kJson, viewText, takeView},
    TextPart{"lab", SessionPartKind::kJson, labText, takeLab},
    TextPart{"notes", SessionPartKind::kText, [](const Session& session) { return session.notes; },
             [](Session& session, std::string_view text) {
               session.notes = text;
               return std::string();
             }},
};

// Drops selections that the run does not have, because views look them up.
void checkSelection(Session& session) {
  ViewState& view = session.view;
  const Run* run = session.run.get();
  const size_t listed = run != nullptr && run->listing != nullptr ? run->listing->size() : 0;
  if (view.selected_instruction && view.selected_instruction->listed >= listed)
    view.selected_instruction.reset();
  const auto region_there = [&](const Region& region) { return region.id == *view.selected_region; };
  if (view.selected_region && (run == nullptr || std::ranges::none_of(run->regions, region_there)))
    view.selected_region.reset();
}

}  // namespace

Expected<std::vector<SessionPart>> partsOf(const Session& session) {
  std::vector<SessionPart> parts;
  parts.reserve(std::size(kParts) + session.pages.size() + std::size(kRunsParts));
  for (const TextPart& part : kParts) parts.push_back(textPart(part.name, part.kind, part.text(session)));
  for (const auto& [page, state] : session.pages)
    parts.push_back(textPart(kPagePrefix + page, SessionPartKind::kJson, state));
  for (const RunsPart& part : kRunsParts) {
    const std::vector<RunPointer> runs = part.runs(session);
    if (runs.empty()) continue;
    auto bytes = bytesOf(runs, part.traces);
    if (!bytes) return tl::unexpected(bytes.error());
    parts.push_back({.name = part.name,
                     .kind = part.traces ? SessionPartKind::kRecording : SessionPartKind::kSummaries,
                     .bytes = std::move(*bytes),
                     .kind_name = {}});
  }
  return parts;
}

Expected<ReadSession> sessionOf(std::span<const SessionPart> parts, const std::string& name) {
  ReadSession read;
  for (const SessionPart& part : parts) {
    const auto text =
        std::ranges::find_if(kParts, [&](const auto& known) { return part.name == known.name; });
    const auto runs =
        std::ranges::find_if(kRunsParts, [&](const auto& known) { return part.name == known.name; });
    if (text != kParts.end()) {
      const std::string wrong = text->take(read.session, textOf(part));
      if (!wrong.empty()) read.remarks.push_back(fmt::format("of '{}' not understood: {}", part.name, wrong));
    } else if (runs != kRunsParts.end()) {
      auto pointers = runsOf(part, name);
      if (!pointers) return tl::unexpected(pointers.error());
      runs->take(read.session, std::move(*pointers));
    } else if (part.name.starts_with(kPagePrefix)) {
      read.session.pages[part.name.substr(std::string_view(kPagePrefix).size())] = textOf(part);
    } else {
      read.remarks.push_back(fmt::format("left out, from a newer warpscope: '{}'", part.name));
    }
  }
  checkSelection(read.session);
  return read;
}

OpenedSession prepareSession(Session session) {
  OpenedSession opened;
  opened.session = std::move(session);
  if (opened.session.run != nullptr) {
    opened.layout = std::make_shared<const TraceLayout>(opened.session.run);
    opened.predictions = predictionResults(*opened.session.run);
  }
  return opened;
}

Expected<OpenedSession> openSession(const std::filesystem::path& path) {
  const auto parts = readSessionFile(path);
  if (!parts) return tl::unexpected(parts.error());
  auto read = sessionOf(*parts, path.string());
  if (!read) return tl::unexpected(read.error());
  // The user's own kernels can be launched again. Where this version cannot read them, their runs are shown.
  const RunPointer& shown = read->session.run;
  if (shown != nullptr && shown->request.program) static_cast<void>(addProgram(shown->request.program));
  OpenedSession opened = prepareSession(std::move(read->session));
  std::error_code error;
  opened.path = std::filesystem::absolute(path, error);
  if (error) opened.path = path;
  opened.remarks = std::move(read->remarks);
  return opened;
}

Expected<void> saveSession(const std::filesystem::path& path, const Session& session) {
  const auto parts = partsOf(session);
  if (!parts) return fail(parts.error().kind, "{}: {}", path.string(), parts.error().message);
  return writeSessionFile(path, *parts);
}

}  // namespace warpscope
