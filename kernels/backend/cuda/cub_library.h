// CUB's sums, if the program was built with nvcc: from libwarpscope_cub.so beside the program or in
// ../lib/warpscope, loaded on first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/backend/cuda/driver_api.h"
#include "kernels/experiments/library_work.h"

namespace warpscope::cuda {

class CubLibrary {
 public:
  // Loads it once per process. nullptr: the library does not exist.
  static const CubLibrary* find();

  const std::string& name() const { return name_; }  // "CUB 3.0.1 DeviceReduce"
  // Bytes of temporary memory that sum() needs; 0: it cannot run on this GPU.
  size_t temporaryBytes(LibraryWork::Kind kind, uint64_t count) const;
  // Queues the sum of `count` elements. False: CUB refused.
  bool sum(LibraryWork::Kind kind, Address temporary, size_t bytes, Address input, Address total,
           uint64_t count, Stream stream) const;

 private:
  using Sum = int (*)(void*, size_t*, const void*, void*, uint64_t, void*);
  bool load();
  Sum of(LibraryWork::Kind kind) const { return kind == LibraryWork::Kind::kSumOfInts ? ints_ : floats_; }

  std::string name_;
  Sum ints_ = nullptr, floats_ = nullptr;
};

}  // namespace warpscope::cuda
