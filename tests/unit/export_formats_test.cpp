// The list of export formats that the command line and the window share.
#include <gtest/gtest.h>
#include <zlib.h>

#include <set>
#include <string>

#include "kernels/export/formats.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

std::string written(const ExportFormat& format, std::optional<TableKind> table) {
  const std::vector<Run> runs{testing::makeSyntheticRun()};
  std::string text;
  const WriteText write = [&](std::string_view piece) { text += piece; };
  const auto done = format.write({RunsInMemory(runs), table, write});
  EXPECT_TRUE(done.has_value()) << format.name;
  return text;
}

TEST(ExportFormats, AreAListOfNames) {
  std::vector<std::string> names;
  std::set<std::string> extensions;
  for (const ExportFormat& format : exportFormats()) {
    names.emplace_back(format.name);
    extensions.insert(format.extension);
    EXPECT_EQ(format.extension[0], '.') << format.name;
    EXPECT_EQ(findExportFormat(format.name), &format);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"chrome", "perfetto", "csv", "json", "html", "png", "svg"}));
  EXPECT_EQ(extensions.size(), names.size());
  EXPECT_EQ(findExportFormat("pdf"), nullptr);
}

TEST(ExportFormats, WriteWhatTheirNamesSay) {
  const auto begins = [](const char* name, const char* with, std::optional<TableKind> table = {}) {
    const std::string text = written(*findExportFormat(name), table);
    EXPECT_EQ(text.substr(0, std::string_view(with).size()), with) << name;
  };
  begins("chrome", "{");
  begins("perfetto", "\n");  // the field of the first packet
  begins("csv", "run,family,variant,");
  begins("csv", "run,family,variant,parameters,provenance,counter,value\r\n", TableKind::kCounters);
  begins("json", "[\n{\n  \"bandwidth_gb_s\"");  // as `show --json`
  begins("json", "[\n{\"run\": 0", TableKind::kRegions);
  begins("html", "<!DOCTYPE html>");
}

std::string unpacked(const std::string& gzip) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string text(size_t{1} << 24, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(ExportFormats, AreCompressedIfTheNameSaysSo) {
  const std::vector<warpscope::Run> runs{testing::makeSyntheticRun()};
  for (const char* name : {"chrome", "perfetto", "csv", "html"}) {
    const ExportFormat& format = *findExportFormat(name);
    std::string packed;
    const WriteText write = [&](std::string_view piece) { packed += piece; };
    ASSERT_TRUE(writeExport(format, {RunsInMemory(runs), {}, write}, "out.gz").has_value());
    const std::string plain = written(format, {});
    EXPECT_LT(packed.size(), plain.size()) << name;
    EXPECT_EQ(unpacked(packed), plain) << name;
  }
}

TEST(ExportFormats, TracesOfARangeHoldWhatHappenedThere) {
  const std::vector<warpscope::Run> runs{testing::makeSyntheticRun()};
  for (const ExportFormat& format : exportFormats()) {
    const bool trace =
        std::string_view(format.name) == "chrome" || std::string_view(format.name) == "perfetto";
    EXPECT_EQ(format.has_range, trace) << format.name;
    if (!trace) continue;
    std::string part;
    const WriteText write = [&](std::string_view piece) { part += piece; };
    ASSERT_TRUE(format.write({RunsInMemory(runs), {}, write, CycleRange{100, 400}}).has_value());
    EXPECT_GT(part.size(), 100U);
    EXPECT_LT(part.size(), written(format, {}).size() / 2) << format.name;
  }
}

TEST(ExportFormats, PicturesAreTheWindowsToMake) {
  for (const ExportFormat& format : exportFormats()) {
    const bool picture = std::string_view(format.name) == "png" || std::string_view(format.name) == "svg";
    EXPECT_EQ(format.write == nullptr, picture) << format.name;
    EXPECT_TRUE(!picture || (format.one_run && !format.has_tables)) << format.name;
  }
}

}  // namespace
}  // namespace warpscope
