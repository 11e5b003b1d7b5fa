// The cost of a PTX instruction by itself: pipe, machine instructions, latency. Folding it with its
// neighbours comes later (foldPairs) and changes the unit where the pair has another cost.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

Unit unitOf(const Instruction& instruction, const DeviceProfile& profile);

// Whether a subroutine does the rare cases.
bool callsSubroutine(const Instruction& instruction);

// Selections and comparisons read a predicate like a register: so many cycles sooner than what it guards.
uint8_t earlyCycles(const Unit& unit);
bool readsEarly(const Graph& graph, const Operation& reader, Value predicate);

// `issues` machine instructions on one pipe, each of which waits for the one before.
Unit chainUnit(const DeviceProfile& profile, Pipe pipe, uint32_t issues);
// A sequence in which only `depth` instructions wait for each other.
Unit sequenceUnit(const DeviceProfile& profile, Pipe pipe, uint32_t issues, uint32_t depth);
// A comparison of integers: the last of its instructions makes the predicate, the others wait for each other.
Unit compareUnit(const DeviceProfile& profile, uint32_t issues);
// An integer multiply-add, which is on the FMA pipe since Volta.
Unit multiplyAddUnit(const DeviceProfile& profile);
// A sequence in which `wide` instructions make 64 bits of a product or its upper half (IMAD.WIDE, IMAD.HI)
// and `narrow` ones the lower half; the others are elsewhere.
Unit productUnit(const DeviceProfile& profile, uint32_t issues, uint32_t depth, uint32_t wide,
                 uint32_t narrow);
Unit wideMultiplyAddUnit(const DeviceProfile& profile);

// The two parts of an integer division of 32 bits or less by a register: what depends on the divisor alone,
// and the rest.
Unit reciprocalUnit(bool is_signed, const DeviceProfile& profile);
Unit divideByKnownUnit(const Instruction& instruction, const DeviceProfile& profile);

// An integer division by a constant is a multiplication; `divisor` is the constant as written.
Unit divideByConstantUnit(const Instruction& instruction, uint64_t divisor, const DeviceProfile& profile);

}  // namespace warpscope::sim::lowering
