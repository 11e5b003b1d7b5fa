#include "tests/differential/executed_entries.h"

#include <map>

#include "kernels/sim/simt/cluster.h"
#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::test {
namespace {

struct NoteInstructions : sim::NoHooks {
  static constexpr bool kInstructions = true;
  std::set<uint32_t> executed;
  void instruction(const sim::Warp&, uint32_t pc, uint32_t mask) {
    if (mask != 0) executed.insert(pc);
  }
};

// Gives every warp of the block one turn. Returns false if none could do anything.
bool turn(sim::Block& block, NoteInstructions& hooks) {
  constexpr uint64_t kBudget = 64;
  bool moved = false;
  block.released().clear();
  for (uint32_t i = 0; i < block.warpCount(); ++i) {
    sim::Warp& warp = block.warp(i);
    if (warp.done()) continue;
    const uint64_t before = warp.instructions;
    const sim::Stop stop = block.runWarp(warp, hooks, kBudget);
    if (stop == sim::Stop::kMemory) block.finishMemory(warp, hooks);
    moved = moved || warp.instructions != before || stop == sim::Stop::kMemory;
  }
  return moved || !block.released().empty();
}

// Runs all blocks together to completion.
Expected<void> runBlocks(const sim::Launch& launch, NoteInstructions& hooks) {
  std::vector<sim::Block> blocks;
  for (uint32_t i = 0; i < launch.grid.x; ++i) blocks.emplace_back(launch, i, 0, 4 * i);
  sim::ClusterState cluster;  // of all blocks
  std::vector<sim::Block*> joined;
  for (sim::Block& block : blocks) joined.push_back(&block);
  if (launch.cluster.count() > 1) sim::Block::join(cluster, joined);
  for (bool all_done = false; !all_done;) {
    bool moved = false;
    all_done = true;
    for (sim::Block& block : blocks) {
      moved = turn(block, hooks) || moved;
      all_done = all_done && block.done();
      if (block.fault() != nullptr) return fail(ErrorKind::kWorkFailed, "{}", block.fault()->message);
    }
    if (!moved && !all_done) return fail(ErrorKind::kWorkFailed, "the kernel waits for ever");
  }
  return {};
}

}  // namespace

Expected<std::vector<uint64_t>> ExecutedEntries::run(SimulatedForms& module, const KernelRun& what) {
  const auto launch = module.prepare(what);
  if (!launch) return tl::unexpected(launch.error());
  NoteInstructions hooks;
  const auto done = runBlocks(*launch, hooks);
  // By text: instructions with the same text belong to the same entry.
  std::map<std::string, size_t> entry_of;
  for (const ptx::Function& function : module.module().functions) {
    for (const ptx::Instruction& each : function.instructions) {
      if (each.entry != nullptr) entry_of[each.text] = ptx::indexInOpcodeTable(*each.entry);
    }
  }
  for (const uint32_t pc : hooks.executed) {
    if (const auto found = entry_of.find(launch->code->texts[pc]); found != entry_of.end())
      entries_.insert(found->second);
  }
  if (!done) return tl::unexpected(done.error());
  return module.outputs(what);
}

}  // namespace warpscope::test
