#include "kernels/export/chrome_trace.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/chrome_parts.h"
#include "kernels/export/trace_events.h"
#include "kernels/run/run.h"

namespace warpscope {
namespace {

// About a picosecond: 2^-30 ms. Viewers use milliseconds; multiples of this are exact in both units and add
// up without rounding, for up to a minute.
constexpr double kGridUs = 125.0 / (1 << 27);

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
                 {"kernel_with_probes_cycles", trace.duration_cycles}}}};
  if (!run.device.driver.empty()) data["driver"] = run.device.driver;
  if (time.clockKnown()) data["cycles_per_us"] = time.cyclesPerUs();
  return data;
}

class ChromeSink : public TraceEventSink {
 public:
  ChromeSink(const Run& run, const WriteText& write)
      : run_(run), time_(run.trace), regions_(run), out_(write) {
    for (uint32_t id = 0; id < 256; ++id) names_.push_back(jsonText(regions_.name(RegionId{id})));
    if (run.listing != nullptr) {
      for (const ListedInstruction& listed : *run.listing) listing_.push_back(jsonText(listed.text));
    }
  }

  ChromeTotals writeAll() {
    const ChromeTotals totals = totalsOf(run_, time_);
    out_.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\n\"traceEvents\":[",
               otherData(run_, time_, totals).dump(1));
    writeTraceEvents(run_, *this);
    out_.put("\n]}\n");
    return totals;
  }

  void process(uint32_t process, const std::string& name, int64_t rank) override {
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})", process,
          jsonText(name));
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"process_sort_index","args":{{"sort_index":{}}}}})", process,
          rank);
  }

  void track(EventTrack track, const std::string& name, int64_t rank) override {
    event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track.process,
          track.track, jsonText(name));
    event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
          track.process, track.track, rank);
  }

  void counter(uint32_t process, const std::string& name, const char* unit, int64_t cycles,
               double value) override {
    event(R"({{"ph":"C","pid":{},"tid":0,"name":"{}","ts":{},"args":{{"{}":{}}}}})", process, name,
          time_.at(cycles), unit, value);
  }

  void note(EventTrack track, const char* category, const std::string& text, uint64_t count) override {
    event(R"({{"ph":"i","cat":"{}","s":"p","pid":{},"tid":{},"ts":{},"name":{},"args":{{"count":{}}}}})",
          category, track.process, track.track, time_.at(time_.originCycles()), jsonText(text), count);
  }

  void span(EventTrack track, const TrackSlice& slice, const Span& span) override {
    beginSlice(track, "region", slice);
    out_.print(R"("name":{},"args":{{"lanes":"{}","lane_count":{},"begin_cycles":{},"cycles":{})",
               names_[span.region.value & 0xFFU], formatMask(span.mask), span.mask.count(),
               slice.begin_cycles, slice.end_cycles - slice.begin_cycles);
    putLine(regions_.line(span.region));
    out_.put("}}");
  }

  void exit(EventTrack track, const TraceEvent& exit) override {
    event(R"({{"ph":"i","cat":"exit","s":"t","pid":{},"tid":{},"ts":{},"name":"exit",)", track.process,
          track.track, time_.at(exit.clock_cycles));
    out_.print(R"("args":{{"lanes":"{}","lane_count":{}}}}})", formatMask(exit.mask), exit.mask.count());
  }

  // There are many more of these than of anything else, so that what other members tell is left out.
  void instruction(EventTrack track, const TrackSlice& slice, const TraceInstruction& instruction) override {
    beginSlice(track, "instruction", slice);
    const bool listed = instruction.listed < listing_.size();
    out_.print(R"("name":{},"args":{{"lanes":"{}","issue_cycles":{})",
               listed ? std::string_view(listing_[instruction.listed]) : "\"instruction\"",
               formatMask(instruction.mask), instruction.issue_cycles);
    if (instruction.waited_for != WarpState::kSelected) {
      out_.print(R"(,"waited_cycles":{},"waited_for":"{}")", instruction.waited_cycles,
                 warpStateTitle(instruction.waited_for));
    }
    if (listed) putLine(lineIn(run_.source_file, (*run_.listing)[instruction.listed]));
    out_.put("}}");
  }

 private:
  // Every event begins with this.
  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    out_.put(first_ ? "\n" : ",\n");
    first_ = false;
    out_.print(format, std::forward<Args>(args)...);
  }

  // ph, pid, tid, ts, dur
  void beginSlice(EventTrack track, const char* category, const TrackSlice& slice) {
    const double ts = time_.at(slice.begin_cycles);
    event(R"({{"ph":"X","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)", category, track.process,
          track.track, ts, time_.at(slice.end_cycles) - ts);
  }

  void putLine(uint32_t line) {
    if (line > 0) out_.print(R"(,"line":{})", line);
  }

  const Run& run_;
  const ChromeTime time_;
  const RegionNames regions_;
  TextWriter out_;
  std::vector<std::string> names_, listing_;  // as JSON
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
  return ChromeSink(run, write).writeAll();
}

}  // namespace warpscope
