#include "kernels/sim/sm/access_recorder.h"

#include <algorithm>
#include <bit>
#include <span>

#include "kernels/sim/sm/modelled_addresses.h"

namespace warpscope::sim {
namespace {

// Volatile accesses, relaxed or stronger ones of gpu scope or wider, and ld.cg and ld.cv go to L2 ("Cache
// Operators" and "Memory Consistency Model", PTX ISA 9.7.9.1 and 8).
bool bypassesL1(const Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.cache == ptx::CacheOp::kCg || modifiers.cache == ptx::CacheOp::kCv) return true;
  const bool strong =
      modifiers.semantics != ptx::Semantics::kNone && modifiers.semantics != ptx::Semantics::kWeak;
  return strong && modifiers.scope != ptx::Scope::kCta;
}

// Lanes that access the same address are served one after another (calibration on an H100: 32 lanes take 32
// times as long as one, with or without results).
void addAtomics(const MemoryAccess& access, std::span<const LineAccess> lines,
                std::pmr::vector<AtomicWork>& atomics) {
  std::array<uint64_t, 32> addresses{};
  std::array<uint8_t, 32> lanes{};
  size_t count = 0;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[std::countr_zero(rest)];
    const auto end = addresses.begin() + static_cast<std::ptrdiff_t>(count);
    const auto at = static_cast<size_t>(std::find(addresses.begin(), end, address) - addresses.begin());
    if (at == count) addresses[count++] = address;
    ++lanes[at];
  }
  const Instruction& instruction = *access.instruction;
  AtomicWork none;
  none.compares = instruction.modifiers.atom_op == ptx::AtomOp::kCas;
  none.adds_floats = instruction.modifiers.atom_op == ptx::AtomOp::kAdd && ptx::isFloat(instruction.type);
  none.is_wide = access.bytes >= 8;
  const size_t first = atomics.size();
  atomics.insert(atomics.end(), lines.size(), none);
  for (size_t i = 0; i < count; ++i) {
    const auto line = std::ranges::find(lines, addresses[i] / kLineBytes, &LineAccess::line);
    AtomicWork& work = atomics[first + static_cast<size_t>(line - lines.begin())];
    const uint64_t sector = addresses[i] / kSectorBytes % kSectorsPerLine;
    work.serial[sector] = std::max(work.serial[sector], lanes[i]);
    ++work.addresses[sector];
  }
}

void addWords(const MemoryAccess& access, WarpAccess& record, std::pmr::vector<uint32_t>& words) {
  record.first_word = static_cast<uint32_t>(words.size());
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
    words.push_back(static_cast<uint32_t>(access.addresses[std::countr_zero(rest)] / kWordBytes));
  record.word_count = static_cast<uint8_t>(words.size() - record.first_word);
}

void addRemote(const MemoryAccess& access, WarpAccess& record, std::pmr::vector<RemoteSector>& remote) {
  if (record.remote_count == 0) record.first_remote = static_cast<uint32_t>(remote.size());
  const auto first = static_cast<std::ptrdiff_t>(remote.size());
  const auto address_at = [&](uint32_t lanes) { return access.addresses[std::countr_zero(lanes)]; };
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    uint32_t same = 1;  // this lane, and those behind it at the same word
    for (uint32_t behind = rest & (rest - 1); behind != 0; behind &= behind - 1)
      same += address_at(behind) == address_at(rest) ? 1 : 0;
    const auto number = static_cast<uint32_t>(address_at(rest) / kSectorBytes);
    auto at = std::ranges::find(remote.begin() + first, remote.end(), number, &RemoteSector::number);
    if (at == remote.end()) at = remote.insert(at, {number, static_cast<uint8_t>(*access.other_rank), 0});
    at->serial = std::max(at->serial, static_cast<uint8_t>(same));
  }
  record.remote_count = static_cast<uint16_t>(remote.size() - record.first_remote);
}

uint32_t distinctAddresses(const uint64_t* addresses, uint32_t mask) {
  std::array<uint64_t, 32> distinct;
  uint32_t count = 0;
  for (; mask != 0; mask &= mask - 1) {
    const uint64_t address = addresses[std::countr_zero(mask)];
    const auto end = distinct.begin() + count;
    if (std::find(distinct.begin(), end, address) == end) distinct[count++] = address;
  }
  return count;
}

// Notes which bytes of its lines a store of bytes or halves of words writes.
void addWritten(const MemoryAccess& access, bool is_local, uint64_t local_base,
                std::span<const LineAccess> lines, std::pmr::vector<StoredBytes>& written) {
  const size_t first = written.size();
  written.resize(first + lines.size());
  size_t at = 0;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (uint64_t byte = access.addresses[lane]; byte < access.addresses[lane] + access.bytes; ++byte) {
      const uint64_t in_lane = byte / kWordBytes * kLineBytes + lane * kWordBytes + byte % kWordBytes;
      const uint64_t address = is_local ? local_base + in_lane : byte;
      for (size_t tried = 0; tried < lines.size() && lines[at].line != address / kLineBytes; ++tried)
        at = (at + 1) % lines.size();
      const auto offset = static_cast<uint32_t>(address % kLineBytes);
      written[first + at][offset / kSectorBytes] |= 1U << (offset % kSectorBytes);
    }
  }
}

}  // namespace

const WarpAccess* AccessLog::find(uint32_t pc, uint8_t of_trip) {
  const auto count = static_cast<uint32_t>(records.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = hint + i < count ? hint + i : hint + i - count;
    if (records[at].pc == pc && records[at].trip == of_trip) {
      hint = at + 1 < count ? at + 1 : 0;
      return &records[at];
    }
  }
  return nullptr;
}

void AccessRecorder::noteMatch(const CrossLane& now) {
  if (now.instruction.destination_count == 0 || now.instruction.destinations[0].index < 0) return;
  const uint32_t* matching = now.registers.in(now.instruction.destinations[0]);
  MatchedLanes matched{now.pc, 0};
  for (uint32_t rest = now.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    matched.values += std::countr_zero(matching[lane]) == lane ? 1 : 0;  // the first of its group
  }
  log->has_others = true;
  log->matched.push_back(matched);
}

void AccessRecorder::access(const Warp& /*warp*/, const MemoryAccess& access) {
  if (access.mask == 0 || accessesImage(access.instruction->op)) return;
  // The second half of a cp.async belongs to the record of its first.
  const bool second =
      !log->records.empty() && log->records.back().pc == access.pc && log->records.back().trip == log->trip;
  WarpAccess& record = second ? log->records.back() : log->records.emplace_back();
  const bool of_matrix = accessesMatrix(access.instruction->op);
  if (second && of_matrix) ++record.requests;
  record.pc = access.pc;
  record.trip = log->trip;
  record.reads |= access.reads;
  record.writes |= access.writes;
  record.atomic |= access.atomic;
  record.asynchronous = access.instruction->kind == Kind::kAsyncCopy;
  log->has_others |= access.atomic || (access.writes && access.bytes < kWordBytes);
  if (access.space == ptx::Space::kShared) {
    const SharedWavefronts shared = sharedWavefronts(access.addresses, access.mask, access.bytes);
    if (access.other_rank) {
      record.remote_wavefronts = static_cast<uint16_t>(record.remote_wavefronts + shared.wavefronts);
      record.remote_ranks = static_cast<uint16_t>(record.remote_ranks | 1U << *access.other_rank);
      if (access.atomic) addRemote(access, record, log->remote);
      if (!second) record.kind = WarpAccess::Kind::kShared;
      return;
    }
    const bool adds = second && of_matrix;
    record.wavefronts = static_cast<uint16_t>((adds ? record.wavefronts : 0) + shared.wavefronts);
    record.minimum = static_cast<uint8_t>((adds ? record.minimum : 0) + shared.minimum);
    record.same_word = static_cast<uint8_t>(shared.same_word);
    if (access.atomic) addWords(access, record, log->words);
    if (!second) record.kind = WarpAccess::Kind::kShared;
    return;
  }
  if (access.instruction->space == ptx::Space::kConst) {
    record.kind = WarpAccess::Kind::kConstant;
    record.wavefronts = static_cast<uint16_t>(distinctAddresses(access.addresses, access.mask));
    record.first_line =
        static_cast<uint32_t>(access.addresses[std::countr_zero(access.mask)] / kConstantLineBytes);
    return;
  }
  std::array<LineAccess, kMaxLines> lines;
  record.is_local = access.space == ptx::Space::kLocal;
  const uint32_t count =
      record.is_local ? coalesceLocal(local_base, access.addresses, access.mask, access.bytes, lines.data())
                      : coalesce(access.addresses, access.mask, access.bytes, lines.data());
  record.kind = WarpAccess::Kind::kGlobal;
  if (access.writes)
    record.stored_bytes = static_cast<uint16_t>(
        record.stored_bytes + access.bytes * static_cast<uint32_t>(std::popcount(access.mask)));
  if (access.writes && !access.atomic && access.bytes < kWordBytes && record.line_count == 0) {
    record.first_written = static_cast<uint32_t>(log->written.size());
    record.least_merged = static_cast<uint8_t>(2 * access.bytes);  // of two lanes
    addWritten(access, record.is_local, local_base, {lines.data(), count}, log->written);
  }
  if (access.atomic) {
    record.first_atomic = static_cast<uint32_t>(log->atomics.size());
    addAtomics(access, {lines.data(), count}, log->atomics);
  }
  if (addresses != nullptr && !record.is_local) {
    for (LineAccess& line : std::span(lines).first(count)) line.line = addresses->lineOf(line.line);
  }
  if (record.line_count == 0) record.first_line = static_cast<uint32_t>(log->lines.size());
  record.line_count = static_cast<uint16_t>(record.line_count + count);
  record.bypasses_l1 = !record.is_local && (access.atomic || bypassesL1(*access.instruction));
  log->lines.insert(log->lines.end(), lines.begin(), lines.begin() + count);
}

}  // namespace warpscope::sim
