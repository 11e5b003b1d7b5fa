// CUB's sums behind a C interface, in a shared library of their own: the program needs neither CUB nor the
// CUDA runtime, and loads this one where it was built (cub_library.h).
#include <cstddef>
#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

namespace {

template <class T>
int sum(void* temporary, size_t* bytes, const void* input, void* total, uint64_t count, void* stream) {
  return cub::DeviceReduce::Sum(temporary, *bytes, static_cast<const T*>(input), static_cast<T*>(total),
                                static_cast<int64_t>(count), static_cast<cudaStream_t>(stream));
}

}  // namespace

// A cudaError_t. With `temporary` null nothing is launched; *bytes is then how much of it the call takes.
extern "C" int warpscope_cub_sum_ints(void* temporary, size_t* bytes, const void* input, void* total,
                                      uint64_t count, void* stream) {
  return sum<int>(temporary, bytes, input, total, count, stream);
}
extern "C" int warpscope_cub_sum_floats(void* temporary, size_t* bytes, const void* input, void* total,
                                        uint64_t count, void* stream) {
  return sum<float>(temporary, bytes, input, total, count, stream);
}
// 300001: 3.0.1
extern "C" int warpscope_cub_version() {
  return CUB_VERSION;
}
