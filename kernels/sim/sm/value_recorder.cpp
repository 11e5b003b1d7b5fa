#include "kernels/sim/sm/value_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpscope::sim {
namespace {

constexpr int64_t kNotIssued = -1;

}  // namespace

void ValueRecording::begins(Block& block) {
  running_ = &block;
  code_ = block.launch().code;
  log_.registers.clear();
  for (const NamedRegister& named : code_->registers) {
    const bool predicate = named.type == ptx::Type::kPred;
    log_.registers.push_back({.name = named.name,
                              .bits = static_cast<uint8_t>(predicate ? 1 : 8 * ptx::bytesOf(named.type)),
                              .is_float = named.type == ptx::Type::kF16 || named.type == ptx::Type::kF32 ||
                                          named.type == ptx::Type::kF64,
                              .is_signed = ptx::isSigned(named.type)});
  }
  log_.warps.resize(block.warpCount());
  awaited_.resize(block.warpCount());
  stores_.resize(block.warpCount());
  for (uint32_t i = 0; i < block.warpCount(); ++i) log_.warps[i].live = LaneMask{block.warp(i).live};
  log_.shared_bytes = block.sharedBytes();
  log_.shared_writes_into.resize((log_.shared_bytes + 3) / 4);
}

void ValueRecording::issued(uint32_t warp, int64_t step, uint64_t cycle) {
  if (log_.full) return;
  std::vector<int64_t>& cycles = log_.warps[warp].cycles;
  const auto index = static_cast<size_t>(step);
  if (step < 0 || index >= log_.warps[warp].steps.size()) return;
  cycles.resize(std::max(cycles.size(), index + 1), kNotIssued);
  cycles[index] = static_cast<int64_t>(cycle);  // of an instruction with several operations the last one
}

// Registers of different calls never share a slot.
uint32_t ValueRecording::slotOfFrame(const Frame& frame) {
  const auto [found, is_new] = places_.try_emplace({frame.function, frame.instance},
                                                   Place{slots_, static_cast<uint32_t>(places_.size())});
  if (is_new) {
    const CodeFunction& function = code_->functions[frame.function];
    slots_ += function.rows + function.predicates;
    for (WarpValues& warp : log_.warps) warp.writes_into.resize(slots_);
  }
  return found->second.slot;
}

void ValueRecording::writeRegisters(const Warp& warp, const Frame& frame, uint32_t pc, uint32_t mask) {
  if (mask == 0) return;
  const uint32_t first_slot = slotOfFrame(frame);
  const Instruction& in = code_->instructions[pc];
  WarpValues& values = log_.warps[warp.index_in_block];
  const auto index = static_cast<uint32_t>(values.steps.size() - 1);
  const uint32_t* named = code_->written.data() + code_->written_begin[pc];
  const auto note = [&](uint32_t slot, uint32_t of, const uint32_t* words, uint32_t count, uint32_t slots) {
    values.writes.push_back({index, LaneMask{mask}, slot, of, static_cast<uint32_t>(values.words.size())});
    values.words.insert(values.words.end(), words, words + count);
    for (uint32_t i = 0; i < slots; ++i)
      values.writes_into[slot + i].push_back(static_cast<uint32_t>(values.writes.size() - 1));
    bytes_ += sizeof(RegisterWrite) + 4 * slots + 4 * count;
  };
  for (uint32_t i = 0; i < in.destination_count; ++i, ++named) {
    const Row row = in.destinations[i];
    if (!isRegister(row) || *named == kNowhere) continue;
    const uint32_t rows = std::max(1U, log_.registers[*named].bits / 32U);
    note(first_slot + static_cast<uint32_t>(row.index), *named,
         frame.rows + row.index * static_cast<int64_t>(kRowWords), rows * kRowWords, rows);
  }
  const uint32_t rows = code_->functions[frame.function].rows;
  for (const PredicateIndex predicate : in.predicate_destinations) {
    const uint32_t of = *named++;
    if (predicate == kNoPredicate || of == kNowhere) continue;
    note(first_slot + rows + predicate, of, &frame.predicates[predicate], 1, 1);
  }
}

void ValueRecording::writeShared(uint32_t warp, uint64_t offset, uint32_t bytes) {
  if (offset + bytes > log_.shared_bytes) return;  // the access itself is a fault
  const auto step = static_cast<uint32_t>(log_.warps[warp].steps.size() - 1);
  for (uint32_t done = 0; done < bytes;) {
    SharedWrite write{.warp = warp, .step = step, .offset = static_cast<uint32_t>(offset) + done};
    write.bytes = std::min<uint32_t>(bytes - done, static_cast<uint32_t>(write.data.size()));
    std::memcpy(write.data.data(), running_->shared() + write.offset, write.bytes);
    done += write.bytes;
    const auto index = static_cast<uint32_t>(log_.shared_writes.size());
    log_.shared_writes.push_back(write);
    for (uint32_t word = write.offset / 4; word <= (write.offset + write.bytes - 1) / 4; ++word)
      log_.shared_writes_into[word].push_back(index);
    bytes_ += sizeof(SharedWrite) + 4;
  }
}

void ValueRecording::storing(const Warp& warp, const MemoryAccess& access) {
  const bool shared = access.space == ptx::Space::kShared;
  const bool global = access.space == ptx::Space::kGlobal;
  if (log_.full || !(shared || global) || !access.writes || access.mask == 0) return;
  if (access.instruction->kind == Kind::kAsyncCopy) return;  // copied() comes later
  if (access.other_rank) return;                             // another block's memory
  PendingStore& store = stores_[warp.index_in_block].emplace_back();
  store.pc = access.pc;
  store.bytes = access.bytes;
  store.shared = shared;
  store.elements = std::max<uint32_t>(1, access.instruction->vector);
  store.mask = access.mask;
  std::copy_n(access.addresses, store.offsets.size(), store.offsets.begin());
}

void ValueRecording::writeGlobal(uint32_t warp, const PendingStore& store, uint32_t lane) {
  GlobalWrite write{.step = static_cast<uint32_t>(log_.warps[warp].steps.size() - 1),
                    .lane = lane,
                    .address = store.offsets[lane],
                    .bytes = std::min<uint32_t>(store.bytes, sizeof(write.data)),
                    .elements = store.elements};
  const std::byte* there = running_->launch().memory->at(write.address, write.bytes);
  if (there == nullptr) return;  // the access itself is a fault
  std::memcpy(write.data.data(), there, write.bytes);
  log_.warps[warp].results.push_back(write);
  bytes_ += sizeof(GlobalWrite);
}

// A copy is written during the step that waits for it, which follows.
void ValueRecording::copied(const Warp& warp, const PendingCopy& copy, uint32_t mask) {
  if (log_.full) return;
  PendingStore& store = stores_[warp.index_in_block].emplace_back();
  store.pc = kNowhere;
  store.bytes = copy.bytes;
  store.mask = mask;
  store.offsets = copy.to;
}

void ValueRecording::step(const Warp& warp, const Frame& frame, uint32_t pc, uint32_t mask, bool done,
                          bool reduces) {
  if (log_.full) return;
  const uint32_t index = warp.index_in_block;
  WarpValues& values = log_.warps[index];
  slotOfFrame(frame);
  values.steps.push_back({pc, LaneMask{mask}, places_.at({frame.function, frame.instance}).frame});
  bytes_ += sizeof(ValueStep);
  std::vector<Awaited>& awaited = awaited_[index];
  const auto answered = [&](const Awaited& each) {
    const Instruction& asks = code_->instructions[each.pc];
    return asks.kind != Kind::kBarrier &&
           ((each.frame.predicates[asks.predicate_destinations[0]] ^ each.answer) & each.mask) != 0;
  };
  // The lanes that waited at a barrier have its result when they go on, and the answer of an mbarrier as soon
  // as its phase ends.
  std::erase_if(awaited, [&](const Awaited& each) {
    if ((each.mask & mask) == 0 && !answered(each)) return false;
    writeRegisters(warp, each.frame, each.pc, each.mask);
    return true;
  });
  const Instruction& in = code_->instructions[pc];
  if (in.kind == Kind::kBarrier) {
    if (mask != 0 && (in.destination_count > 0 || in.predicate_destinations[0] != kNoPredicate))
      awaited.push_back({pc, mask, frame});
  } else if (done) {
    if (!reduces) writeRegisters(warp, frame, pc, mask);
    // The answer changes if the lanes wait and the phase then ends.
    if (in.op == ptx::Op::kMbarrierTryWait && mask != 0 && in.predicate_destinations[0] != kNoPredicate)
      awaited.push_back({pc, mask, frame, frame.predicates[in.predicate_destinations[0]]});
  }
  if (done) {
    std::erase_if(stores_[index], [&](const PendingStore& store) {
      if (store.pc != pc && store.pc != kNowhere) return false;
      for (uint32_t rest = store.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        if (store.shared) {
          writeShared(index, store.offsets[lane], store.bytes);
        } else {
          writeGlobal(index, store, static_cast<uint32_t>(lane));
        }
      }
      return true;
    });
  }
  if (++steps_ == snapshot_after_) takeSnapshot(warp);
  log_.full = bytes_ > kMostBytes;
}

void ValueRecording::takeSnapshot(const Warp& warp) {
  ValueSnapshot taken{.warp = warp.index_in_block};
  for (uint32_t i = 0; i < log_.warps.size(); ++i) taken.steps.push_back(stepsOf(i));
  taken.registers.resize(size_t{slots_} * kRowWords);
  for (const auto& [call, place] : places_) {
    const auto& [function, instance] = call;
    if (function >= warp.rows.size() || instance >= warp.rows[function].size()) continue;
    const CodeFunction& of = code_->functions[function];
    const uint32_t* storage = warp.rows[function][instance];
    uint32_t* to = taken.registers.data() + size_t{place.slot} * kRowWords;
    std::copy_n(storage, of.rows * kRowWords, to);
    for (uint32_t i = 0; i < of.predicates; ++i)
      to[size_t{of.rows + i} * kRowWords] = storage[of.rows * kRowWords + i];
  }
  taken.shared.assign(running_->shared(), running_->shared() + log_.shared_bytes);
  log_.snapshot = std::move(taken);
}

// An instruction that becomes no operation of the machine is done with the one behind it.
ValueLog ValueRecording::take() {
  for (WarpValues& warp : log_.warps) {
    warp.cycles.resize(warp.steps.size(), kNotIssued);
    int64_t behind = warp.cycles.empty() ? 0 : std::ranges::max(warp.cycles);
    for (size_t i = warp.cycles.size(); i-- > 0;) {
      if (warp.cycles[i] == kNotIssued) warp.cycles[i] = behind;
      behind = warp.cycles[i];
    }
    orderIssues(warp);
  }
  return std::move(log_);
}

}  // namespace warpscope::sim
