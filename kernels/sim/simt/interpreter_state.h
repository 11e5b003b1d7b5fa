// The state of a Block, for the files that implement it; nothing else includes this.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "kernels/sim/simt/cluster.h"
#include "kernels/sim/simt/image_access.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

inline constexpr uint32_t kBarriers = 16;  // per block, PTX ISA 9.7.13.1

// One of a block's barriers between two completions. Threads are counted individually, as since Volta.
struct BarrierState {
  uint32_t threads = 0;              // threads to wait for; 0: all of the block that have not exited
  uint32_t arrived = 0;              // number of lanes
  std::array<uint32_t, 32> lanes{};  // which lanes, by warp
  uint32_t votes_true = 0;           // for bar.red
};

// The memory access of an instruction being executed, for the lanes that access one space.
struct LaneAccess {
  const Instruction& instruction;
  const Registers& registers;
  uint32_t pc;
  // kGlobal, kShared, kLocal, kParam (parameters of calls, in local memory) or kConst (the parameter block).
  ptx::Space space;
  uint32_t mask;
  const uint64_t* addresses;
  Block::State* owner = nullptr;  // of shared memory: the block of the cluster whose it is; nullptr: this one
  // An atomic whose result nothing reads: other threads of the host may be changing the same words.
  bool concurrent = false;
};

// What a warp reads or writes of a matrix: ldmatrix has a span of rows of 16 bytes; wmma.load one for each
// register, or for each of its elements where those are not neighbours in memory, or for two registers that
// are.
struct MatrixAccess {
  ptx::Space space = ptx::Space::kShared;
  std::array<LaneSpan, 16> spans;
  uint32_t span_count = 0;
  uint32_t spans_of_register = 1, registers_of_span = 1;
};

struct Block::State {
  explicit State(const Launch& of);

  const Launch& launch;
  const Code& code;
  uint32_t index = 0, smid = 0;
  std::array<uint32_t, 3> block_index{};  // %ctaid
  // The warps' lists and registers. It begins as one piece that is large enough for most kernels, and frees
  // nothing before the block is destroyed.
  std::pmr::monotonic_buffer_resource storage;
  std::vector<Warp> warps;
  std::vector<uint64_t> shared;  // 8-byte aligned
  uint32_t shared_bytes = 0;
  std::array<BarrierState, kBarriers> barriers{};
  uint32_t open_barriers = 0;  // one bit for each at which a lane has arrived
  std::vector<uint32_t> released;
  uint32_t warps_done = 0, threads_left = 0;
  std::optional<Fault> fault;
  ClusterState alone;
  ClusterState* cluster = &alone;
  uint32_t rank = 0;  // in the cluster
  // What the current phase of an mbarrier, by its offset, has been told to expect and has received, in bytes.
  struct Phase {
    uint64_t expected_bytes = 0, received_bytes = 0;
  };
  std::map<uint64_t, Phase> mbarriers;  // that have been initialised

  std::byte* sharedBytes() { return reinterpret_cast<std::byte*>(shared.data()); }

  // interpreter_memory.cpp. These return false if a fault was raised.
  bool load(const Warp& warp, const LaneAccess& access);
  bool store(const Warp& warp, const LaneAccess& access);
  // Checks alignment and bounds of all lanes; returns false if a fault was raised.
  bool valid(const Warp& warp, const LaneAccess& access, uint32_t bytes);
  std::byte* hostAddress(const Warp& warp, ptx::Space space, uint32_t lane, uint64_t address);
  // Gives 0 to lanes that may not execute a load or atomic.
  static void loadZero(const LaneAccess& access, uint32_t mask);
  // interpreter_image.cpp. These return false if a fault was raised.
  bool locateTexels(const Warp& warp, const LaneAccess& access, ImageAccess& image);
  bool locateElement(const Warp& warp, const LaneAccess& access, uint32_t lane, ImageAccess& image);
  // Only the lanes that may: the others get zeros, or do not write.
  void moveTexels(const LaneAccess& access, const ImageAccess& image, uint32_t allowed);
  // interpreter_matrix.cpp. locateMatrix returns false if a fault was raised.
  // Raises a fault if the instruction needs all lanes of the warp.
  bool maySplit(const Warp& warp, const Instruction& instruction, uint32_t pc, uint32_t mask);
  bool locateMatrix(const Warp& warp, const LaneAccess& access, MatrixAccess& matrix);
  // Only the lanes that are still in the spans' masks.
  void moveMatrix(const Warp& warp, const LaneAccess& access, const MatrixAccess& matrix);
  // interpreter_atomic.cpp
  bool atomic(const Warp& warp, const LaneAccess& access);
  // interpreter_async.cpp
  void describeCopy(const Instruction& instruction, const Registers& registers, uint32_t mask,
                    PendingCopy& copy) const;
  void copyNow(const Warp& warp, const PendingCopy& copy, uint32_t mask);
  bool mbarrier(const Warp& warp, const LaneAccess& access);
  // Adds received bytes (of a copy, or of complete_tx) to an mbarrier of this block.
  bool receive(const Warp& warp, uint32_t pc, uint32_t lane, uint64_t offset, uint32_t bytes);
  // Whether a path that asked for a phase in vain waits for it from now on: all its lanes ask the same
  // mbarrier.
  bool awaitPhase(const Warp& warp, Path& path, const Instruction& instruction, uint32_t mask) const;
  void phaseCompleted(uint64_t offset, uint32_t pc);
  std::string phaseText(uint64_t offset) const;
  static void pendingCount(const Instruction& instruction, const Registers& registers, uint32_t mask);

  // interpreter_barrier.cpp. These return the barriers (one bit each) that were completed.
  uint32_t arriveAtBarrier(Warp& warp, const Instruction& instruction, uint32_t mask, uint32_t id,
                           uint32_t threads, uint32_t votes_true);
  uint32_t completeBarriers();
  bool isComplete(const BarrierState& barrier) const;
  void complete(uint32_t id);

  // interpreter_cluster.cpp
  ClusterState& clusterState() { return *cluster; }
  void clusterAddress(const Instruction& instruction, const Registers& registers, uint32_t mask) const;
  // The block whose shared memory an address of .shared::cluster lies in, and its offset there. Raises a
  // fault and returns nullptr if there is none.
  State* ownerOf(const Warp& warp, uint32_t pc, uint32_t lane, uint64_t address, uint64_t& offset);
  // Removes this block's own window from the addresses, as far as they lie in it.
  void toOwnOffsets(uint32_t mask, uint64_t* addresses) const;
  void arriveAtCluster(Warp& warp, uint32_t pc, uint32_t mask, bool releases);
  void waitForCluster(Warp& warp, uint32_t pc, uint32_t mask);
  // Lets all go on whose barrier is complete; returns whether it is.
  bool completeClusterBarrier(uint32_t pc);
  void leaveCluster(const Warp& warp, uint32_t lanes);
  // interpreter_bulk.cpp. These return false if a fault was raised.
  bool describeBulk(const Warp& warp, const Instruction& instruction, const Registers& registers, uint32_t pc,
                    uint32_t lane, BulkCopy& copy);
  bool takeSource(const Warp& warp, uint64_t from, BulkCopy& copy);
  bool takeTarget(const Warp& warp, uint64_t to, uint64_t signals, std::optional<uint32_t> ranks,
                  BulkCopy& copy);
  // Without its bytes, only the mbarriers are signalled.
  bool moveBulk(const BulkCopy& copy, bool with_bytes = true);
  bool deliver(const BulkCopy& copy, const std::function<void(std::byte*)>& write);
  bool sourceIsGone(const BulkCopy& copy);
  // interpreter_tensor.cpp: the same for the box of a tensor
  bool describeTensor(const Warp& warp, const Instruction& instruction, const Registers& registers,
                      BulkCopy& copy);
  std::optional<TensorMap> tensorMapAt(const Warp& warp, uint64_t address, const BulkCopy& copy);
  bool moveTile(const BulkCopy& copy, bool with_bytes);
  // Whether a thread waits for an mbarrier that the copy signals.
  bool isAwaited(const BulkCopy& copy) const;
  // Whether the lanes wait for a reduction in global memory, which is done at the round's end.
  bool reducesGlobal(const Warp& warp, uint32_t mask, uint64_t groups_left) const;

  // interpreter_special.cpp
  void readSpecial(const Warp& warp, const Instruction& instruction, const Registers& registers,
                   uint32_t mask) const;
  static void writeClock(const Instruction& instruction, const Registers& registers, uint32_t mask,
                         uint64_t time);
  // ld.param of the kernel's own parameters, and addresses in a frame.
  void readUniform(const Instruction& instruction, const Registers& registers, uint32_t mask,
                   uint32_t local_base) const;
  // interpreter_call.cpp. Parameters and results are in the frames' local memory.
  bool passArguments(const Warp& warp, const Instruction& instruction, uint32_t callee, uint32_t caller_frame,
                     uint32_t callee_frame, uint32_t mask);
  void passResults(const Warp& warp, uint32_t callee_frame, uint32_t mask);

  // interpreter_print.cpp: vprintf of each lane.
  bool print(const Warp& warp, const Path& path, const Instruction& instruction, uint32_t mask);
  // interpreter_condition.cpp: cudaGraphSetConditional of each lane.
  bool setCondition(const Warp& warp, const Path& path, const Instruction& instruction, uint32_t mask);

  // interpreter_fault.cpp. Only the first fault is kept.
  void raise(const Warp& warp, uint32_t pc, uint32_t lane, const std::string& what);
  void raiseAddress(const Warp& warp, const LaneAccess& access, uint32_t lane, uint32_t bytes);
  std::string place(uint32_t pc) const;  // "reduction.cu:41 (ld.global.u32 %r14, [%rd2];)"
  std::string waiting() const;
};

// The addresses that base register and offset give, lane by lane.
void laneAddresses(const Instruction& instruction, const Registers& registers, uint32_t local_base,
                   uint64_t* addresses);

// The one that a further address of an instruction gives.
uint64_t furtherAddress(const FurtherAddress& of, const Instruction& instruction, const Registers& registers,
                        uint32_t lane);
// The address of the mbarrier that a bulk copy or an asynchronous store signals.
uint64_t mbarrierAddress(const Code& code, const Instruction& instruction, const Registers& registers,
                         uint32_t lane);

// The lanes of a generic access, by the space that they address. Shared and local addresses become offsets.
struct SpaceMasks {
  uint32_t global = 0, shared = 0, local = 0, parameters = 0;
  uint32_t cluster = 0;  // in another block's shared memory, as .shared::cluster addresses
};
SpaceMasks resolveSpaces(uint32_t mask, uint64_t* addresses);

// The bytes that one lane moves: all elements of a vector; of a matrix, one of its several accesses.
uint32_t accessBytes(const Instruction& instruction);
uint32_t matrixAccessBytes(const Instruction& instruction);

// "0-3,7"
std::string formatLanes(uint32_t mask);

}  // namespace warpscope::sim
