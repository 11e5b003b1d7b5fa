#include "kernels/sim/simt/checks/shadow_memory.h"

namespace warpscope::sim {

void Cell::clearAccesses() {
  access = {};
  more.reset();
}

Cell Cell::copy() const {
  Cell other;
  other.write = write;
  other.access = access;
  if (more != nullptr) other.more = std::make_unique<std::vector<AccessRecord>>(*more);
  return other;
}

ShadowMemory::Page& ShadowMemory::pageOf(uint64_t address, bool whole_words) {
  const uint64_t number = address / kPageBytes;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) {
      page = std::make_unique<Page>();
      page->cells.resize(kPageBytes / 4);
    }
    last_number_ = number;
    last_ = page.get();
  }
  if (!whole_words && !last_->by_bytes) splitIntoBytes(*last_);
  return *last_;
}

void ShadowMemory::splitIntoBytes(Page& page) {
  std::vector<Cell> cells;
  cells.reserve(kPageBytes);
  for (uint32_t i = 0; i < kPageBytes; ++i) cells.push_back(page.cells[i / 4].copy());
  page.cells = std::move(cells);
  page.by_bytes = true;
}

void ShadowMemory::clear() {
  pages_.clear();
  last_number_ = ~uint64_t{0};
  last_ = nullptr;
}

}  // namespace warpscope::sim
