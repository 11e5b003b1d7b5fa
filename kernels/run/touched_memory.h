// Which bytes an operation reads and writes, to the byte, and whether two operations touch the same ones: at
// most one bit in two for each byte of the pages that were touched. Knows nothing of order
// (operation_order.h) and of how accesses are noticed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "kernels/run/hazard.h"

namespace warpscope {

class TouchedMemory {
 public:
  // Strong accesses are those that may be made at the same time as others of their kind: atomics, and
  // volatile accesses, of the whole device.
  enum class Touch : uint8_t { kRead, kWrite, kStrongRead, kStrongWrite };
  // Where nothing else is known, an access has no place.
  static constexpr uint32_t kNoPlace = ~uint32_t{0};

  // `place`: a number that the caller chooses, of the source line that accesses.
  void add(Touch touch, uint64_t address, uint64_t bytes, uint32_t place = kNoPlace);
  // Asks for the description of each place that is known by now: source file, line, PTX.
  void describePlaces(const std::function<HazardAccess(uint32_t place)>& describe);
  bool empty() const { return pages_.empty(); }

  // The first bytes, one after another, that both touch and one of them writes. Each access says whether it
  // reads or writes them; it has a place only if that is the same for all of its kind near there.
  struct Conflict {
    uint64_t address = 0, bytes = 0;
    HazardAccess first, second;
  };
  static std::optional<Conflict> conflict(const TouchedMemory& first, const TouchedMemory& second);

 private:
  static constexpr uint64_t kPageBytes = 4096, kWords = kPageBytes / 64;
  static constexpr size_t kKinds = 4;
  using Bits = std::array<uint64_t, kWords>;
  // Of one kind of access.
  struct Part {
    bool all = false;            // every byte; `bits` is then absent
    std::unique_ptr<Bits> bits;  // absent and not `all`: none
    uint32_t place = kNoPlace;
    bool has_several_places = false;

    uint64_t word(uint64_t at) const { return all ? ~uint64_t{0} : bits == nullptr ? 0 : (*bits)[at]; }
    void add(uint64_t offset, uint64_t bytes);
    void note(uint32_t new_place);
  };
  using Page = std::array<Part, kKinds>;

  static uint64_t conflicts(const Page& first, const Page& second, uint64_t word);
  HazardAccess accessAt(const Page& page, uint64_t offset, const Page& other) const;
  static bool extend(std::optional<Conflict>& found, uint64_t number, const TouchedMemory& first,
                     const Page& first_page, const TouchedMemory& second, const Page& second_page);
  Page& pageOf(uint64_t number);

  std::map<uint64_t, Page> pages_;  // by address / kPageBytes
  std::map<uint32_t, HazardAccess> places_;
  Page* last_ = nullptr;
  uint64_t last_number_ = 0;
};

}  // namespace warpscope
