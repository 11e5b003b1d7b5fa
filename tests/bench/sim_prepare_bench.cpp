// Measures how long the simulated GPU takes to prepare a kernel (parse, decode, lower) as it gets longer:
// seconds, and millions of instructions a second, which stay the same where the time grows with the length.
// Prints plain text; run by hand.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/sm/machine_code.h"

namespace warpscope::sim {
namespace {

std::string arithmetic(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += fmt::format("add.u32 %r{}, %r{}, %r{};\n", i % 4, (i + 1) % 4, (i + 2) % 4);
  }
  return text;
}

std::string branches(size_t count) {
  std::string text;
  for (size_t i = 0; i < count / 4; ++i) {
    text += fmt::format(
        "setp.lt.u32 %p1, %r0, {0};\n@%p1 bra L{1};\nadd.u32 %r0, %r1, %r2;\nxor.b32 %r1, %r0, %r3;\nL{1}:\n",
        i % 64, i);
  }
  return text;
}

std::string memory(size_t count) {
  std::string text;
  for (size_t i = 0; i < count / 3; ++i) {
    text +=
        fmt::format("ld.global.u32 %r1, [%rd1+{}];\nadd.u32 %r2, %r1, %r2;\nst.global.u32 [%rd1+{}], %r2;\n",
                    4 * (i % 64), 4 * ((i + 1) % 64));
  }
  return text;
}

std::string kernelOf(const std::string& body) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [out];\n"
         "mov.u32 %r0, %tid.x; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3;\n" +
         body + "st.global.u32 [%rd1], %r0;\nret;\n}\n";
}

Expected<double> secondsToPrepare(const std::string& text, const DeviceProfile& profile) {
  const auto begin = std::chrono::steady_clock::now();
  auto module = ptx::parseModule(text, "long");
  if (!module) return tl::unexpected(module.error());
  auto memory = GlobalMemory::create(uint64_t{1} << 24);
  if (!memory) return tl::unexpected(memory.error());
  const auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), **memory);
  if (!loaded) return tl::unexpected(loaded.error());
  const auto code = decodeKernel(*loaded, "k");
  if (!code) return tl::unexpected(code.error());
  const MachineCode machine = lowerToMachine(**code, profile);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run() {
  struct Shape {
    const char* name;
    std::string (*body)(size_t count);
  };
  constexpr std::array<Shape, 3> kShapes{
      {{"arithmetic", &arithmetic}, {"branches", &branches}, {"memory", &memory}}};
  const auto profile =
      readProfile(std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / "assets/devices/h100_sxm.json");
  if (!profile) {
    fmt::print(stderr, "{}\n", profile.error().message);
    return 1;
  }
  fmt::print("{:<12} {:>12} {:>10} {:>12}\n", "kernel", "instructions", "seconds", "millions/s");
  for (const Shape& shape : kShapes) {
    for (const size_t count : {25'000, 50'000, 100'000, 200'000}) {
      const auto seconds = secondsToPrepare(kernelOf(shape.body(count)), *profile);
      if (!seconds) {
        fmt::print(stderr, "{}\n", seconds.error().message);
        return 1;
      }
      fmt::print("{:<12} {:>12} {:>10.3f} {:>12.3f}\n", shape.name, count, *seconds,
                 static_cast<double>(count) / *seconds / 1e6);
    }
  }
  return 0;
}

}  // namespace
}  // namespace warpscope::sim

int main() {
  return warpscope::sim::run();
}
