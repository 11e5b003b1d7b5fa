// The list of export formats that the command line and the window share.
#include <gtest/gtest.h>

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
  EXPECT_EQ(names, (std::vector<std::string>{"chrome", "csv", "json", "html", "png", "svg"}));
  EXPECT_EQ(extensions.size(), names.size());
  EXPECT_EQ(findExportFormat("pdf"), nullptr);
}

TEST(ExportFormats, WriteWhatTheirNamesSay) {
  const auto begins = [](const char* name, const char* with, std::optional<TableKind> table = {}) {
    const std::string text = written(*findExportFormat(name), table);
    EXPECT_EQ(text.substr(0, std::string_view(with).size()), with) << name;
  };
  begins("chrome", "{");
  begins("csv", "run,family,variant,");
  begins("csv", "run,family,variant,parameters,provenance,counter,value\r\n", TableKind::kCounters);
  begins("json", "[\n{\n  \"bandwidth_gb_s\"");  // as `show --json`
  begins("json", "[\n{\"run\": 0", TableKind::kRegions);
  begins("html", "<!DOCTYPE html>");
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
