// The passes of the lowering, in the order in which lower.cpp runs them. Together they remove, merge and add
// what ptxas would; graph.h is what they work on.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// dataflow.cpp. Returns a kernel's operations, values and control flow, without any simplification: finds for
// each source the operations whose result it is. A value is a web: the definitions of one register that share
// a use. So it does not matter whether registers are reused for other things.
Graph buildGraph(const Code& code, const DeviceProfile& profile);

// halves.cpp. Finds the halves of 64-bit integers that are read, and drops what computes the others. Needs
// the values as PTX has them.
void narrowHalves(Graph& graph);

// copies.cpp. Turns copies into other names of the same value, and kernel parameters and sizes into
// constant-bank values.
void foldCopies(Graph& graph);

// constants.cpp. The result of an operation on constants, if it is computed by the compiler.
std::optional<uint64_t> resultOfConstants(const Graph& graph, const Operation& operation);

// coalesce.cpp. Copies whose two registers can be one. Needs foldCopies.
void coalesceCopies(Graph& graph);

// redundant.cpp. Drops loads of what is in a register already. Needs foldCopies.
void dropRedundantLoads(Graph& graph);

// repeated.cpp. Drops arithmetic whose result is known already. Needs foldCopies.
void dropRepeated(Graph& graph);

// uniform.cpp. Marks the values that are the same for all lanes: computed (agreed ones also loaded) from such
// values, and not chosen by a branch that lanes disagree on. (Lanes that leave a loop at different times are
// not considered.)
void markUniform(Graph& graph);

// calls.cpp. Gives calls and the functions that they call what the ABI asks for.
void lowerCalls(Graph& graph);

// fences.cpp. A release at the scope of the GPU is a fence before the operation; an acquire forgets what L1
// holds after it.
void addFences(Graph& graph);

// local_arrays.cpp. The accesses to small arrays of a thread that ptxas could keep in registers, by whether
// their index is known. Needs foldCopies, and the addresses as they are before foldPairs.
struct LocalArrays {
  struct Access {
    uint32_t operation = 0;
    uint32_t choices = 0;   // the number of elements that its index can stand for
    uint32_t elements = 0;  // that it could stand for if nothing but its stride were known
    uint32_t width = 1;     // elements moved at once
  };
  std::vector<uint32_t> known;  // operations
  std::vector<Access> unknown;
};
LocalArrays findLocalArrays(Graph& graph);
// What they cost if ptxas does so. Call after foldPairs, when it is known how long the code is.
void keepArraysInRegisters(Graph& graph, const LocalArrays& arrays);

// unroll.cpp. Unrolls the loops that ptxas unrolls: what is computed once for several trips issues only on
// some of them. Needs foldCopies.
void unrollLoops(Graph& graph);

// wide_loads.cpp. Loads of neighbouring words of shared memory become one. Needs the addresses as they are
// before foldPairs.
void widenLoads(Graph& graph);

// hoisted_loads.cpp. Loads that ptxas moves out of a loop. Call when loops are unrolled and loads merged.
void hoistLoads(Graph& graph);

// products.cpp. Products of which both halves are read become one operation. Needs foldCopies.
void joinProducts(Graph& graph);

// yields.cpp. Marks the branches back of loops that may wait for another warp (Graph::yields).
void markYields(Graph& graph);

// pairs.cpp. Merges pairs and triples of operations into one: conversions that cost nothing, address
// arithmetic that loads and stores do themselves, pairs that are one machine instruction. Needs foldCopies.
void foldPairs(Graph& graph);

// shuffles.cpp. What a warp does before a shuffle in which not all of its lanes take part. Needs foldPairs.
void checkShuffledLanes(Graph& graph);
// Drops operations whose results are never read.
void dropUnused(Graph& graph);

// selections.cpp. Selections that cost nothing, as what is selected is computed under the predicate. Needs
// foldPairs.
void foldSelections(Graph& graph);
// Selections between constants of which others are made. Call before foldPairs.
void scaleSelections(Graph& graph);

// forwarding.cpp. What reads the result of an operation that costs nothing reads what that was made of. Call
// when all operations have their costs.
void forwardThroughFree(Graph& graph);

// special_functions.cpp. Functions of the special function unit as the instructions that they are. Call when
// operations are no more moved between segments.
void splitSpecialFunctions(Graph& graph);

// divisions.cpp. Integer divisions whose divisor's reciprocal is known (shareReciprocals), counts of bits and
// reductions of a warp as the instructions that they are. Call when operations are no more moved between
// segments.
void splitDivisions(Graph& graph);

// subwords.cpp. What it takes to get bytes and shorts out of vectors that are loaded, and into those that are
// stored. Needs foldPairs.
void splitSubwords(Graph& graph);

// matrices.cpp. The arithmetic of the addresses of matrices' elements. Needs foldPairs.
void addressMatrices(Graph& graph);
// image_operands.cpp. Where the operands of textures and surfaces have to be. Needs foldPairs.
void placeImageOperands(Graph& graph);
// Two registers that become zero in the same stretch of code take one instruction (CS2R).
void pairZeroes(Graph& graph);

// atomics.cpp. Atomics that a warp makes as one. Needs markUniform and foldPairs.
void aggregateAtomics(Graph& graph);

// reciprocals.cpp. Splits integer divisions into what depends on the divisor alone, which divisions share,
// and the rest. Needs foldPairs.
void shareReciprocals(Graph& graph);

// control.cpp. Branches as ptxas lays them out: jumps that a better order of blocks saves cost nothing; a
// branch to a lone `ret` becomes an EXIT.
void layOutBranches(Graph& graph);

// predicate.cpp. Turns short branches into predication.
void predicateShortBranches(Graph& graph);
// Joins segments that are one basic block of the hardware into groups: sets group_first and group_count of
// all segments. Call after predicateShortBranches.
void formGroups(Graph& graph);

// async_copies.cpp. The loads for no lane that come before a block's copies to shared memory. Call after
// formGroups.
void prepareAsyncCopies(Graph& graph);

// materialize.cpp. Moves what a loop's first segment recomputes from invariant values on each trip to before
// the loop, and reciprocals of divisors from wherever each trip passes.
void hoistInvariants(Graph& graph);

// control.cpp. Where lanes may disagree on a branch, puts BSSY before it and BSYNC where they reconverge.
// Call after predicateShortBranches and formGroups.
void addConvergence(Graph& graph);

// materialize.cpp. The cost of constant operands: parameters and sizes are loaded from the constant bank,
// immediates that an instruction cannot hold are moved to a register, and addresses of shared variables are
// computed. Call after formGroups and hoistInvariants.
void materializeConstants(Graph& graph);

// written.cpp. Follows addresses from the parameters through registers, not through memory and calls. Call
// before any other pass.
WrittenParameters findWrittenParameters(const Graph& graph);

// schedule.cpp. List scheduling of the group that begins at `head`: the operation that most others wait for
// goes first, memory operations that may access the same address keep their order, and the operation that
// ends the group is last.
std::vector<uint32_t> scheduleGroup(Graph& graph, uint32_t head);
// The same for a list of operations, but where no more than `words` registers are to be live at a time, loads
// wait for room.
struct LiveValues;
std::vector<uint32_t> scheduleWithin(Graph& graph, std::vector<uint32_t> list, uint32_t words,
                                     const LiveValues& live);
// The same, or the order in which no operation goes far ahead of those that come before it in the list,
// whichever takes less time.
std::vector<uint32_t> scheduleShorter(Graph& graph, std::vector<uint32_t> list, uint32_t words,
                                      const LiveValues& live);
// trips.cpp. Of a loop that is unrolled, and a trip of which is one group: the operations of several trips in
// the order in which they issue, loads of the later ones before the earlier ones' arithmetic. Those that
// issue once for all trips are among the last one's, as of the first. Empty: the trips issue one after
// another. No more than `registers` are used where that is possible.
std::vector<uint32_t> scheduleTrips(Graph& graph, uint32_t head, uint32_t registers, const LiveValues& live);
// How many trips that are.
uint32_t tripsAtOnce(const Graph& graph, uint32_t head);
// The group's operations as PTX has them.
std::vector<uint32_t> sourceOrder(const Graph& graph, uint32_t head);

// registers.cpp. 32-bit registers that a thread needs: the most values live at the same time, and what ptxas
// uses in addition.
// Those that ptxas needs besides are fitted to what it reports for this project's kernels (13.0, sm_90); see
// tests/unit/sim_lowering_test.cpp.
inline constexpr uint32_t kBesides = 8;
uint32_t estimateRegisters(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head);
uint32_t registerWords(const Graph& graph, Value value);
// The values that are live at the beginning and at the end of a group, and the most words of registers that
// are live at the same time within it.
struct LiveValues {
  std::unordered_set<Value> in, out;
  uint32_t most_words = 0;
};
std::vector<LiveValues> liveValues(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head);

}  // namespace warpscope::sim::lowering
