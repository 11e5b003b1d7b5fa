#include "kernels/sim/simt/checks/run_checked.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/core/units.h"
#include "kernels/sim/simt/checks/endless.h"
#include "kernels/sim/simt/checks/resident_blocks.h"
#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {
namespace {

class CheckedRun {
 public:
  CheckedRun(const Launch& launch, WrittenMemory& written, const CheckOptions& options)
      : options_(options), checks_(launch, written, options.touched), blocks_(checks_) {
    checks_.primary = options.primary.get();
  }

  Expected<CheckReport> run(const std::stop_token& stop);

 private:
  void reportTrouble();
  bool endsWaits();
  void reportPhase(ResidentBlock& resident, const Warp& warp, const Path& path);
  void reportDeadlock(ResidentBlock& resident);
  void reportLoop(HazardKind kind, const EndlessLoop& loop, const std::string& why);
  void reportStepLimit();
  bool provenEndless();
  std::string linesOf(const EndlessLoop& loop) const;
  static std::string phaseOf(const EndlessLoop& loop);

  const CheckOptions& options_;
  LaunchChecks checks_;
  ResidentBlocks blocks_;
  uint64_t idle_turns_ = 0, next_proof_ = 8;
};

Expected<CheckReport> CheckedRun::run(const std::stop_token& stop) {
  const auto total = static_cast<double>(checks_.launch.grid.count());
  while (!blocks_.done()) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "the checked launch was cancelled");
    if (!blocks_.turn()) {
      if (endsWaits()) continue;
      reportTrouble();
      break;
    }
    if (options_.progress) options_.progress(static_cast<double>(blocks_.finishedBlocks()) / total);
    if (provenEndless()) break;
    if (options_.step_limit != 0 && blocks_.steps() > options_.step_limit && !blocks_.done()) {
      reportStepLimit();
      break;
    }
  }
  CheckReport report;
  report.finished = blocks_.done();
  report.warp_instructions = blocks_.steps();
  for (auto& resident : blocks_.residents()) resident->checks.end();
  checks_.finish();
  report.hazards_left_out = checks_.log.leftOut();
  report.hazards = checks_.log.take();
  if (options_.keep_accesses)
    report.accesses =
        std::make_shared<PrimaryLaunch>(PrimaryLaunch{checks_.launch, std::move(checks_.shadow)});
  return report;
}

void CheckedRun::reportTrouble() {
  for (auto& resident : blocks_.residents()) {
    if (const Fault* fault = resident->block.fault()) {
      checks_.log.add({HazardKind::kTrap, {}, {}, 0}, 1, [&] {
        Hazard hazard;
        hazard.kind = HazardKind::kTrap;
        hazard.kernel = checks_.launch.code->kernel;
        hazard.message = fault->message;
        return hazard;
      });
      return;
    }
    // After a barrier that not all lanes reach, a deadlock is only a consequence.
    if (resident->stuck() && !checks_.stop) return reportDeadlock(*resident);
  }
}

// Where a block, or a cluster, can only go on because waits for an mbarrier time out: reports them, and lets
// them.
bool CheckedRun::endsWaits() {
  if (checks_.stop) return false;
  for (auto& resident : blocks_.residents()) {
    if (resident->block.fault() != nullptr || !resident->stuck()) continue;
    for (uint32_t i = 0; i < resident->block.warpCount(); ++i) {
      const Warp& warp = resident->block.warp(i);
      for (const Path& path : warp.paths) {
        if (path.state == Path::State::kWaitingForPhase) reportPhase(*resident, warp, path);
      }
    }
    return resident->timesOut();
  }
  return false;
}

void CheckedRun::reportPhase(ResidentBlock& resident, const Warp& warp, const Path& path) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(path.mask));
  const Executor executor{resident.block.index(), warp.index_in_block * 32 + lane, path.pc};
  const HazardPlace place = checks_.placeOf(executor.pc);
  checks_.log.add({HazardKind::kIncompletePhase, place, place, 0}, 1, [&] {
    Hazard hazard;
    hazard.kind = HazardKind::kIncompletePhase;
    hazard.kernel = checks_.launch.code->kernel;
    hazard.access = checks_.describe(executor);
    hazard.message = fmt::format("{} waits in vain {}", checks_.who(executor),
                                 resident.block.state().phaseText(path.mbarrier));
    return hazard;
  });
}

void CheckedRun::reportDeadlock(ResidentBlock& resident) {
  Executor executor{resident.block.index(), 0, kNowhere};
  bool found_phase = false;
  for (uint32_t i = resident.block.warpCount(); i-- > 0;) {
    const Warp& warp = resident.block.warp(i);
    if (warp.done() || warp.paths.empty()) continue;
    // What an mbarrier lacks explains more than a barrier behind it.
    const auto awaits_phase = [](const Path& path) { return path.state == Path::State::kWaitingForPhase; };
    const auto awaiting = std::ranges::find_if(warp.paths, awaits_phase);
    if (awaiting == warp.paths.end() && found_phase) continue;
    found_phase = awaiting != warp.paths.end();
    const Path& path = found_phase ? *awaiting : warp.paths.front();
    executor = {resident.block.index(), i * 32 + static_cast<uint32_t>(std::countr_zero(path.mask)), path.pc};
  }
  const HazardPlace place = checks_.placeOf(executor.pc);
  checks_.log.add({HazardKind::kDeadlock, place, place, 0}, 1, [&] {
    Hazard hazard;
    hazard.kind = HazardKind::kDeadlock;
    hazard.kernel = checks_.launch.code->kernel;
    hazard.access = checks_.describe(executor);
    hazard.message =
        fmt::format("no warp of block {} can go on: {}", executor.block, resident.block.waiting());
    return hazard;
  });
}

bool CheckedRun::provenEndless() {
  if (!blocks_.idle() || blocks_.done()) {
    idle_turns_ = 0;
    next_proof_ = 8;
    return false;
  }
  if (++idle_turns_ < next_proof_) return false;
  next_proof_ *= 4;
  const std::optional<EndlessLoop> loop = findEndlessLoop(blocks_);
  if (!loop) return false;
  if (loop->asks) {
    reportLoop(
        HazardKind::kDeadlock, *loop,
        "waits for memory to change, which no thread that can still run does: it asks again and again");
  } else {
    reportLoop(HazardKind::kEndlessLoop, *loop, "goes round in a loop that changes nothing and never ends");
  }
  return true;
}

void CheckedRun::reportStepLimit() {
  for (auto& resident : blocks_.residents()) {
    for (uint32_t i = 0; i < resident->block.warpCount(); ++i) {
      if (resident->waits[i]) continue;
      const EndlessLoop loop = sampleLoop(*resident, i);
      if (loop.pcs.empty()) continue;
      const auto steps = static_cast<int64_t>(blocks_.steps());
      return reportLoop(
          HazardKind::kStepLimit, loop,
          fmt::format(
              "was still running when the launch had executed {} warp-instructions, more than allowed",
              formatCount(steps)));
    }
  }
}

std::string CheckedRun::linesOf(const EndlessLoop& loop) const {
  std::vector<HazardPlace> places;
  for (const uint32_t pc : loop.pcs) places.push_back(checks_.placeOf(pc));
  const auto [first, last] = std::minmax_element(places.begin(), places.end());
  if (first->file == 0 || first->file != last->file) return "";
  if (first->line == last->line) return fmt::format(" (line {})", first->line);
  return fmt::format(" (lines {} to {})", first->line, last->line);
}

// Of a loop that asks an mbarrier: what its phase lacks.
std::string CheckedRun::phaseOf(const EndlessLoop& loop) {
  if (!loop.asks) return "";
  const Block::State& state = loop.resident->block.state();
  const Instruction& in = state.code.instructions[*loop.asks];
  const bool waits = in.op == ptx::Op::kMbarrierTestWait || in.op == ptx::Op::kMbarrierTryWait;
  const Warp& warp = loop.resident->block.warp(loop.warp);
  if (!waits || warp.paths.empty()) return "";
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, warp.registers(state.code, warp.paths[warp.current]), 0, addresses);
  return fmt::format("waits in vain {}", state.phaseText(addresses[loop.lane] % kWindowBytes));
}

void CheckedRun::reportLoop(HazardKind kind, const EndlessLoop& loop, const std::string& why) {
  const uint32_t pc = loop.asks.value_or(loop.pcs.front());
  const Executor executor{loop.resident->block.index(), loop.warp * 32 + loop.lane, pc};
  const HazardPlace place = checks_.placeOf(pc);
  const std::string phase = phaseOf(loop);
  checks_.log.add({kind, place, place, 0}, 1, [&] {
    Hazard hazard;
    hazard.kind = kind;
    hazard.kernel = checks_.launch.code->kernel;
    hazard.access = checks_.describe(executor);
    hazard.message =
        fmt::format("{}{} {}", checks_.who(executor), linesOf(loop), phase.empty() ? why : phase);
    return hazard;
  });
}

}  // namespace

Expected<CheckReport> runChecked(const Launch& launch, WrittenMemory& written, const CheckOptions& options,
                                 const std::stop_token& stop) {
  return CheckedRun(launch, written, options).run(stop);
}

}  // namespace warpscope::sim
