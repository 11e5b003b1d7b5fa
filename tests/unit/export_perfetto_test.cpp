// Perfetto traces contain exactly what the trace does: read again by another decoder, with names looked up as
// a viewer does.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/core/units.h"
#include "kernels/export/perfetto_trace.h"
#include "kernels/export/trace_events.h"
#include "kernels/export/trace_part.h"
#include "kernels/metrics/metrics.h"
#include "tests/support/awkward_run.h"
#include "tests/support/proto_decoder.h"
#include "tests/support/stream_run.h"

namespace warpscope {
namespace {

using testing::makeSyntheticRun;
using testing::protoField;
using testing::protoFields;

struct ReadEvent {
  uint64_t ns = 0, track = 0, type = 0;
  std::string category, name;
  std::map<std::string, std::string> annotations;
  double value = 0;
  std::vector<uint64_t> flows, ending_flows;
};
struct ReadTrack {
  uint64_t parent = 0;
  std::string name, unit;
};
struct ReadTrace {
  std::map<uint64_t, ReadTrack> tracks;
  std::vector<ReadEvent> events;

  std::vector<ReadEvent> ofCategory(const std::string& category) const {
    std::vector<ReadEvent> found;
    std::ranges::copy_if(events, std::back_inserter(found),
                         [&](const ReadEvent& event) { return event.category == category; });
    return found;
  }
};

// As Perfetto's documentation says that interned texts are read.
class Reader {
 public:
  ReadTrace read(std::string_view file) {
    for (const auto& packet : protoFields(file)) {
      EXPECT_EQ(packet.number, 1U);
      readPacket(protoFields(packet.bytes));
    }
    return std::move(trace_);
  }

 private:
  using Fields = std::vector<testing::ProtoField>;

  void readPacket(const Fields& packet) {
    EXPECT_EQ(protoField(packet, 10).value, 1U) << "the sequence";
    // Only the first packet may forget what was interned before.
    EXPECT_EQ(protoField(packet, 13).value, trace_.tracks.empty() ? 3U : 2U);
    for (const auto& field : protoFields(protoField(packet, 12).bytes)) {
      const Fields entry = protoFields(field.bytes);
      const bool added =
          texts_[field.number].emplace(protoField(entry, 1).value, protoField(entry, 2).bytes).second;
      EXPECT_TRUE(added) << "a number that is given twice";
    }
    if (const auto track = protoField(packet, 60); track.number != 0) readTrack(protoFields(track.bytes));
    if (const auto event = protoField(packet, 11); event.number != 0) {
      readEvent(protoField(packet, 8).value, protoFields(event.bytes));
    }
  }
  void readTrack(const Fields& fields) {
    ReadTrack track{protoField(fields, 5).value, std::string(protoField(fields, 2).bytes),
                    std::string(protoField(protoFields(protoField(fields, 8).bytes), 6).bytes)};
    EXPECT_TRUE(track.parent == 0 || trace_.tracks.contains(track.parent)) << track.name;
    EXPECT_TRUE(trace_.tracks.emplace(protoField(fields, 1).value, track).second) << track.name;
  }
  void readEvent(uint64_t ns, const Fields& fields) {
    ReadEvent event{ns, protoField(fields, 11).value, protoField(fields, 9).value};
    EXPECT_TRUE(trace_.tracks.contains(event.track));
    if (const auto category = protoField(fields, 3); category.number != 0)
      event.category = text(1, category.value);
    if (const auto name = protoField(fields, 10); name.number != 0) event.name = text(2, name.value);
    event.value = protoField(fields, 44).real();
    for (const auto& field : fields) {
      if (field.number == 47) event.flows.push_back(field.value);
      if (field.number == 48) event.ending_flows.push_back(field.value);
      if (field.number != 4) continue;
      const Fields annotation = protoFields(field.bytes);
      const std::string name = text(3, protoField(annotation, 1).value);
      const auto number = protoField(annotation, 4), words = protoField(annotation, 17);
      event.annotations[name] = number.number != 0  ? std::to_string(static_cast<int64_t>(number.value))
                                : words.number != 0 ? text(29, words.value)
                                                    : std::to_string(protoField(annotation, 5).real());
    }
    trace_.events.push_back(std::move(event));
  }
  std::string text(uint32_t kind, uint64_t number) {
    const auto found = texts_[kind].find(number);
    EXPECT_NE(found, texts_[kind].end()) << "text " << number << " of kind " << kind;
    return found == texts_[kind].end() ? std::string() : found->second;
  }

  ReadTrace trace_;
  std::map<uint32_t, std::map<uint64_t, std::string>> texts_;
};

ReadTrace readBack(const warpscope::Run& run) {
  std::string file;
  writePerfettoTrace(run, [&](std::string_view piece) { file += piece; });
  return Reader().read(file);
}

// Slices of a track begin and end in turns, and time does not go back.
void expectTurns(const ReadTrace& trace) {
  std::map<uint64_t, std::pair<uint64_t, int>> tracks;  // time and open slices
  for (const ReadEvent& event : trace.events) {
    if (event.type > 2) continue;
    auto& [ns, open] = tracks[event.track];
    EXPECT_GE(event.ns, ns);
    ns = event.ns;
    open += event.type == 1 ? 1 : -1;
    EXPECT_TRUE(open == 0 || open == 1);
  }
  for (const auto& [track, state] : tracks) EXPECT_EQ(state.second, 0) << track;
}

void expectSameTrace(const warpscope::Run& run) {
  const ReadTrace trace = readBack(run);
  int64_t wanted_cycles = 0, cycles = 0;
  size_t wanted = 0, exits = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    forEachSpan(run.trace, warp, [&](const Span& span) {
      ++wanted;
      wanted_cycles += span.end_cycles - span.begin_cycles;
    });
    for (const TraceEvent& event : run.trace.eventsOf(warp)) exits += event.region == kExitRegion;
  }
  const auto regions = trace.ofCategory("region");
  for (const ReadEvent& slice : regions) cycles += std::stoll(slice.annotations.at("cycles"));
  EXPECT_EQ(regions.size(), wanted);
  EXPECT_EQ(cycles, wanted_cycles);
  EXPECT_EQ(trace.ofCategory("instruction").size(), run.trace.instructions.size());
  EXPECT_EQ(trace.ofCategory("exit").size(), exits);
  EXPECT_EQ(trace.ofCategory("problem").size(), run.trace.problems.size());
  expectTurns(trace);
}

TEST(PerfettoTrace, HoldsEverySpanAndInstructionOnce) {
  for (const char* variant : {"even_odd", "warp_aligned"}) {
    for (const int64_t block : {32, 80, 256}) {
      warpscope::Run run = makeSyntheticRun("divergence", variant, block);
      expectSameTrace(run);
      testing::addInstructions(run);
      expectSameTrace(run);
    }
  }
  expectSameTrace(testing::makeAwkwardRun());
  warpscope::Run nothing = makeSyntheticRun();
  nothing.trace = {};
  expectSameTrace(nothing);
}

TEST(PerfettoTrace, TracksAreSmsAndWarpsOfTheRun) {
  const warpscope::Run run = makeSyntheticRun();
  const ReadTrace trace = readBack(run);
  std::multiset<std::string> sms, warps;
  for (const auto& [id, track] : trace.tracks) {
    if (track.parent == 0) {
      EXPECT_EQ(track.name, "divergence even_odd on Synthetic H100");
      continue;
    }
    const ReadTrack& parent = trace.tracks.at(track.parent);
    if (parent.parent == 0) {
      sms.insert(track.name);
    } else if (track.unit.empty()) {
      warps.insert(parent.name + " " + track.name);
    }
  }
  EXPECT_EQ(sms.size(), 5U);  // four SMs, and what belongs to no SM
  EXPECT_TRUE(sms.contains("SM 3"));
  std::multiset<std::string> wanted;
  for (const TraceWarp& warp : run.trace.warps)
    wanted.insert(fmt::format("SM {} b{} w{}", warp.sm.value, warp.block.value, warp.warp_in_block));
  EXPECT_EQ(warps, wanted);
}

TEST(PerfettoTrace, SlicesSayWhatTheirSpansSay) {
  const warpscope::Run run = makeSyntheticRun();
  const ReadTrace trace = readBack(run);
  const auto slices = trace.ofCategory("region");
  const auto odd = std::ranges::find(slices, "odd path", &ReadEvent::name);
  ASSERT_NE(odd, slices.end());
  EXPECT_EQ(odd->annotations.at("lanes"), "0xAAAAAAAA");
  EXPECT_EQ(odd->annotations.at("line"), "8");
  const double ns = std::stod(odd->annotations.at("begin_cycles")) / run.trace.clocks.cycles_per_ns;
  EXPECT_NEAR(static_cast<double>(odd->ns), ns, 0.51);
  const auto about = trace.ofCategory("run");
  ASSERT_EQ(about.size(), 1U);
  EXPECT_EQ(about[0].annotations.at("device"), "Synthetic H100");
  EXPECT_EQ(about[0].annotations.at("size"), "2^16");
  EXPECT_EQ(about[0].annotations.at("warps"), std::to_string(run.trace.warps.size()));
}

TEST(PerfettoTrace, OperationsAreTracksWithArrows) {
  const warpscope::Run run = testing::makeStreamRun();
  expectSameTrace(run);
  const ReadTrace trace = readBack(run);
  std::map<uint64_t, std::string> from;
  std::multiset<std::string> arrows;
  for (const ReadEvent& event : trace.events) {
    for (const uint64_t flow : event.flows)
      EXPECT_TRUE(
          from.emplace(flow, fmt::format("{}: {}", trace.tracks.at(event.track).name, event.name)).second);
  }
  for (const ReadEvent& event : trace.ofCategory("operation")) {
    EXPECT_TRUE(event.annotations.contains("waited_ns"));
    for (const uint64_t flow : event.ending_flows) {
      arrows.insert(from.at(flow) + " -> " + event.name);
      from.erase(flow);
    }
  }
  EXPECT_TRUE(from.empty()) << "an arrow that ends nowhere";
  EXPECT_TRUE(arrows.contains("host: graph: launch -> node 1: launch"));
  EXPECT_TRUE(arrows.contains("stream 1: chunk 0: launch -> chunk 1: launch"));
  EXPECT_TRUE(arrows.contains("stream 1: chunk 0: launch -> step 1: launch"));
  EXPECT_EQ(arrows.size(), 13U);
  const auto about = trace.ofCategory("run");
  EXPECT_EQ(about[0].annotations.at("operations"), "9");
  EXPECT_EQ(about[0].annotations.at("operations_timed_by"), "model");
}

TEST(PerfettoTrace, CountersAreWhatMetricsSay) {
  const warpscope::Run run = makeSyntheticRun();
  const ReadTrace trace = readBack(run);
  std::map<std::string, std::vector<double>> values;
  for (const ReadEvent& event : trace.events) {
    if (event.type == 4) values[trace.tracks.at(event.track).name].push_back(event.value);
  }
  size_t wanted = 0;
  for (uint32_t sm = 0; sm < 4; ++sm) wanted += residency(run.trace, SmId{sm}).size();
  EXPECT_EQ(values["resident warps"].size(), wanted);
  EXPECT_EQ(values["resident blocks"].size(), wanted);
  EXPECT_EQ(values["resident blocks"].back(), 0);
  EXPECT_EQ(values["active lanes"].back(), 0);
}

// Sums over parts that share no cycle are the sums over the whole.
TEST(TracePart, PartsAddUp) {
  warpscope::Run run = makeSyntheticRun();
  testing::addInstructions(run);
  const int64_t end = run.trace.duration_cycles + 1;
  LaneCycles sums;
  size_t instructions = 0;
  for (int64_t from = 0; from < end; from += 333) {
    const warpscope::Run part = partOf(run, {from, from + 333});
    const LaneCycles cycles = laneCycles(part.trace);
    sums.executing += cycles.executing;
    sums.exited += cycles.exited;
    instructions += part.trace.instructions.size();
    for (const TraceWarp& warp : part.trace.warps) {
      EXPECT_GE(warp.begin_cycles, from);
      EXPECT_LE(warp.end_cycles, from + 333);
    }
    expectSameTrace(part);
  }
  const LaneCycles whole = laneCycles(run.trace);
  EXPECT_EQ(sums.executing, whole.executing);
  EXPECT_EQ(sums.exited, whole.exited);
  const auto late = std::ranges::count_if(run.trace.instructions, [&](const TraceInstruction& instruction) {
    return instruction.issue_cycles < 0 || instruction.issue_cycles >= (end + 332) / 333 * 333;
  });
  EXPECT_EQ(instructions + static_cast<size_t>(late), run.trace.instructions.size());
}

TEST(TracePart, NothingIsThereOutside) {
  const warpscope::Run run = makeSyntheticRun();
  const warpscope::Run part = partOf(run, {run.trace.duration_cycles * 10, run.trace.duration_cycles * 20});
  EXPECT_TRUE(part.trace.warps.empty());
  EXPECT_EQ(part.request.variant, run.request.variant);
  expectSameTrace(part);
}

}  // namespace
}  // namespace warpscope
