// PTX of a kernel `k` whose threads, of a one-dimensional grid, each have some bytes of one buffer.
#pragma once

#include <string>

namespace warpscope::test {

// %rd1: the buffer; %rd2: the thread's bytes in it; %r1, %r2, %r3, %r4: its number in the block, the block's,
// the block's size, its number in the grid. `body` may use %r5 to %r11, %f0 to %f11 and %rd3 to %rd7.
inline std::string threadKernel(const std::string& body, unsigned bytes_of_thread) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 buffer) {
  .reg .b32 %r<12>;
  .reg .f32 %f<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, )" +
         std::to_string(bytes_of_thread) + R"(;
  add.u64 %rd2, %rd1, %rd2;
)" + body +
         "\n  ret;\n}\n";
}

}  // namespace warpscope::test
