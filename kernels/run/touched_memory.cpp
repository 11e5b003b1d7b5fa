#include "kernels/run/touched_memory.h"

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

using Touch = TouchedMemory::Touch;

constexpr size_t indexOf(Touch touch) {
  return static_cast<size_t>(touch);
}

}  // namespace

void TouchedMemory::Part::add(uint64_t offset, uint64_t count) {
  if (all) return;
  if (offset == 0 && count == kPageBytes) {
    all = true;
    bits.reset();
    return;
  }
  if (bits == nullptr) bits = std::make_unique<Bits>();
  for (const uint64_t end = offset + count; offset < end;) {
    const uint64_t first = offset % 64, in_word = std::min(64 - first, end - offset);
    const uint64_t ones = in_word == 64 ? ~uint64_t{0} : (uint64_t{1} << in_word) - 1;
    (*bits)[offset / 64] |= ones << first;
    offset += in_word;
  }
}

void TouchedMemory::Part::note(uint32_t new_place) {
  has_several_places =
      has_several_places || new_place == kNoPlace || (place != kNoPlace && place != new_place);
  place = new_place;
}

TouchedMemory::Page& TouchedMemory::pageOf(uint64_t number) {
  if (last_ == nullptr || last_number_ != number) {
    last_ = &pages_[number];
    last_number_ = number;
  }
  return *last_;
}

void TouchedMemory::add(Touch touch, uint64_t address, uint64_t bytes, uint32_t place) {
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t offset = address % kPageBytes;
    const uint64_t in_page = std::min(kPageBytes - offset, end - address);
    Part& part = pageOf(address / kPageBytes)[indexOf(touch)];
    part.add(offset, in_page);
    part.note(place);
    address += in_page;
  }
}

void TouchedMemory::describePlaces(const std::function<HazardAccess(uint32_t)>& describe) {
  for (const auto& [number, page] : pages_) {
    for (const Part& part : page) {
      if (part.place != kNoPlace && !part.has_several_places && !places_.contains(part.place))
        places_.emplace(part.place, describe(part.place));
    }
  }
}

// The bytes of a word of the page's that both touch, at least one of them to write, unless both touch them
// strongly only.
uint64_t TouchedMemory::conflicts(const Page& first, const Page& second, uint64_t word) {
  const auto of = [word](const Page& page, Touch touch) { return page[indexOf(touch)].word(word); };
  const auto plain = [&](const Page& page) { return of(page, Touch::kRead) | of(page, Touch::kWrite); };
  const auto strong = [&](const Page& page) {
    return of(page, Touch::kStrongRead) | of(page, Touch::kStrongWrite);
  };
  const auto writes = [&](const Page& page) {
    return of(page, Touch::kWrite) | of(page, Touch::kStrongWrite);
  };
  const uint64_t shared = (plain(first) & (plain(second) | strong(second))) | (strong(first) & plain(second));
  return shared & (writes(first) | writes(second));
}

// What conflicts with the other's accesses of the byte: a write, if it is written.
HazardAccess TouchedMemory::accessAt(const Page& page, uint64_t offset, const Page& other) const {
  const auto touches = [offset](const Page& of, Touch touch) {
    return (of[indexOf(touch)].word(offset / 64) >> offset % 64 & 1U) != 0;
  };
  const bool other_plain = touches(other, Touch::kRead) || touches(other, Touch::kWrite);
  Touch touch = Touch::kRead;
  for (const Touch each : {Touch::kWrite, Touch::kStrongWrite, Touch::kRead, Touch::kStrongRead}) {
    const bool strong = each == Touch::kStrongWrite || each == Touch::kStrongRead;
    if (!touches(page, each) || (strong && !other_plain)) continue;
    touch = each;
    break;
  }
  const Part& part = page[indexOf(touch)];
  const auto place = part.has_several_places ? places_.end() : places_.find(part.place);
  HazardAccess access = place == places_.end() ? HazardAccess{} : place->second;
  access.action = touch == Touch::kWrite || touch == Touch::kStrongWrite ? "write" : "read";
  return access;
}

// Lets `found` begin or go on in these pages of the same number. Returns whether it ends there.
bool TouchedMemory::extend(std::optional<Conflict>& found, uint64_t number, const TouchedMemory& first,
                           const Page& first_page, const TouchedMemory& second, const Page& second_page) {
  for (uint64_t word = 0; word < kWords; ++word) {
    uint64_t bits = conflicts(first_page, second_page, word);
    uint64_t offset = word * 64;
    if (!found) {
      if (bits == 0) continue;
      const auto skipped = static_cast<uint64_t>(std::countr_zero(bits));
      offset += skipped;
      bits >>= skipped;
      found = Conflict{number * kPageBytes + offset, 0, first.accessAt(first_page, offset, second_page),
                       second.accessAt(second_page, offset, first_page)};
    }
    const uint64_t rest = 64 - offset % 64;
    const auto more = std::min(rest, static_cast<uint64_t>(std::countr_one(bits)));
    found->bytes += more;
    if (more < rest) return true;
  }
  return false;
}

std::optional<TouchedMemory::Conflict> TouchedMemory::conflict(const TouchedMemory& first,
                                                               const TouchedMemory& second) {
  std::optional<Conflict> found;
  auto one = first.pages_.begin(), other = second.pages_.begin();
  while (one != first.pages_.end() && other != second.pages_.end()) {
    if (one->first < other->first) {
      one = first.pages_.lower_bound(other->first);
    } else if (other->first < one->first) {
      other = second.pages_.lower_bound(one->first);
    } else {
      const uint64_t number = one->first;
      if (found && found->address + found->bytes != number * kPageBytes) return found;
      if (extend(found, number, first, one->second, second, other->second)) return found;
      ++one;
      ++other;
    }
  }
  return found;
}

}  // namespace warpscope
