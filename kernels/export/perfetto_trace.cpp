#include "kernels/export/perfetto_trace.h"

#include <cmath>
#include <map>
#include <unordered_map>

#include "kernels/core/units.h"
#include "kernels/core/utf8.h"
#include "kernels/export/chrome_trace.h"
#include "kernels/export/proto_message.h"
#include "kernels/export/trace_events.h"

namespace warpscope {
namespace {

// Field numbers of protos/perfetto/trace in Perfetto's sources (github.com/google/perfetto), by message.
namespace trace_fields {
constexpr uint32_t kPacket = 1;  // trace.proto
}
namespace packet {  // trace_packet.proto
constexpr uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
constexpr uint32_t kIncrementalStateCleared = 1, kNeedsIncrementalState = 2;  // of kSequenceFlags
}  // namespace packet
namespace descriptor {  // track_event/track_descriptor.proto, counter_descriptor.proto
constexpr uint32_t kUuid = 1, kName = 2, kParent = 5, kCounter = 8, kChildOrdering = 11, kRank = 12;
constexpr uint32_t kExplicit = 3;  // of kChildOrdering: by rank
constexpr uint32_t kUnitName = 6;  // of kCounter
}  // namespace descriptor
namespace event {  // track_event/track_event.proto
constexpr uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kDoubleValue = 44,
                   kFlows = 47, kEndingFlows = 48;
constexpr uint32_t kBegin = 1, kEnd = 2, kInstant = 3, kCounterValue = 4;  // of kType
}  // namespace event
namespace annotation {  // track_event/debug_annotation.proto
constexpr uint32_t kName = 1, kUint = 3, kInt = 4, kDouble = 5, kText = 17;
}
namespace interned {  // interned_data/interned_data.proto; all of these have a number and a text
constexpr uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kTexts = 29;
constexpr uint32_t kNumber = 1, kText = 2;
}  // namespace interned

constexpr uint32_t kSequence = 1;
constexpr uint32_t kRootTrack = 1;

// The texts of one kind that the trace refers to by number, from 1 on.
class InternedTexts {
 public:
  explicit InternedTexts(uint32_t field) : field_(field) {}
  // The number of the text; a new one is added to `news`, which goes with the packet that uses it first.
  uint64_t number(const std::string& text, ProtoMessage& news) {
    const auto [found, added] = numbers_.try_emplace(text, numbers_.size() + 1);
    if (added) {
      ProtoMessage entry;
      entry.number(interned::kNumber, found->second);
      entry.text(interned::kText, repairedUtf8(text));
      news.message(field_, entry);
    }
    return found->second;
  }

 private:
  uint32_t field_;
  std::unordered_map<std::string, uint64_t> numbers_;
};

class PerfettoSink : public TraceEventSink {
 public:
  PerfettoSink(const Run& run, const WriteText& write)
      : run_(run), time_(run.trace, run.streams ? &*run.streams : nullptr), regions_(run), out_(write) {}

  void writeAll(const std::optional<CycleRange>& range) {
    ProtoMessage root;
    root.number(descriptor::kUuid, kRootTrack);
    root.text(descriptor::kName, repairedUtf8(fmt::format("{} {} on {}", run_.request.family,
                                                          run_.request.variant, run_.device.name)));
    root.number(descriptor::kChildOrdering, descriptor::kExplicit);
    addTrack(root);
    writeRun();
    writeTraceEvents(run_, range, *this);
  }

  void process(uint32_t process, const std::string& name, int64_t rank) override {
    addTrack(descriptorOf(idOf(process), kRootTrack, name, rank));
  }
  void track(EventTrack track, const std::string& name, int64_t rank) override {
    addTrack(descriptorOf(idOf(track.track), idOf(track.process), name, rank));
  }

  void span(EventTrack track, const TrackSlice& slice, const Span& span) override {
    begin(track, "region", regions_.name(span.region));
    annotateMask(span.mask);
    annotate("begin_cycles", slice.begin_cycles);
    annotate("cycles", slice.end_cycles - slice.begin_cycles);
    if (const uint32_t line = regions_.line(span.region); line > 0) annotate("line", int64_t{line});
    put(slice.begin_cycles);
    end(track, slice);
  }
  void instruction(EventTrack track, const TrackSlice& slice, const TraceInstruction& instruction) override {
    const bool listed = run_.listing != nullptr && instruction.listed < run_.listing->size();
    begin(track, "instruction", listed ? (*run_.listing)[instruction.listed].text : "instruction");
    annotateMask(instruction.mask);
    annotate("issue_cycles", instruction.issue_cycles);
    if (instruction.waited_for != WarpState::kSelected) {
      annotate("waited_cycles", int64_t{instruction.waited_cycles});
      annotate("waited_for", warpStateTitle(instruction.waited_for));
    }
    const uint32_t line = listed ? lineIn(run_.source_file, (*run_.listing)[instruction.listed]) : 0;
    if (line > 0) annotate("line", int64_t{line});
    put(slice.begin_cycles);
    end(track, slice);
  }
  void exit(EventTrack track, const TraceEvent& exit) override {
    start(track.track, event::kInstant, "exit", "exit");
    annotateMask(exit.mask);
    put(exit.clock_cycles);
  }
  void note(EventTrack track, const char* category, const std::string& text, uint64_t count) override {
    start(track.track, event::kInstant, category, text);
    annotate("count", static_cast<int64_t>(count));
    put(time_.originCycles());
  }
  void slice(EventTrack track, const NamedSlice& slice) override {
    const bool lasts = slice.begin_ns < slice.end_ns;
    start(track.track, lasts ? event::kBegin : event::kInstant, slice.category, slice.name);
    for (const SliceDetail& detail : slice.details)
      std::visit([&](const auto& value) { annotate(detail.name, value); }, detail.value);
    for (const SliceArrow& arrow : slice.leaving) event_.fixed(event::kFlows, arrow.number);
    for (const SliceArrow& arrow : slice.arriving) event_.fixed(event::kEndingFlows, arrow.number);
    putAt(time_.atNs(slice.begin_ns));
    if (!lasts) return;
    start(idOf(track.track), event::kEnd);
    putAt(time_.atNs(slice.end_ns));
  }
  // A counter is a track of its own.
  void counter(uint32_t process, const std::string& name, const char* unit, int64_t cycles,
               double value) override {
    const auto [found, added] = counters_.try_emplace({process, unit}, kFirstCounter + counters_.size());
    if (added) {
      ProtoMessage track = descriptorOf(found->second, idOf(process), name, -1), of_unit;
      of_unit.text(descriptor::kUnitName, unit);
      track.message(descriptor::kCounter, of_unit);
      addTrack(track);
    }
    start(found->second, event::kCounterValue);
    event_.real(event::kDoubleValue, value);
    put(cycles);
  }

 private:
  // Numbers of tracks: the root's, then those of trace_events.h, and the counters' beyond these.
  static constexpr uint64_t kFirstCounter = uint64_t{1} << 33;
  static uint64_t idOf(uint32_t track) { return uint64_t{track} + kRootTrack; }

  static ProtoMessage descriptorOf(uint64_t id, uint64_t parent, const std::string& name, int64_t rank) {
    ProtoMessage track;
    track.number(descriptor::kUuid, id);
    track.number(descriptor::kParent, parent);
    track.text(descriptor::kName, repairedUtf8(name));
    track.number(descriptor::kRank, rank);
    track.number(descriptor::kChildOrdering, descriptor::kExplicit);
    return track;
  }
  void addTrack(const ProtoMessage& track) {
    packet_.clear();
    packet_.message(packet::kTrackDescriptor, track);
    putPacket();
  }

  // An event is composed by start() and annotate(), and written by put().
  void start(uint64_t track, uint32_t type) {
    event_.clear();
    event_.number(event::kType, type);
    event_.number(event::kTrack, track);
  }
  void start(uint32_t track, uint32_t type, const char* category, const std::string& name) {
    start(idOf(track), type);
    event_.number(event::kCategory, categories_.number(category, interned_));
    event_.number(event::kName, names_.number(name, interned_));
  }
  void begin(EventTrack track, const char* category, const std::string& name) {
    start(track.track, event::kBegin, category, name);
  }
  void end(EventTrack track, const TrackSlice& slice) {
    start(idOf(track.track), event::kEnd);
    put(slice.end_cycles);
  }
  template <class Write>
  void annotateWith(const char* name, Write&& write) {
    annotation_.clear();
    annotation_.number(annotation::kName, annotation_names_.number(name, interned_));
    write();
    event_.message(event::kAnnotation, annotation_);
  }
  void annotate(const char* name, int64_t value) {
    annotateWith(name, [&] { annotation_.number(annotation::kInt, value); });
  }
  void annotate(const char* name, double value) {
    annotateWith(name, [&] { annotation_.real(annotation::kDouble, value); });
  }
  void annotate(const char* name, const std::string& text) {
    annotateWith(name, [&] { annotation_.number(annotation::kText, texts_.number(text, interned_)); });
  }
  void annotateMask(LaneMask mask) { annotate("lanes", formatMask(mask)); }

  void put(int64_t cycles) { putAt(time_.at(cycles)); }
  void putAt(double us) {
    packet_.clear();
    packet_.number(packet::kTimestamp, static_cast<uint64_t>(std::llround(us * 1000)));
    if (!interned_.empty()) packet_.message(packet::kInternedData, interned_);
    interned_.clear();
    packet_.message(packet::kTrackEvent, event_);
    putPacket();
  }
  void putPacket() {
    packet_.number(packet::kSequence, kSequence);
    packet_.number(packet::kSequenceFlags,
                   first_ ? packet::kIncrementalStateCleared | packet::kNeedsIncrementalState
                          : packet::kNeedsIncrementalState);
    first_ = false;
    trace_.clear();
    trace_.message(trace_fields::kPacket, packet_);
    out_.put(trace_.bytes());
  }

  void writeRun() {
    start(0, event::kInstant, "run", "run");
    annotate("family", run_.request.family);
    annotate("variant", run_.request.variant);
    for (const auto& [name, value] : run_.request.parameters)
      annotate(name.c_str(), parameterText(run_, name));
    annotate("device", run_.device.name);
    annotate("provenance", std::string(provenanceName(run_.device.provenance)));
    annotate("created", run_.created);
    annotate("time_origin_cycles", time_.originCycles());
    if (time_.clockKnown()) annotate("cycles_per_us", time_.cyclesPerUs());
    annotate("kernel_with_probes_cycles", run_.trace.duration_cycles);
    annotate("warps", static_cast<int64_t>(run_.trace.warps.size()));
    annotate("unrecorded_warps", static_cast<int64_t>(run_.trace.unrecorded_warps));
    annotate("dropped_events", static_cast<int64_t>(run_.trace.dropped_events));
    annotate("verified", int64_t{run_.verification.passed});
    if (run_.streams) {
      const StreamTiming& timing = run_.streams->timing;
      annotate("operations", static_cast<int64_t>(run_.streams->operations.size()));
      annotate("operations_timed_by", std::string(streamClockName(timing.clock)));
      annotate("operations_uncertainty_ns", timing.uncertainty_ns);
      if (!timing.problem.empty()) annotate("timing_problem", timing.problem);
    }
    put(time_.originCycles());
  }

  const Run& run_;
  const ChromeTime time_;
  const RegionNames regions_;
  TextWriter out_;
  InternedTexts categories_{interned::kCategories}, names_{interned::kNames},
      annotation_names_{interned::kAnnotationNames}, texts_{interned::kTexts};
  std::map<std::pair<uint32_t, std::string>, uint64_t> counters_;  // process and unit -> number of the track
  ProtoMessage event_, annotation_, interned_, packet_, trace_;    // reused from event to event
  bool first_ = true;
};

}  // namespace

void writePerfettoTrace(const Run& run, const WriteText& write, const std::optional<CycleRange>& range) {
  PerfettoSink(run, write).writeAll(range);
}

}  // namespace warpscope
