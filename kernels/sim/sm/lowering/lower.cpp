// Instructions executed with the SM model, compared with Nsight Compute on an H100 (2026-11-21, default block
// sizes, 18 variants): 0.97 to 1.02 of smsp__inst_executed.
#include <algorithm>
#include <map>
#include <utility>

#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"
#include "kernels/sim/sm/machine_code.h"

namespace warpscope::sim {
namespace {

using lowering::Graph;
using lowering::kNone;
using lowering::Operation;
using lowering::Transfer;
using lowering::Unit;
using lowering::Value;
using lowering::ValueKind;

void simplify(Graph& graph) {
  lowering::narrowHalves(graph);
  lowering::foldCopies(graph);
  lowering::dropRepeated(graph);
  lowering::coalesceCopies(graph);
  lowering::dropRedundantLoads(graph);
  lowering::markUniform(graph);
  lowering::unrollLoops(graph);
  lowering::widenLoads(graph);
  lowering::hoistLoads(graph);
  lowering::lowerCalls(graph);
  lowering::addFences(graph);
  const lowering::LocalArrays arrays = lowering::findLocalArrays(graph);
  lowering::scaleSelections(graph);
  lowering::foldPairs(graph);
  lowering::checkShuffledLanes(graph);
  lowering::joinProducts(graph);
  lowering::markYields(graph);
  lowering::foldSelections(graph);
  lowering::splitSubwords(graph);
  lowering::addressMatrices(graph);
  lowering::placeImageOperands(graph);
  lowering::pairZeroes(graph);
  lowering::aggregateAtomics(graph);
  lowering::keepArraysInRegisters(graph, arrays);
  lowering::shareReciprocals(graph);
  lowering::layOutBranches(graph);
  lowering::predicateShortBranches(graph);
  lowering::formGroups(graph);
  lowering::prepareAsyncCopies(graph);
  lowering::hoistInvariants(graph);
  lowering::addConvergence(graph);
  lowering::splitSpecialFunctions(graph);
  lowering::splitDivisions(graph);
  lowering::materializeConstants(graph);
  lowering::forwardThroughFree(graph);
}

class Emitter {
 public:
  explicit Emitter(Graph& graph) : graph_(graph), number_(graph.values.size(), kNone) {}

  MachineCode emit(uint32_t most_registers) {
    MachineCode machine;
    machine.segments.resize(graph_.segments.size());
    std::vector<std::vector<uint32_t>> by_head(graph_.segments.size());
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      if (graph_.segments[s].group_first == s) by_head[s] = lowering::scheduleGroup(graph_, s);
    }
    machine.registers_per_thread = std::min(registersFor(by_head), most_registers);
    const std::vector<uint32_t> trips = unrollTrips(machine.registers_per_thread, by_head);
    for (uint32_t s = 0; s < graph_.segments.size(); ++s) {
      const lowering::SegmentInfo& info = graph_.segments[s];
      MachineSegment& segment = machine.segments[s];
      if (info.group_first == s) {
        segment.first = static_cast<uint32_t>(machine.ops.size());
        lengthenAcrossPipes(by_head[s]);
        const Operation* before = nullptr;
        for (const uint32_t o : by_head[s]) {
          machine.ops.push_back(opOf(graph_.operations[o]));
          readRegisters(graph_.operations[o], before, machine.ops.back());
          before = &graph_.operations[o];
        }
        segment.count = static_cast<uint32_t>(machine.ops.size()) - segment.first;
      } else {
        segment = machine.segments[info.group_first];
      }
      segment.group_first = info.group_first;
      segment.group_count = info.group_count;
      segment.trips = trips[info.group_first];
      segment.accesses = info.accesses;
      segment.predicated = info.predicated;
    }
    machine.predicated_branch = graph_.predicated_branch;
    machine.meets_at_sync = graph_.meets_at_sync;
    machine.exit_branch = graph_.exit_branch;
    machine.yields = graph_.yields;
    machine.turns = std::min(turns_, 65536U);
    machine.loops = std::move(loops_);
    machine.registers = std::min<uint32_t>(next_, kMostRegisters);
    return machine;
  }

 private:
  static constexpr uint32_t kMostRegisters = 65535;
  static constexpr uint32_t kFreeRegisters = 32;
  // Where ptxas keeps to them, so many of them hold no values. It matters to 149 kernels of the truth
  // suite's open half, whose cycles are off by 7.8 % on average with 5, by 8.1 % with 8 (2026-11-27).
  static constexpr uint32_t kWithoutValues = 5;

  // Of more than 32 registers, with which all warps fit, ptxas saves those that only its own order needs: the
  // truth suite's open half has ten kernels of which 40 to 80 registers would be alive at once if every load
  // went first, 13 to 58 in the order of their PTX, and that need 22 to 56, mostly 32.
  uint32_t registersFor(const std::vector<std::vector<uint32_t>>& by_head) const {
    const uint32_t scheduled = lowering::estimateRegisters(graph_, by_head);
    if (scheduled <= kFreeRegisters) return scheduled;
    std::vector<std::vector<uint32_t>> in_source_order(by_head.size());
    for (uint32_t s = 0; s < by_head.size(); ++s) {
      if (graph_.segments[s].group_first == s) in_source_order[s] = lowering::sourceOrder(graph_, s);
    }
    return std::clamp(lowering::estimateRegisters(graph_, in_source_order), kFreeRegisters, scheduled);
  }

  // Where its own order needs more registers than it takes, ptxas has loads wait until others are done with
  // (bodies_tiled, product_vectors, attend of the truth suite; columns_implicitly and cached_attention_step,
  // which would need a few more than 32). Otherwise the trips of loops that are unrolled are mixed. Returns
  // how many trips each group holds.
  std::vector<uint32_t> unrollTrips(uint32_t registers, std::vector<std::vector<uint32_t>>& by_head) {
    const std::vector<lowering::LiveValues> live = lowering::liveValues(graph_, by_head);
    std::vector<uint32_t> trips(by_head.size(), 1);
    for (uint32_t s = 0; s < by_head.size(); ++s) {
      const bool free = registers <= kFreeRegisters;
      const uint32_t words = free ? registers - std::min(registers, kWithoutValues) : registers;
      if (live[s].most_words > words) {
        const auto schedule = free ? lowering::scheduleShorter : lowering::scheduleWithin;
        by_head[s] = schedule(graph_, lowering::sourceOrder(graph_, s), words, live[s]);
      } else if (auto mixed = lowering::scheduleTrips(graph_, s, registers, live[s]); !mixed.empty()) {
        trips[s] = lowering::tripsAtOnce(graph_, s);
        by_head[s] = std::move(mixed);
      }
    }
    number_.resize(graph_.values.size(), kNone);
    return trips;
  }

  static bool isArithmetic(Pipe pipe) {
    return pipe == Pipe::kFp32 || pipe == Pipe::kInt || pipe == Pipe::kIntMultiply;
  }

  // A result of the ALU or the FMA pipe comes a cycle later to an instruction elsewhere than to one on the
  // same pipe, and 64 bits for an address another one later: so ptxas 13.0 has the reader wait 4 cycles or 5,
  // and IMAD.WIDE to LDG 6 (control bits of the truth suite's open half and of the catalog).
  void lengthenAcrossPipes(const std::vector<uint32_t>& order) {
    std::map<Value, uint32_t> makers;
    for (const uint32_t o : order) {
      const Operation& reader = graph_.operations[o];
      for (const Value v : reader.sources) {
        const auto made = makers.find(v);
        if (made == makers.end()) continue;
        Unit& unit = graph_.operations[made->second].unit;
        const bool same = (unit.pipe == Pipe::kInt) == (reader.unit.pipe == Pipe::kInt);
        const bool address = reader.access >= 0 && graph_.values[v].words == 2;
        if (!same || !isArithmetic(reader.unit.pipe)) {
          unit.latency_cycles = static_cast<uint16_t>(unit.latency_cycles + (address ? 2 : 1));
        }
        makers.erase(made);
      }
      const bool simple = isArithmetic(reader.unit.pipe) && reader.unit.issues == 1;
      if (!simple) continue;
      for (const Value v : reader.destinations) {
        if (graph_.values[v].kind == ValueKind::kRegister) makers[v] = o;
      }
    }
  }

  // Returns its place in MachineCode::loops.
  uint16_t addLoopOf(const Operation& operation) {
    const auto [first, last] = std::ranges::minmax(graph_.loops[operation.once_in].segments);
    uint32_t times = 1;
    for (uint32_t l = graph_.segments[operation.segment].loop; l != operation.once_in;
         l = graph_.loops[l].parent)
      times *= graph_.loops[l].trips;
    const uint32_t at_once = lowering::tripsAtOnce(graph_, graph_.segments[operation.segment].group_first);
    if (times > 1) times = (times + at_once - 1) / std::max(at_once, 1U);
    loops_.push_back({first, last, static_cast<uint8_t>(std::min(times, 255U))});
    return static_cast<uint16_t>(std::min<size_t>(loops_.size() - 1, 65535));
  }

  // Beyond 65,535 values numbers are reused: a false dependence, but a distant one.
  uint16_t numberOf(Value v) {
    if (number_[v] == kNone) number_[v] = next_++;
    return static_cast<uint16_t>(number_[v] % kMostRegisters);
  }

  // The number of a predicate where it is an operand.
  uint16_t numberAsOperand(Value v) {
    const auto [number, is_new] = operand_numbers_.try_emplace(v, next_);
    if (is_new) ++next_;
    return static_cast<uint16_t>(number->second % kMostRegisters);
  }

  // Predicates count twice: as guards, and as operands, for which they are ready sooner.
  void addDestinations(const Operation& operation, MachineOp& op) {
    const auto add = [&](uint16_t number) {
      if (op.destination_count >= std::size(op.destinations)) return false;
      op.destinations[op.destination_count++] = number;
      return true;
    };
    for (const Value v : operation.destinations) add(numberOf(v));
    for (const Value v : operation.destinations) {
      if (graph_.values[v].kind == lowering::ValueKind::kPredicate && add(numberAsOperand(v)))
        ++op.early_count;
    }
    op.early_cycles = lowering::earlyCycles(operation.unit);
  }

  MachineOp opOf(const Operation& operation) {
    MachineOp op;
    op.pipe = operation.unit.pipe;
    op.issues = operation.unit.issues;
    op.pipe_eighths = operation.unit.pipe_eighths;
    op.on_pipe = operation.unit.on_pipe;
    op.on_special = operation.unit.on_special;
    op.retried = operation.unit.retried;
    op.holds_cycles = operation.unit.holds_cycles;
    op.settles = operation.unit.settles;
    op.latency_cycles = operation.unit.latency_cycles;
    op.access = operation.access <= INT16_MAX ? static_cast<int16_t>(operation.access) : int16_t{-1};
    const lowering::SegmentInfo& segment = graph_.segments[operation.segment];
    op.trip = static_cast<uint8_t>(operation.trip);
    op.member =
        static_cast<uint8_t>(operation.segment - segment.group_first + operation.trip * segment.group_count);
    op.ends_segment = operation.ends_segment;
    if (operation.once_in != kNone) {
      op.every = kOnceInLoop;
      op.turn = addLoopOf(operation);
    } else if (operation.every > 1) {
      op.every = static_cast<uint8_t>(std::min(operation.every, 255U));
      op.turn = static_cast<uint16_t>(std::min(turns_++, 65535U));
    }
    op.branch = operation.transfer != Transfer::kNot;
    op.sync = operation.transfer == Transfer::kSync;
    op.stack = operation.stack;
    op.is_fence = operation.is_fence;
    op.pc = operation.pc;
    op.is_added = operation.instruction == nullptr;
    op.loads_uniform = graph_.loadsConstantOfAll(operation) && ptx::bytesOf(operation.instruction->type) >= 4;
    std::vector<uint32_t> makers;
    for (const Value v : operation.sources) {
      const lowering::ValueInfo& value = graph_.values[v];
      // A value that nothing writes (an immediate held by the instruction) is never waited for; and values
      // that one operation makes (a fragment's registers) are ready at the same time.
      if (value.definitions == 0 || std::ranges::find(makers, value.definition) != makers.end()) continue;
      if (value.definition != kNone) makers.push_back(value.definition);
      const bool early = lowering::readsEarly(graph_, operation, v);
      if (op.source_count == std::size(op.sources)) break;
      op.sources[op.source_count++] = early ? numberAsOperand(v) : numberOf(v);
      if (value.kind != lowering::ValueKind::kRegister) continue;
      std::swap(op.sources[op.read_count++], op.sources[op.source_count - 1]);
    }
    addDestinations(operation, op);
    return op;
  }

  // The 32-bit registers that an arithmetic operation reads.
  std::vector<Value> registersRead(const Operation& operation) const {
    std::vector<Value> read;
    for (const Value v : operation.sources) {
      const lowering::ValueInfo& value = graph_.values[v];
      if (value.kind != lowering::ValueKind::kRegister || value.uniform || value.definitions == 0) continue;
      if (std::ranges::find(read, v) == read.end()) read.push_back(v);
    }
    return read;
  }

  // ptxas keeps a register that the next instruction reads again in the reuse cache, unless that one must
  // wait for this one, during which other warps use the cache.
  void readRegisters(const Operation& operation, const Operation* before, MachineOp& op) const {
    const bool arithmetic = op.pipe == Pipe::kFp32 || op.pipe == Pipe::kInt || op.pipe == Pipe::kIntMultiply;
    if (!arithmetic || op.issues != 1) return;
    const std::vector<Value> read = registersRead(operation);
    op.register_reads = static_cast<uint8_t>(read.size());
    const bool narrow = std::ranges::all_of(read, [&](Value v) { return graph_.values[v].words == 1; });
    if (read.size() < 3 || !narrow) return;
    const auto reads = [&](Value v) { return std::ranges::find(read, v) != read.end(); };
    op.reads_twice = before == nullptr || std::ranges::any_of(before->destinations, reads) ||
                     std::ranges::none_of(registersRead(*before), reads);
  }

  Graph& graph_;
  std::vector<uint32_t> number_;
  std::map<Value, uint32_t> operand_numbers_;
  uint32_t next_ = 0, turns_ = 0;
  std::vector<MachineLoop> loops_;
};

// The most registers that a compiler may use: as the kernel says, or so that the blocks it is bounded to can
// be launched. A compiler would spill any more, which is not modelled.
uint32_t mostRegisters(const Code& code, const DeviceProfile& profile) {
  constexpr uint32_t kLeast = 16, kMost = 255, kUnit = 8;
  if (code.max_registers) return std::clamp(*code.max_registers, kLeast, kMost);
  if (code.threads_per_sm == 0) return kMost;
  const auto share = static_cast<uint32_t>(profile.limits.registers_per_sm / code.threads_per_sm);
  return std::clamp(share / kUnit * kUnit, kLeast, kMost);
}

}  // namespace

MachineCode lowerToMachine(const Code& code, const DeviceProfile& profile) {
  Graph graph = lowering::buildGraph(code, profile);
  const WrittenParameters written = lowering::findWrittenParameters(graph);
  simplify(graph);
  MachineCode machine = Emitter(graph).emit(mostRegisters(code, profile));
  machine.written_parameters = written;
  return machine;
}

}  // namespace warpscope::sim
