#include "kernels/sim/simt/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpscope::sim {

namespace {
constexpr uint64_t kAlignment = 256;
constexpr uint64_t kGap = 256;  // between two allocations, so that an overrun does not reach a neighbour

uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Zero until it is used. nullptr if the host refuses.
void* reserve(uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}
}  // namespace

struct GlobalMemory::State {
  uint64_t capacity = 0, reserved = 0, used = 0;
  // Every byte below end_ belongs to the span that begins at an allocation and ends where the next one
  // begins.
  std::map<uint64_t, Allocation> allocations;
  // What a range was last filled with.
  struct Contents {
    uint64_t from = 0;  // an address; 0: `value`
    uint8_t value = 0;
    uint64_t bytes = 0;
    uint32_t time = 0;
  };
  std::map<uint64_t, Contents> contents;  // by the range's address
};

Expected<std::unique_ptr<GlobalMemory>> GlobalMemory::create(uint64_t capacity_bytes) {
  constexpr uint64_t kMost = uint64_t{1}
                             << 44;  // what an address space of 47 bits holds beside everything else
  if (capacity_bytes == 0 || capacity_bytes > kMost) {
    return fail(ErrorKind::kBadRequest, "a simulated GPU cannot have {} bytes of memory", capacity_bytes);
  }
  std::unique_ptr<GlobalMemory> memory(new GlobalMemory);
  memory->state_ = std::make_unique<State>();
  memory->state_->capacity = capacity_bytes;
  memory->state_->reserved = roundUp(capacity_bytes, kPageBytes);
  memory->host_ = static_cast<std::byte*>(reserve(memory->state_->reserved));
  memory->written_ =
      static_cast<uint32_t*>(reserve(memory->state_->reserved / kPageBytes * sizeof(uint32_t)));
  if (memory->host_ == nullptr || memory->written_ == nullptr) {
    return fail(ErrorKind::kWorkFailed, "this computer cannot reserve {} MiB for a simulated GPU's memory",
                capacity_bytes >> 20);
  }
  return memory;
}

GlobalMemory::~GlobalMemory() {
  if (host_ != nullptr) munmap(host_, state_->reserved);
  if (written_ != nullptr) munmap(written_, state_->reserved / kPageBytes * sizeof(uint32_t));
}

bool GlobalMemory::changedSince(uint32_t time, uint64_t address, uint64_t bytes) const {
  const uint64_t first = (address - kGlobalBase) / kPageBytes;
  const uint64_t last = (address - kGlobalBase + bytes - 1) / kPageBytes;
  return std::any_of(written_ + first, written_ + last + 1, [&](uint32_t written) { return written > time; });
}

// Calls move(offset, bytes) for what has changed since the range was last filled in the same way.
template <class Move>
void GlobalMemory::renew(uint64_t to, uint64_t from, uint8_t value, uint64_t bytes, const Move& move) {
  if (bytes == 0) return;
  const auto known = state_->contents.find(to);
  const bool again = known != state_->contents.end() && known->second.from == from &&
                     known->second.value == value && known->second.bytes == bytes;
  const bool overlap = from != 0 && to < from + bytes && from < to + bytes;
  if (!again || overlap) {
    move(uint64_t{0}, bytes);
    noteWritten(to, bytes);
  } else {
    for (uint64_t begin = 0, end = 0; begin < bytes; begin = end) {
      end = std::min(bytes, begin + kPageBytes - (to + begin - kGlobalBase) % kPageBytes);
      const bool changed = changedSince(known->second.time, to + begin, end - begin) ||
                           (from != 0 && changedSince(known->second.time, from + begin, end - begin));
      if (!changed) continue;
      move(begin, end - begin);
      noteWritten(to + begin, end - begin);
    }
  }
  state_->contents[to] = {from, value, bytes, now_++};
}

void GlobalMemory::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  renew(to, from, 0, bytes, [&](uint64_t offset, uint64_t count) {
    std::memmove(at(to + offset, count), at(from + offset, count), count);
  });
}

void GlobalMemory::fill(uint64_t to, uint8_t value, uint64_t bytes) {
  renew(to, 0, value, bytes,
        [&](uint64_t offset, uint64_t count) { std::memset(at(to + offset, count), value, count); });
}

uint64_t GlobalMemory::capacity() const {
  return state_->capacity;
}
uint64_t GlobalMemory::used() const {
  return state_->used;
}
const std::map<uint64_t, Allocation>& GlobalMemory::allocations() const {
  return state_->allocations;
}

Expected<uint64_t> GlobalMemory::allocate(uint64_t bytes, std::string name) {
  State& state = *state_;
  bytes = std::max<uint64_t>(bytes, 1);
  if (bytes <= state.capacity) {
    const uint64_t span = roundUp(bytes, kAlignment) + kGap;
    auto& all = state.allocations;
    // Take a run of freed neighbours that is long enough, otherwise memory that was never handed out.
    for (auto first = all.begin(); first != all.end(); ++first) {
      if (!first->second.freed) continue;
      auto last = std::next(first);
      while (last != all.end() && last->second.freed) ++last;
      const uint64_t begin = first->first;
      const uint64_t end = last == all.end() ? kGlobalBase + end_ : last->first;
      if (end - begin >= span) {
        all.erase(first, last);
        all[begin] = {begin, bytes, std::move(name), false};
        if (end - begin - span > kGap)
          all[begin + span] = {begin + span, end - begin - span - kGap, "", true};
        state.used += bytes;
        return begin;
      }
      first = std::prev(last);
    }
    if (span <= state.capacity - std::min(end_, state.capacity)) {
      const uint64_t address = kGlobalBase + end_;
      end_ += span;
      all[address] = {address, bytes, std::move(name), false};
      state.used += bytes;
      return address;
    }
  }
  return fail(ErrorKind::kWorkFailed,
              "out of memory: the simulated GPU has {} MiB, {} bytes of it used; {} more bytes do not fit",
              state.capacity >> 20, state.used, bytes);
}

Expected<void> GlobalMemory::free(uint64_t address) {
  const auto at = state_->allocations.find(address);
  if (at == state_->allocations.end() || at->second.freed) {
    return fail(ErrorKind::kBadRequest, "no allocation begins at {:#x}", address);
  }
  Allocation& allocation = at->second;
  allocation.freed = true;
  state_->used -= allocation.bytes;
  // Whole pages are returned to the host, and are zero when they are used again.
  const uint64_t begin = roundUp(address - kGlobalBase, kPageBytes);
  const uint64_t end = (address - kGlobalBase + allocation.bytes) / kPageBytes * kPageBytes;
  if (end > begin) madvise(host_ + begin, end - begin, MADV_DONTNEED);
  noteWritten(address, allocation.bytes);
  state_->contents.erase(address);
  return {};
}

std::optional<Allocation> GlobalMemory::find(uint64_t address) const {
  auto at = state_->allocations.upper_bound(address);
  if (at == state_->allocations.begin()) return std::nullopt;
  return std::prev(at)->second;
}

}  // namespace warpscope::sim
