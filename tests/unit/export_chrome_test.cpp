// Chrome traces contain exactly what the trace does: every span once, exact sums, nothing that overlaps.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/export/chrome_parts.h"
#include "kernels/export/chrome_trace.h"
#include "kernels/export/trace_part.h"
#include "kernels/metrics/metrics.h"
#include "kernels/recording/recording.h"
#include "tests/support/awkward_run.h"
#include "tests/support/parse_json.h"
#include "tests/support/stream_run.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;

struct Exported {
  Json document;
  ChromeTotals totals;
};

Exported exported(const warpscope::Run& run) {
  std::string text;
  Exported result;
  result.totals = writeChromeTrace(run, [&](std::string_view piece) { text += piece; });
  result.document = testing::parseJson(text);
  return result;
}

std::vector<Json> eventsWith(const Json& document, const char* key, const std::string& value) {
  std::vector<Json> found;
  for (const Json& event : document["traceEvents"]) {
    if (event.value(key, "") == value) found.push_back(event);
  }
  return found;
}

struct RegionTotals {
  uint64_t spans = 0;
  int64_t cycles = 0;
};

RegionTotals totalsOf(const warpscope::Run& run) {
  RegionTotals totals;
  for (const TraceWarp& warp : run.trace.warps) {
    forEachSpan(run.trace, warp, [&](const Span& span) {
      ++totals.spans;
      totals.cycles += span.end_cycles - span.begin_cycles;
    });
  }
  return totals;
}

// Slices of one thread must be disjoint or nested, in the times of the file as well as in milliseconds, which
// viewers use.
void expectNested(const Json& document, double per_unit) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<double, double>>> threads;
  for (const Json& event : eventsWith(document, "ph", "X")) {
    const double begin = event["ts"].get<double>() / per_unit;
    ASSERT_GE(begin, 0);
    ASSERT_GE(event["dur"].get<double>(), 0);
    threads[{event["pid"].get<int64_t>(), event["tid"].get<int64_t>()}].emplace_back(
        begin, begin + event["dur"].get<double>() / per_unit);
  }
  ASSERT_FALSE(threads.empty());
  for (auto& [thread, slices] : threads) {
    std::ranges::sort(slices, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<double> open;
    for (const auto& [begin, end] : slices) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(end, open.back()) << "thread " << thread.second << " at " << begin;
      }
      open.push_back(end);
    }
  }
}

// Everything that must be true for the file of any run.
void expectFaithful(const warpscope::Run& run) {
  const Exported file = exported(run);
  const Json& totals = file.document["otherData"]["totals"];
  const RegionTotals wanted = totalsOf(run);
  const std::vector<Json> regions = eventsWith(file.document, "cat", "region");
  int64_t cycles = 0;
  double dur = 0;
  for (const Json& slice : regions) {
    EXPECT_EQ(slice["ph"], "X");
    cycles += slice["args"]["cycles"].get<int64_t>();
    dur += slice["dur"].get<double>();
  }
  EXPECT_EQ(regions.size(), wanted.spans);
  EXPECT_EQ(cycles, wanted.cycles);
  EXPECT_EQ(totals["region_slices"], wanted.spans);
  EXPECT_EQ(totals["region_cycles"], wanted.cycles);
  EXPECT_EQ(totals["region_us"].get<double>(), dur);
  EXPECT_EQ(file.totals.region_us, dur);
  EXPECT_EQ(totals["warps"], run.trace.warps.size());
  EXPECT_EQ(eventsWith(file.document, "cat", "instruction").size(), run.trace.instructions.size());
  EXPECT_EQ(totals["instruction_slices"], run.trace.instructions.size());
  const auto is_exit = [](const TraceEvent& event) { return event.region == kExitRegion; };
  EXPECT_EQ(eventsWith(file.document, "cat", "exit").size(),
            static_cast<size_t>(std::ranges::count_if(run.trace.events, is_exit)));
  EXPECT_EQ(eventsWith(file.document, "cat", "problem").size(), run.trace.problems.size());
  expectNested(file.document, 1);
  expectNested(file.document, 1000);
}

TEST(ChromeTrace, HoldsEverySpanOnceWithExactSums) {
  for (const char* variant : {"even_odd", "warp_aligned"}) {
    for (const int64_t block : {32, 80, 256, 1024}) {
      SCOPED_TRACE(fmt::format("{} {}", variant, block));
      expectFaithful(makeSyntheticRun("divergence", variant, block));
    }
  }
}

TEST(ChromeTrace, HoldsInstructionsBesideTheirRegions) {
  warpscope::Run run = makeSyntheticRun();
  testing::addInstructions(run);
  ASSERT_FALSE(run.trace.instructions.empty());
  expectFaithful(run);
  const Exported file = exported(run);
  std::set<int64_t> region_tids, instruction_tids;
  for (const Json& slice : eventsWith(file.document, "cat", "region"))
    region_tids.insert(slice["tid"].get<int64_t>());
  uint64_t waited = 0;
  for (const Json& slice : eventsWith(file.document, "cat", "instruction")) {
    instruction_tids.insert(slice["tid"].get<int64_t>());
    waited += slice["args"].value("waited_cycles", uint64_t{0});
    EXPECT_EQ(slice["args"].contains("waited_for"), slice["args"].contains("waited_cycles"));
  }
  uint64_t wanted = 0;
  for (const TraceInstruction& instruction : run.trace.instructions) wanted += instruction.waited_cycles;
  EXPECT_EQ(waited, wanted);
  EXPECT_EQ(region_tids.size(), run.trace.warps.size());
  EXPECT_EQ(instruction_tids.size(), run.trace.warps.size());
  for (const int64_t tid : instruction_tids) EXPECT_FALSE(region_tids.contains(tid));
}

TEST(ChromeTrace, IsFaithfulToABundledRecording) {
  const auto index =
      RecordingIndex::open(WARPSCOPE_SOURCE_FOLDER "/assets/recordings/divergence_nested.wsrec");
  ASSERT_TRUE(index.has_value()) << index.error().message;
  for (const size_t i : {size_t{0}, index->size() / 2, index->size() - 1}) {
    const auto run = index->load(i);
    ASSERT_TRUE(run.has_value());
    ASSERT_FALSE(run->trace.warps.empty());
    expectFaithful(*run);
  }
}

TEST(ChromeTrace, NamesSmsAndWarpsInTheirOrder) {
  const warpscope::Run run = makeSyntheticRun();
  const Json document = exported(run).document;
  std::map<int64_t, std::string> processes;
  for (const Json& event : eventsWith(document, "name", "process_name"))
    processes[event["pid"].get<int64_t>()] = event["args"]["name"].get<std::string>();
  ASSERT_EQ(processes.size(), 5U);  // four SMs, and one for what belongs to no SM
  EXPECT_EQ(processes[1], "SM 0");
  EXPECT_EQ(processes[4], "SM 3");
  std::vector<std::string> threads;
  for (const Json& event : eventsWith(document, "name", "thread_name"))
    threads.push_back(event["args"]["name"].get<std::string>());
  ASSERT_EQ(threads.size(), run.trace.warps.size());
  for (size_t i = 0; i < threads.size(); ++i)
    EXPECT_EQ(threads[i],
              fmt::format("b{} w{}", run.trace.warps[i].block.value, run.trace.warps[i].warp_in_block));
  const Json slice = eventsWith(document, "name", "odd path").front();
  EXPECT_EQ(slice["args"]["lanes"], "0xAAAAAAAA");
  EXPECT_EQ(slice["args"]["lane_count"], 16);
  EXPECT_EQ(slice["args"]["line"], 8);
  const Json& other = document["otherData"];
  EXPECT_EQ(other["device"], "Synthetic H100");
  EXPECT_EQ(other["provenance"], "measured");
  EXPECT_EQ(other["parameters"]["size"], "2^16");
  EXPECT_DOUBLE_EQ(other["cycles_per_us"].get<double>(), 1755);
}

TEST(ChromeTrace, CountersAreWhatMetricsSay) {
  const warpscope::Run run = makeSyntheticRun();
  const Json document = exported(run).document;
  size_t wanted = 0;
  for (uint32_t sm = 0; sm < 4; ++sm) wanted += residency(run.trace, SmId{sm}).size();
  EXPECT_EQ(eventsWith(document, "name", "resident warps").size(), wanted);
  EXPECT_EQ(eventsWith(document, "name", "resident blocks").size(), wanted);
  EXPECT_EQ(eventsWith(document, "name", "resident blocks").back()["args"]["blocks"], 0);
}

// The counter's integral is the executing lane-cycles, decimated or not.
TEST(ChromeTrace, ActiveLanesAddUpToLaneCycles) {
  const warpscope::Run run = makeSyntheticRun();
  const double wanted = static_cast<double>(laneCycles(run.trace).executing);
  for (const size_t most : {size_t{1'000'000}, size_t{50}, size_t{7}, size_t{1}}) {
    const ActiveLanes lanes = activeLanes(run.trace, most);
    EXPECT_EQ(lanes.mean_over_cycles > 0, most < 1000);
    EXPECT_LE(lanes.steps.size(), std::max<size_t>(most, 2));
    double sum = 0;
    for (size_t i = 0; i + 1 < lanes.steps.size(); ++i) {
      const auto cycles = static_cast<double>(lanes.steps[i + 1].cycles - lanes.steps[i].cycles);
      EXPECT_GT(cycles, 0);
      sum += lanes.steps[i].lanes * cycles;
    }
    EXPECT_EQ(lanes.steps.back().lanes, 0);
    EXPECT_NEAR(sum, wanted, 1e-6 * wanted);
  }
}

TEST(ChromeTrace, AnUnknownClockCountsNanoseconds) {
  const warpscope::Run run = testing::makeAwkwardRun();
  const Json document = exported(run).document;
  EXPECT_FALSE(document["otherData"].contains("cycles_per_us"));
  EXPECT_NE(document["otherData"]["time"].get<std::string>().find("1 cycle is shown as 1 ns"),
            std::string::npos);
  const Json slice = eventsWith(document, "cat", "region").front();
  EXPECT_NEAR(slice["dur"].get<double>() * 1000, slice["args"]["cycles"].get<double>(), 1e-3);
}

TEST(ChromeTrace, EscapesAwkwardNames) {
  const warpscope::Run run = testing::makeAwkwardRun();
  expectFaithful(run);
  const Json document = exported(run).document;
  EXPECT_EQ(document["otherData"]["variant"], testing::kAwkwardName);
  EXPECT_FALSE(eventsWith(document, "name", testing::kAwkwardName).empty());
  EXPECT_FALSE(eventsWith(document, "name", "region 4").empty());  // a region that the run does not describe
  EXPECT_EQ(eventsWith(document, "cat", "hazard").front()["name"], "a race & \"more\" <here>");
}

// Where an event is: the name of its track, and of the slice there that it is in; "" if it is in none.
std::pair<std::string, std::string> placeOf(const Json& document, const Json& event) {
  std::pair<std::string, std::string> place;
  for (const Json& name : eventsWith(document, "name", "thread_name")) {
    if (name["tid"] == event["tid"]) place.first = name["args"]["name"].get<std::string>();
  }
  const double ts = event["ts"].get<double>();
  for (const Json& slice : eventsWith(document, "ph", "X")) {
    if (slice["tid"] == event["tid"] && slice["ts"].get<double>() <= ts &&
        ts < slice["ts"].get<double>() + slice["dur"].get<double>())
      place.second = slice["name"].get<std::string>();
  }
  return place;
}

// Arrows of a category as "from -> to".
std::multiset<std::string> arrowsOf(const Json& document, const char* category) {
  std::map<int64_t, std::string> from;
  std::multiset<std::string> arrows;
  for (const Json& event : eventsWith(document, "ph", "s"))
    from[event["id"].get<int64_t>()] = placeOf(document, event).second;
  for (const Json& event : eventsWith(document, "ph", "f")) {
    EXPECT_EQ(event["bp"], "e");
    if (event["cat"] == category)
      arrows.insert(from.at(event["id"].get<int64_t>()) + " -> " + placeOf(document, event).second);
  }
  EXPECT_EQ(from.size(), eventsWith(document, "ph", "f").size());
  return arrows;
}

TEST(ChromeTrace, OperationsAreRowsAboveTheWarps) {
  const warpscope::Run run = testing::makeStreamRun();
  expectFaithful(run);
  const Json document = exported(run).document;
  EXPECT_EQ(document["otherData"]["totals"]["operations"], run.streams->operations.size());
  EXPECT_EQ(document["otherData"]["operations"]["timed_by"], "model");
  std::map<std::string, int> rows;
  for (const char* category : {"call", "operation", "unit", "wait", "migration"}) {
    for (const Json& event : eventsWith(document, "cat", category)) {
      if (event["ph"] == "X" || event["ph"] == "i") ++rows[placeOf(document, event).first];
    }
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"host", 8},  // a graph has one call
                                              {"stream 1", 6},
                                              {"stream 1: waits", 4},
                                              {"stream 2, priority -5", 3},
                                              {"stream 2, priority -5: waits", 3},
                                              {"HtoD copies", 1},
                                              {"SMs", 5},
                                              {"DtoH copies", 1},
                                              {"page migrations", 1}}));
  const Json launch = eventsWith(document, "name", "chunk 1: launch")[1];  // the first is the host's call
  EXPECT_NEAR(launch["ts"].get<double>(), 2.8, 1e-6);
  EXPECT_NEAR(launch["dur"].get<double>(), 0.7, 1e-6);
  EXPECT_EQ(launch["args"]["kernel"], "scale");
  EXPECT_EQ(launch["args"]["first_block"], 8);
  EXPECT_EQ(launch["args"]["wait"], "waits for an event after the launch of chunk 0");
  EXPECT_FALSE(eventsWith(document, "name", "process_name").front()["args"]["name"] != "operations");
  EXPECT_EQ(placeOf(document, eventsWith(document, "cat", "region").front()).first, "b0 w0, chunk 0");
}

// Through an event and the wait for it, from a launch to what it triggers, from a call to each of its nodes.
TEST(ChromeTrace, ArrowsLeadFromOperationToOperation) {
  const Json document = exported(testing::makeStreamRun()).document;
  EXPECT_EQ(arrowsOf(document, "dependency"),
            (std::multiset<std::string>{
                "chunk 0: copy to the device -> chunk 0: launch", "chunk 0: launch -> chunk 1: launch",
                "chunk 1: launch -> chunk 1: copy to the host", "node 0: launch -> node 1: launch",
                "step 1: launch -> node 0: launch"}));
  EXPECT_EQ(arrowsOf(document, "dependent launch"),
            (std::multiset<std::string>{"chunk 0: launch -> step 1: launch"}));
  EXPECT_EQ(arrowsOf(document, "enqueued").size(), 7U) << "all but the event and the wait";
  EXPECT_TRUE(arrowsOf(document, "enqueued").contains("graph: launch -> node 1: launch"));
}

TEST(ChromeTrace, OperationsOfARangeAreCutThere) {
  const warpscope::Run run = testing::makeStreamRun();
  const double rate = run.trace.clocks.cycles_per_ns;
  const CycleRange range{static_cast<int64_t>(2000 * rate), static_cast<int64_t>(3200 * rate)};
  std::string text;
  writeChromeTrace(
      partOf(run, range), [&](std::string_view piece) { text += piece; }, range);
  const Json document = testing::parseJson(text);
  expectNested(document, 1);
  for (const Json& slice : eventsWith(document, "cat", "operation")) {
    EXPECT_GE(slice["ts"].get<double>(), 1.999);
    EXPECT_LE(slice["ts"].get<double>() + slice.value("dur", 0.0), 3.201);
  }
  EXPECT_TRUE(eventsWith(document, "name", "chunk 0: copy to the device").empty());
  EXPECT_EQ(arrowsOf(document, "dependency"),
            (std::multiset<std::string>{"chunk 0: launch -> chunk 1: launch"}));
}

TEST(ChromeTrace, NothingRecordedIsStillATrace) {
  warpscope::Run run = makeSyntheticRun();
  run.trace = {};
  const Json document = exported(run).document;
  EXPECT_EQ(document["otherData"]["totals"]["region_slices"], 0);
  EXPECT_TRUE(eventsWith(document, "ph", "X").empty());
}

// Instructions may issue before their probe reads the clock, which gives times before the launch's first
// instant.
TEST(ChromeTrace, NoTimeIsNegative) {
  warpscope::Run run = makeSyntheticRun();
  testing::addInstructions(run);
  run.trace.instructions.front().issue_cycles = -50;
  run.trace.instructions.front().waited_for = WarpState::kImcMiss;
  run.trace.instructions.front().waited_cycles = 10;
  const Json document = exported(run).document;
  EXPECT_EQ(document["otherData"]["time_origin_cycles"], -60);
  expectNested(document, 1);
}

// Two warps with the same name, and crossing spans (in a trace composed in memory), get threads of their own.
TEST(ChromeTrace, WhatWouldOverlapGetsATrackOfItsOwn) {
  warpscope::Run run = makeSyntheticRun();
  TraceWarp& warp = run.trace.warps.front();
  ASSERT_GE(warp.event_count, 4U);
  // The second event begins before the first: its span crosses the first's.
  run.trace.events[warp.first_event].clock_cycles = run.trace.events[warp.first_event + 2].clock_cycles - 5;
  const std::vector<TrackSlice> slices = spanSlices(run.trace, warp);
  run.trace.warps[1].block = warp.block;
  run.trace.warps[1].warp_in_block = warp.warp_in_block;
  EXPECT_EQ(trackCount(slices), 2U);
  const Json document = exported(run).document;
  expectNested(document, 1);
  expectNested(document, 1000);
}

TEST(ChromeTracks, TakeTheFirstThatIsFree) {
  Trace trace;
  // Three instructions at the same cycle, as a damaged recording may have them.
  for (const int64_t issue : {10, 10, 10, 20})
    trace.instructions.push_back({issue, 0, kFullMask, WarpState::kWait, 4});
  TraceWarp warp;
  warp.instruction_count = 4;
  const std::vector<TrackSlice> slices = instructionSlices(trace, warp);
  EXPECT_EQ(trackCount(slices), 3U);
  EXPECT_EQ(slices[0].begin_cycles, 6);
  EXPECT_EQ(slices[0].end_cycles, 11);
  EXPECT_EQ(slices[1].track, 1U);
  EXPECT_EQ(slices[3].track, 0U);
  EXPECT_EQ(slices[3].begin_cycles, 16);
}

TEST(ChromeTime, IsExactToTheCycleAndInMilliseconds) {
  for (const double rate : {0.4, 1.0, 1.755, 1.9696465433187815, 2.6}) {
    Trace trace;
    trace.clocks.cycles_per_ns = rate;
    const ChromeTime time(trace);
    for (const int64_t cycles :
         {int64_t{0}, int64_t{1}, int64_t{77}, int64_t{1'000'003}, int64_t{3'000'000'000}}) {
      const double here = time.at(cycles), next = time.at(cycles + 1);
      EXPECT_EQ(std::llround(here * time.cyclesPerUs()), cycles);
      EXPECT_GT(next, here);
      EXPECT_EQ(here + (next - here), next);
      EXPECT_EQ(here / 1000 + (next - here) / 1000, next / 1000);
    }
  }
}

}  // namespace
}  // namespace warpscope
