// The messages about a launch that cannot continue: each names the kernel, the source line, the PTX, the
// block and the thread.
#include <fmt/format.h>

#include <bit>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

const char* spaceName(ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared:
      return "shared";
    case ptx::Space::kLocal:
      return "local";
    case ptx::Space::kConst:
    case ptx::Space::kParam:
      return "parameter";
    default:
      return "global";
  }
}

std::string nearestAllocation(const GlobalMemory& memory, uint64_t address, uint32_t bytes) {
  const auto found = memory.find(address);
  if (!found) return "; no allocation lies below it";
  const std::string name =
      fmt::format("{} ({} bytes at {:#x}{})", found->name.empty() ? "memory" : found->name, found->bytes,
                  found->address, found->freed ? ", freed" : "");
  const uint64_t offset = address - found->address;
  if (offset + bytes <= found->bytes) return fmt::format("; at byte {} of {}", offset, name);
  if (offset < found->bytes) return fmt::format("; it reaches beyond the end of {}", name);
  return fmt::format("; {} bytes past the end of {}", offset - found->bytes, name);
}

std::string baseName(const std::string& file) {
  return file.substr(file.find_last_of('/') + 1);
}

}  // namespace

std::string formatLanes(uint32_t mask) {
  std::string text;
  for (uint32_t lane = 0; lane < 32;) {
    if (((mask >> lane) & 1U) == 0) {
      ++lane;
      continue;
    }
    uint32_t last = lane;
    while (last < 31 && ((mask >> (last + 1)) & 1U) != 0) ++last;
    if (!text.empty()) text += ",";
    text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
    lane = last + 1;
  }
  return text;
}

std::string Block::State::place(uint32_t pc) const {
  const ptx::SourceLine& line = code.lines[pc];
  const auto at = [&](const ptx::SourcePoint& point) {
    return fmt::format("{}:{}", baseName(code.files[point.file]), point.line);
  };
  const auto known = [&](const ptx::SourcePoint& point) {
    return point.file != 0 && point.file < code.files.size() && !code.files[point.file].empty() &&
           point.line != 0;
  };
  std::string text;
  if (known(line.at)) text = at(line.at);
  if (known(line.at) && known(line.inlined_at)) text += fmt::format(" (inlined at {})", at(line.inlined_at));
  return text.empty() ? fmt::format("'{}'", code.texts[pc]) : fmt::format("{}, '{}'", text, code.texts[pc]);
}

void Block::State::raise(const Warp& warp, uint32_t pc, uint32_t lane, const std::string& what) {
  if (fault) return;
  fault =
      Fault{fmt::format("{} in kernel {} at {}, block ({},{},{}), thread ({},{},{})", what, code.kernel,
                        place(pc), block_index[0], block_index[1], block_index[2], warp.thread_index[0][lane],
                        warp.thread_index[1][lane], warp.thread_index[2][lane])};
}

void Block::State::raiseAddress(const Warp& warp, const LaneAccess& access, uint32_t lane, uint32_t bytes) {
  if (fault) return;
  const uint64_t address = access.addresses[lane];
  const char* space = spaceName(access.space);
  std::string what;
  if ((address & (bytes - 1)) != 0) {
    what = fmt::format("misaligned address: {} bytes at {} address {:#x}, which is not a multiple of {}",
                       bytes, space, address, bytes);
  } else {
    what = fmt::format("illegal address: {} bytes at {} address {:#x}", bytes, space, address);
  }
  std::string where;
  if (access.space == ptx::Space::kGlobal) {
    where = nearestAllocation(*launch.memory, address, bytes);
  } else {
    const uint64_t size = access.space == ptx::Space::kShared  ? shared_bytes
                          : access.space == ptx::Space::kConst ? launch.parameters.size()
                                                               : warp.stack_bytes;
    where = fmt::format("; there are {} bytes of {} memory", size, space);
  }
  raise(warp, access.pc, lane, what);
  fault->message += where;
}

std::string Block::State::waiting() const {
  std::string text;
  for (const Warp& warp : warps) {
    for (const Path& path : warp.paths) {
      std::string what;
      switch (path.state) {
        case Path::State::kWaitingAtBarrier: {
          const BarrierState& barrier = barriers[path.barrier];
          what = barrier.threads == 0 ? fmt::format("at barrier {}, which {} of {} threads have reached",
                                                    path.barrier, barrier.arrived, threads_left)
                                      : fmt::format("at barrier {}, which {} of {} threads have reached",
                                                    path.barrier, barrier.arrived, barrier.threads);
          break;
        }
        case Path::State::kWaitingForLanes:
          what =
              fmt::format("for lanes {}", formatLanes(path.awaited & warp.live & ~warp.exited & ~path.mask));
          break;
        case Path::State::kWaitingAtCluster:
          what = fmt::format("at the cluster's barrier, which {} threads have reached", cluster->arrived);
          break;
        case Path::State::kWaitingForPhase:
          what = phaseText(path.mbarrier);
          break;
        case Path::State::kWaitingForMemory:
          what = "for memory";
          break;
        default:
          what = "ready";
      }
      text += fmt::format("{}warp {}, lanes {}: {}, {}", text.empty() ? "" : "\n", warp.index_in_block,
                          formatLanes(path.mask), what, place(path.pc));
    }
  }
  return text;
}

}  // namespace warpscope::sim
