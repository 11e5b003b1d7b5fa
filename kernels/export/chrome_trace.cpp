#include "kernels/export/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/export/chrome_parts.h"
#include "kernels/metrics/metrics.h"
#include "kernels/run/run.h"

namespace warpscope {
namespace {

// About a picosecond: 2^-30 ms. Viewers use milliseconds; multiples of this are exact in both units and add
// up without rounding, for up to a minute.
constexpr double kGridUs = 125.0 / (1 << 27);
constexpr size_t kMostLaneSteps = 20'000;

ChromeTotals totalsOf(const Run& run, const ChromeTime& time) {
  ChromeTotals totals;
  for (const TraceWarp& warp : run.trace.warps) {
    for (const TrackSlice& slice : spanSlices(run.trace, warp)) {
      ++totals.region_slices;
      totals.region_cycles += slice.end_cycles - slice.begin_cycles;
      totals.region_us += time.at(slice.end_cycles) - time.at(slice.begin_cycles);
    }
    totals.instruction_slices += warp.instruction_count;
    for (const TraceEvent& event : run.trace.eventsOf(warp))
      totals.exit_events += event.region == kExitRegion;
  }
  return totals;
}

std::string timeNote(const Run& run, const ChromeTime& time) {
  std::string note =
      "ts is the launch axis: microseconds since the first recorded instant of the launch. Clocks of one SM "
      "are exact to its cycles";
  const auto& uncertainty_ns = run.trace.clocks.uncertainty_ns;
  note += uncertainty_ns ? fmt::format("; between SMs they are uncertain by {:.0f} ns.", *uncertainty_ns)
                         : "; nothing ties all of the SMs to each other: do not compare their times.";
  if (!time.clockKnown()) note += " The clock's rate is not known: 1 cycle is shown as 1 ns.";
  return note;
}

Json otherData(const Run& run, const ChromeTime& time, const ChromeTotals& totals) {
  const Trace& trace = run.trace;
  Json parameters = Json::object();
  for (const auto& [name, value] : run.request.parameters) parameters[name] = parameterText(run, name);
  Json data = {{"family", run.request.family},
               {"variant", run.request.variant},
               {"parameters", std::move(parameters)},
               {"device", run.device.name},
               {"provenance", provenanceName(run.device.provenance)},
               {"created", run.created},
               {"time", timeNote(run, time)},
               {"time_origin_cycles", time.originCycles()},
               {"source_file", run.source_file},
               {"verified", run.verification.passed},
               {"totals",
                {{"warps", trace.warps.size()},
                 {"unrecorded_warps", trace.unrecorded_warps},
                 {"region_slices", totals.region_slices},
                 {"region_cycles", totals.region_cycles},
                 {"region_us", totals.region_us},
                 {"exit_events", totals.exit_events},
                 {"instruction_slices", totals.instruction_slices},
                 {"dropped_events", trace.dropped_events},
                 {"launch_cycles", trace.duration_cycles}}}};
  if (!run.device.driver.empty()) data["driver"] = run.device.driver;
  if (time.clockKnown()) data["cycles_per_us"] = time.cyclesPerUs();
  return data;
}

class Writer {
 public:
  Writer(const Run& run, const WriteText& write) : run_(run), time_(run.trace), regions_(run), out_(write) {
    uint32_t most = 0;
    for (const TraceWarp& warp : run.trace.warps) most = std::max(most, warp.sm.value);
    launch_pid_ = pidOf(SmId{most}) + 1;
    next_tid_ = launch_pid_ + 1;  // threads and processes have different numbers: a viewer could confuse them
    for (uint32_t id = 0; id < 256; ++id) names_.push_back(jsonText(regions_.name(RegionId{id})));
    if (run.listing != nullptr) {
      for (const ListedInstruction& listed : *run.listing) listing_.push_back(jsonText(listed.text));
    }
  }

  ChromeTotals writeAll() {
    const ChromeTotals totals = totalsOf(run_, time_);
    out_.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\n\"traceEvents\":[",
               otherData(run_, time_, totals).dump(1));
    writeLaunch();
    std::set<SmId> sms;
    for (const TraceWarp& warp : run_.trace.warps) sms.insert(warp.sm);
    for (const SmId sm : sms) writeSm(sm);
    int64_t row = 0;
    for (const TraceWarp& warp : run_.trace.warps) writeWarp(warp, row++);
    out_.put("\n]}\n");
    return totals;
  }

 private:
  static uint32_t pidOf(SmId sm) { return sm.value + 1; }  // viewers do not accept a process 0

  // Every event begins with this.
  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    out_.put(first_ ? "\n" : ",\n");
    first_ = false;
    out_.print(format, std::forward<Args>(args)...);
  }

  void nameProcess(uint32_t pid, const std::string& name, uint32_t sort_index) {
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})", pid, jsonText(name));
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"process_sort_index","args":{{"sort_index":{}}}}})", pid,
          sort_index);
  }

  uint32_t addThread(uint32_t pid, const std::string& name, int64_t sort_index) {
    const uint32_t tid = next_tid_++;
    event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", pid, tid,
          jsonText(name));
    event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", pid, tid,
          sort_index);
    return tid;
  }

  // Whatever belongs to no SM: the lanes of all recorded warps, and the run's notes about its trace.
  void writeLaunch() {
    nameProcess(launch_pid_,
                fmt::format("{} {}, all recorded warps", run_.request.family, run_.request.variant), 0);
    const ActiveLanes lanes = activeLanes(run_.trace, kMostLaneSteps);
    const std::string name = lanes.mean_over_cycles == 0 ? "active lanes"
                                                         : fmt::format("active lanes (mean over {})",
                                                                       formatCycles(lanes.mean_over_cycles));
    for (const ActiveLanes::Step& step : lanes.steps) {
      event(R"({{"ph":"C","pid":{},"tid":0,"name":"{}","ts":{},"args":{{"lanes":{}}}}})", launch_pid_, name,
            time_.at(step.cycles), step.lanes);
    }
    if (run_.trace.problems.empty() && (!run_.hazards || run_.hazards->empty())) return;
    const uint32_t tid = addThread(launch_pid_, "notes on the whole launch", 0);
    for (const TraceProblem& problem : run_.trace.problems)
      writeNote(tid, "problem", problem.cause, problem.count);
    for (const Hazard& hazard : run_.hazards.value_or(std::vector<Hazard>{}))
      writeNote(tid, "hazard", hazard.message, hazard.count);
  }

  void writeNote(uint32_t tid, const char* category, const std::string& text, uint64_t count) {
    event(R"({{"ph":"i","cat":"{}","s":"p","pid":{},"tid":{},"ts":{},"name":{},"args":{{"count":{}}}}})",
          category, launch_pid_, tid, time_.at(time_.originCycles()), jsonText(text), count);
  }

  void writeSm(SmId sm) {
    nameProcess(pidOf(sm), fmt::format("SM {}", sm.value), pidOf(sm));
    for (const Residency& step : residency(run_.trace, sm)) {
      const double ts = time_.at(step.cycles);
      event(R"({{"ph":"C","pid":{},"tid":0,"name":"resident blocks","ts":{},"args":{{"blocks":{}}}}})",
            pidOf(sm), ts, step.blocks);
      event(R"({{"ph":"C","pid":{},"tid":0,"name":"resident warps","ts":{},"args":{{"warps":{}}}}})",
            pidOf(sm), ts, step.warps);
    }
  }

  void writeWarp(const TraceWarp& warp, int64_t row) {
    const std::string name = fmt::format("b{} w{}", warp.block.value, warp.warp_in_block);
    const std::vector<TrackSlice> spans = spanSlices(run_.trace, warp);
    const std::vector<TrackSlice> instructions = instructionSlices(run_.trace, warp);
    std::vector<uint32_t> span_tids, instruction_tids;
    for (uint32_t i = 0; i < std::max(1U, trackCount(spans)); ++i)
      span_tids.push_back(addThread(pidOf(warp.sm), name, 2 * row));
    for (uint32_t i = 0; i < trackCount(instructions); ++i)
      instruction_tids.push_back(addThread(pidOf(warp.sm), name + " instructions", 2 * row + 1));
    writeSpans(warp, spans, span_tids);
    writeExits(warp, span_tids.front());
    writeInstructions(warp, instructions, instruction_tids);
  }

  // ph, pid, tid, ts, dur
  void beginSlice(const TraceWarp& warp, uint32_t tid, const char* category, const TrackSlice& slice) {
    const double ts = time_.at(slice.begin_cycles);
    event(R"({{"ph":"X","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)", category, pidOf(warp.sm), tid, ts,
          time_.at(slice.end_cycles) - ts);
  }

  void writeSpans(const TraceWarp& warp, const std::vector<TrackSlice>& slices,
                  const std::vector<uint32_t>& tids) {
    std::vector<Span> spans;
    spans.reserve(slices.size());
    forEachSpan(run_.trace, warp, [&](const Span& span) { spans.push_back(span); });
    for (const TrackSlice& slice : slices) {
      const Span& span = spans[slice.index];
      beginSlice(warp, tids[slice.track], "region", slice);
      out_.print(R"("name":{},"args":{{"lanes":"{}","lane_count":{},"begin_cycles":{},"cycles":{})",
                 names_[span.region.value & 0xFFU], formatMask(span.mask), span.mask.count(),
                 slice.begin_cycles, slice.end_cycles - slice.begin_cycles);
      putLine(regions_.line(span.region));
      out_.put("}}");
    }
  }

  void writeExits(const TraceWarp& warp, uint32_t tid) {
    for (const TraceEvent& exit : run_.trace.eventsOf(warp)) {
      if (exit.region != kExitRegion) continue;
      event(R"({{"ph":"i","cat":"exit","s":"t","pid":{},"tid":{},"ts":{},"name":"exit",)", pidOf(warp.sm),
            tid, time_.at(exit.clock_cycles));
      out_.print(R"("args":{{"lanes":"{}","lane_count":{}}}}})", formatMask(exit.mask), exit.mask.count());
    }
  }

  void writeInstructions(const TraceWarp& warp, const std::vector<TrackSlice>& slices,
                         const std::vector<uint32_t>& tids) {
    const auto instructions = run_.trace.instructionsOf(warp);
    for (const TrackSlice& slice : slices) {
      const TraceInstruction& instruction = instructions[slice.index];
      beginSlice(warp, tids[slice.track], "instruction", slice);
      const bool listed = instruction.listed < listing_.size();
      out_.print(R"("name":{},"args":{{"lanes":"{}","lane_count":{},"issue_cycles":{},"waited_cycles":{})",
                 listed ? std::string_view(listing_[instruction.listed]) : "\"instruction\"",
                 formatMask(instruction.mask), instruction.mask.count(), instruction.issue_cycles,
                 instruction.waited_cycles);
      if (instruction.waited_for != WarpState::kSelected)
        out_.print(R"(,"waited_for":"{}")", warpStateTitle(instruction.waited_for));
      if (listed) putLine(lineIn(run_.source_file, (*run_.listing)[instruction.listed]));
      out_.put("}}");
    }
  }

  void putLine(uint32_t line) {
    if (line > 0) out_.print(R"(,"line":{})", line);
  }

  const Run& run_;
  const ChromeTime time_;
  const RegionNames regions_;
  TextWriter out_;
  std::vector<std::string> names_, listing_;  // as JSON
  uint32_t launch_pid_ = 0, next_tid_ = 0;
  bool first_ = true;
};

}  // namespace

ChromeTime::ChromeTime(const Trace& trace)
    : clock_known_(trace.clocks.cycles_per_ns > 0 && std::isfinite(trace.clocks.cycles_per_ns)) {
  if (clock_known_) cycles_per_us_ = trace.clocks.cycles_per_ns * 1000;
  // Viewers do not accept times before zero, but an instruction may issue before its probe first reads the
  // clock.
  for (const TraceWarp& warp : trace.warps) {
    origin_cycles_ = std::min(origin_cycles_, warp.begin_cycles);
    for (const TrackSlice& slice : instructionSlices(trace, warp))
      origin_cycles_ = std::min(origin_cycles_, slice.begin_cycles);
  }
}

double ChromeTime::at(int64_t cycles) const {
  return std::round((static_cast<double>(cycles) - static_cast<double>(origin_cycles_)) / cycles_per_us_ /
                    kGridUs) *
         kGridUs;
}

ChromeTotals writeChromeTrace(const Run& run, const WriteText& write) {
  return Writer(run, write).writeAll();
}

}  // namespace warpscope
