// The JSON header of a recording: tables of devices and sources that runs share, and the numbers of each run.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "kernels/core/fields.h"
#include "kernels/core/json.h"
#include "kernels/core/json_reader.h"
#include "kernels/recording/columns.h"
#include "kernels/recording/recording_format.h"
#include "kernels/recording/run_json.h"

namespace warpscope {
namespace {

constexpr size_t kNoSource = std::numeric_limits<size_t>::max();

const char* codecName(Codec codec) {
  return codec == Codec::kZstd ? "zstd" : "raw";
}

struct NamedColumn {
  std::string name;
  Section section;
};

void describe(Fields& fields, NamedColumn& column) {
  fields.field("name", column.name);
  fields.choice("codec", column.section.codec, Codec::kZstd, codecName);
  fields.field("raw_bytes", column.section.raw_bytes);
  fields.field("stored_bytes", column.section.stored_bytes);
  const JsonReader* reader = fields.reader();
  std::string sum = reader == nullptr ? fmt::format("{:016x}", column.section.xxh64) : "";
  fields.field("xxh64", sum);
  if (reader == nullptr) return;
  const auto [end, error] = std::from_chars(sum.data(), sum.data() + sum.size(), column.section.xxh64, 16);
  if (error != std::errc{} || end != sum.data() + sum.size()) reader->complain("xxh64", "is not a checksum");
}

Json columnsJson(const std::vector<Section>& columns) {
  Json list = Json::array();
  for (size_t i = 0; i < columns.size(); ++i) {
    list.push_back(describedJson(NamedColumn{std::string(kColumnNames[i]), columns[i]}));
  }
  return list;
}

Section readColumn(const JsonReader& reader, size_t index) {
  const auto column = readDescribed<NamedColumn>(reader);
  if (column.name != kColumnNames[index]) {
    reader.complain("name", fmt::format("is not '{}'", kColumnNames[index]));
  }
  return column.section;
}

struct Tables {
  std::vector<DeviceDescription> devices;
  std::vector<std::shared_ptr<const std::string>> sources;
  std::vector<std::shared_ptr<const Listing>> listings;
};

Expected<Tables> readTables(const JsonReader& header) {
  Tables tables;
  Error error;
  header.array("devices", [&](const Json& element) {
    auto device = deviceFromJson(element);
    if (device) {
      tables.devices.push_back(std::move(*device));
    } else {
      header.complain("devices", device.error().message);
    }
  });
  header.array("sources", [&](const Json& element) {
    if (!element.isString()) return header.complain("sources", "has an entry that is not a text");
    tables.sources.push_back(std::make_shared<const std::string>(element.get<std::string>()));
  });
  if (header.has("listings")) {
    header.array("listings", [&](const Json& element) {
      tables.listings.push_back(
          std::make_shared<const Listing>(readListing({element, "listings.", header.problem()})));
    });
  }
  if (!header.problem().empty()) return fail(ErrorKind::kDamagedFile, "{}", header.problem());
  return tables;
}

// A run has either instructions and columns of them, or neither. A listing belongs to these or to samples.
void readListingOf(const JsonReader& reader, const Tables& tables, RunEntry& entry) {
  if (reader.has("instructions")) {
    entry.instructions = reader.integer<uint32_t>("instructions");
    if (entry.instructions == 0) reader.complain("instructions", "is 0");
  }
  const auto listing = reader.integer<size_t>("listing");
  if (listing < tables.listings.size()) {
    entry.summary.listing = tables.listings[listing];
  } else {
    reader.complain("listing", "is not in the table of listings");
  }
}

bool isListed(const WaitSamples& samples, const Listing& listing) {
  return std::ranges::all_of(samples.places,
                             [&](const WaitSample& sample) { return sample.listed < listing.size(); });
}

Expected<RunEntry> readEntry(const Json& element, const Tables& tables) {
  auto run = runFromHeaderJson(element);
  if (!run) return tl::unexpected(run.error());
  std::string problem;
  const JsonReader reader(element, "", problem);
  RunEntry entry;
  entry.summary = std::move(*run);
  const auto device = reader.integer<size_t>("device");
  if (device < tables.devices.size()) {
    entry.summary.device = tables.devices[device];
  } else {
    reader.complain("device", "is not in the table of devices");
  }
  if (reader.has("source")) {
    const auto source = reader.integer<size_t>("source");
    if (source < tables.sources.size()) {
      entry.summary.source = tables.sources[source];
    } else {
      reader.complain("source", "is not in the table of sources");
    }
  }
  entry.warps = reader.integer<uint32_t>("warps");
  entry.events = reader.integer<uint32_t>("events");
  if (reader.has("instructions") || reader.has("listing")) readListingOf(reader, tables, entry);
  const auto& samples = entry.summary.wait_samples;
  if (samples && !isListed(*samples, entry.summary.listing ? *entry.summary.listing : Listing{}))
    reader.complain("wait_samples", "has an instruction that is not in the listing");
  reader.array("columns", [&](const Json& column) {
    if (entry.columns.size() >= kColumnCount) return reader.complain("columns", "lists too many columns");
    entry.columns.push_back(readColumn({column, "columns.", problem}, entry.columns.size()));
  });
  if (entry.columns.size() != columnCount(entry.instructions > 0)) {
    reader.complain("columns", fmt::format("lists {} columns", entry.columns.size()));
  }
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "{}", problem);
  return entry;
}

}  // namespace

uint32_t versionFor(std::span<const Run> runs) {
  const bool instructions =
      std::ranges::any_of(runs, [](const Run& run) { return instructionsOfWarps(run.trace) > 0; });
  return instructions ? kRecordingVersion : kVersionWithoutInstructions;
}

uint64_t RunEntry::storedBytes() const {
  uint64_t sum = 0;
  for (const Section& column : columns) sum += column.stored_bytes;
  return sum;
}

std::string writeHeader(std::span<const Run> runs, std::span<const std::vector<Section>> columns) {
  std::map<std::string, size_t> devices, sources, listings;
  // Most runs share one text: its address is compared before its characters.
  const std::string* last_text = nullptr;
  size_t last_source = kNoSource;
  Json device_table = Json::array(), source_table = Json::array(), listing_table = Json::array(),
       run_table = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    Json entry = headerJson(run);
    Json device = toJson(run.device);
    const auto [device_at, new_device] = devices.try_emplace(device.dump(), devices.size());
    if (new_device) device_table.push_back(std::move(device));
    entry["device"] = device_at->second;
    if (run.source) {
      if (run.source.get() != last_text) {
        const auto [source_at, new_source] = sources.try_emplace(*run.source, sources.size());
        if (new_source) source_table.push_back(*run.source);
        last_text = run.source.get();
        last_source = source_at->second;
      }
      entry["source"] = last_source;
    }
    size_t events = 0;
    for (const TraceWarp& warp : run.trace.warps) events += warp.event_count;
    entry["warps"] = run.trace.warps.size();
    entry["events"] = events;
    const size_t instructions = instructionsOfWarps(run.trace);
    if (instructions > 0 || (run.wait_samples && run.listing)) {
      Json listing = listingJson(run.listing ? *run.listing : Listing{});
      const auto [listing_at, new_listing] = listings.try_emplace(listing.dump(), listings.size());
      if (new_listing) listing_table.push_back(std::move(listing));
      entry["listing"] = listing_at->second;
      if (instructions > 0) entry["instructions"] = instructions;
    }
    entry["columns"] = columnsJson(columns[i]);
    run_table.push_back(std::move(entry));
  }
  Json header = {{"devices", std::move(device_table)},
                 {"sources", std::move(source_table)},
                 {"runs", std::move(run_table)}};
  if (!listing_table.empty()) header["listings"] = std::move(listing_table);
  return header.dump();
}

Expected<std::vector<RunEntry>> readHeader(std::span<const std::byte> text, const Preamble& preamble) {
  const auto* begin = reinterpret_cast<const char*>(text.data());
  const auto header = Json::parse({begin, text.size()});
  if (!header) return fail(ErrorKind::kDamagedFile, "header: {}", header.error().message);
  std::string problem;
  const JsonReader reader(*header, "", problem);
  const auto tables = readTables(reader);
  if (!tables) return fail(ErrorKind::kDamagedFile, "header: {}", tables.error().message);
  std::vector<RunEntry> entries;
  std::string run_problem;
  uint64_t offset = kPreambleBytes + preamble.header.stored_bytes, raw_bytes = 0;
  reader.array("runs", [&](const Json& element) {
    if (!run_problem.empty()) return;
    auto entry = readEntry(element, *tables);
    if (!entry) {
      run_problem = entry.error().message;
    } else {
      entry->offset = offset;
      for (const Section& column : entry->columns) {
        if (column.stored_bytes > preamble.file_bytes - offset) {
          run_problem = fmt::format("its columns reach beyond the end of the recording (offset {})", offset);
          return;
        }
        offset += column.stored_bytes;
        raw_bytes += std::min(column.raw_bytes, kMaxSectionBytes + 1);
      }
      entries.push_back(std::move(*entry));
      return;
    }
  });
  if (!run_problem.empty()) {
    return fail(ErrorKind::kDamagedFile, "header, run {}: {}", entries.size(), run_problem);
  }
  if (!problem.empty()) return fail(ErrorKind::kDamagedFile, "header: {}", problem);
  if (offset != preamble.file_bytes) {
    return fail(ErrorKind::kDamagedFile, "offset {}: {} bytes belong to no run", offset,
                preamble.file_bytes - offset);
  }
  if (!isWithin(kColumnGrowth, raw_bytes, preamble.file_bytes)) {
    return fail(ErrorKind::kDamagedFile, "header: columns of {} bytes cannot be in a recording of {} bytes",
                raw_bytes, preamble.file_bytes);
  }
  return entries;
}

}  // namespace warpscope
