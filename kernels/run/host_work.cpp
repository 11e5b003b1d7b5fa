#include "kernels/run/host_work.h"

#include <cstring>

namespace warpscope {

void HostWork::doTo(std::span<std::byte> bytes) const {
  if (touches) {
    for (size_t at = 0; at < bytes.size(); at += kHostPageBytes)
      static_cast<void>(*static_cast<const volatile std::byte*>(&bytes[at]));
  }
  if (add == 0) return;
  for (; bytes.size() >= sizeof(uint32_t); bytes = bytes.subspan(sizeof(uint32_t))) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word += add;
    std::memcpy(bytes.data(), &word, sizeof word);
  }
}

}  // namespace warpscope
