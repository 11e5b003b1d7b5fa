// The cost of a launch's memory requests, from a run's counters: rates with which access patterns of
// different sizes and variants can be compared. Absent if the device does not count them, or there was no
// request.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/run/run.h"

namespace warpscope {

// A counter by Nsight Compute's name; nullopt if the device does not count it.
std::optional<double> counterOf(const Run& run, std::string_view name);

enum class AccessKind { kLoad, kStore, kAtomic };
const char* accessKindName(AccessKind kind);  // "load"

// Wavefronts and bank conflicts per shared-memory instruction. A conflict-free instruction with 32 bits per
// lane takes 1 wavefront, wider ones more.
std::optional<double> wavefrontsPerRequest(const Run& run, AccessKind kind);
std::optional<double> bankConflictsPerRequest(const Run& run, AccessKind kind);
std::optional<double> bankConflictsPerRequest(const Run& run);            // of all kinds together
std::optional<double> sharedWavefronts(const Run& run, AccessKind kind);  // in the whole launch

// Sectors (32 bytes) that a request to global memory moves. Atomics include those that return a value and
// those that do not. A coalesced request with 32 bits per lane moves 4.
std::optional<double> sectorsPerRequest(const Run& run, AccessKind kind);
std::optional<double> sectorsPerRequest(const Run& run);
std::optional<double> globalSectors(const Run& run, AccessKind kind);  // in the whole launch

}  // namespace warpscope
