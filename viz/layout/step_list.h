// The steps of one logged warp that a view shows one at a time: its accesses to shared memory, its accesses
// to global memory, or its exchanges between lanes. Decides which one is shown until the user chooses, and
// which issued instruction of a trace a step corresponds to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/run/lane_log.h"

namespace warpscope {

enum class StepKind : uint8_t { kShared, kGlobal, kExchange };
inline constexpr size_t kStepKinds = 3;

class StepList {
 public:
  StepList() = default;
  // `log` must outlive this object.
  StepList(const LaneLog& log, const LoggedWarp& warp, StepKind kind);

  size_t size() const { return indices_.size(); }
  bool empty() const { return indices_.empty(); }
  StepKind kind() const { return kind_; }
  const LaneLog& log() const { return *log_; }
  const LoggedWarp& warp() const { return *warp_; }
  // For kShared and kGlobal.
  const MemoryRequest& request(size_t i) const { return warp_->requests[indices_[i]]; }
  // For kExchange.
  const LaneExchange& exchange(size_t i) const { return warp_->exchanges[indices_[i]]; }

  uint32_t instruction(size_t i) const;
  uint32_t line(size_t i) const { return lineOf(*log_, instruction(i)); }
  // Wavefronts or sectors; 1 for an exchange.
  uint32_t cost(size_t i) const { return costs_[i]; }
  // The first step of the source line whose steps have the highest total cost.
  size_t usual() const { return usual_; }

  // The step that is the same execution of the same source line by the same kind of instruction, counted
  // within the warp. The traced kernel has probes and other registers, so instructions are not compared by
  // index.
  std::optional<size_t> stepOf(const Run& run, const TraceWarp& warp, uint32_t ordinal) const;
  // The first step with this instruction's source line and kind.
  std::optional<size_t> firstOf(const Run& run, uint32_t listed) const;
  std::optional<uint32_t> instructionOf(size_t i, const Run& run, const TraceWarp& warp) const;

 private:
  size_t findUsual() const;

  const LaneLog* log_ = nullptr;
  const LoggedWarp* warp_ = nullptr;
  StepKind kind_ = StepKind::kShared;
  std::vector<uint32_t> indices_;  // indices into the warp's requests or exchanges
  std::vector<uint32_t> costs_;
  size_t usual_ = 0;
};

// "ld.shared.u32" of "@%p1 ld.shared.u32 %r3, [%r2];"
std::string opcodeOf(const std::string& ptx);

}  // namespace warpscope
