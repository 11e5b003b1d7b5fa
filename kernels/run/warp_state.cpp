#include "kernels/run/warp_state.h"

#include <fmt/core.h>

#include <array>

namespace warpscope {
namespace {

struct StateText {
  const char* name;
  const char* title;
  const char* help;
};

// Meanings: "Nsight Compute Profiling Guide", Statistical Sampler, Warp Scheduler States.
constexpr std::array<StateText, kWarpStates> kTexts{{
    {"selected", "selected", "issued an instruction"},
    {"not_selected", "not selected", "could issue, but its scheduler chose another warp"},
    {"long_scoreboard", "long scoreboard", "data from global or local memory (L1TEX)"},
    {"short_scoreboard", "short scoreboard",
     "data from shared memory, a shuffle or the special function unit"},
    {"wait", "wait", "the fixed latency of the instruction before"},
    {"barrier", "barrier", "the other warps of its block, at a barrier"},
    {"membar", "membar", "a memory fence"},
    {"math_pipe_throttle", "math pipe throttle", "an arithmetic pipe that is busy with other warps"},
    {"lg_throttle", "LG throttle", "room in the queue for global and local memory instructions"},
    {"mio_throttle", "MIO throttle", "room in the queue for shared memory and special instructions"},
    {"branch_resolving", "branch resolving", "the target of a branch"},
    {"no_instruction", "no instruction", "its next instruction to be fetched"},
    {"dispatch_stall", "dispatch stall", "the dispatcher, which holds the instruction back"},
    {"sleeping", "sleeping", "the end of its nanosleep"},
    {"imc_miss", "IMC miss", "a constant that is not in the immediate constant cache"},
    {"drain", "drain", "its stores to leave the multiprocessor, at its end"},
    {"tex_throttle", "TEX throttle", "room in the queue for texture and surface instructions"},
}};

const StateText& textOf(WarpState state) {
  static constexpr StateText kUnknown{"unknown", "unknown", "something that is not known"};
  const auto index = static_cast<size_t>(state);
  return index < kTexts.size() ? kTexts[index] : kUnknown;
}

}  // namespace

const char* warpStateName(WarpState state) {
  return textOf(state).name;
}

const char* warpStateTitle(WarpState state) {
  return textOf(state).title;
}

const char* warpStateHelp(WarpState state) {
  return textOf(state).help;
}

std::string warpStateCounter(WarpState state) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", warpStateName(state));
}

}  // namespace warpscope
