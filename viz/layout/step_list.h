// The steps of one logged warp that a view shows one at a time: its accesses to shared memory, to global
// memory, or its exchanges between lanes. Says which is shown until the user chooses, and which issued
// instruction of a trace a step is.
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
  // `log` outlives this.
  StepList(const LaneLog& log, const LoggedWarp& warp, StepKind kind);

  size_t size() const { return indices_.size(); }
  bool empty() const { return indices_.empty(); }
  StepKind kind() const { return kind_; }
  const LaneLog& log() const { return *log_; }
  const LoggedWarp& warp() const { return *warp_; }
  // Of kShared and kGlobal.
  const MemoryRequest& request(size_t i) const { return warp_->requests[indices_[i]]; }
  // Of kExchange.
  const LaneExchange& exchange(size_t i) const { return warp_->exchanges[indices_[i]]; }

  uint32_t instruction(size_t i) const;
  uint32_t line(size_t i) const { return lineOf(*log_, instruction(i)); }
  // Wavefronts, sectors; of an exchange 1.
  uint32_t cost(size_t i) const { return costs_[i]; }
  // The first of the source line whose steps cost most in all.
  size_t usual() const { return usual_; }

  // The step is the same execution of the same source line by the same kind of instruction: its so-manieth in
  // the warp. The traced kernel has probes and other registers, so instructions are not compared by number.
  std::optional<size_t> stepOf(const Run& run, const TraceWarp& warp, uint32_t ordinal) const;
  // The first that is of this instruction's source line and kind.
  std::optional<size_t> firstOf(const Run& run, uint32_t listed) const;
  std::optional<uint32_t> instructionOf(size_t i, const Run& run, const TraceWarp& warp) const;

 private:
  size_t findUsual() const;

  const LaneLog* log_ = nullptr;
  const LoggedWarp* warp_ = nullptr;
  StepKind kind_ = StepKind::kShared;
  std::vector<uint32_t> indices_;  // into the warp's requests or exchanges
  std::vector<uint32_t> costs_;
  size_t usual_ = 0;
};

// "ld.shared.u32" of "@%p1 ld.shared.u32 %r3, [%r2];"
std::string opcodeOf(const std::string& ptx);

}  // namespace warpscope
