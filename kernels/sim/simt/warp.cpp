#include "kernels/sim/simt/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace warpscope::sim {

namespace {
constexpr uint32_t kMostCalls = 256;  // in progress at a time; on a GPU the stack is the limit
constexpr size_t kFirstPaths = 4;     // for which there is room at first
constexpr size_t kRowAlignment = 128;

size_t rowBytes(const CodeFunction& function) {
  const size_t words = size_t{function.rows} * kRowWords + function.predicates;
  return (words * sizeof(uint32_t) + 2 * kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}
}  // namespace

size_t Warp::storageBytes(const Code& code) {
  const size_t lists = kFirstPaths * (sizeof(Path) + sizeof(Join)) + sizeof(Frame) +
                       code.functions.size() * sizeof(std::pmr::vector<uint32_t*>) + sizeof(uint32_t*);
  return rowBytes(code.functions.front()) + lists + kRowAlignment;
}

void Warp::prepare(const Code& code, uint32_t index, Dim3 block) {
  index_in_block = index;
  const uint64_t threads = block.count();
  const uint64_t first = uint64_t{index} * 32;
  live = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint64_t thread = first + lane;
    if (thread >= threads) break;
    live |= 1U << lane;
    thread_index[0][lane] = static_cast<uint32_t>(thread % block.x);
    thread_index[1][lane] = static_cast<uint32_t>(thread / block.x % block.y);
    thread_index[2][lane] = static_cast<uint32_t>(thread / (uint64_t{block.x} * block.y));
  }
  rows.resize(code.functions.size());
  stack_bytes = code.stack_bytes;
  if (stack_bytes > 0) local.reset(static_cast<std::byte*>(std::calloc(32, stack_bytes)));
  Frame frame;
  if (!placeFrame(code, frame)) throw std::bad_alloc();
  frames.assign(1, frame);
  paths.reserve(kFirstPaths);
  joins.reserve(kFirstPaths);
}

void Warp::start(uint32_t smid_now, uint32_t slot_now) {
  smid = smid_now;
  hardware_slot = slot_now;
  exited = 0;
  current = 0;
  joins.clear();
  free_joins.clear();
  free_frames.clear();
  frames.resize(1);
  copies.clear();
  copy_groups.fill(0);
  bulk_stores.clear();
  bulk_groups.fill(0);
  cluster_arrived = cluster_open = 0;
  turn_begin = instructions;
  paths.assign(1, Path{.mask = live});
}

bool Warp::placeFrame(const Code& code, Frame& frame) {
  auto& instances = rows[frame.function];
  const CodeFunction& function = code.functions[frame.function];
  try {
    while (instances.size() <= frame.instance) {
      const size_t bytes = rowBytes(function);
      void* storage = rows.get_allocator().resource()->allocate(bytes, kRowAlignment);
      instances.push_back(static_cast<uint32_t*>(std::memset(storage, 0, bytes)));
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  frame.rows = instances[frame.instance];
  frame.predicates = frame.rows + size_t{function.rows} * kRowWords;
  return true;
}

uint32_t Warp::addJoin(const Join& join) {
  if (free_joins.empty()) {
    joins.push_back(join);
    return static_cast<uint32_t>(joins.size() - 1);
  }
  const uint32_t index = free_joins.back();
  free_joins.pop_back();
  joins[index] = join;
  return index;
}

void Warp::removePath(uint32_t path) {
  paths.erase(paths.begin() + path);
  if (current > path || current == paths.size()) current = current == 0 ? 0 : current - 1;
}

uint32_t Warp::split(uint32_t path, uint32_t lanes) {
  Path part = paths[path];
  part.mask = lanes;
  paths[path].mask &= ~lanes;
  paths.insert(paths.begin() + path, part);
  if (current >= path) ++current;
  return path;
}

// Adds the joins that the path does not have yet.
void Warp::meetAt(Path& path, uint32_t reconverge, std::span<const uint32_t> meetings) {
  const auto has = [&](uint32_t pc) {
    for (uint32_t at = path.join; at != kNoJoin; at = joins[at].parent) {
      if (isAt(joins[at], pc, path.frame)) return true;
      if (!joins[at].may_miss) break;
    }
    return false;
  };
  size_t missing = 0;
  while (missing < meetings.size() && !has(meetings[missing])) ++missing;
  if (missing == meetings.size() && reconverge != kNowhere && !has(reconverge))
    path.join = addJoin({reconverge, path.frame, path.mask, 0, path.join});
  while (missing-- > 0) {
    path.join = addJoin({meetings[missing], path.frame, path.mask, 0, path.join});
    joins[path.join].may_miss = true;
  }
}

void Warp::diverge(uint32_t path, uint32_t taken, uint32_t target, uint32_t next, uint32_t reconverge,
                   std::span<const uint32_t> meetings) {
  Path& now = paths[path];
  meetAt(now, reconverge, meetings);
  now.pc = next;
  const uint32_t other = split(path, taken);
  paths[other].pc = target;
  current = other + 1;
  turn_begin = instructions;
  arrive(other + 1);
  arrive(
      other);  // other is an index below, so arrivals at other + 1 leave it where it is: see releaseArrived
}

void Warp::arrive(uint32_t path) {
  const Path& now = paths[path];
  const uint32_t index = joinAt(now);
  if (index == kNoJoin) return;
  const uint32_t innermost = now.join, lanes = now.mask;
  joins[index].arrived |= lanes;
  removePath(path);
  if (innermost != index) leaveJoins(innermost, index, lanes);
  const Join& join = joins[index];
  if (join.used && join.arrived != 0 && join.arrived == join.expected) releaseArrived(index);
}

// Continues with the lanes that have arrived; the join ends if it expects no others. The new path is the last
// one.
void Warp::releaseArrived(uint32_t index) {
  Path path;
  const Join join = joins[index];
  path.mask = join.arrived;
  path.pc = join.pc;
  path.join = join.parent;
  path.frame = join.returns ? frames[join.frame].parent : join.frame;
  joins[index].expected &= ~join.arrived;
  joins[index].arrived = 0;
  if (joins[index].expected == 0) freeJoin(index);
  paths.push_back(path);
  current = static_cast<uint32_t>(paths.size() - 1);
  turn_begin = instructions;
  arrive(current);
}

void Warp::freeJoin(uint32_t index) {
  Join& join = joins[index];
  if (join.returns) free_frames.push_back(join.frame);
  join.used = false;
  free_joins.push_back(index);
}

// Removes the lanes from the joins from `from`, the innermost, up to but not including `until`.
void Warp::leaveJoins(uint32_t from, uint32_t until, uint32_t lanes) {
  for (uint32_t at = from; at != until && at != kNoJoin; at = joins[at].parent) joins[at].expected &= ~lanes;
  for (uint32_t at = from; at != until && at != kNoJoin;) {
    const uint32_t parent = joins[at].parent;
    if (joins[at].used) {
      if (joins[at].expected == 0) {
        freeJoin(at);
      } else if (joins[at].expected == joins[at].arrived) {
        releaseArrived(at);
      }
    }
    at = parent;
  }
}

void Warp::exitLanes(uint32_t path, uint32_t lanes) {
  exited |= lanes;
  const uint32_t join = paths[path].join;
  paths[path].mask &= ~lanes;
  if (paths[path].mask == 0) removePath(path);
  leaveJoins(join, kNoJoin, lanes);
}

void Warp::returnLanes(uint32_t path, uint32_t lanes) {
  const uint32_t innermost = paths[path].join;
  uint32_t at = innermost;
  while (!joins[at].returns) at = joins[at].parent;
  joins[at].arrived |= lanes;
  paths[path].mask &= ~lanes;
  if (paths[path].mask == 0) removePath(path);
  leaveJoins(innermost, at, lanes);
  if (joins[at].used && joins[at].arrived != 0 && joins[at].arrived == joins[at].expected) releaseArrived(at);
}

bool Warp::call(const Code& code, uint32_t path, uint32_t function, uint32_t call_pc) {
  Path& now = paths[path];
  const Frame caller = frames[now.frame];
  Frame frame;
  frame.function = function;
  frame.depth = caller.depth + 1;
  frame.parent = now.frame;
  frame.call_pc = call_pc;
  frame.local_base = caller.local_base + code.functions[caller.function].frame_bytes;
  if (frame.depth > kMostCalls ||
      uint64_t{frame.local_base} + code.functions[function].frame_bytes > stack_bytes) {
    return false;
  }
  if (code.recursive) {
    for (uint32_t at = now.frame; at != kNoFrame; at = frames[at].parent) {
      frame.instance += frames[at].function == function ? 1 : 0;
    }
  }
  if (!placeFrame(code, frame)) return false;
  uint32_t index = static_cast<uint32_t>(frames.size());
  if (free_frames.empty()) {
    frames.push_back(frame);
  } else {
    index = free_frames.back();
    free_frames.pop_back();
    frames[index] = frame;
  }
  now.join = addJoin({call_pc + 1, index, now.mask, 0, now.join, true});
  now.frame = index;
  now.pc = code.functions[function].entry;
  return true;
}

void Warp::mergeEqual() {
  for (uint32_t i = 0; i < paths.size(); ++i) {
    for (uint32_t k = static_cast<uint32_t>(paths.size() - 1); k > i; --k) {
      const Path &a = paths[i], &b = paths[k];
      if (a.state == Path::State::kReady && b.state == Path::State::kReady && a.pc == b.pc &&
          a.frame == b.frame && a.join == b.join && a.sync_done == b.sync_done) {
        paths[i].mask |= b.mask;
        removePath(k);
      }
    }
  }
}

void Warp::rotate() {
  turn_begin = instructions;
  if (paths.size() < 2) return;
  const auto now = paths.begin() + current;
  std::rotate(paths.begin(), now, now + 1);
  current = static_cast<uint32_t>(paths.size() - 1);
}

bool Warp::breakJoin() {
  for (uint32_t i = static_cast<uint32_t>(joins.size()); i-- > 0;) {
    if (joins[i].used && joins[i].arrived != 0) {
      releaseArrived(i);
      return true;
    }
  }
  return false;
}

}  // namespace warpscope::sim
