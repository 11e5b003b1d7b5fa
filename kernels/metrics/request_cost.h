// What a launch's memory requests cost, from a run's counters: the rates that make access patterns of
// different sizes and variants comparable. Absent where the device does not count, or there was no request.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/run/run.h"

namespace warpscope {

// By Nsight Compute's name; nullopt: the device does not count it.
std::optional<double> counterOf(const Run& run, std::string_view name);

enum class AccessKind { kLoad, kStore, kAtomic };
const char* accessKindName(AccessKind kind);  // "load"

// Wavefronts (turns of the banks) and bank conflicts a shared-memory instruction. A conflict-free one of 32
// bits a lane takes 1 wavefront, wider ones more.
std::optional<double> wavefrontsPerRequest(const Run& run, AccessKind kind);
std::optional<double> bankConflictsPerRequest(const Run& run, AccessKind kind);
std::optional<double> bankConflictsPerRequest(const Run& run);            // of all kinds together
std::optional<double> sharedWavefronts(const Run& run, AccessKind kind);  // of the launch

// Sectors (32 bytes) a request to global memory moves. Atomics are those that return a value and those that
// do not. A coalesced request of 32 bits a lane moves 4.
std::optional<double> sectorsPerRequest(const Run& run, AccessKind kind);
std::optional<double> sectorsPerRequest(const Run& run);
std::optional<double> globalSectors(const Run& run, AccessKind kind);  // of the launch

}  // namespace warpscope
