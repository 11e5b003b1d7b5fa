// A run's counters: what they mean, and what memory requests cost by them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

// The meaning of a run's counters (Run::counters), for a reader who does not know Nsight Compute's names.
struct CounterText {
  std::string_view name;      // Nsight Compute's name, or "ptx.*" for what only a simulator can count
  std::string_view title;     // "global load sectors"
  std::string_view unit;      // "sectors", "%", "B", "ns"; empty for a plain number
  std::string_view group;     // "Instructions": the counters of a group are consecutive
  std::string_view nvprof{};  // the name that nvprof had for it ("gld_efficiency"); empty: none
};

// In the order in which they are shown. Warp states are not included: warp_state.h names those.
std::span<const CounterText> counterTexts();
// The counters that a GPU is asked for unless the user says which: those of the tables, and warp states.
std::vector<std::string> usualCounters();
// Whether it is a counter of textures and surfaces, or of local memory: a kernel that has none need not pay
// for the passes of such counters.
bool countsImages(std::string_view name);
bool countsLocalMemory(std::string_view name);
const CounterText* findCounterText(std::string_view name);  // nullptr if it is unknown

// "65,536 sectors", "1.678 M sectors", "83.2 %", "3.658 µs", "16 MiB"
std::string formatCounter(double value, std::string_view unit);

// The cost of a launch's memory requests, from a run's counters: rates with which access patterns of
// different sizes and variants can be compared. Absent if the device does not count them, or there was no
// request.

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
