#include "kernels/sim/simt/checks/written_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpscope::sim {
namespace {

// The bits of word `word` that the bit range [begin, end) covers.
uint64_t wordMask(uint64_t word, uint64_t begin, uint64_t end) {
  const uint64_t first = std::max(begin, word * 64) - word * 64;
  const uint64_t count = std::min(end, word * 64 + 64) - word * 64 - first;
  return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
}

}  // namespace

void WrittenBytes::set(uint64_t offset, uint64_t bytes, bool written) {
  const uint64_t begin = std::min(offset, bytes_), end = begin + std::min(bytes, bytes_ - begin);
  if (written && (all_ || end - begin == bytes_)) {
    all_ = true;
    return;
  }
  if (begin < end) listBits();
  for (uint64_t word = begin / 64; word * 64 < end; ++word) {
    const uint64_t mask = wordMask(word, begin, end);
    bits_[word] = written ? bits_[word] | mask : bits_[word] & ~mask;
  }
}

void WrittenBytes::copy(uint64_t offset, const WrittenBytes& from, uint64_t from_offset, uint64_t bytes) {
  if (from.all_) return set(offset, bytes);
  if (&from == this) return copy(offset, WrittenBytes(from), from_offset, bytes);
  const uint64_t end = offset + std::min({bytes, bytes_ - offset, from.bytes_ - from_offset});
  listBits();
  const bool aligned = offset % 64 == from_offset % 64;
  while (offset < end) {
    // To the end of a word of both, if they coincide.
    const uint64_t count = aligned ? std::min(end - offset, 64 - offset % 64) : 1;
    const uint64_t mask = wordMask(offset / 64, offset, offset + count);
    const uint64_t source = aligned ? from.bits_[from_offset / 64] : from.test(from_offset) ? mask : 0;
    uint64_t& word = bits_[offset / 64];
    word = (word & ~mask) | (source & mask);
    offset += count;
    from_offset += count;
  }
}

void WrittenBytes::listBits() {
  if (all_) std::ranges::fill(bits_, ~uint64_t{0});
  all_ = false;
}

std::optional<uint64_t> WrittenBytes::firstUnwritten(uint64_t offset, uint64_t bytes) const {
  if (all_) return std::nullopt;
  const uint64_t begin = std::min(offset, bytes_), end = begin + std::min(bytes, bytes_ - begin);
  for (uint64_t word = begin / 64; word * 64 < end; ++word) {
    const uint64_t missing = ~bits_[word] & wordMask(word, begin, end);
    if (missing != 0) return word * 64 + static_cast<uint64_t>(std::countr_zero(missing));
  }
  return std::nullopt;
}

void WrittenMemory::allocated(uint64_t address, uint64_t bytes) {
  ranges_.insert_or_assign(address, WrittenBytes(bytes));
}

void WrittenMemory::freed(uint64_t address) {
  ranges_.erase(address);
}

WrittenMemory::Ranges::const_iterator WrittenMemory::find(uint64_t address) const {
  auto above = ranges_.upper_bound(address);
  if (above == ranges_.begin()) return ranges_.end();
  --above;
  return address - above->first < above->second.size() ? above : ranges_.end();
}

WrittenMemory::Ranges::iterator WrittenMemory::find(uint64_t address) {
  const auto found = std::as_const(*this).find(address);
  return ranges_.erase(found, found);  // removes nothing; makes it mutable
}

void WrittenMemory::written(uint64_t address, uint64_t bytes) {
  if (const auto range = find(address); range != ranges_.end())
    range->second.set(address - range->first, bytes);
}

void WrittenMemory::copied(uint64_t to, uint64_t from, uint64_t bytes) {
  const auto target = find(to);
  if (target == ranges_.end()) return;
  const auto source = std::as_const(*this).find(from);
  if (source == ranges_.end()) return target->second.set(to - target->first, bytes);
  target->second.copy(to - target->first, source->second, from - source->first, bytes);
}

void WrittenMemory::everythingWritten() {
  for (auto& [address, range] : ranges_) range.set(0, range.size());
}

std::optional<uint64_t> WrittenMemory::firstUnwritten(uint64_t address, uint64_t bytes) const {
  const auto range = find(address);
  if (range == ranges_.end()) return std::nullopt;
  const std::optional<uint64_t> hole = range->second.firstUnwritten(address - range->first, bytes);
  return hole ? std::optional<uint64_t>(range->first + *hole) : std::nullopt;
}

}  // namespace warpscope::sim
