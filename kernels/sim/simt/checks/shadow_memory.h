// Remembers who last accessed each piece of memory: the last plain write, and the reads and atomics since.
// One cell covers four bytes until something accesses less than that; its 256-byte page then has one cell per
// byte. It knows nothing of order: race_check.h judges that.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernels/sim/simt/checks/access_record.h"

namespace warpscope::sim {

// Accesses since the last plain write: one inline, more in a list.
struct Cell {
  AccessRecord write;
  AccessRecord access;
  std::unique_ptr<std::vector<AccessRecord>> more;

  template <class Function>
  void forAccesses(Function&& function) const {
    if (access.mask == 0) return;
    function(access);
    if (more != nullptr) {
      for (const AccessRecord& record : *more) function(record);
    }
  }
  void clearAccesses();
  Cell copy() const;
};

class ShadowMemory {
 public:
  // Calls function(cell) for each cell of [address, address + bytes), making them as needed.
  template <class Function>
  void forCells(uint64_t address, uint32_t bytes, Function&& function) {
    const bool whole_words = ((address | bytes) & 3U) == 0;
    for (const uint64_t end = address + bytes; address < end;) {
      Page& page = pageOf(address, whole_words);
      const uint64_t offset = address % kPageBytes;
      const uint32_t step = page.by_bytes ? 1 : 4;
      function(page.cells[offset / step]);
      address += step;
    }
  }
  void clear();

 private:
  static constexpr uint32_t kPageBytes = 256;
  struct Page {
    bool by_bytes = false;
    std::vector<Cell> cells;
  };
  Page& pageOf(uint64_t address, bool whole_words);
  static void splitIntoBytes(Page& page);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace warpscope::sim
