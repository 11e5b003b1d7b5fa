// Tables that are read back contain exactly what the run does, in CSV and in JSON.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/export/tables.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/run_report.h"
#include "kernels/recording/run_json.h"
#include "tests/support/awkward_run.h"
#include "tests/support/parse_json.h"
#include "tests/support/stream_run.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;
using Rows = std::vector<std::vector<std::string>>;

// A strict reader for RFC 4180: it fails on anything that does not conform.
Rows parseCsv(const std::string& text) {
  Rows rows;
  std::vector<std::string> row;
  std::string field;
  size_t i = 0;
  while (i < text.size()) {
    field.clear();
    if (text[i] == '"') {
      for (++i;; ++i) {
        if (i >= text.size()) return {};
        if (text[i] != '"') {
          field += text[i];
        } else if (text.compare(i, 2, "\"\"") == 0) {
          field += text[i++];
        } else {
          break;
        }
      }
      ++i;
    } else {
      while (i < text.size() && text[i] != ',' && text[i] != '\r') {
        if (text[i] == '"' || text[i] == '\n') return {};
        field += text[i++];
      }
    }
    row.push_back(field);
    if (text.compare(i, 1, ",") == 0) {
      ++i;
      if (text.compare(i, 2, "\r\n") == 0) row.emplace_back();
    }
    if (text.compare(i, 2, "\r\n") == 0) {
      rows.push_back(std::exchange(row, {}));
      i += 2;
    } else if (i >= text.size() || (i > 0 && text[i - 1] != ',')) {
      return {};
    }
  }
  return rows;
}

Rows csvOf(TableKind kind, const std::vector<warpscope::Run>& runs) {
  std::string text;
  const WriteText write = [&](std::string_view piece) { text += piece; };
  CsvRows rows(write);
  EXPECT_TRUE(writeTable(kind, RunsInMemory(runs), rows).has_value());
  Rows parsed = parseCsv(text);
  EXPECT_FALSE(parsed.empty()) << text.substr(0, 2000);
  for (const auto& row : parsed) EXPECT_EQ(row.size(), parsed.front().size());
  return parsed;
}

Json jsonOf(TableKind kind, const std::vector<warpscope::Run>& runs) {
  std::string text;
  const WriteText write = [&](std::string_view piece) { text += piece; };
  JsonRows rows(write);
  EXPECT_TRUE(writeTable(kind, RunsInMemory(runs), rows).has_value());
  return testing::parseJson(text);
}

size_t columnOf(const Rows& rows, const std::string& name) {
  const auto found = std::ranges::find(rows.front(), name);
  EXPECT_NE(found, rows.front().end()) << name;
  return static_cast<size_t>(found - rows.front().begin());
}

std::string cell(const Rows& rows, size_t row, const std::string& column) {
  return rows.at(row + 1).at(columnOf(rows, column));
}

// The number of numbers and texts in the report, at any depth.
size_t leavesOf(const Json& value) {
  if (value.isArray()) return 0;
  if (!value.isObject()) return 1;
  size_t leaves = 0;
  for (const auto& [key, member] : value.items()) leaves += leavesOf(member);
  return leaves;
}

// A spreadsheet runs what looks like a formula, also from a file from elsewhere.
TEST(CsvField, IsNeverAFormula) {
  EXPECT_EQ(csvField("=1+1"), "'=1+1");
  EXPECT_EQ(csvField("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csvField("+cmd|'/c calc'!A1"), "'+cmd|'/c calc'!A1");
  EXPECT_EQ(csvField("-x"), "'-x");
  EXPECT_EQ(csvField("\t=1"), "'\t=1");
  EXPECT_EQ(csvField("=a,\"b\""), "\"'=a,\"\"b\"\"\"");
  for (const char* plain : {"", "a=b", "-5", "+1.5e3", "-0.25", "32x8"}) EXPECT_EQ(csvField(plain), plain);
}

TEST(Tables, ARowOfRunsHasWhatItsReportHas) {
  warpscope::Run run = makeSyntheticRun();
  run.counters = {{"smsp__inst_executed.sum", 1234}};
  const Json row = jsonOf(TableKind::kRuns, {run}).at(0);
  const Json report = runReport(run);
  EXPECT_EQ(row["run"], 0);
  EXPECT_EQ(row["time_median_us"], report["time_us"]["median"]);
  EXPECT_EQ(row["time_min_us"], report["time_us"]["min"]);
  EXPECT_EQ(row["repeats"], 20);
  EXPECT_EQ(row["parameter_block"], 80);
  EXPECT_EQ(row["parameter_size"], 65536);
  EXPECT_EQ(row["bandwidth_gb_s"], 883.25);
  EXPECT_EQ(row["occupancy_limiter"], "warps");
  EXPECT_EQ(row["counter_smsp__inst_executed.sum"], 1234);
  EXPECT_EQ(row["lane_cycles_waiting"], laneCycles(run.trace).waiting);
  EXPECT_EQ(row["provenance"], "measured");
  EXPECT_FALSE(row.contains("hazards"));  // not checked
  EXPECT_GE(row.size(), leavesOf(report));
}

TEST(Tables, RunsWithDifferentThingsShareTheirColumns) {
  warpscope::Run with = makeSyntheticRun("divergence", "even_odd"),
                 without = makeSyntheticRun("divergence", "warp_aligned");
  with.counters = {{"smsp__inst_executed.sum", 7}};
  without.timing = {};
  const Rows rows = csvOf(TableKind::kRuns, {with, without});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][0], "run");
  EXPECT_EQ(rows[0][1], "family");
  EXPECT_EQ(cell(rows, 0, "counter_smsp__inst_executed.sum"), "7");
  EXPECT_EQ(cell(rows, 1, "counter_smsp__inst_executed.sum"), "");
  EXPECT_EQ(cell(rows, 1, "time_median_us"), "");
  EXPECT_EQ(cell(rows, 1, "verified"), "true");
}

TEST(Tables, LinesOfARealGpuHaveItsSamples) {
  warpscope::Run run = makeSyntheticRun("divergence", "even_odd");
  run.listing = std::make_shared<const Listing>(Listing{{"ld", run.source_file, 3, "", 0}});
  run.wait_samples = {.taken = 9,
                      .places = {{0, WarpState::kSelected, 2}, {0, WarpState::kLongScoreboard, 7}}};
  const Rows rows = csvOf(TableKind::kLines, {run});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(cell(rows, 0, "line"), "3");
  EXPECT_EQ(cell(rows, 0, "samples"), "9");
  EXPECT_EQ(cell(rows, 0, "stalled_samples"), "7");
  EXPECT_EQ(cell(rows, 0, "longest_stall"), "long_scoreboard");
  EXPECT_EQ(cell(rows, 0, "issued"), "") << "a sampler does not know";
}

TEST(Tables, SpansAddUpToRegions) {
  const std::vector<warpscope::Run> runs{makeSyntheticRun(),
                                         makeSyntheticRun("divergence", "warp_aligned", 256)};
  const Json regions = jsonOf(TableKind::kRegions, runs);
  const Json spans = jsonOf(TableKind::kSpans, runs);
  std::map<std::pair<int, std::string>, std::pair<uint64_t, int64_t>> sums;
  for (const Json& span : spans) {
    auto& [count, cycles] = sums[{span["run"].get<int>(), span["region"].get<std::string>()}];
    ++count;
    cycles += span["cycles"].get<int64_t>();
    EXPECT_EQ(span["cycles"].get<int64_t>(),
              span["end_cycles"].get<int64_t>() - span["begin_cycles"].get<int64_t>());
    EXPECT_NEAR(span["duration_ns"].get<double>() * 1.755, span["cycles"].get<double>(), 1e-6);
  }
  ASSERT_EQ(regions.size(), 10U);
  for (const Json& region : regions) {
    const auto& [count, cycles] = sums[{region["run"].get<int>(), region["region"].get<std::string>()}];
    EXPECT_EQ(region["spans"], count) << region;
    EXPECT_EQ(region["warp_cycles"], cycles) << region;
  }
}

TEST(Tables, InstructionsResidencyAndCounters) {
  warpscope::Run run = makeSyntheticRun();
  testing::addInstructions(run);
  run.counters = {{"a.sum", 1.5}, {"b.avg", 0}};
  const Json instructions = jsonOf(TableKind::kInstructions, {run});
  ASSERT_EQ(instructions.size(), run.trace.instructions.size());
  EXPECT_EQ(instructions[3]["issue_cycles"], run.trace.instructions[3].issue_cycles);
  EXPECT_EQ(instructions[3]["ptx"], (*run.listing)[run.trace.instructions[3].listed].text);
  size_t issued = 0;
  for (const Json& line : jsonOf(TableKind::kLines, {run})) issued += line["issued"].get<size_t>();
  EXPECT_EQ(issued, run.trace.instructions.size()) << "each instruction is of one line, or of none";
  size_t steps = 0;
  for (uint32_t sm = 0; sm < 4; ++sm) steps += residency(run.trace, SmId{sm}).size();
  EXPECT_EQ(jsonOf(TableKind::kResidency, {run}).size(), steps);
  const Rows counters = csvOf(TableKind::kCounters, {run});
  ASSERT_EQ(counters.size(), 3U);
  EXPECT_EQ(cell(counters, 0, "counter"), "a.sum");
  EXPECT_EQ(cell(counters, 0, "value"), "1.5");
  EXPECT_EQ(cell(counters, 1, "value"), "0");
}

TEST(Tables, OperationsSayWhatRanWhenAndWhy) {
  const warpscope::Run run = testing::makeStreamRun();
  const std::vector<warpscope::Run> runs{makeSyntheticRun(), run};
  const Json rows = jsonOf(TableKind::kOperations, runs);
  ASSERT_EQ(rows.size(), run.streams->operations.size()) << "a single launch has none";
  EXPECT_EQ(rows[0]["run"], 1);
  EXPECT_EQ(rows[0]["kind"], "copy to the device");
  EXPECT_EQ(rows[0]["memory"], "pinned");
  EXPECT_EQ(rows[0]["duration_ns"], 1000.0);
  EXPECT_FALSE(rows[0].contains("kernel"));
  EXPECT_FALSE(rows[0].contains("waited_for"));
  EXPECT_FALSE(rows[0].contains("gpu")) << "there is one";
  const Json& second = rows[testing::kSecond];
  EXPECT_EQ(second["stream"], "stream 2");
  EXPECT_EQ(second["priority"], -5);
  EXPECT_EQ(second["wait"], "waits for an event after the launch of chunk 0");
  EXPECT_EQ(second["waited_on"], testing::kFirst);
  EXPECT_EQ(second["after"], fmt::format("{}", static_cast<int>(testing::kWaitForEvent)));
  EXPECT_EQ(rows[testing::kDependent]["primary"], testing::kFirst);
  EXPECT_EQ(rows[testing::kNodeB]["graph"], 0);
  const Json migrations = jsonOf(TableKind::kMigrations, runs);
  ASSERT_EQ(migrations.size(), 1U);
  EXPECT_EQ(migrations[0]["touched_by"], "chunk 0: launch");
  EXPECT_EQ(migrations[0]["bytes"], 131'072);
  for (const Json& span : jsonOf(TableKind::kSpans, {run})) {
    const int wanted = span["block"].get<uint32_t>() < 4   ? testing::kFirst
                       : span["block"].get<uint32_t>() < 8 ? testing::kDependent
                                                           : testing::kSecond;
    EXPECT_EQ(span["operation"], wanted);
  }
}

TEST(Tables, SmsAreNumberedOnTheirGpu) {
  warpscope::Run run = makeSyntheticRun();
  EXPECT_FALSE(jsonOf(TableKind::kResidency, {run})[0].contains("gpu"));
  run.device.limits.gpus = 2;
  for (TraceWarp& warp : run.trace.warps) warp.sm.value += run.device.limits.sm_count;
  for (const auto kind : {TableKind::kSpans, TableKind::kResidency}) {
    const Json rows = jsonOf(kind, {run});
    EXPECT_EQ(rows[0]["gpu"], 1);
    EXPECT_EQ(rows[0]["sm"], 0);
  }
}

TEST(Tables, CsvAndJsonHoldTheSame) {
  const std::vector<warpscope::Run> runs{makeSyntheticRun(), testing::makeAwkwardRun(),
                                         testing::makeStreamRun()};
  for (const auto kind : {TableKind::kRuns, TableKind::kRegions, TableKind::kSpans, TableKind::kResidency,
                          TableKind::kOperations, TableKind::kMigrations}) {
    const Rows csv = csvOf(kind, runs);
    const Json rows = jsonOf(kind, runs);
    ASSERT_EQ(csv.size(), rows.size() + 1) << static_cast<int>(kind);
    for (size_t i = 0; i < rows.size(); ++i) {
      size_t filled = 0;
      for (size_t column = 0; column < csv.front().size(); ++column) {
        const std::string& text = csv[i + 1][column];
        const Json* member = rows[i].find(csv.front()[column]);
        if (member == nullptr) {
          EXPECT_EQ(text, "");
          continue;
        }
        ++filled;
        if (member->isString()) {
          EXPECT_EQ(text, member->get<std::string>());
        } else {
          EXPECT_EQ(testing::parseJson(text), *member);
        }
      }
      EXPECT_EQ(filled, rows[i].size());
    }
  }
}

TEST(Tables, AwkwardNamesAreQuoted) {
  const Rows rows = csvOf(TableKind::kRegions, {testing::makeAwkwardRun()});
  EXPECT_EQ(cell(rows, 3, "region"), testing::kAwkwardName);
  EXPECT_EQ(cell(rows, 0, "variant"), testing::kAwkwardName);
  const Rows spans = csvOf(TableKind::kSpans, {testing::makeAwkwardRun()});
  EXPECT_EQ(cell(spans, 0, "begin_ns"), "");  // the clock is not known
}

TEST(Tables, HaveNames) {
  std::vector<std::string> names;
  for (const TableInfo& table : tables()) {
    names.emplace_back(table.name);
    EXPECT_EQ(tableOfName(table.name), table.kind);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"runs", "regions", "spans", "instructions", "lines", "counters",
                                             "residency", "operations", "migrations"}));
  EXPECT_FALSE(tableOfName("nothing").has_value());
}

}  // namespace
}  // namespace warpscope
