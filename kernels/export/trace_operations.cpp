#include "kernels/export/trace_operations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "kernels/metrics/operation_rows.h"

namespace warpscope {
namespace {

// An arrow begins within a slice, and viewers do not count its end.
constexpr double kBeforeEndNs = 1;

class OperationWriter {
 public:
  OperationWriter(const Run& run, uint32_t process, uint32_t& next_track,
                  const std::optional<CycleRange>& range, TraceEventSink& sink)
      : log_(*run.streams), process_(process), next_track_(next_track), sink_(sink) {
    const double rate = run.trace.clocks.cycles_per_ns;
    if (!range || !(rate > 0)) return;
    begin_ns_ = static_cast<double>(range->begin) / rate;
    end_ns_ = static_cast<double>(range->end) / rate;
  }

  void writeAll() {
    sink_.process(process_, "operations", -1);
    addArrows();
    for (const OperationRow& row : operationRows(log_)) writeRow(row);
  }

 private:
  struct Cut {
    double begin_ns = 0, end_ns = 0;
    bool within = false;
  };
  Cut cut(double begin_ns, double end_ns) const {
    return {std::clamp(begin_ns, begin_ns_, end_ns_), std::clamp(end_ns, begin_ns_, end_ns_),
            end_ns >= begin_ns_ && begin_ns < end_ns_};
  }
  static bool lasts(const Cut& slice) { return slice.within && slice.begin_ns < slice.end_ns; }
  Cut onGpu(uint32_t operation) const {
    return cut(log_.operations[operation].begin_ns, log_.operations[operation].end_ns);
  }
  Cut callOf(uint32_t operation) const {
    return cut(log_.operations[operation].enqueue_ns, log_.operations[operation].enqueued_ns);
  }

  // From `from`, which begins no later, to `to`.
  void addArrow(std::vector<SliceArrow>& leaving, const Cut& from, uint32_t to, const char* category) {
    const Cut target = onGpu(to);
    if (!lasts(from) || !lasts(target) || target.begin_ns < from.begin_ns) return;
    const double latest = std::max(from.begin_ns, from.end_ns - kBeforeEndNs);
    const uint64_t id = ++arrows_;
    leaving.push_back({id, category, std::min(latest, target.begin_ns)});
    arriving_[to].push_back({id, category, target.begin_ns});
  }

  // The operations that take time which `operation` had to wait for, through the events and waits between.
  std::set<uint32_t> lastingBefore(uint32_t operation) const {
    std::set<uint32_t> found, seen;
    std::vector<uint32_t> open{operation};
    while (!open.empty()) {
      const StreamOperation& at = log_.operations[open.back()];
      open.pop_back();
      for (const uint32_t before : at.after) {
        if (!seen.insert(before).second) continue;
        if (log_.operations[before].begin_ns < log_.operations[before].end_ns) {
          found.insert(before);
        } else {
          open.push_back(before);
        }
      }
    }
    return found;
  }

  void addArrows() {
    uint32_t call = 0;  // the operation whose call enqueued this one; a graph has one call
    for (uint32_t i = 0; i < log_.operations.size(); ++i) {
      const StreamOperation& operation = log_.operations[i];
      if (i == 0 || !operation.graph || log_.operations[i - 1].graph != operation.graph) call = i;
      addArrow(from_call_[call], callOf(call), i, "enqueued");
      for (const uint32_t before : lastingBefore(i))
        addArrow(leaving_[before], onGpu(before), i, "dependency");
      if (operation.primary)
        addArrow(leaving_[*operation.primary], onGpu(*operation.primary), i, "dependent launch");
    }
  }

  // The first track of the row's that is free by then: launches on one stream may overlap.
  class Tracks {
   public:
    Tracks(OperationWriter& writer, std::string name, int64_t rank)
        : writer_(writer), name_(std::move(name)), rank_(rank) {}
    EventTrack freeFor(const Cut& slice) {
      for (auto& [track, free_from] : tracks_) {
        if (free_from > slice.begin_ns) continue;
        free_from = slice.end_ns;
        return track;
      }
      const EventTrack track{writer_.process_, writer_.next_track_++};
      writer_.sink_.track(track, name_, rank_);
      tracks_.emplace_back(track, slice.end_ns);
      return track;
    }

   private:
    OperationWriter& writer_;
    std::string name_;
    int64_t rank_;
    std::vector<std::pair<EventTrack, double>> tracks_;
  };

  void writeRow(const OperationRow& row) {
    const std::string name = operationRowName(log_, row);
    Tracks tracks(*this, name, rank_++), waits(*this, name + ": waits", rank_++);
    std::vector<OperationBar> bars = row.bars;
    std::ranges::stable_sort(bars, {}, &OperationBar::begin_ns);
    for (const OperationBar& bar : bars) {
      const Cut slice = cut(bar.begin_ns, bar.end_ns);
      if (slice.within) sink_.slice(tracks.freeFor(slice), sliceOf(row, bar, slice));
    }
    for (const OperationBar& gap : row.gaps) {
      const Cut slice = cut(gap.begin_ns, gap.end_ns);
      if (lasts(slice)) sink_.slice(waits.freeFor(slice), gapOf(gap, slice));
    }
  }

  NamedSlice sliceOf(const OperationRow& row, const OperationBar& bar, const Cut& cut) const {
    if (bar.migration) return migrationOf(log_.migrations[*bar.migration], cut);
    const StreamOperation& operation = log_.operations[bar.operation];
    NamedSlice slice{"operation", operationTitle(operation), cut.begin_ns, cut.end_ns};
    if (row.kind == OperationRow::Kind::kUnit) slice.category = "unit";
    if (row.kind == OperationRow::Kind::kHost) {
      slice.category = "call";
      if (operation.graph) slice.name = log_.graphs[*operation.graph].name + ": launch";
      if (const auto found = from_call_.find(bar.operation); found != from_call_.end())
        slice.leaving = found->second;
    }
    if (row.kind != OperationRow::Kind::kStream) return slice;
    if (const auto found = leaving_.find(bar.operation); found != leaving_.end())
      slice.leaving = found->second;
    if (const auto found = arriving_.find(bar.operation); found != arriving_.end())
      slice.arriving = found->second;
    slice.details = detailsOf(bar.operation);
    return slice;
  }

  std::vector<SliceDetail> detailsOf(uint32_t index) const {
    const StreamOperation& operation = log_.operations[index];
    std::vector<SliceDetail> details{{"operation", int64_t{index}},
                                     {"kind", std::string(operationKindName(operation.kind))},
                                     {"stream", log_.streams[operation.stream].name}};
    if (log_.gpus() > 1) details.push_back({"gpu", int64_t{operation.gpu}});
    if (operation.kind == OperationKind::kLaunch) {
      details.push_back({"kernel", operation.kernel});
      details.push_back({"first_block", int64_t{operation.first_block}});
      details.push_back({"blocks", int64_t{operation.blocks}});
    }
    if (operation.bytes > 0) details.push_back({"bytes", static_cast<int64_t>(operation.bytes)});
    if (operation.memory) details.push_back({"memory", std::string(hostMemoryName(*operation.memory))});
    if (operation.graph) details.push_back({"graph", log_.graphs[*operation.graph].name});
    details.push_back({"begin_ns", operation.begin_ns});
    details.push_back({"duration_ns", operation.end_ns - operation.begin_ns});
    details.push_back({"waited_ns", operation.waitedNs()});
    if (std::string text = log_.waitText(operation); !text.empty())
      details.push_back({"wait", std::move(text)});
    return details;
  }

  NamedSlice gapOf(const OperationBar& gap, const Cut& cut) const {
    const StreamOperation& operation = log_.operations[gap.operation];
    std::string text = operation.waited_for == StreamWait::kNothing ? "" : log_.waitText(operation);
    if (text.empty()) {
      text = operation.graph ? "the graph's launch: what the GPU takes to begin its first nodes"
                             : "what the GPU takes to begin it";
    }
    return {"wait", text, cut.begin_ns, cut.end_ns, {{"operation", int64_t{gap.operation}}}};
  }

  NamedSlice migrationOf(const PageMigration& migration, const Cut& cut) const {
    return {"migration",
            fmt::format("pages to the {}", migration.to_device ? "device" : "host"),
            cut.begin_ns,
            cut.end_ns,
            {{"operation", int64_t{migration.operation}},
             {"touched_by", operationTitle(log_.operations[migration.operation])},
             {"faults", int64_t{migration.faults}},
             {"bytes", static_cast<int64_t>(migration.bytes)}}};
  }

  const StreamLog& log_;
  const uint32_t process_;
  uint32_t& next_track_;
  TraceEventSink& sink_;
  double begin_ns_ = std::numeric_limits<double>::lowest(), end_ns_ = std::numeric_limits<double>::max();
  int64_t rank_ = 0;
  uint64_t arrows_ = 0;
  // By operation, on the row of its stream; and by that whose call it is, on the host's.
  std::map<uint32_t, std::vector<SliceArrow>> leaving_, arriving_, from_call_;
};

}  // namespace

void writeOperationEvents(const Run& run, uint32_t process, uint32_t& next_track,
                          const std::optional<CycleRange>& range, TraceEventSink& sink) {
  if (run.streams) OperationWriter(run, process, next_track, range, sink).writeAll();
}

}  // namespace warpscope
