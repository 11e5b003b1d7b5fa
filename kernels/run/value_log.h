// The values that the warps of one block had in registers and shared memory, at any time of a launch on a
// simulated GPU (execute/value_recorder.h). Nothing is replayed to go to a time: each register has a list of
// what was written to it, so that a state costs the same forward and backward. A plain value, like Run.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/run/lane_log.h"
#include "kernels/run/listing.h"

namespace warpscope {

// A register of the kernel's PTX, or of a function that it calls.
struct LoggedRegister {
  std::string name;   // "%r12"
  uint8_t bits = 32;  // 8, 16, 32, 64, 128; of predicates 1
  bool is_float = false, is_signed = false;
};

// One PTX instruction as the lanes of `mask` executed it together.
struct ValueStep {
  uint32_t listed = 0;  // index into ValueLog::listing
  LaneMask mask;        // after the guard
  uint32_t frame = 0;   // the call that it belongs to: 0 is the kernel
};

// What a step wrote into one register, in the lanes of `mask`.
struct RegisterWrite {
  uint32_t step = 0;        // into WarpValues::steps
  LaneMask mask;            // those of the step, but for the result of a barrier
  uint32_t slot = 0;        // where the register is; registers that are never needed together may share it
  uint32_t of = 0;          // into ValueLog::registers
  uint32_t first_word = 0;  // into WarpValues::words
};

// A step in the order in which steps are issued, which is not always that of execution.
struct ValueIssue {
  int64_t cycle = 0;
  uint32_t step = 0;
  uint32_t steps = 0;  // one more than the last step that is issued by then
};

// Bytes that a lane wrote into global memory, as they are there after the step.
struct GlobalWrite {
  uint32_t step = 0, lane = 0;
  uint64_t address = 0;              // on the simulated device
  uint32_t bytes = 0, elements = 1;  // all of them, for vectors: 4 for float4
  std::array<uint8_t, 16> data{};
};

struct WarpValues {
  LaneMask live;                                   // lanes that exist
  std::vector<ValueStep> steps;                    // in the order of execution
  std::vector<int64_t> cycles;                     // by step: when it issues, on the launch axis (trace.h)
  std::vector<ValueIssue> issues;                  // ascending cycle
  std::vector<RegisterWrite> writes;               // ascending step
  std::vector<uint32_t> words;                     // of the writes: all lanes' values, one after another
  std::vector<std::vector<uint32_t>> writes_into;  // by slot: indices into writes, ascending
  std::vector<GlobalWrite> results;                // in the order of execution
};

// Bytes that a lane wrote into the block's shared memory.
struct SharedWrite {
  uint32_t warp = 0, step = 0;
  uint32_t offset = 0, bytes = 0;
  std::array<uint8_t, 16> data{};
};

// The registers of the warp and the shared memory of the block as the simulated GPU has them after a number
// of the block's steps: what a state from the log is compared with.
struct ValueSnapshot {
  uint32_t warp = 0;                // the warp that executed the last of them
  std::vector<uint32_t> steps;      // how many each warp had executed
  std::vector<uint32_t> registers;  // by slot: a word for each lane
  std::vector<std::byte> shared;
};

struct ValueLog {
  BlockId block;
  std::string source_file;
  std::shared_ptr<const Listing> listing;  // of the kernel with its probes
  std::vector<LoggedRegister> registers;
  std::vector<WarpValues> warps;  // by warp in block
  uint32_t shared_bytes = 0;
  std::vector<SharedWrite> shared_writes;                 // in the order of execution
  std::vector<std::vector<uint32_t>> shared_writes_into;  // by 4-byte word: indices into shared_writes
  // Something else than the block's own stores and copies writes its shared memory, as bulk copies and other
  // blocks of a cluster do. That is not recorded, and so no shared memory is.
  bool shared_from_outside = false;
  std::vector<LaneLogBuffer> buffers;  // in global memory, by address
  bool full = false;                   // it ends before the block does, because it would take too much memory
  std::optional<ValueSnapshot> snapshot;

  size_t bytes() const;  // of memory that it takes, roughly
};

// Fills in `issues`.
void orderIssues(WarpValues& warp);

// What a warp has done: those of its first `steps` steps that are issued by this cycle. A loaded value is
// there from the step that loads it, although it arrives later.
struct ValueTime {
  double cycle = std::numeric_limits<double>::infinity();
  uint32_t steps = 0;
};
ValueTime timeAt(const WarpValues& warp, double cycle);

// A register as one lane had it.
struct RegisterValue {
  uint32_t of = 0;  // into ValueLog::registers
  uint32_t slot = 0;
  uint32_t step = 0;                // that wrote it
  std::array<uint32_t, 4> words{};  // as many as it has bits; the lowest first
};

// What the lane had in the place at that time; nullopt: nothing was written there that is still whole.
std::optional<RegisterValue> registerAt(const ValueLog& log, const WarpValues& warp, const ValueTime& time,
                                        uint32_t slot, int lane);
// All of a lane, by slot.
std::vector<RegisterValue> registersAt(const ValueLog& log, const WarpValues& warp, const ValueTime& time,
                                       int lane);

// Four bytes of shared memory. `written`: one bit for each byte that some warp has written.
struct SharedWord {
  uint32_t value = 0;
  uint32_t written = 0;
  uint32_t warp = 0, step = 0;  // that wrote last
};
// `times`: of each warp.
SharedWord sharedWordAt(const ValueLog& log, std::span<const ValueTime> times, uint32_t word);

// The last `most` results of the lane at that time, the newest first.
std::vector<const GlobalWrite*> resultsAt(const WarpValues& warp, const ValueTime& time, int lane,
                                          size_t most);

// "-3", "0.25", "true"; numbers that are no floats also in hexadecimal: "42 (0x2a)".
std::string formatRegister(const LoggedRegister& of, const RegisterValue& value);
// Numbers whose type is not known: as floats if most of them are of a size that floats have, else as
// integers.
bool lookLikeFloats(std::span<const uint32_t> words);
std::string formatWord(uint32_t word, bool as_float);

}  // namespace warpscope
