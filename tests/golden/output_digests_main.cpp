// Prints the digests of every variant's outputs on a device, in the format of
// tests/golden/output_digests_h100.txt:
//   output_digests [DEVICE]        default: cuda:0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <exception>

#include "kernels/device/device.h"
#include "tests/golden/output_digests.h"

int main(int argc, char** argv) {
  using namespace warpscope;
  const auto backend = openBackend(argc > 1 ? argv[1] : "cuda:0");
  if (!backend) {
    fmt::print(stderr, "{}\n", backend.error().message);
    return 3;
  }
  const DeviceDescription& device = (*backend)->description();
  fmt::print("# {}, driver {}, {:%Y-%m-%d}: XXH64 of the outputs of one launch on fresh inputs\n",
             device.name, device.driver, fmt::gmtime(std::time(nullptr)));
  try {
    for (const auto& which : test::outputCases()) {
      fmt::print("{:016x} {}\n", test::outputDigest(backend->any(), which), which.name());
    }
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 1;
  }
  return 0;
}
