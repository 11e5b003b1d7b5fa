// What tests of the lowering from PTX to machine-like operations share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/sm/machine_code.h"

namespace warpscope::sim {

inline const std::filesystem::path kRepository = WARPSCOPE_SOURCE_FOLDER;

inline std::string readText(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline DeviceProfile profileOf(const char* name) {
  auto profile = readProfile(kRepository / "assets/devices" / name);
  EXPECT_TRUE(profile) << profile.error().message;
  return profile.value_or(DeviceProfile{});
}

struct Lowered {
  std::string kernel;
  std::shared_ptr<const Code> code;
  MachineCode machine;
};

inline std::string kernelText(const std::string& body) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 p, .param .u32 n, .param .u32 m)\n{\n"
         ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<16>;\n"
         ".reg .f64 %fd<8>;\n" +
         body + "ret;\n}\n";
}

class Lowering : public ::testing::Test {
 protected:
  void SetUp() override {
    auto memory = GlobalMemory::create(uint64_t{1} << 20U);
    ASSERT_TRUE(memory) << memory.error().message;
    memory_ = std::move(*memory);
  }

  std::vector<Lowered> lowerText(const std::string& text, const std::string& name,
                                 const DeviceProfile& profile) {
    std::vector<Lowered> result;
    auto module = ptx::parseModule(text, name);
    EXPECT_TRUE(module) << module.error().message;
    if (!module) return result;
    const auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), *memory_);
    EXPECT_TRUE(loaded) << loaded.error().message;
    if (!loaded) return result;
    for (const ptx::Function& function : loaded->module->functions) {
      if (!function.is_entry) continue;
      auto code = decodeKernel(*loaded, function.name);
      EXPECT_TRUE(code) << code.error().message;
      if (code) result.push_back({function.name, *code, lowerToMachine(**code, profile)});
    }
    return result;
  }

  // The machine code of a kernel with this body (kernelText).
  MachineCode lowerKernel(const std::string& body, const DeviceProfile& profile) {
    std::vector<Lowered> all = lowerText(kernelText(body), "kernel.ptx", profile);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? MachineCode{} : std::move(all[0].machine);
  }

  std::vector<Lowered> lowerFile(const std::string& module, const DeviceProfile& profile) {
    return lowerText(readText(kRepository / "assets/ptx" / (module + ".ptx")), module + ".ptx", profile);
  }

  std::unique_ptr<GlobalMemory> memory_;
};

inline uint32_t instructionsOf(const MachineCode& machine) {
  uint32_t count = 0;
  for (const MachineOp& op : machine.ops) count += op.issues;
  return count;
}

}  // namespace warpscope::sim
