// Matrices that a warp multiplies on the tensor cores: nvcuda::wmma ("CUDA C++ Programming Guide", "Warp Matrix
// Functions"). Each function is one PTX instruction; a fragment's elements lie in registers as wmma wants them.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

template <class T>
struct WsStored {
  typedef T Type;
};
template <>
struct WsStored<precision::tf32> {
  typedef float Type;
};

template <class T, int count>
struct WsFragment {
  enum { num_elements = count, num_storage_elements = count };
  typedef T element_type;
  typedef typename WsStored<T>::Type storage_element_type;
  storage_element_type x[count];
};
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment;

template <class T, int count, class V>
WS_DEVICE void fill_fragment(WsFragment<T, count>& f, const V& value) {
  for (int i = 0; i < count; ++i) f.x[i] = value;
}
WS_DEVICE float __float_to_tf32(float v) {
  unsigned int r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return __uint_as_float(r);
}

// Lists of 1 to 8 registers: as text, and as operands.
#define WS_TEXT_1(n) "%[" n "0]"
#define WS_TEXT_2(n) WS_TEXT_1(n) ", %[" n "1]"
#define WS_TEXT_4(n) WS_TEXT_2(n) ", %[" n "2], %[" n "3]"
#define WS_TEXT_8(n) WS_TEXT_4(n) ", %[" n "4], %[" n "5], %[" n "6], %[" n "7]"
#define WS_ASM_1(n, c) [n##0] c(n[0])
#define WS_ASM_2(n, c) WS_ASM_1(n, c), [n##1] c(n[1])
#define WS_ASM_4(n, c) WS_ASM_2(n, c), [n##2] c(n[2]), [n##3] c(n[3])
#define WS_ASM_8(n, c) WS_ASM_4(n, c), [n##4] c(n[4]), [n##5] c(n[5]), [n##6] c(n[6]), [n##7] c(n[7])

// A factor: matrix_a or matrix_b of one layout.
#define WS_FACTOR_OF(use, letter, m, n, k, T, pointer, type, elements, registers, layout, words)                     \
  template <>                                                                                                       \
  class fragment<use, m, n, k, T, layout> : public WsFragment<T, elements> {};                                      \
  WS_DEVICE void load_matrix_sync(fragment<use, m, n, k, T, layout>& f, const pointer* p, unsigned int stride) {    \
    unsigned int r[registers];                                                                                      \
    asm volatile("wmma.load." letter ".sync.aligned." words ".m" #m "n" #n "k" #k "." type " {"                     \
                 WS_TEXT_##registers("r") "}, [%[p]], %[s];"                                                        \
                 : WS_ASM_##registers(r, "=r") : [p] "l"(p), [s] "r"(stride) : "memory");                           \
    __builtin_memcpy(f.x, r, sizeof r);                                                                             \
  }
#define WS_FACTOR(...) \
  WS_FACTOR_OF(__VA_ARGS__, row_major, "row") \
  WS_FACTOR_OF(__VA_ARGS__, col_major, "col")
#define WS_FACTORS(m, n, k, T, pointer, type, elements_a, registers_a, elements_b, registers_b)  \
  WS_FACTOR(matrix_a, "a", m, n, k, T, pointer, type, elements_a, registers_a)                   \
  WS_FACTOR(matrix_b, "b", m, n, k, T, pointer, type, elements_b, registers_b)

// The accumulator; R is a register's type.
#define WS_SUM(m, n, k, T, type, registers, R, output, input)                                                       \
  template <>                                                                                                       \
  class fragment<accumulator, m, n, k, T> : public WsFragment<T, 8> {};                                             \
  WS_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned int stride,            \
                                  layout_t layout) {                                                                \
    R r[registers];                                                                                                 \
    if (layout == mem_row_major) {                                                                                  \
      asm volatile("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." type " {" WS_TEXT_##registers("r")         \
                   "}, [%[p]], %[s];"                                                                               \
                   : WS_ASM_##registers(r, output) : [p] "l"(p), [s] "r"(stride) : "memory");                       \
    } else {                                                                                                        \
      asm volatile("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." type " {" WS_TEXT_##registers("r")         \
                   "}, [%[p]], %[s];"                                                                               \
                   : WS_ASM_##registers(r, output) : [p] "l"(p), [s] "r"(stride) : "memory");                       \
    }                                                                                                               \
    __builtin_memcpy(f.x, r, sizeof r);                                                                             \
  }                                                                                                                 \
  WS_DEVICE void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned int stride,           \
                                   layout_t layout) {                                                               \
    R r[registers];                                                                                                 \
    __builtin_memcpy(r, f.x, sizeof r);                                                                             \
    if (layout == mem_row_major) {                                                                                  \
      asm volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." type " [%[p]], {"                         \
                   WS_TEXT_##registers("r") "}, %[s];"                                                              \
                   : : WS_ASM_##registers(r, input), [p] "l"(p), [s] "r"(stride) : "memory");                       \
    } else {                                                                                                        \
      asm volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." type " [%[p]], {"                         \
                   WS_TEXT_##registers("r") "}, %[s];"                                                              \
                   : : WS_ASM_##registers(r, input), [p] "l"(p), [s] "r"(stride) : "memory");                       \
    }                                                                                                               \
  }

// D = A * B + C for one pair of layouts.
#define WS_MULTIPLY_OF(m, n, k, T, ra, rb, TD, RD, rd, output, TC, RC, rc, input, layout_a, layout_b, words, types)  \
  WS_DEVICE void mma_sync(fragment<accumulator, m, n, k, TD>& fd, const fragment<matrix_a, m, n, k, T, layout_a>& fa, \
                          const fragment<matrix_b, m, n, k, T, layout_b>& fb,                                       \
                          const fragment<accumulator, m, n, k, TC>& fc) {                                           \
    unsigned int a[ra], b[rb];                                                                                      \
    RC c[rc];                                                                                                       \
    RD d[rd];                                                                                                       \
    __builtin_memcpy(a, fa.x, sizeof a);                                                                            \
    __builtin_memcpy(b, fb.x, sizeof b);                                                                            \
    __builtin_memcpy(c, fc.x, sizeof c);                                                                            \
    asm volatile("wmma.mma.sync.aligned." words ".m" #m "n" #n "k" #k "." types " {" WS_TEXT_##rd("d") "}, {"       \
                 WS_TEXT_##ra("a") "}, {" WS_TEXT_##rb("b") "}, {" WS_TEXT_##rc("c") "};"                           \
                 : WS_ASM_##rd(d, output) : WS_ASM_##ra(a, "r"), WS_ASM_##rb(b, "r"), WS_ASM_##rc(c, input));       \
    __builtin_memcpy(fd.x, d, sizeof d);                                                                            \
  }
#define WS_MULTIPLY(m, n, k, T, ra, rb, TD, RD, rd, output, TC, RC, rc, input, types)                                             \
  WS_MULTIPLY_OF(m, n, k, T, ra, rb, TD, RD, rd, output, TC, RC, rc, input, row_major, row_major, "row.row", types) \
  WS_MULTIPLY_OF(m, n, k, T, ra, rb, TD, RD, rd, output, TC, RC, rc, input, row_major, col_major, "row.col", types) \
  WS_MULTIPLY_OF(m, n, k, T, ra, rb, TD, RD, rd, output, TC, RC, rc, input, col_major, row_major, "col.row", types) \
  WS_MULTIPLY_OF(m, n, k, T, ra, rb, TD, RD, rd, output, TC, RC, rc, input, col_major, col_major, "col.col", types)
#define WS_FLOAT float, float, 8
#define WS_HALVES __half, unsigned int, 4
#define WS_PASS(macro, ...) macro(__VA_ARGS__)

// A shape with K = 16: how many elements and registers bf16 and 8-bit factors have.
#define WS_SHAPE(m, n, bf_a, bf_ra, bf_b, bf_rb, i_a, i_ra, i_b, i_rb)                                  \
  WS_FACTORS(m, n, 16, __half, __half, "f16", 16, 8, 16, 8)                                             \
  WS_FACTORS(m, n, 16, __nv_bfloat16, __nv_bfloat16, "bf16", bf_a, bf_ra, bf_b, bf_rb)                  \
  WS_FACTORS(m, n, 16, signed char, signed char, "s8", i_a, i_ra, i_b, i_rb)                            \
  WS_FACTORS(m, n, 16, unsigned char, unsigned char, "u8", i_a, i_ra, i_b, i_rb)                        \
  WS_SUM(m, n, 16, float, "f32", 8, float, "=f", "f")                                                   \
  WS_SUM(m, n, 16, __half, "f16", 4, unsigned int, "=r", "r")                                           \
  WS_SUM(m, n, 16, int, "s32", 8, int, "=r", "r")                                                       \
  WS_PASS(WS_MULTIPLY, m, n, 16, __half, 8, 8, WS_FLOAT, "=f", WS_FLOAT, "f", "f32.f32")                \
  WS_PASS(WS_MULTIPLY, m, n, 16, __half, 8, 8, WS_FLOAT, "=f", WS_HALVES, "r", "f32.f16")               \
  WS_PASS(WS_MULTIPLY, m, n, 16, __half, 8, 8, WS_HALVES, "=r", WS_FLOAT, "f", "f16.f32")               \
  WS_PASS(WS_MULTIPLY, m, n, 16, __half, 8, 8, WS_HALVES, "=r", WS_HALVES, "r", "f16.f16")              \
  WS_PASS(WS_MULTIPLY, m, n, 16, __nv_bfloat16, bf_ra, bf_rb, WS_FLOAT, "=f", WS_FLOAT, "f",            \
          "f32.bf16.bf16.f32")                                                                          \
  WS_PASS(WS_MULTIPLY, m, n, 16, signed char, i_ra, i_rb, int, int, 8, "=r", int, int, 8, "r",          \
          "s32.s8.s8.s32")                                                                              \
  WS_PASS(WS_MULTIPLY, m, n, 16, unsigned char, i_ra, i_rb, int, int, 8, "=r", int, int, 8, "r",        \
          "s32.u8.u8.s32")
WS_SHAPE(16, 16, 8, 4, 8, 4, 8, 2, 8, 2)
WS_SHAPE(32, 8, 16, 8, 4, 2, 16, 4, 4, 1)
WS_SHAPE(8, 32, 4, 2, 16, 8, 4, 1, 16, 4)

WS_FACTORS(16, 16, 8, precision::tf32, float, "tf32", 4, 4, 4, 4)
WS_SUM(16, 16, 8, float, "f32", 8, float, "=f", "f")
WS_PASS(WS_MULTIPLY, 16, 16, 8, precision::tf32, 4, 4, WS_FLOAT, "=f", WS_FLOAT, "f", "f32.tf32.tf32.f32")

#undef WS_SHAPE
#undef WS_PASS
#undef WS_HALVES
#undef WS_FLOAT
#undef WS_MULTIPLY
#undef WS_MULTIPLY_OF
#undef WS_SUM
#undef WS_FACTORS
#undef WS_FACTOR
#undef WS_FACTOR_OF
#undef WS_ASM_8
#undef WS_ASM_4
#undef WS_ASM_2
#undef WS_ASM_1
#undef WS_TEXT_8
#undef WS_TEXT_4
#undef WS_TEXT_2
#undef WS_TEXT_1

}  // namespace wmma
}  // namespace nvcuda
