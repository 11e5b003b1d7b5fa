#include "kernels/sim/sm/launch_model.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/sim/sm/stalls.h"

namespace warpscope::sim {
namespace {

constexpr uint32_t kInstructionBytes = 16;  // since Volta
constexpr uint32_t kFetchLineBytes = 128;

OpClass classOf(const MachineOp& op, const Instruction& instruction) {
  if (op.stack.kind != StackAccess::Kind::kNone) return OpClass::kStack;
  if (op.is_fence) return OpClass::kFence;
  if (op.is_added) return op.pipe == Pipe::kLoadStore ? OpClass::kShuffle : OpClass::kFixed;
  switch (instruction.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kAsyncCopy:
    case Kind::kAsyncStore:
      return op.access >= 0 ? OpClass::kMemory : OpClass::kFixed;
    case Kind::kMbarrier:
      return OpClass::kSignal;
    case Kind::kBulkCopy:
      return OpClass::kBulkCopy;
    case Kind::kBulkCommit:
      return OpClass::kBulkCommit;
    case Kind::kBulkWait:
      return OpClass::kBulkWait;
    case Kind::kGridDependency:
      return OpClass::kGridDependency;
    case Kind::kClusterBarrier:
    case Kind::kBarrier:
      return OpClass::kFixed;
    case Kind::kFence:
      return OpClass::kFence;
    case Kind::kAsyncCommit:
      return OpClass::kAsyncCommit;
    case Kind::kAsyncWait:
      return OpClass::kAsyncWait;
    default:
      return op.pipe == Pipe::kLoadStore ? OpClass::kShuffle : OpClass::kFixed;
  }
}

// Whether it computes where shared memory's window begins (lowering/materialize.cpp), for which ULEA or LEA
// waits for S2UR or S2R of SR_CgaCtaId: 27 cycles of short scoreboard in rod_prices of the truth suite (PC
// samples; H100, 580.159.04, 2026-11-27).
bool readsWindow(const MachineOp& op, const DeviceProfile& profile) {
  return op.pipe == Pipe::kUniform && op.latency_cycles > profile.special_register_latency_cycles;
}

// Nsight Compute calls it short scoreboard when an instruction waits for a variable-latency result that does
// not come from L1TEX: shared memory, shuffles, special functions, special registers.
ScoreClass scoreOf(const MachineOp& op, const Instruction& instruction, const DeviceProfile& profile) {
  if (op.pipe == Pipe::kLoadStore || op.pipe == Pipe::kSpecial) return ScoreClass::kShort;
  if (op.is_added) return readsWindow(op, profile) ? ScoreClass::kShort : ScoreClass::kFixed;
  if (instruction.kind == Kind::kLoadParameter) return ScoreClass::kConstant;
  if (instruction.kind == Kind::kReadSpecial && op.latency_cycles > 8) return ScoreClass::kShort;
  return ScoreClass::kFixed;
}

// ptxas lets at least five cycles pass after a BRA, BSYNC, CALL, EXIT or WARPSYNC, whether it is taken or not
// (control bits of 18,000 of them in what ptxas 13.0 makes of this project's kernels for sm_90).
// A BSYNC keeps a warp for 13 cycles even if no lane is missing (heat_block there, on an H100 with
// 580.159.04, 2026-11-24: branch resolving).
uint8_t stallOf(const MachineOp& op, const Instruction& instruction) {
  constexpr uint8_t kControl = 5, kSync = 14, kStack = 4;
  if (op.holds_cycles > 0) return op.holds_cycles;
  if (op.sync) return kSync;
  if (op.stack.kind != StackAccess::Kind::kNone) return kStack;
  return op.branch || instruction.kind == Kind::kWarpBarrier ? kControl : uint8_t{1};
}

// Whether it is an EXIT without a predicate, as far as the operation alone tells.
bool exits(const MachineOp& op, const Instruction& instruction) {
  if (!op.branch || op.sync) return false;
  return op.is_added || instruction.kind == Kind::kExit || instruction.kind == Kind::kReturn;
}

// In a sequence with instructions of the special function unit the others wait for their results, as for a
// short scoreboard; for half of their latency, as ptxas puts instructions of its own between (sieve,
// int_divide of the truth suite).
uint16_t specialCycles(const MachineOp& op, const IssueOp& issue, const DeviceProfile& profile) {
  const uint32_t latency = profile.pipes[static_cast<size_t>(Pipe::kSpecial)].latency_cycles;
  const bool is_sequence = issue.kind == OpClass::kFixed && issue.issues > 1;
  const uint32_t cycles = is_sequence ? op.on_special * latency / 2 : 0;
  return static_cast<uint16_t>(cycles < op.latency_cycles ? cycles : 0);
}

// All lanes' atomics on one address are made by one of them (lowering/atomics.cpp), where the sequence for
// that stands for the instruction.
bool aggregates(const MachineOp& op, const Instruction& in) {
  if ((in.kind != Kind::kAtomic && in.kind != Kind::kReduction) || ptx::isFloat(in.type) || op.issues <= 1)
    return false;
  if (in.space == ptx::Space::kShared) return op.retried == 0 && ptx::bytesOf(in.type) == 4;
  return in.space == ptx::Space::kGlobal && in.modifiers.atom_op == ptx::AtomOp::kAdd;
}

// An atomic on global memory whose result nothing reads is a reduction (REDG instead of ATOMG): so Nsight
// Compute counts those of the truth suite (ptxas 13.0 for sm_90). No reduction exchanges or compares (PTX
// ISA, red).
bool reduces(const Instruction& in, bool wanted) {
  if (in.kind == Kind::kReduction) return true;
  return in.kind == Kind::kAtomic && in.space == ptx::Space::kGlobal && !wanted &&
         in.modifiers.atom_op != ptx::AtomOp::kExch && in.modifiers.atom_op != ptx::AtomOp::kCas;
}

// Whether the memory holds the same in the end whatever the order of such reductions, all of one kind or not
// read in between.
bool orderIsAllTheSame(const Instruction& in) {
  using ptx::AtomOp;
  const AtomOp op = in.modifiers.atom_op;
  const bool commutes = op == AtomOp::kAdd || op == AtomOp::kMin || op == AtomOp::kMax ||
                        op == AtomOp::kAnd || op == AtomOp::kOr || op == AtomOp::kXor;
  return commutes && !ptx::isFloat(in.type) && ptx::bytesOf(in.type) >= 4;
}

// Whether each thread that executes this instruction ends with the next one.
bool endsAfter(const Code& code, uint32_t pc) {
  if (pc + 1 == code.instructions.size()) return false;
  const Instruction& next = code.instructions[pc + 1];
  return next.guard == kNoPredicate && (next.kind == Kind::kExit || next.kind == Kind::kReturn);
}

// Adding 1 to shared memory, as a histogram does, is an instruction of its own (ATOMS.POPC.INC): the lanes of
// a word are counted together, and none waits for another.
bool countsLanes(const Instruction& in, const Code& code) {
  const bool adds = (in.kind == Kind::kAtomic || in.kind == Kind::kReduction) &&
                    in.space == ptx::Space::kShared && in.modifiers.atom_op == ptx::AtomOp::kAdd;
  if (!adds || (in.type != ptx::Type::kU32 && in.type != ptx::Type::kS32) || in.sources[1].index >= 0)
    return false;
  const size_t word = size_t{~static_cast<uint32_t>(in.sources[1].index)} * kRowWords;
  return word < code.constants.size() && code.constants[word] == 1;
}

// Control bits of the truth suite's kernels (ptxas 13.0 for sm_90): of 1,400 pairs of accesses that nothing
// else keeps apart 1,300 are 4 cycles apart, of MUFU, POPC, FLO and conversions none is less than 8, of LDC
// none either.
void keepApart(IssueOp& issue, const MachineOp& op) {
  constexpr uint8_t kAccessCycles = 4, kSlowCycles = 8;
  if (issue.kind == OpClass::kMemory || issue.kind == OpClass::kStack) {
    issue.spacing = Spacing::kAccess;
    issue.spacing_cycles = kAccessCycles;
  } else if (issue.issues == 1 &&
             (op.pipe == Pipe::kSpecial || (op.is_added && op.pipe == Pipe::kLoadStore))) {
    issue.spacing = op.pipe == Pipe::kSpecial ? Spacing::kSpecial : Spacing::kConstant;
    issue.spacing_cycles = kSlowCycles;
  }
}

bool isBlockIndex(const Instruction& instruction) {
  using ptx::Special;
  return instruction.kind == Kind::kReadSpecial &&
         (instruction.special == Special::kCtaidX || instruction.special == Special::kCtaidY ||
          instruction.special == Special::kCtaidZ);
}

bool isBlockSize(const Instruction& in) {
  using ptx::Special;
  return in.kind == Kind::kReadSpecial && (in.special == Special::kNtidX || in.special == Special::kNtidY);
}

// Parameters and the block's size are in lines of their own, which come one after the other (ULDC: IMC miss).
// In kernels without loops ptxas mostly loads the size into a register (LDC: short scoreboard), and both come
// sooner. The first warps of 16 on an SM of an H100 (580.159.04, 2026-11-24) wait 190 to 200 cycles for both
// (shared_few, radix_count, count_letters), 100 for one (bank_strides, many_barriers), 47 and 67 more for the
// short scoreboard in the other case (double_sum, long_sum, returned). There the comparison with a parameter
// (ULDC: IMC miss) comes between two LDC: each of 16 warps of an SM waits 49 cycles for it, of 31 29, of 62
// 14 (580.159.04, 2026-11-26).
LaunchModel::FirstConstants firstConstants(const Code& code, const MachineCode& machine, uint32_t latency) {
  bool loops = false, sizes = false;
  uint32_t loads = 0;
  for (size_t pc = 0; pc < code.instructions.size(); ++pc) {
    const Instruction& in = code.instructions[pc];
    sizes |= isBlockSize(in);
    loads += in.kind == Kind::kLoad ? 1 : 0;
    loops |= in.kind == Kind::kBranch && in.guard != kNoPredicate && !machine.exit_branch[pc] &&
             !machine.predicated_branch[pc];
  }
  constexpr uint32_t kFewLoads = 2;
  const uint32_t line = latency - latency / 4;
  if (!sizes) return {line, WarpState::kImcMiss};
  if (!loops && loads <= kFewLoads)
    return {latency, WarpState::kShortScoreboard, latency - latency / 4, latency - latency * 3 / 5};
  return {2 * line, WarpState::kImcMiss};
}

// Where the block's size is loaded into a register, its LDC goes the way of memory instructions, as does that
// of the stack pointer, with which each kernel begins and which no instruction waits for: of 62 warps of an
// SM each waits 104 cycles for MIO throttle if there is one more LDC, 164 and 205 with two and three; of 31
// 32 and 67 (byte_shuffles, constant_remainders, add_few, mix64, byte_lanes, float_sum and others of the
// truth suite on an H100 with 580.159.04, 2026-11-26).
enum class EntryLoad : uint8_t { kNone, kStackPointer, kSize };
constexpr uint16_t kEntryLoadCycles = 30;  // an estimate of their latency

std::vector<EntryLoad> entryLoads(const Code& code, const MachineCode& machine,
                                  const std::vector<bool>& is_read) {
  std::vector<EntryLoad> loads(machine.ops.size(), EntryLoad::kNone);
  std::vector<bool> is_index(machine.registers), meets_index(machine.registers);
  const auto sources = [](const MachineOp& op) { return std::span(op.sources).first(op.source_count); };
  for (const MachineOp& op : machine.ops) {
    if (!op.is_added && op.destination_count == 1 && isBlockIndex(code.instructions[op.pc]))
      is_index[op.destinations[0]] = true;
  }
  for (const MachineOp& op : machine.ops) {
    if (std::ranges::none_of(sources(op), [&](uint16_t value) { return is_index[value]; })) continue;
    for (const uint16_t value : sources(op)) meets_index[value] = true;
  }
  for (size_t i = 0; i < loads.size(); ++i) {
    const MachineOp& op = machine.ops[i];
    if (!op.is_added || op.pipe != Pipe::kUniform || op.destination_count != 1) continue;
    const uint16_t value = op.destinations[0];
    if (!is_read[value]) loads[i] = EntryLoad::kStackPointer;
    if (meets_index[value]) loads[i] = EntryLoad::kSize;
  }
  return loads;
}

// Shared memory is carved out of L1 in steps ("Shared Memory", CUDA C++ Programming Guide, 8.0 and 9.0: 0, 8,
// 16, 32, 64, 100, 132 ... KB); the driver takes the smallest that lets all blocks be resident.
uint64_t l1Bytes(const DeviceProfile& profile, const Launch& launch, uint32_t blocks_per_sm) {
  constexpr uint64_t kSteps[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  const uint64_t used = uint64_t{launch.code->static_shared_bytes} + launch.dynamic_shared_bytes;
  const uint64_t needed =
      used == 0 ? 0 : blocks_per_sm * (used + profile.limits.shared_bytes_reserved_per_block);
  uint64_t carved = profile.limits.shared_bytes_per_sm;
  for (const uint64_t step : kSteps) {
    if (step * 1024 >= needed) {
      carved = std::min(carved, step * 1024);
      break;
    }
  }
  constexpr uint64_t kLeast = 8 * 1024;
  return std::max(profile.l1.bytes > carved ? profile.l1.bytes - carved : 0, kLeast);
}

// Whether an instruction is executed the same way whatever other SMs do meanwhile, does nothing that they can
// see, and cannot end its warp.
bool staysInside(const Instruction& in) {
  switch (in.kind) {
    case Kind::kRegister:
    case Kind::kWarpRegister:
    case Kind::kReadSpecial:
    case Kind::kLocalAddress:
    case Kind::kClock:
    case Kind::kLoadParameter:
    case Kind::kMbarrier:
    case Kind::kBarrier:
    case Kind::kWarpBarrier:
    case Kind::kBranch:
    case Kind::kIndirectBranch:
    case Kind::kCall:
    case Kind::kSleep:
    case Kind::kNothing:
      return true;
    case Kind::kLoad:
    case Kind::kStore:
      return ptx::isShared(in.space) || in.space == ptx::Space::kLocal || in.space == ptx::Space::kParam ||
             in.space == ptx::Space::kConst;
    case Kind::kAtomic:
    case Kind::kReduction:
      return ptx::isShared(in.space);
    default:
      return false;
  }
}

// The same for issuing it. Local memory is in L1 and L2, too.
bool reachesOut(const IssueOp& op, const Instruction& instruction) {
  switch (op.kind) {
    case OpClass::kFixed:
    case OpClass::kShuffle:
    case OpClass::kSignal:
      return op.exits;
    case OpClass::kMemory:
      return op.is_global || op.is_image || !staysInside(instruction);
    default:
      return true;
  }
}

uint16_t gateOf(const IssueOp& op) {
  auto gate = static_cast<uint16_t>(op.pipe);
  if (op.pipe != Pipe::kLoadStore && (op.on_special > 0 || op.pipe == Pipe::kSpecial)) gate |= Gate::kSpecial;
  if (op.needs_ports) gate |= Gate::kPorts;
  if (op.is_global) gate |= Gate::kGlobal;
  if (op.is_image) gate |= Gate::kImage;
  if (op.kind == OpClass::kShuffle) gate |= Gate::kNoAccess;
  if (op.is_constant) gate |= Gate::kConstant;
  return gate;
}

void addAwaited(const MachineOp& op, IssueOp& issue) {
  const auto add = [&](uint16_t reg) {
    const auto known = std::span(issue.awaited).first(issue.awaited_count);
    if (std::ranges::find(known, reg) == known.end()) issue.awaited[issue.awaited_count++] = reg;
  };
  for (const uint16_t reg : std::span(op.sources).first(op.read_count)) add(reg);
  const bool accesses = issue.kind == OpClass::kMemory || issue.kind == OpClass::kStack;
  issue.read_count = accesses ? issue.awaited_count : 0;
  for (const uint16_t reg : std::span(op.sources).first(op.source_count)) add(reg);
  for (const uint16_t reg : std::span(op.destinations).first(issue.destination_count)) add(reg);
  while (issue.awaited_count % kAwaitedAtOnce != 0) issue.awaited[issue.awaited_count++] = issue.awaited[0];
}

// The rate at which an SM stores, from calibrate's figure: the bytes per cycle of a launch in which one SM
// writes 512 KiB. About kOtherCycles of that launch pass before the first store and after the last one, while
// the fence waits. On an H100 this makes 31.8 bytes per cycle of the measured 29.27.
double whileStoring(double bytes_per_cycle) {
  constexpr double kBytes = 512 << 10, kOtherCycles = 1400;
  return kBytes / std::max(kBytes / bytes_per_cycle - kOtherCycles, 1.0);
}

// An instruction on another pipe that reads the result of an IMAD.HI, or the upper half of an IMAD.WIDE,
// waits longer than the cycles that ptxas lets pass. The rest is a dispatch stall: 1.9 cycles for LDG and
// STG, 2.2 to 2.7 for the ALU, 0.1 for IMAD (PC samples of 516 kernels of the truth suite's open part; H100,
// 580.159.04, 2026-11-27). Such a product is known by its latency, which the lowering has lengthened for that
// reader.
uint8_t lateCycles(const MachineOp& op, const DeviceProfile& profile) {
  constexpr uint8_t kLate = 2;
  const bool wide = op.pipe == Pipe::kIntMultiply && op.issues == 1 && op.pipe_eighths > 8;
  const uint32_t on_its_pipe = profile.pipes[static_cast<size_t>(Pipe::kIntMultiply)].latency_cycles;
  return wide && op.latency_cycles > on_its_pipe ? kLate : 0;
}

// Whether it is an LDC that the lowering has added (materialize.cpp).
bool loadsParameter(const MachineOp& op) {
  return op.is_added && op.pipe == Pipe::kLoadStore && op.destination_count > 0 && !op.is_fence &&
         op.stack.kind == StackAccess::Kind::kNone;
}

// A division or root that is rounded correctly branches past the subroutine for rare operands. Its latency
// includes that branch, for which the next instruction waits 8 cycles (the medians of shallow_water, adamw4
// and others of the truth suite's open part by PC samples; H100, 580.159.04, 2026-11-27).
constexpr uint8_t kBranchCycles = 8;

bool branchesPastSubroutine(const MachineOp& op, const Instruction& instruction) {
  return !op.is_added && op.issues > 1 && op.latency_cycles > 2 * kBranchCycles && instruction.has_rare_cases;
}

bool isPlain(const IssueOp& op) {
  const bool on_pipe = op.kind == OpClass::kFixed && op.pipe != Pipe::kLoadStore && op.pipe != Pipe::kSpecial;
  return on_pipe && op.issues == 1 && op.on_special == 0 && op.special_cycles == 0 && op.retried == 0 &&
         op.held_ticks < kPipeTicks && op.spacing == Spacing::kNone && !op.branch && !op.sync && !op.exits &&
         !op.holds;
}

}  // namespace

LaunchModel::LaunchModel(const Launch& launch_in, const MachineCode& machine_in,
                         const DeviceProfile& profile_in, const L2Cache& l2, const TimedOptions& options_in)
    : launch(launch_in),
      code(*launch_in.code),
      machine(machine_in),
      profile(profile_in),
      options(options_in),
      store_cycles(whileStoring(profile_in.interconnect_write_bytes_per_cycle),
                   profile_in.interconnect_write_requests_per_cycle) {
  std::vector<bool> is_read(machine.registers);
  for (const MachineOp& op : machine.ops) {
    for (const uint16_t value : std::span(op.sources).first(op.source_count)) is_read[value] = true;
  }
  first_constants = firstConstants(code, machine, profile.constant_latency_cycles);
  // ptxas lets so many cycles pass from S2R and S2UR to an LDC for the same result (control bits).
  constexpr uint8_t kBeforeConstant = 7;
  std::vector<EntryLoad> entry_loads(machine.ops.size(), EntryLoad::kNone);
  if (first_constants.reason == WarpState::kShortScoreboard) entry_loads = entryLoads(code, machine, is_read);
  uint32_t issued = 0;
  ops.reserve(machine.ops.size());
  reductions.assign(code.instructions.size(), 0);
  last_reductions.assign(code.instructions.size(), 0);
  for (const MachineOp& op : machine.ops) {
    const Instruction& instruction = code.instructions[op.pc];
    IssueOp issue{
        .kind = classOf(op, instruction), .pipe = op.pipe, .score = scoreOf(op, instruction, profile)};
    const EntryLoad entry_load = entry_loads[ops.size()];
    if (entry_load != EntryLoad::kNone) {
      issue.kind = OpClass::kShuffle;
      issue.pipe = Pipe::kLoadStore;
      issue.score = ScoreClass::kShort;
      issue.short_turn = entry_load == EntryLoad::kStackPointer;
    }
    issue.issues = std::max<uint8_t>(op.issues, 1);
    issue.on_pipe = op.on_pipe == 0 ? issue.issues : std::min(op.on_pipe, issue.issues);
    issue.on_special = op.on_special;
    issue.retried = op.retried;
    issue.every = op.every;
    issue.turn = op.turn;
    const bool wanted = std::ranges::any_of(std::span(op.destinations).first(op.destination_count),
                                            [&](uint16_t value) { return is_read[value]; });
    issue.reduces = issue.kind == OpClass::kMemory && reduces(instruction, wanted);
    if (issue.reduces) {
      const bool any_order = orderIsAllTheSame(instruction);
      reductions[op.pc] = any_order ? 1 : 0;
      last_reductions[op.pc] = !any_order && endsAfter(code, op.pc) ? 1 : 0;
    }
    issue.destination_count = instruction.kind == Kind::kAtomic && !wanted ? 0 : op.destination_count;
    const double interval = profile.pipes[static_cast<size_t>(op.pipe)].issue_interval_cycles;
    issue.pipe_ticks = static_cast<uint16_t>(std::max(1.0, std::round(interval * op.pipe_eighths)));
    // What an IMAD.WIDE or IMAD.HI takes longer than an IMAD is a stall of the dispatcher: kernels of the
    // truth suite with many of them on an H100 (580.159.04, 2026-11-26) have about as much of it as of math
    // pipe throttle, those with none next to nothing.
    if (op.pipe == Pipe::kIntMultiply && op.pipe_eighths > 8)
      issue.held_ticks = static_cast<uint16_t>(issue.pipe_ticks - std::lround(interval * 8));
    issue.latency_cycles = entry_load == EntryLoad::kNone ? op.latency_cycles : kEntryLoadCycles;
    issue.early_count = op.early_count;
    issue.early_cycles = op.early_cycles;
    issue.late_cycles = lateCycles(op, profile);
    if (issue.late_cycles > 0) issue.score = ScoreClass::kHeld;
    if (issue.score == ScoreClass::kFixed && branchesPastSubroutine(op, instruction)) {
      issue.score = ScoreClass::kBranched;
      issue.late_cycles = kBranchCycles;
      issue.latency_cycles -= kBranchCycles;
    }
    issue.special_cycles = specialCycles(op, issue, profile);
    issue.stall_cycles = stallOf(op, instruction);
    if (first_constants.reason == WarpState::kShortScoreboard && instruction.kind == Kind::kReadSpecial)
      issue.stall_cycles = kBeforeConstant;
    issue.member = op.member;
    issue.trip = op.trip;
    issue.branch = op.branch;
    issue.sync = op.sync;
    issue.exits = exits(op, instruction);
    issue.acquires = issue.kind == OpClass::kMemory && acquiresForGpu(instruction);
    issue.holds = op.holds_cycles > 0;
    issue.settled = op.sync || op.settles || (op.branch && instruction.kind == Kind::kCall);
    issue.stack = op.stack;
    issue.is_constant = issue.kind == OpClass::kMemory && instruction.space == ptx::Space::kConst;
    issue.is_image = issue.kind == OpClass::kMemory && accessesImage(instruction.op);
    issue.is_global =
        issue.kind == OpClass::kStack || (issue.kind == OpClass::kMemory && !issue.is_constant &&
                                          !issue.is_image && !ptx::isShared(instruction.space));
    issue.is_shared = issue.kind == OpClass::kMemory && ptx::isShared(instruction.space);
    issue.aggregates = issue.kind == OpClass::kMemory && aggregates(op, instruction);
    issue.loads_uniform = op.loads_uniform;
    issue.loads_parameter = first_constants.reason == WarpState::kImcMiss && loadsParameter(op);
    issue.counts_lanes = !wanted && countsLanes(instruction, code);
    issue.matches = issue.kind == OpClass::kShuffle && !op.is_added && instruction.op == ptx::Op::kMatch;
    // Nsight Compute counts a wavefront for each shuffle and each S2R of a thread index.
    issue.counts_wavefront =
        issue.kind == OpClass::kShuffle && !op.is_added && !isBlockIndex(instruction) && !issue.matches;
    issue.needs_ports = op.register_reads >= 2;
    issue.reads_twice = op.reads_twice;
    issue.pc = op.pc;
    issue.fetch_line = static_cast<uint16_t>(std::min(issued * kInstructionBytes / kFetchLineBytes, 0xFFFFU));
    issued += issue.issues;
    std::copy(std::begin(op.destinations), std::end(op.destinations), issue.destinations);
    issue.gate = gateOf(issue);
    if (reachesOut(issue, instruction)) issue.gate |= Gate::kReachesOut;
    keepApart(issue, op);
    addAwaited(op, issue);
    issue.plain = isPlain(issue);
    ops.push_back(issue);
    fetch_lines = issue.fetch_line + 1U;
  }
  setStalls(ops, machine);
  findRows();
  findSegmentFacts();
  has_frames = std::ranges::any_of(ops, [](const IssueOp& op) { return op.kind == OpClass::kStack; });
  wakes_others = std::ranges::any_of(code.instructions, [](const Instruction& in) {
    return in.kind == Kind::kMbarrier || in.kind == Kind::kClusterBarrier || in.kind == Kind::kAsyncStore;
  });
  const uint64_t threads = launch.block.count();
  warps_per_block = static_cast<uint32_t>((threads + 31) / 32);
  warp_slots = std::max(profile.limits.max_threads_per_sm / 32, warps_per_block);
  const uint32_t partitions = std::max(profile.sub_partitions, 1U);
  slots_per_partition = (warp_slots + partitions - 1) / partitions;
  // A request that an SM sends to L2 in an epoch must not be answered within the same epoch.
  epoch_cycles = std::clamp(profile.l2.latency_cycles, 32U, 256U);
  request_outward_cycles = l2.outwardCycles();
  cold_code_cycles = options.code_is_cold ? l2.dramExtraCycles() : 0;
  l1_bytes = l1Bytes(profile, launch, options.blocks_per_sm);
  clock_ghz = std::max(profile.sm_clock_mhz, 1U) / 1e3;
  const double interval = profile.pipes[static_cast<size_t>(Pipe::kLoadStore)].issue_interval_cycles;
  lsu_interval_cycles = static_cast<uint64_t>(std::ceil(interval));
  lsu_share_cycles = static_cast<uint64_t>(std::ceil(interval * partitions));
}

void LaunchModel::findSegmentFacts() {
  segments.resize(code.segments.size());
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = code.segments[i];
    const uint32_t pc = segment.first + segment.count - 1;
    const Instruction& last = code.instructions[pc];
    SegmentFacts& facts = segments[i];
    facts.last_pc = pc;
    facts.waits_at_barrier = last.kind == Kind::kBarrier && last.modifiers.bar != ptx::BarKind::kArrive;
    facts.waits_for_cluster = last.kind == Kind::kClusterBarrier && last.modifiers.bar == ptx::BarKind::kWait;
    facts.is_conditional = last.guard != kNoPredicate;
    facts.has_no_target = machine.predicated_branch[pc] || machine.exit_branch[pc];
    facts.yields = machine.yields[pc];
    facts.meets_at_sync = machine.meets_at_sync[pc];
    facts.is_indirect =
        last.kind == Kind::kReturn || last.kind == Kind::kIndirectCall || last.kind == Kind::kIndirectBranch;
    const auto instructions = std::span(code.instructions).subspan(segment.first, segment.count);
    if (!std::ranges::all_of(instructions, staysInside))
      segments[machine.segments[i].group_first].reaches_out = true;
  }
  for (size_t i = 0; i < segments.size(); ++i)
    segments[i].reaches_out = segments[machine.segments[i].group_first].reaches_out;
}

void LaunchModel::findRows() {
  constexpr size_t kMostRows = 24;
  for (const Segment& segment : code.segments) {
    const size_t begin = rows.size();
    rows_begin.push_back(static_cast<uint32_t>(begin));
    const auto add = [&](Row row) {
      const auto index = static_cast<uint16_t>(row.index);
      if (!isRegister(row) || rows.size() - begin == kMostRows) return;
      const auto known = std::span(rows).subspan(begin);
      if (std::ranges::find(known, index) == known.end()) rows.push_back(index);
    };
    for (const Instruction& in : std::span(code.instructions).subspan(segment.first, segment.count)) {
      for (const Row row : std::span(in.sources).first(in.source_count)) add(row);
      for (const Row row : std::span(in.destinations).first(in.destination_count)) add(row);
    }
  }
  rows_begin.push_back(static_cast<uint32_t>(rows.size()));
}

}  // namespace warpscope::sim
