#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "kernels/sim/simt/decode_layout.h"

namespace warpscope::sim {

namespace {

constexpr uint64_t kMostBits = uint64_t{1} << 26;  // bits of liveness; beyond this, rows stay as they are
constexpr uint32_t kNone = 0xFFFFFFFFU;

struct Register {
  uint32_t row = 0, width = 1;                  // where it is now
  uint32_t begin = kNone, end = 0, placed = 0;  // first and last instruction at which it is live
};

std::span<Row> sourcesOf(Instruction& in) {
  return {in.sources.data(), in.source_count};
}
std::span<Row> destinationsOf(Instruction& in) {
  return {in.destinations.data(), in.destination_count};
}

class RowSharing {
 public:
  RowSharing(const FunctionLayout& layout, CodeFunction& function, Code& code)
      : function_(function), code_(code), register_at_(layout.row_count, kNone) {
    for (size_t i = 0; i < layout.rows.size(); ++i) {
      const Row row = layout.rows[i];
      if (row.index < 0) continue;
      register_at_[static_cast<size_t>(row.index)] = static_cast<uint32_t>(registers_.size());
      const uint32_t bytes = ptx::bytesOf(layout.function->registers[i].type);
      registers_.push_back({.row = static_cast<uint32_t>(row.index), .width = std::max(bytes / 4, 1U)});
    }
    words_ = (registers_.size() + 63) / 64;
  }

  void share() {
    cutBlocks();
    if (uint64_t{words_} * 64 * blocks_.size() > kMostBits) return;
    solve();
    for (uint32_t block = 0; block < blocks_.size(); ++block) measure(block);
    place();
    rename();
  }

 private:
  using Bits = std::vector<uint64_t>;
  struct Block {
    uint32_t first = 0, end = 0;
    std::vector<uint32_t> successors;
    Bits live_in, live_out;
  };

  uint32_t registerAt(Row row) const { return register_at_[static_cast<size_t>(row.index)]; }

  static bool goesOn(const Instruction& in) {
    const bool leaves = in.kind == Kind::kBranch || in.kind == Kind::kReturn || in.kind == Kind::kExit ||
                        in.kind == Kind::kTrap;
    return !leaves || in.guard != kNoPredicate;
  }

  // The segments of this function serve as its basic blocks; a branch leads to the beginning of one.
  void cutBlocks() {
    const auto in_function = [&](uint32_t pc) { return pc >= function_.entry && pc < function_.end; };
    for (uint32_t s = code_.segment_of[function_.entry]; s < code_.segments.size(); ++s) {
      const Segment& segment = code_.segments[s];
      if (!in_function(segment.first)) break;
      if (blocks_.empty()) first_segment_ = s;
      Block block{.first = segment.first, .end = segment.first + segment.count};
      const auto leads_to = [&](uint32_t pc) {
        if (in_function(pc)) block.successors.push_back(code_.segment_of[pc] - first_segment_);
      };
      const Instruction& last = code_.instructions[block.end - 1];
      if (goesOn(last)) leads_to(block.end);
      if (last.kind == Kind::kBranch) leads_to(last.target);
      if (last.kind == Kind::kIndirectBranch) {
        for (const uint32_t target : code_.tables[last.table]) leads_to(target);
      }
      block.live_in.assign(words_, 0);
      block.live_out.assign(words_, 0);
      blocks_.push_back(std::move(block));
    }
  }

  static void set(Bits& bits, uint32_t i) { bits[i / 64] |= uint64_t{1} << i % 64; }
  static void clear(Bits& bits, uint32_t i) { bits[i / 64] &= ~(uint64_t{1} << i % 64); }

  // Computes what is live before an instruction from what is live after it. A destination written under a
  // guard may keep its old value, so it stays live.
  void stepBack(Instruction& in, Bits& live) const {
    if (in.guard == kNoPredicate) {
      for (const Row row : destinationsOf(in)) {
        if (isRegister(row)) clear(live, registerAt(row));
      }
    }
    for (const Row row : sourcesOf(in)) {
      if (isRegister(row)) set(live, registerAt(row));
    }
  }

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        Block& block = blocks_[b];
        Bits live(words_, 0);
        for (const uint32_t successor : block.successors) {
          for (size_t w = 0; w < words_; ++w) live[w] |= blocks_[successor].live_in[w];
        }
        block.live_out = live;
        for (uint32_t pc = block.end; pc-- > block.first;) stepBack(code_.instructions[pc], live);
        if (live == block.live_in) continue;
        block.live_in = std::move(live);
        changed = true;
      }
    }
  }

  void liveAt(uint32_t index, uint32_t pc) {
    Register& one = registers_[index];
    one.begin = one.begin == kNone ? pc : std::min(one.begin, pc);
    one.end = std::max(one.end, pc);
  }
  void liveAt(const Bits& live, uint32_t pc) {
    for (size_t w = 0; w < words_; ++w) {
      for (uint64_t rest = live[w]; rest != 0; rest &= rest - 1) {
        liveAt(static_cast<uint32_t>(w * 64) + static_cast<uint32_t>(std::countr_zero(rest)), pc);
      }
    }
  }

  // An instruction's destinations are live at it, as its sources are: it may write one while it still reads
  // the other.
  void measure(uint32_t index) {
    Block& block = blocks_[index];
    liveAt(block.live_in, block.first);
    liveAt(block.live_out, block.end - 1);
    for (uint32_t pc = block.first; pc < block.end; ++pc) {
      Instruction& in = code_.instructions[pc];
      for (const Row row : sourcesOf(in)) {
        if (isRegister(row)) liveAt(registerAt(row), pc);
      }
      for (const Row row : destinationsOf(in)) {
        if (isRegister(row)) liveAt(registerAt(row), pc);
      }
    }
  }

  // Lanes have other positions in one row of 32-bit elements than in two rows of 64-bit elements, and lanes
  // on other paths have values of their own. So registers share rows only with those of the same layout; a
  // 128-bit register counts as two of 64 bits.
  void place() {
    function_.rows = 0;
    for (const bool wide : {false, true}) place(wide);
  }

  // Gives each register the lowest rows that are free from its beginning on, after those of the other layout.
  void place(bool wide) {
    const uint32_t unit = wide ? 2 : 1, first = (function_.rows + unit - 1) / unit * unit;
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < registers_.size(); ++i) {
      if (registers_[i].begin != kNone && (registers_[i].width > 1) == wide) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return registers_[a].begin < registers_[b].begin; });
    std::vector<uint32_t> taken_until;  // by unit: one past the last instruction at which it is taken
    for (const uint32_t i : order) {
      Register& one = registers_[i];
      const uint32_t count = one.width / unit;
      uint32_t at = 0;
      for (uint32_t free = 0; free < count; ++at) {
        const bool is_free = at >= taken_until.size() || taken_until[at] <= one.begin;
        free = is_free ? free + 1 : 0;
      }
      one.placed = first + (at - count) * unit;
      if (taken_until.size() < at) taken_until.resize(at, 0);
      std::fill(taken_until.begin() + (at - count), taken_until.begin() + at, one.end + 1);
    }
    function_.rows = first + static_cast<uint32_t>(taken_until.size()) * unit;
  }

  void rename() {
    const auto move = [&](Row& row) {
      if (isRegister(row)) row.index = static_cast<int32_t>(registers_[registerAt(row)].placed);
    };
    for (uint32_t pc = function_.entry; pc < function_.end; ++pc) {
      std::ranges::for_each(sourcesOf(code_.instructions[pc]), move);
      std::ranges::for_each(destinationsOf(code_.instructions[pc]), move);
    }
  }

  CodeFunction& function_;
  Code& code_;
  std::vector<Register> registers_;
  std::vector<uint32_t> register_at_;  // by row: the register that begins there
  size_t words_ = 0;
  uint32_t first_segment_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace

void shareRows(const FunctionLayout& layout, uint32_t function, Code& code) {
  if (layout.row_count == 0 || code.functions[function].entry == code.functions[function].end) return;
  RowSharing(layout, code.functions[function], code).share();
}

}  // namespace warpscope::sim
