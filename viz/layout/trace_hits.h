// Where something occurs in a run's trace: the warps of a block or an SM, or those that execute a region or
// an instruction, each with its first time. A trace can be long, so it is searched a bounded part at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "viz/layout/trace_layout.h"

namespace warpscope {

// What is looked for: warps that fulfil everything that is set.
struct TraceSearch {
  std::optional<uint32_t> block, warp_in_block, sm;
  // By region or by index into Run::listing, whether it is looked for; both empty: any time of the warp.
  std::vector<bool> regions, listed;
};

struct TraceHit {
  uint32_t warp = 0;                // index into Trace::warps
  int64_t begin = 0, end = 0;       // cycles on the launch axis: the first time there, or the whole warp
  std::optional<uint32_t> ordinal;  // of the instruction among the warp's, if instructions are looked for
};

class TraceHits {
 public:
  TraceHits() = default;  // nothing, and finished
  explicit TraceHits(TraceSearch search) : search_(std::move(search)), finished_(false) {}

  // Looks at about `steps` further warps, spans and instructions of the run and its layout, which must be the
  // same at every call. True: everything has been looked at.
  bool advance(const Run& run, const TraceLayout& layout, size_t steps);
  bool finished() const { return finished_; }
  // So far; in the order of Trace::warps, one for each warp.
  const std::vector<TraceHit>& hits() const { return hits_; }

 private:
  bool wants(const TraceWarp& warp) const;
  // True: the warp has been looked at.
  bool lookAt(uint32_t index, const TraceWarp& warp, const TraceLayout& layout, size_t& steps);

  TraceSearch search_;
  bool finished_ = true;
  uint32_t warp_ = 0;  // the next
  size_t part_ = 0;    // the next of its spans or instructions
  std::vector<TraceHit> hits_;
};

}  // namespace warpscope
