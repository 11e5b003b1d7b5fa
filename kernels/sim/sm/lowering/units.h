// What a PTX instruction costs by itself: pipe, machine instructions, latency. Folding with its neighbours
// comes later (fold.h) and changes the unit where the pair costs something else.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

Unit unitOf(const Instruction& instruction, const DeviceProfile& profile);

// `issues` machine instructions one after the other on a pipe, each waiting for the one before.
Unit chainUnit(const DeviceProfile& profile, Pipe pipe, uint32_t issues);
// A sequence of which only `depth` instructions wait for each other.
Unit sequenceUnit(const DeviceProfile& profile, Pipe pipe, uint32_t issues, uint32_t depth);
// An integer multiply-add: on the FMA pipe since Volta.
Unit multiplyAddUnit(const DeviceProfile& profile);

// An integer division by a constant is a multiplication: `divisor` as it is written.
Unit divideByConstantUnit(const Instruction& instruction, uint64_t divisor, const DeviceProfile& profile);

}  // namespace warpscope::sim::lowering
