// A launch of a small kernel on a simulated GPU of four SMs, with the timing model, and what it gives.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/sm/timed_grid.h"
#include "tests/support/plain_machine_code.h"

namespace warpscope::sim {

// A kernel with one pointer parameter `p`; %r1 is each thread's index in the grid, and %rd2 the address of
// p[%r1].
inline std::string timedKernelText(const std::string& body, const std::string& declarations = "") {
  return ".version 7.8\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<10>;\n" +
         declarations +
         "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r1, %r2, %r3, %r4;\n"
         "ld.param.u64 %rd1, [p]; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd1, %rd3;\n" +
         body + "\nret;\n}\n";
}

class TimedLaunch {
 public:
  TimedLaunch(const std::string& body, uint32_t blocks, uint32_t threads,
              const std::string& declarations = "")
      : profile_(testProfile(4)), caches_(profile_) {
    memory_ = std::move(*GlobalMemory::create(1 << 24));
    std::string text = timedKernelText(body, declarations);
    if (body.find("table") != std::string::npos)
      text.insert(text.find(".visible"), ".const .align 4 .b8 table[1024];\n");
    auto parsed = ptx::parseModule(text, "test.ptx");
    EXPECT_TRUE(parsed) << parsed.error().message;
    module_ = *loadModule(std::make_shared<const ptx::Module>(std::move(*parsed)), *memory_);
    auto code = decodeKernel(module_, "k");
    EXPECT_TRUE(code) << code.error().message;
    code_ = *code;
    machine_ = plainMachineCode(*code_, profile_);
    buffer_ = *memory_->allocate(1 << 20, "buffer");
    std::memset(memory_->at(buffer_, 1 << 20), 0, 1 << 20);
    launch_.code = code_.get();
    launch_.memory = memory_.get();
    launch_.parameters.resize(8);
    std::memcpy(launch_.parameters.data(), &buffer_, 8);
    launch_.grid = {blocks, 1, 1};
    launch_.block = {threads, 1, 1};
    launch_.sm_count = 4;
    options.blocks_per_sm = 2048 / threads;
    options.threads = 1;
  }

  TimedResult run() {
    const auto result = tryRun();
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : TimedResult{};
  }
  Expected<TimedResult> tryRun(const std::stop_token& stop = {}) {
    return runTimed(launch_, machine_, profile_, caches_, options, stop);
  }
  uint32_t word(uint32_t index) const {
    uint32_t value = 0;
    std::memcpy(&value, memory_->at(buffer_ + 4 * uint64_t{index}, 4), 4);
    return value;
  }
  const Code& code() const { return *code_; }
  // The kernel's parameter is an image that lies in the buffer.
  void passImage(const ImageDescription& image) {
    images_ = {{image, buffer_}};
    launch_.images = &images_;
    std::memcpy(launch_.parameters.data(), &kImageHandles, 8);
  }
  void lower() { machine_ = lowerToMachine(*code_, profile_); }
  void touch() { caches_.touchL2(buffer_, 1 << 20); }

  TimedOptions options;

 private:
  DeviceProfile profile_;
  DeviceCaches caches_;
  std::unique_ptr<GlobalMemory> memory_;
  LoadedModule module_;
  std::shared_ptr<const Code> code_;
  MachineCode machine_;
  uint64_t buffer_ = 0;
  std::vector<BoundImage> images_;
  Launch launch_;
};

// The warp-cycles of a launch in a state, per warp.
inline double cyclesIn(WarpState state, const TimedResult& result) {
  return result.counters.at(warpStateCounter(state)) * result.counters.at("smsp__inst_executed.sum") /
         result.counters.at("smsp__warps_launched.sum");
}

}  // namespace warpscope::sim
