#include "kernels/execute/instruction_log.h"

#include <map>
#include <utility>
#include <vector>

namespace warpscope {

void addInstructions(Trace& trace, const ModelledReport& report) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> warp_of;  // (block, warp in block) -> index
  for (size_t i = 0; i < trace.warps.size(); ++i) {
    warp_of.emplace(std::pair(trace.warps[i].block.value, trace.warps[i].warp_in_block), i);
  }
  std::map<uint32_t, int64_t> offset_of;  // SM -> what must be added to its clock to get the launch axis
  for (const SmClock& clock : trace.clocks.sms) offset_of.emplace(clock.sm.value, clock.offset_cycles);

  constexpr size_t kUnknown = SIZE_MAX;
  std::vector<size_t> owner;
  owner.reserve(report.log.size());
  for (const LoggedInstruction& logged : report.log) {
    const auto found = warp_of.find({logged.block.value, logged.warp_in_block});
    owner.push_back(found == warp_of.end() ? kUnknown : found->second);
    if (owner.back() != kUnknown) ++trace.warps[owner.back()].instruction_count;
  }
  uint32_t total = 0;
  std::vector<uint32_t> next;
  for (TraceWarp& warp : trace.warps) {
    warp.first_instruction = total;
    next.push_back(total);
    total += warp.instruction_count;
  }
  trace.instructions.resize(total);
  for (size_t i = 0; i < report.log.size(); ++i) {
    if (owner[i] == kUnknown) continue;
    const LoggedInstruction& logged = report.log[i];
    const int64_t offset = offset_of[trace.warps[owner[i]].sm.value];
    trace.instructions[next[owner[i]]++] = {static_cast<int64_t>(logged.cycle) + offset, logged.instruction,
                                            logged.mask, logged.waited_for, logged.waited_cycles};
  }
  trace.dropped_instructions = report.log_dropped;
}

}  // namespace warpscope
