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
  if (run.streams) totals.operations = run.streams->operations.size();
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
      fmt::format("ts is the launch axis: microseconds since {}. Clocks of one SM are exact to its cycles",
                  run.streams ? "the host's first call" : "the first recorded instant of the launch");
  const auto& uncertainty_ns = run.trace.clocks.uncertainty_ns;
  note += uncertainty_ns ? fmt::format("; between SMs they are uncertain by {:.0f} ns.", *uncertainty_ns)
                         : "; nothing ties all of the SMs to each other: do not compare their times.";
  if (!time.clockKnown()) note += " The clock's rate is not known: 1 cycle is shown as 1 ns.";
  return note;
}

Json timingOf(const StreamTiming& timing) {
  Json data = {{"timed_by", streamClockName(timing.clock)},
               {"uncertainty_ns", timing.uncertainty_ns},
               {"host_uncertainty_ns", timing.host_uncertainty_ns}};
  if (timing.gpu_uncertainty_ns > 0) data["gpu_uncertainty_ns"] = timing.gpu_uncertainty_ns;
  if (!timing.problem.empty()) data["timing_problem"] = timing.problem;
  return data;
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
  if (run.streams) {
    data["totals"]["operations"] = totals.operations;
    data["operations"] = timingOf(run.streams->timing);
  }
  if (time.clockKnown()) data["cycles_per_us"] = time.cyclesPerUs();
  return data;
}

class ChromeSink : public TraceEventSink {
 public:
  ChromeSink(const Run& run, const WriteText& write)
      : run_(run), time_(run.trace, run.streams ? &*run.streams : nullptr), regions_(run), out_(write) {
    for (uint32_t id = 0; id < 256; ++id) names_.push_back(jsonText(regions_.name(RegionId{id})));
    if (run.listing != nullptr) {
      for (const ListedInstruction& listed : *run.listing) listing_.push_back(jsonText(listed.text));
    }
  }

  ChromeTotals writeAll(const std::optional<CycleRange>& range) {
    const ChromeTotals totals = totalsOf(run_, time_);
    out_.print("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\n\"traceEvents\":[",
               otherData(run_, time_, totals).dump(1));
    writeTraceEvents(run_, range, *this);
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

  void slice(EventTrack track, const NamedSlice& slice) override {
    const double ts = time_.atNs(slice.begin_ns), dur = time_.atNs(slice.end_ns) - ts;
    event(R"({{"ph":"{}","cat":"{}","pid":{},"tid":{},"ts":{},)", dur > 0 ? "X" : "i", slice.category,
          track.process, track.track, ts);
    out_.put(dur > 0 ? fmt::format(R"("dur":{},)", dur) : R"("s":"t",)");
    out_.print(R"("name":{},"args":{{)", jsonText(slice.name));
    for (size_t i = 0; i < slice.details.size(); ++i) {
      out_.print(R"({}"{}":)", i == 0 ? "" : ",", slice.details[i].name);
      std::visit([&](const auto& value) { putValue(value); }, slice.details[i].value);
    }
    out_.put("}}");
    for (const SliceArrow& arrow : slice.leaving) putArrow("s", track, arrow);
    for (const SliceArrow& arrow : slice.arriving) putArrow(R"(f","bp":"e)", track, arrow);
  }

 private:
  void putValue(const std::string& text) { out_.put(jsonText(text)); }
  template <class Number>
  void putValue(Number number) {
    out_.print("{}", number);
  }
  void putArrow(const char* phase, EventTrack track, const SliceArrow& arrow) {
    event(R"({{"ph":"{}","id":{},"cat":"{}","name":"{}","pid":{},"tid":{},"ts":{}}})", phase, arrow.number,
          arrow.category, arrow.category, track.process, track.track, time_.atNs(arrow.at_ns));
  }

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

ChromeTime::ChromeTime(const Trace& trace, const StreamLog* streams)
    : clock_known_(trace.clocks.cycles_per_ns > 0 && std::isfinite(trace.clocks.cycles_per_ns)) {
  if (clock_known_) cycles_per_us_ = trace.clocks.cycles_per_ns * 1000;
  // Viewers do not accept times before zero, but an instruction may issue before its probe first reads the
  // clock.
  for (const TraceWarp& warp : trace.warps) {
    origin_cycles_ = std::min(origin_cycles_, warp.begin_cycles);
    for (const TrackSlice& slice : instructionSlices(trace, warp))
      origin_cycles_ = std::min(origin_cycles_, slice.begin_cycles);
  }
  if (streams == nullptr) return;
  // A measured begin may be before the host's first call, as far as the clocks are uncertain.
  for (const StreamOperation& operation : streams->operations) {
    const double first_ns = std::min(operation.enqueue_ns, operation.begin_ns);
    origin_cycles_ =
        std::min(origin_cycles_, static_cast<int64_t>(std::floor(first_ns * cycles_per_us_ / 1000)));
  }
}

double ChromeTime::at(int64_t cycles) const {
  return atExactly(static_cast<double>(cycles));
}

double ChromeTime::atNs(double ns) const {
  return atExactly(ns * cycles_per_us_ / 1000);
}

double ChromeTime::atExactly(double cycles) const {
  return std::round((cycles - static_cast<double>(origin_cycles_)) / cycles_per_us_ / kGridUs) * kGridUs;
}

ChromeTotals writeChromeTrace(const Run& run, const WriteText& write,
                              const std::optional<CycleRange>& range) {
  return ChromeSink(run, write).writeAll(range);
}

}  // namespace warpscope
