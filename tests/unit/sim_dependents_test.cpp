// Launches that rely on a trigger where they should wait, and what the checks say of them.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/simt/decode.h"

namespace warpscope::sim {
namespace {

constexpr const char* kStore = "st.global.u32 [%a], %i;\n";
constexpr const char* kRead = "ld.global.u32 %v, [%a];\n";
constexpr const char* kWait = "griddepcontrol.wait;\n";
constexpr const char* kTrigger = "griddepcontrol.launch_dependents;\n";

// Two kernels of a block of 64 threads; %a: the address of a thread's word among 1,024.
class SimDependents : public testing::Test {
 protected:
  static std::string entry(const std::string& name, const std::string& body) {
    return ".visible .entry " + name +
           "(.param .u64 to) {\n.reg .b64 %a, %x;\n.reg .b32 %i, %v;\n.reg .pred %p;\n"
           "ld.param.u64 %a, [to];\ncvta.to.global.u64 %a, %a;\nmov.u32 %i, %tid.x;\n"
           "mul.wide.u32 %x, %i, 4;\nadd.u64 %a, %a, %x;\nsetp.lt.u32 %p, %i, 32;\n" +
           body + "ret;\n}\n";
  }

  // What the checks find in the second launch.
  std::vector<Hazard> hazards(const std::string& first, const std::string& second) {
    memory_ = std::move(GlobalMemory::create(uint64_t{1} << 22).value());
    auto module = ptx::parseModule(
        ".version 8.0\n.target sm_90\n.address_size 64\n" + entry("first", first) + entry("second", second),
        "dependents.ptx");
    EXPECT_TRUE(module) << module.error().message;
    if (!module) return {};
    module_ = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), *memory_).value();
    codes_ = {decodeKernel(module_, "first").value(), decodeKernel(module_, "second").value()};
    constexpr uint64_t kBytes = 4096;
    const uint64_t address = memory_->allocate(kBytes, "buffer").value();
    WrittenMemory written;
    written.allocated(address, kBytes);
    written.written(address, kBytes);
    Launch launch{.code = codes_[0].get(), .memory = memory_.get(), .grid = {1}, .block = {64}};
    launch.parameters.resize(sizeof address);
    std::memcpy(launch.parameters.data(), &address, sizeof address);
    const auto before = runChecked(launch, written, {.keep_accesses = true}, {});
    EXPECT_TRUE(before && before->hazards.empty());
    launch.code = codes_[1].get();
    const auto behind = runChecked(launch, written, {.primary = before->accesses}, {});
    EXPECT_TRUE(behind);
    return behind ? behind->hazards : std::vector<Hazard>{};
  }
  void expectOne(const std::string& first, const std::string& second, const std::string& words) {
    const std::vector<Hazard> found = hazards(first, second);
    ASSERT_EQ(found.size(), 1U) << second;
    EXPECT_EQ(found[0].kind, HazardKind::kTriggerWithoutVisibility);
    EXPECT_EQ(found[0].count, 64U);
    EXPECT_NE(found[0].message.find(words), std::string::npos) << found[0].message;
  }

  std::unique_ptr<GlobalMemory> memory_;
  LoadedModule module_;
  std::vector<std::shared_ptr<const Code>> codes_;
};

TEST_F(SimDependents, AReadOfWhatThePrimaryWritesNeedsAWait) {
  const std::string first = std::string(kTrigger) + kStore;
  expectOne(first, kRead, "reads 4 bytes");
  expectOne(first, std::string(kRead) + kWait, "of the launch before it writes");
  expectOne(std::string(kStore) + kTrigger, kRead, "griddepcontrol.wait");
  expectOne(kStore, kRead, "griddepcontrol.wait");
  EXPECT_TRUE(hazards(first, std::string(kWait) + kRead).empty());
}

TEST_F(SimDependents, AWriteOfWhatThePrimaryAccessesNeedsAWait) {
  const std::string first = std::string(kTrigger) + kRead;
  expectOne(first, kStore, "writes 4 bytes");
  expectOne(first, kStore, "of the launch before it reads");
  EXPECT_TRUE(hazards(first, std::string(kWait) + kStore).empty());
  EXPECT_TRUE(hazards(first, kRead).empty()) << "two reads do no harm";
}

TEST_F(SimDependents, OtherBytesNeedNoWait) {
  EXPECT_TRUE(hazards(kStore, "ld.global.u32 %v, [%a+1024];\n").empty());
}

TEST_F(SimDependents, AThreadMayWaitForTheOthersOfItsBlock) {
  const std::string some = std::string("@%p ") + kWait;
  EXPECT_TRUE(hazards(kStore, some + "bar.sync 0;\n" + kRead).empty());
  const std::vector<Hazard> found = hazards(kStore, some + kRead);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].count, 32U) << "the other warp";
}

}  // namespace
}  // namespace warpscope::sim
