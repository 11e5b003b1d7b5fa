#include "tests/support/plain_machine_code.h"

#include <algorithm>
#include <map>

namespace warpscope::sim {
namespace {

bool isMemory(Kind kind) {
  return kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kAtomic || kind == Kind::kReduction ||
         kind == Kind::kAsyncCopy || kind == Kind::kMbarrier;
}

Pipe pipeOf(const Instruction& in) {
  if (isMemory(in.kind) || in.kind == Kind::kWarpRegister) return Pipe::kLoadStore;
  if (in.ends_segment) return Pipe::kBranch;
  return in.type == ptx::Type::kF32 ? Pipe::kFp32 : Pipe::kInt;
}

// The rows and predicates of all functions, numbered in order of occurrence.
class Numbers {
 public:
  void add(uint16_t* to, uint8_t& count, uint8_t most, uint64_t key) {
    if (count < most)
      to[count++] = static_cast<uint16_t>(known_.try_emplace(key, known_.size()).first->second);
  }
  void add(uint16_t* to, uint8_t& count, uint8_t most, uint32_t function, Row row) {
    if (row.index >= 0 && row.index != kSinkRow)
      add(to, count, most, key(function, static_cast<uint32_t>(row.index)));
  }
  void add(uint16_t* to, uint8_t& count, uint8_t most, uint32_t function, PredicateIndex predicate) {
    if (predicate != kNoPredicate) add(to, count, most, key(function, 0x1000'0000U + predicate));
  }
  uint32_t count() const { return static_cast<uint32_t>(known_.size()); }

 private:
  static uint64_t key(uint32_t function, uint32_t index) { return uint64_t{function} << 32 | index; }
  std::map<uint64_t, size_t> known_;
};

}  // namespace

MachineCode plainMachineCode(const Code& code, const DeviceProfile& profile) {
  MachineCode machine;
  Numbers numbers;
  machine.predicated_branch.assign(code.instructions.size(), false);
  machine.meets_at_sync.assign(code.instructions.size(), false);
  machine.exit_branch.assign(code.instructions.size(), false);
  machine.yields.assign(code.instructions.size(), false);
  for (uint32_t index = 0; index < code.segments.size(); ++index) {
    const Segment& segment = code.segments[index];
    MachineSegment to{.first = segment.first, .count = segment.count, .group_first = index};
    for (uint32_t pc = segment.first; pc < segment.first + segment.count; ++pc) {
      const Instruction& in = code.instructions[pc];
      const uint32_t function = code.function_of[pc];
      MachineOp op{.pipe = pipeOf(in), .pc = pc};
      if (isMemory(in.kind)) op.access = static_cast<int16_t>(to.accesses++);
      op.latency_cycles = static_cast<uint16_t>(profile.pipes[static_cast<size_t>(op.pipe)].latency_cycles);
      op.ends_segment = pc + 1 == segment.first + segment.count;
      op.branch = in.kind == Kind::kBranch;
      for (uint8_t i = 0; i < in.source_count; ++i) {
        numbers.add(op.sources, op.source_count, 6, function, in.sources[i]);
      }
      for (const PredicateIndex predicate : in.predicate_sources) {
        numbers.add(op.sources, op.source_count, 6, function, predicate);
      }
      numbers.add(op.sources, op.source_count, 6, function, in.guard);
      for (uint8_t i = 0; i < in.destination_count; ++i) {
        numbers.add(op.destinations, op.destination_count, 4, function, in.destinations[i]);
      }
      for (const PredicateIndex predicate : in.predicate_destinations) {
        numbers.add(op.destinations, op.destination_count, 4, function, predicate);
      }
      machine.ops.push_back(op);
    }
    machine.segments.push_back(to);
  }
  machine.registers = numbers.count();
  machine.registers_per_thread = 32;
  return machine;
}

DeviceProfile testProfile(uint32_t sm_count) {
  DeviceProfile profile;
  profile.id = "sim:test";
  profile.name = "Test GPU";
  profile.limits = {.compute_capability = {9, 0},
                    .sm_count = sm_count,
                    .max_threads_per_block = 1024,
                    .max_threads_per_sm = 2048,
                    .max_blocks_per_sm = 32,
                    .registers_per_sm = 65536,
                    .registers_per_block = 65536,
                    .shared_bytes_per_sm = 233472,
                    .shared_bytes_per_block = 49152,
                    .shared_bytes_per_block_opt_in = 232448,
                    .shared_bytes_reserved_per_block = 1024};
  profile.sm_clock_mhz = 1000;
  for (PipeTiming& pipe : profile.pipes) pipe = {1, 4};
  profile.pipes[static_cast<size_t>(Pipe::kInt)] = {2, 4};
  profile.shared_latency_cycles = 30;
  profile.shared_extra_way_cycles = 1;
  profile.shuffle_latency_cycles = 24;
  profile.vote_latency_cycles = 10;
  profile.shuffle_interval_cycles = 1;
  profile.barrier_latency_cycles = 20;
  profile.branch_latency_cycles = 10;
  profile.special_register_latency_cycles = 20;
  profile.constant_latency_cycles = 30;
  profile.l1 = {.bytes = 262144, .ways = 4, .latency_cycles = 40, .bytes_per_cycle = 128};
  profile.l2 = {.bytes = 4 << 20, .ways = 16, .latency_cycles = 260, .bytes_per_cycle = 1024};
  profile.l2_slices = 32;
  profile.l2_write_bytes_per_cycle = 2000;
  profile.l2_write_requests_per_cycle = 64;
  profile.interconnect_bytes_per_cycle = 64;
  profile.interconnect_write_bytes_per_cycle = 64;
  profile.interconnect_write_requests_per_cycle = 1;
  profile.dram_latency_cycles = 600;
  profile.dram_bytes_per_cycle = 512;
  profile.global_atomic_latency_cycles = 400;
  profile.global_atomic_interval_cycles = 2;
  profile.shared_atomic_latency_cycles = 60;
  profile.shared_atomic_interval_cycles = 2;
  profile.block_launch_cycles = 200;
  profile.block_launch_interval_cycles = 1;
  return profile;
}

}  // namespace warpscope::sim
