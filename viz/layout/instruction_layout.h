// The instructions that each recorded warp issued, ready to be drawn: in the order of time, with a
// level-of-detail pyramid over them. Built once per run, off the UI thread, and immutable. It knows nothing
// of colours, of ImGui, or of the selection.
//
// An instruction's slot lasts from when the warp could have issued it until it did: the cycles that it
// waited, then the one in which it issued. Slots follow each other without overlap. A fold sums slots:
// instructions, executing lanes and waited cycles are conserved exactly; its state is the one with the most
// cycles and its region the one with the most instructions, where a node counts only for its own state and
// region.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/run/run.h"
#include "viz/layout/pyramid.h"
#include "viz/layout/region_index.h"

namespace warpscope {

struct InstructionSlot {
  int64_t begin = 0, end = 0;                   // cycles on the launch axis; it issued in the last of them
  LaneMask mask;                                // lanes that executed it
  uint32_t listed = 0;                          // index into Run::listing
  RegionIndex region = kNoRegion;               // the region of its source line
  WarpState waited_for = WarpState::kSelected;  // kSelected: it did not wait

  int64_t issue() const { return end - 1; }
  int64_t waited() const { return end > begin ? end - 1 - begin : 0; }
};

// One slot, or several folded into one.
struct InstructionItem {
  int64_t begin = 0, end = 0;
  uint32_t first = 0;  // index into InstructionLayout::slots()
  uint32_t count = 1;
  uint64_t lanes = 0;         // executing lanes, summed over the instructions
  int64_t waited_cycles = 0;  // summed over the instructions
  LaneMask mask;              // union over all its instructions
  RegionIndex region = kNoRegion;
  WarpState waited_for = WarpState::kSelected;  // the longest wait; kSelected: it did not wait

  bool folded() const { return count > 1; }
  double meanLanes() const { return static_cast<double>(lanes) / count; }
  // The share of its cycles in which the warp issued.
  double issuedShare() const {
    return end > begin ? static_cast<double>(count) / static_cast<double>(end - begin) : 1;
  }
};

class InstructionLayout {
 public:
  InstructionLayout() = default;
  // Keeps no reference to the run. Accepts any trace: what is out of order or out of range is clamped.
  explicit InstructionLayout(const Run& run);

  bool empty() const { return slots_.empty(); }
  std::span<const InstructionSlot> slots() const { return slots_; }
  std::span<const InstructionSlot> slotsOf(uint32_t warp) const;
  // Index into slots() of a warp's first slot.
  uint32_t firstSlot(uint32_t warp) const { return warp < warps_.size() ? warps_[warp].first_slot : 0; }
  // The states that any of the warps waited in, the one with the most cycles first.
  std::span<const WarpState> waits() const { return waits_; }

  // Appends the items of a warp that intersect [begin, end), in order; items are not cut at the range. Items
  // narrower than `fold_cycles` are folded with their neighbours up to that width.
  void collect(uint32_t warp, double begin, double end, double fold_cycles,
               std::vector<InstructionItem>& out) const;

  // The slot of a warp at that instant, as an index into slots(); nullopt if there is none.
  std::optional<uint32_t> pick(uint32_t warp, double cycle) const;

 private:
  struct Node {
    int64_t begin = 0, end = 0;
    uint64_t count = 0, lanes = 0;
    int64_t waited_cycles = 0, state_cycles = 0;  // in state `waited_for`
    uint64_t region_count = 0;                    // in `region`
    LaneMask mask;
    RegionIndex region = kNoRegion;
    WarpState waited_for = WarpState::kSelected;
  };
  // The sums of a fold so far. Few regions occur in one fold; those after the first kCandidates are not
  // considered.
  struct Fold {
    static constexpr size_t kCandidates = 6;
    uint64_t count = 0, lanes = 0;
    int64_t waited_cycles = 0;
    LaneMask mask;
    std::array<int64_t, kWarpStates> state_cycles{};
    std::array<std::pair<RegionIndex, uint64_t>, kCandidates> regions;  // the first `candidates`
    size_t candidates = 0;

    void add(const InstructionSlot& slot);
    void add(const Node& node);
    void compete(RegionIndex region, uint64_t instructions);
    WarpState state() const;
    std::pair<RegionIndex, uint64_t> region() const;
    Node node(int64_t begin, int64_t end) const;
  };
  struct WarpRow {
    uint32_t first_slot = 0, slot_count = 0;
    size_t first_node = 0;  // in the pyramid
  };

  std::vector<InstructionSlot> slots_;
  Pyramid<Node, Fold> pyramid_;
  std::vector<WarpRow> warps_;
  std::vector<WarpState> waits_;
};

// The region that each listed instruction's source line belongs to.
std::vector<RegionIndex> regionsOfListing(const Run& run);

}  // namespace warpscope
