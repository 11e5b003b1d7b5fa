#include "kernels/backend/cuda/cub_library.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "kernels/backend/cuda/driver_api.h"

namespace warpscope::cuda {
namespace {

constexpr const char* kCubFileName = "libwarpscope_cub.so";

void* pointer(Address address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace

const CubLibrary* CubLibrary::find() {
  static CubLibrary library;
  static const bool kLoaded = library.load();
  return kLoaded ? &library : nullptr;
}

bool CubLibrary::load() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return false;
  const auto folder = program.parent_path();
  void* library = dlopen((folder / kCubFileName).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)  // as the Debian package installs it
    library = dlopen((folder.parent_path() / "lib/warpscope" / kCubFileName).c_str(), RTLD_NOW | RTLD_LOCAL);
  int (*version)() = nullptr;
  if (library == nullptr || !loadSymbol(library, "warpscope_cub_sum_ints", ints_) ||
      !loadSymbol(library, "warpscope_cub_sum_floats", floats_) ||
      !loadSymbol(library, "warpscope_cub_version", version)) {
    return false;
  }
  const int number = version();
  name_ = fmt::format("CUB {}.{}.{} DeviceReduce", number / 100000, number / 100 % 1000, number % 100);
  return true;
}

size_t CubLibrary::temporaryBytes(LibraryWork::Kind kind, uint64_t count) const {
  size_t bytes = 0;
  return of(kind)(nullptr, &bytes, nullptr, nullptr, count, nullptr) == 0 ? bytes : 0;
}

bool CubLibrary::sum(LibraryWork::Kind kind, Address temporary, size_t bytes, Address input, Address total,
                     uint64_t count, Stream stream) const {
  return of(kind)(pointer(temporary), &bytes, pointer(input), pointer(total), count, stream) == 0;
}

}  // namespace warpscope::cuda
