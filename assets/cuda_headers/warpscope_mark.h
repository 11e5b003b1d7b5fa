// Included by itself before each file that warpscope compiles, whatever the compiler. WARPSCOPE_MARK("load") names what
// the threads do from there on: it leaves a comment in the PTX, which kernels/mark finds, and no instruction. The
// statement also keeps loads and stores on their side of it. A file that other compilers are to take says
//   #ifndef WARPSCOPE_MARK
//   #define WARPSCOPE_MARK(name)
//   #endif
#pragma once

#ifdef __CUDA_ARCH__
#define WARPSCOPE_MARK(name) asm volatile("// warpscope mark: " name ::: "memory")
#else
#define WARPSCOPE_MARK(name)  // the host's part of the file
#endif
