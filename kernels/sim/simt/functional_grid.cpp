#include "kernels/sim/simt/functional_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "kernels/sim/simt/cluster.h"
#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::sim {

namespace {

constexpr uint32_t kVirtualSms = 32;           // the same on every host, so that results do not depend on it
constexpr uint64_t kSliceInstructions = 8192;  // per warp, before the next one's turn
constexpr uint64_t kRoundInstructions = 1 << 17;  // per virtual SM
constexpr uint32_t kSoftWarps = 64;   // resident in one virtual SM, unless all of them wait for others
constexpr uint32_t kIdleRounds = 64;  // without a block ending, before one more block becomes resident

// Time is the number of instructions that a virtual SM has executed.
struct CountingHooks : NoHooks {
  uint64_t before = 0, warp_before = 0;
  const Warp* warp = nullptr;
  uint64_t clockCycles() const { return before + (warp->instructions - warp_before); }
  uint64_t globaltimerNs() const { return clockCycles(); }
};

class VirtualSm {
 public:
  VirtualSm(const Launch& launch, uint32_t index, const FunctionalOptions& options)
      : launch_(launch), left_out_(options.left_out), next_(index) {
    blocks_per_group_ = static_cast<uint32_t>(launch.cluster.count());
    groups_ = static_cast<uint32_t>(std::min(clusterCount(launch), options.end_block));
    next_ = static_cast<uint32_t>(options.begin_block / kVirtualSms * kVirtualSms + index);
    if (next_ < options.begin_block) next_ += kVirtualSms;
    warps_per_block_ = static_cast<uint32_t>((launch.block.count() + 31) / 32);
    const uint64_t warps = uint64_t{warps_per_block_} * blocks_per_group_;
    const uint64_t all_warps = uint64_t{launch.sm_count} * launch.max_warps_per_sm / kVirtualSms;
    soft_limit_ = std::max<uint64_t>(1, kSoftWarps / warps);
    hard_limit_ = std::max<uint64_t>(soft_limit_, all_warps / warps);
    if (options.all_resident) soft_limit_ = hard_limit_ = groups_;
    skip();
  }

  bool active() const { return !resident_.empty() || next_ < groups_; }
  uint64_t instructions() const { return instructions_; }
  uint64_t threadInstructions() const { return thread_instructions_; }
  uint64_t blocksDone() const { return blocks_done_; }
  const std::string& fault() const { return fault_; }

  // Runs until every resident warp waits, or the round's budget is used up.
  void runRound(uint64_t budget, const std::stop_token& stop) {
    const uint64_t end = instructions_ + budget, done_before = blocks_done_;
    if (resident_.empty()) admit();
    for (bool ran = true; ran || admit();) {
      ran = false;
      for (const auto& resident : resident_) {
        if (stop.stop_requested()) return;
        ran = runGroup(*resident) || ran;
        if (!fault_.empty()) return;
        if (instructions_ >= end) break;
      }
      retire();
      if (instructions_ >= end) break;
    }
    idle_rounds_ = blocks_done_ == done_before ? idle_rounds_ + 1 : 0;
    if (idle_rounds_ > kIdleRounds && soft_limit_ < hard_limit_ && resident_.size() >= soft_limit_) {
      ++soft_limit_;
      idle_rounds_ = 0;
    }
  }

  // Executes the global atomics and strong loads of all its warps, at the end of a round, one SM at a time.
  void finishMemory() {
    for (const auto& group : resident_) {
      for (Resident& resident : group->blocks) {
        if (!finishMemory(resident)) return;
      }
      takeWoken(*group);
    }
  }

  // The position of one of its warps, for the message about a kernel that does not end.
  std::string place() const {
    for (const auto& group : resident_) {
      for (Resident& resident : group->blocks) {
        Block::State& state = resident.block.state();
        for (const Warp& warp : state.warps) {
          if (warp.paths.empty()) continue;
          return fmt::format("block ({},{},{}), warp {}, at {}", state.block_index[0], state.block_index[1],
                             state.block_index[2], warp.index_in_block,
                             state.place(warp.paths[warp.current].pc));
        }
      }
    }
    return "no block has begun";
  }

 private:
  enum class WarpState : uint8_t { kReady, kMemory, kBarrier, kDone };
  struct Resident {
    Block block;
    std::vector<WarpState> states;
    bool ends_early = false, over = false;  // a warp has come to a strong load; no other one can go on
  };
  // The blocks of a cluster, or a block without one.
  struct Group {
    ClusterState cluster;  // of several blocks
    std::vector<Resident> blocks;
    bool done() const {
      return std::ranges::all_of(blocks, [](const Resident& each) { return each.block.done() || each.over; });
    }
  };

  bool finishMemory(Resident& resident) {
    for (uint32_t i = 0; i < resident.states.size(); ++i) {
      if (resident.states[i] != WarpState::kMemory) continue;
      Warp& warp = resident.block.warp(i);
      if (launch_.shared_words != nullptr && stopsAtStrongLoad(resident.block, warp)) {
        resident.states[i] = WarpState::kDone;
        resident.ends_early = true;
        continue;
      }
      follow(warp);
      resident.block.finishMemory(warp, hooks_);
      resident.states[i] = WarpState::kReady;
      if (resident.block.fault() != nullptr) {
        fault_ = resident.block.fault()->message;
        return false;
      }
    }
    return true;
  }

  // Whether the warp waits for a strong load, whose addresses are then noted.
  bool stopsAtStrongLoad(Block& block, Warp& warp) const {
    bool stops = false;
    for (const Path& path : warp.paths) {
      const Instruction& in = launch_.code->instructions[path.pc];
      if (path.state != Path::State::kWaitingForMemory || in.kind != Kind::kLoad) continue;
      stops = true;
      uint64_t addresses[32];
      laneAddresses(in, warp.registers(block.state().code, path), warp.frames[path.frame].local_base,
                    addresses);
      for (uint32_t rest = path.mask; rest != 0; rest &= rest - 1)
        launch_.shared_words->awaited.insert(addresses[std::countr_zero(rest)]);
    }
    return stops;
  }

  void follow(const Warp& warp) {
    hooks_.before = instructions_;
    hooks_.warp = &warp;
    hooks_.warp_before = warp.instructions;
  }

  // Admits one more block, or all blocks of one more cluster, if one is left and there is room for it.
  bool admit() {
    if (next_ >= groups_ || resident_.size() >= soft_limit_) return false;
    const bool is_new = spare_.empty();
    if (is_new) {
      resident_.push_back(std::make_unique<Group>());
    } else {
      resident_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    Group& group = *resident_.back();
    std::vector<Block*> joined;
    group.blocks.reserve(blocks_per_group_);
    for (uint32_t rank = 0; rank < blocks_per_group_; ++rank) {
      const uint32_t index = blocks_per_group_ == 1 ? next_ : blockOfCluster(launch_, next_, rank);
      const uint32_t smid = index % std::max(launch_.sm_count, 1U);
      const auto slot = static_cast<uint32_t>(resident_.size() - 1) * blocks_per_group_ * warps_per_block_;
      if (is_new) {
        group.blocks.push_back({Block(launch_, index, smid, slot), {}, false, false});
      } else {
        group.blocks[rank].block.restart(index, smid, slot);
      }
      group.blocks[rank].states.assign(warps_per_block_, WarpState::kReady);
      joined.push_back(&group.blocks[rank].block);
    }
    if (blocks_per_group_ > 1) Block::join(group.cluster, joined);
    next_ += kVirtualSms;
    skip();
    return true;
  }

  void skip() {
    while (next_ < groups_ && left_out_.contains(next_)) next_ += kVirtualSms;
  }

  void retire() {
    for (size_t i = 0; i < resident_.size();) {
      if (!resident_[i]->done()) {
        ++i;
        continue;
      }
      const bool over = std::ranges::any_of(resident_[i]->blocks, &Resident::over);
      if (!over) spare_.push_back(std::move(resident_[i]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
      blocks_done_ += blocks_per_group_;
    }
  }

  // Gives each warp that can run one turn. Returns whether any ran.
  bool runGroup(Group& group) {
    bool ran = false, waits_for_memory = false;
    for (Resident& resident : group.blocks) {
      for (uint32_t i = 0; i < resident.states.size(); ++i) {
        if (resident.states[i] == WarpState::kReady) {
          ran = true;
          runWarp(group, resident, i);
          if (!fault_.empty()) return true;
        }
        waits_for_memory = waits_for_memory || resident.states[i] == WarpState::kMemory;
      }
    }
    if (ran || waits_for_memory) return ran;
    const auto ends_early = std::ranges::find_if(group.blocks, &Resident::ends_early);
    if (ends_early != group.blocks.end()) {
      ends_early->over = true;
    } else if (!group.done()) {
      return goesOnAfterTimeOut(group);
    }
    return false;
  }

  // Nothing can go on but by waits for an mbarrier that time out.
  bool goesOnAfterTimeOut(Group& group) {
    if (group.blocks.front().block.cluster().timeOut()) {
      takeWoken(group);
      return true;
    }
    const auto stuck =
        std::ranges::find_if(group.blocks, [](const Resident& each) { return !each.block.done(); });
    const Block::State& state = stuck->block.state();
    fault_ =
        fmt::format("deadlock in kernel {}, block ({},{},{}): no warp can go on\n{}", launch_.code->kernel,
                    state.block_index[0], state.block_index[1], state.block_index[2], stuck->block.waiting());
    return false;
  }

  void runWarp(Group& group, Resident& resident, uint32_t i) {
    Block& block = resident.block;
    Warp& warp = block.warp(i);
    follow(warp);
    const uint64_t before = warp.instructions, thread_before = warp.thread_instructions;
    const Stop stop = block.runWarp(warp, hooks_, kSliceInstructions);
    instructions_ += warp.instructions - before;
    thread_instructions_ += warp.thread_instructions - thread_before;
    WarpState& state = resident.states[i];
    switch (stop) {
      case Stop::kMemory:
        state = WarpState::kMemory;
        break;
      case Stop::kBarrier:
        state = WarpState::kBarrier;
        break;
      case Stop::kExited:
        state = WarpState::kDone;
        break;
      case Stop::kFault:
        fault_ = block.fault()->message;
        return;
      default:
        break;
    }
    for (const uint32_t released : block.released()) {
      if (resident.states[released] == WarpState::kBarrier) resident.states[released] = WarpState::kReady;
    }
    block.released().clear();
    takeWoken(group);
  }

  // Warps of any block of the cluster.
  static void takeWoken(Group& group) {
    std::vector<ClusterState::Woken>& woken = group.blocks.front().block.cluster().woken;
    for (const ClusterState::Woken& each : woken) {
      WarpState& state = group.blocks[each.rank].states[each.warp];
      if (state == WarpState::kBarrier) state = WarpState::kReady;
    }
    woken.clear();
  }

  const Launch& launch_;
  BlockSelection left_out_;
  uint32_t next_ = 0, groups_ = 0;  // of clusters, or of blocks where there are none
  uint32_t blocks_per_group_ = 1, warps_per_block_ = 1;
  uint64_t soft_limit_ = 1, hard_limit_ = 1;
  uint32_t idle_rounds_ = 0;
  uint64_t instructions_ = 0, thread_instructions_ = 0, blocks_done_ = 0;
  CountingHooks hooks_;
  std::vector<std::unique_ptr<Group>> resident_, spare_;
  std::string fault_;
};

// Threads that work through rounds together; the caller is one of them.
class Crew {
 public:
  explicit Crew(uint32_t helpers, std::function<void(uint32_t)> work) : work_(std::move(work)) {
    for (uint32_t i = 0; i < helpers; ++i) threads_.emplace_back([this] { help(); });
  }
  ~Crew() {
    ending_ = true;
    round_.fetch_add(1);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Calls work(0) .. work(count - 1), spread over all threads.
  void run(uint32_t count) {
    if (threads_.empty() || count <= 1) {
      for (uint32_t i = 0; i < count; ++i) work_(i);
      return;
    }
    count_ = count;
    next_ = 0;
    busy_ = static_cast<uint32_t>(threads_.size());
    round_.fetch_add(1);
    round_.notify_all();
    takeWork();
    for (uint32_t busy = busy_.load(); busy != 0; busy = busy_.load()) busy_.wait(busy);
  }

 private:
  void takeWork() {
    for (uint32_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) work_(i);
  }
  void help() {
    for (uint32_t seen = 0;;) {
      for (uint32_t now = round_.load(); now == seen; now = round_.load()) round_.wait(now);
      ++seen;
      if (ending_) return;
      takeWork();
      if (busy_.fetch_sub(1) == 1) busy_.notify_all();
    }
  }

  std::function<void(uint32_t)> work_;
  std::vector<std::thread> threads_;
  std::atomic<uint32_t> round_{0}, next_{0}, busy_{0};
  std::atomic<bool> ending_{false};
  uint32_t count_ = 0;
};

uint32_t helpersFor(const Launch& launch, uint32_t threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  const uint64_t warps = launch.grid.count() * ((launch.block.count() + 31) / 32);
  const uint64_t useful = std::min<uint64_t>({threads, kVirtualSms, launch.grid.count(), warps / 8 + 1});
  return static_cast<uint32_t>(useful - 1);
}

}  // namespace

Expected<FunctionalResult> runFunctional(const Launch& launch, const FunctionalOptions& options,
                                         const std::stop_token& stop) {
  if (auto valid = validateLaunch(launch); !valid) return tl::unexpected(valid.error());
  std::vector<VirtualSm> sms;
  sms.reserve(kVirtualSms);
  for (uint32_t i = 0; i < kVirtualSms; ++i) sms.emplace_back(launch, i, options);
  std::vector<VirtualSm*> active;
  uint64_t budget = kRoundInstructions;
  Crew crew(helpersFor(launch, options.threads), [&](uint32_t i) { active[i]->runRound(budget, stop); });
  FunctionalResult result;
  auto reported = std::chrono::steady_clock::now();
  for (;;) {
    active.clear();
    for (VirtualSm& sm : sms) {
      if (sm.active()) active.push_back(&sm);
    }
    if (active.empty()) break;
    if (options.step_limit != 0) {
      budget = std::clamp<uint64_t>((options.step_limit - result.warp_instructions) / active.size(), 1,
                                    kRoundInstructions);
    }
    crew.run(static_cast<uint32_t>(active.size()));
    if (stop.stop_requested())
      return fail(ErrorKind::kCancelled, "the launch of {} was cancelled", launch.code->kernel);
    uint64_t blocks_done = 0;
    result = {};
    for (VirtualSm& sm : sms) {
      if (sm.fault().empty()) sm.finishMemory();
      if (!sm.fault().empty()) return fail(ErrorKind::kWorkFailed, "{}", sm.fault());
      result.warp_instructions += sm.instructions();
      result.thread_instructions += sm.threadInstructions();
      blocks_done += sm.blocksDone();
    }
    const auto still = std::find_if(sms.begin(), sms.end(), [](const VirtualSm& sm) { return sm.active(); });
    if (options.step_limit != 0 && result.warp_instructions >= options.step_limit && still != sms.end()) {
      return fail(ErrorKind::kWorkFailed,
                  "kernel {} was stopped: it still runs after {} warp-instructions; {}", launch.code->kernel,
                  options.step_limit, still->place());
    }
    const auto now = std::chrono::steady_clock::now();
    if (options.progress && now - reported > std::chrono::milliseconds(30)) {
      reported = now;
      options.progress(static_cast<double>(blocks_done) / static_cast<double>(launch.grid.count()));
    }
  }
  return result;
}

}  // namespace warpscope::sim
