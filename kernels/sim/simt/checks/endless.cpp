#include "kernels/sim/simt/checks/endless.h"

#include <algorithm>
#include <bit>

#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::sim {
namespace {

constexpr uint32_t kMostSegments = 2048;  // in one round of a loop
constexpr uint32_t kSampledSegments = 64;

class Hash {
 public:
  void add(uint64_t value) { state_ = (std::rotl(state_, 23) ^ value) * 0x9E3779B97F4A7C15U; }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x243F6A8885A308D3U;
};

// A hash of everything but memory that decides what the warp does next.
uint64_t stateOf(const Code& code, const Warp& warp) {
  Hash hash;
  hash.add(warp.exited);
  hash.add(warp.current);
  for (const Path& path : warp.paths) {
    hash.add(uint64_t{path.pc} << 32 | path.mask);
    hash.add(uint64_t{path.join} << 32 | path.frame);
    hash.add(static_cast<uint64_t>(path.state));
  }
  for (const Join& join : warp.joins) {
    if (join.used) hash.add(uint64_t{join.expected} << 32 | join.arrived);
  }
  for (const Frame& frame : warp.frames) {
    const CodeFunction& function = code.functions[frame.function];
    const uint64_t words = uint64_t{function.rows} * kRowWords + function.predicates;
    for (uint64_t i = 0; i < words; ++i) hash.add(frame.rows[i]);
  }
  return hash.value();
}

// Executes one more segment, including its memory accesses, and records where it was.
void step(ResidentBlock& resident, uint32_t index, EndlessLoop& loop) {
  Warp& warp = resident.block.warp(index);
  const SegmentResult result = resident.block.runSegment(warp, resident.hooks);
  if (result.stop == Stop::kMemory) resident.block.finishMemory(warp, resident.hooks);
  if (result.executed == 0) return;
  loop.pcs.push_back(result.first_pc);
  if (result.mask != 0) loop.lane = static_cast<uint32_t>(std::countr_zero(result.mask));
  const Code& code = *resident.block.launch().code;
  for (uint32_t pc = result.first_pc; pc < result.first_pc + result.executed; ++pc) {
    const Kind kind = code.instructions[pc].kind;
    if (!loop.asks && (kind == Kind::kLoad || kind == Kind::kAtomic || kind == Kind::kMbarrier))
      loop.asks = pc;
  }
}

bool canRun(ResidentBlock& resident, uint32_t warp) {
  return !resident.waits[warp] && !resident.block.warp(warp).done() && resident.block.fault() == nullptr;
}

bool comesBack(ResidentBlock& resident, uint32_t index, EndlessLoop& loop) {
  const Code& code = *resident.block.launch().code;
  const Warp& warp = resident.block.warp(index);
  const uint64_t changes = resident.checks.changes();
  const uint64_t state = stateOf(code, warp);
  for (uint32_t i = 0; i < kMostSegments; ++i) {
    step(resident, index, loop);
    if (!canRun(resident, index) || !resident.block.released().empty()) return false;
    if (resident.checks.changes() != changes) return false;
    if (stateOf(code, warp) == state) return true;
  }
  return false;
}

}  // namespace

std::optional<EndlessLoop> findEndlessLoop(ResidentBlocks& blocks) {
  std::optional<EndlessLoop> found;
  for (auto& resident : blocks.residents()) {
    for (uint32_t i = 0; i < resident->block.warpCount(); ++i) {
      if (!canRun(*resident, i)) continue;
      EndlessLoop loop;
      loop.resident = resident.get();
      loop.warp = i;
      if (!comesBack(*resident, i, loop)) return std::nullopt;
      if (!found || (loop.asks && !found->asks)) found = std::move(loop);
    }
  }
  return found;
}

EndlessLoop sampleLoop(ResidentBlock& resident, uint32_t index) {
  EndlessLoop loop;
  loop.resident = &resident;
  loop.warp = index;
  for (uint32_t i = 0; i < kSampledSegments && canRun(resident, index); ++i) step(resident, index, loop);
  return loop;
}

}  // namespace warpscope::sim
