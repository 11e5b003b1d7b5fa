// Atomic functions, loads and stores with cache hints, and address spaces.
#pragma once

#include "warpscope/integers.h"
#include "warpscope/language.h"

// One function for each scope: the device, the block (_block), and the system (_system).
#define WS_ATOMIC(name, operation, suffix, type, as)                                                             \
  WS_DEVICE type name(type* p, type v) { return (type)__nvvm_atom_##operation##_gen_##suffix((as*)p, (as)v); }   \
  WS_DEVICE type name##_block(type* p, type v) {                                                                 \
    return (type)__nvvm_atom_cta_##operation##_gen_##suffix((as*)p, (as)v);                                      \
  }                                                                                                              \
  WS_DEVICE type name##_system(type* p, type v) {                                                                \
    return (type)__nvvm_atom_sys_##operation##_gen_##suffix((as*)p, (as)v);                                      \
  }
#define WS_ATOMIC_INTEGERS(name, operation)                            \
  WS_ATOMIC(name, operation, i, int, int)                              \
  WS_ATOMIC(name, operation, i, unsigned int, int)                     \
  WS_ATOMIC(name, operation, ll, unsigned long long, long long)
WS_ATOMIC_INTEGERS(atomicAdd, add)
WS_ATOMIC(atomicAdd, add, f, float, float)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
WS_ATOMIC(atomicAdd, add, d, double, double)
#endif
WS_ATOMIC_INTEGERS(atomicExch, xchg)
WS_ATOMIC_INTEGERS(atomicAnd, and)
WS_ATOMIC_INTEGERS(atomicOr, or)
WS_ATOMIC_INTEGERS(atomicXor, xor)
WS_ATOMIC(atomicMin, min, i, int, int)
WS_ATOMIC(atomicMin, min, ui, unsigned int, unsigned int)
WS_ATOMIC(atomicMin, min, ll, long long, long long)
WS_ATOMIC(atomicMin, min, ull, unsigned long long, unsigned long long)
WS_ATOMIC(atomicMax, max, i, int, int)
WS_ATOMIC(atomicMax, max, ui, unsigned int, unsigned int)
WS_ATOMIC(atomicMax, max, ll, long long, long long)
WS_ATOMIC(atomicMax, max, ull, unsigned long long, unsigned long long)
WS_ATOMIC(atomicInc, inc, ui, unsigned int, unsigned int)
WS_ATOMIC(atomicDec, dec, ui, unsigned int, unsigned int)
#undef WS_ATOMIC_INTEGERS
#undef WS_ATOMIC

#define WS_ATOMIC_DERIVED(scope)                                                                                  \
  WS_DEVICE int atomicSub##scope(int* p, int v) { return atomicAdd##scope(p, -v); }                               \
  WS_DEVICE unsigned int atomicSub##scope(unsigned int* p, unsigned int v) { return atomicAdd##scope(p, 0u - v); } \
  WS_DEVICE float atomicExch##scope(float* p, float v) {                                                          \
    return __uint_as_float(atomicExch##scope((unsigned int*)p, __float_as_uint(v)));                              \
  }
WS_ATOMIC_DERIVED()
WS_ATOMIC_DERIVED(_block)
WS_ATOMIC_DERIVED(_system)
#undef WS_ATOMIC_DERIVED

#define WS_ATOMIC_CAS(name, prefix)                                                                     \
  WS_DEVICE int name(int* p, int old, int v) { return prefix##_cas_gen_i(p, old, v); }                  \
  WS_DEVICE unsigned int name(unsigned int* p, unsigned int old, unsigned int v) {                      \
    return (unsigned int)prefix##_cas_gen_i((int*)p, (int)old, (int)v);                                 \
  }                                                                                                     \
  WS_DEVICE unsigned long long name(unsigned long long* p, unsigned long long old, unsigned long long v) { \
    return (unsigned long long)prefix##_cas_gen_ll((long long*)p, (long long)old, (long long)v);        \
  }
WS_DEVICE unsigned short atomicCAS(unsigned short* p, unsigned short old, unsigned short v) {
  unsigned short r;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(old), "h"(v) : "memory");
  return r;
}
WS_ATOMIC_CAS(atomicCAS, __nvvm_atom)
WS_ATOMIC_CAS(atomicCAS_block, __nvvm_atom_cta)
WS_ATOMIC_CAS(atomicCAS_system, __nvvm_atom_sys)
#undef WS_ATOMIC_CAS

// Loads and stores whose cache hint is the name's ending; __ldg reads through the read-only path.
#define WS_SCALAR_LOAD(name, hint, type, ptx, constraint)                                            \
  WS_DEVICE type name(const type* p) {                                                               \
    type v;                                                                                          \
    asm volatile("ld.global." hint "." ptx " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory");    \
    return v;                                                                                        \
  }
#define WS_PAIR_LOAD(name, hint, type, ptx, constraint)                                              \
  WS_DEVICE type name(const type* p) {                                                               \
    type v;                                                                                          \
    asm volatile("ld.global." hint ".v2." ptx " {%0, %1}, [%2];"                                     \
                 : "=" constraint(v.x), "=" constraint(v.y) : "l"(p) : "memory");                    \
    return v;                                                                                        \
  }
#define WS_QUAD_LOAD(name, hint, type, ptx, constraint)                                              \
  WS_DEVICE type name(const type* p) {                                                               \
    type v;                                                                                          \
    asm volatile("ld.global." hint ".v4." ptx " {%0, %1, %2, %3}, [%4];"                             \
                 : "=" constraint(v.x), "=" constraint(v.y), "=" constraint(v.z), "=" constraint(v.w) \
                 : "l"(p) : "memory");                                                               \
    return v;                                                                                        \
  }
#define WS_LOADS(name, hint)                                       \
  WS_SCALAR_LOAD(name, hint, short, "s16", "h")                    \
  WS_SCALAR_LOAD(name, hint, unsigned short, "u16", "h")           \
  WS_SCALAR_LOAD(name, hint, int, "s32", "r")                      \
  WS_SCALAR_LOAD(name, hint, unsigned int, "u32", "r")             \
  WS_SCALAR_LOAD(name, hint, long, "s64", "l")                     \
  WS_SCALAR_LOAD(name, hint, unsigned long, "u64", "l")            \
  WS_SCALAR_LOAD(name, hint, long long, "s64", "l")                \
  WS_SCALAR_LOAD(name, hint, unsigned long long, "u64", "l")       \
  WS_SCALAR_LOAD(name, hint, float, "f32", "f")                    \
  WS_SCALAR_LOAD(name, hint, double, "f64", "d")                   \
  WS_PAIR_LOAD(name, hint, int2, "s32", "r")                       \
  WS_PAIR_LOAD(name, hint, uint2, "u32", "r")                      \
  WS_PAIR_LOAD(name, hint, float2, "f32", "f")                     \
  WS_PAIR_LOAD(name, hint, double2, "f64", "d")                    \
  WS_QUAD_LOAD(name, hint, int4, "s32", "r")                       \
  WS_QUAD_LOAD(name, hint, uint4, "u32", "r")                      \
  WS_QUAD_LOAD(name, hint, float4, "f32", "f")                     \
  WS_DEVICE unsigned char name(const unsigned char* p) {           \
    unsigned int v;                                                \
    asm volatile("ld.global." hint ".u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); \
    return (unsigned char)v;                                       \
  }
WS_LOADS(__ldg, "nc")
WS_LOADS(__ldca, "ca")
WS_LOADS(__ldcg, "cg")
WS_LOADS(__ldcs, "cs")
WS_LOADS(__ldcv, "cv")
#undef WS_LOADS
#undef WS_QUAD_LOAD
#undef WS_PAIR_LOAD
#undef WS_SCALAR_LOAD

#define WS_STORE(name, hint, type, ptx, constraint)                                              \
  WS_DEVICE void name(type* p, type v) {                                                         \
    asm volatile("st.global." hint "." ptx " [%0], %1;" ::"l"(p), constraint(v) : "memory");     \
  }
#define WS_STORES(name, hint)                                   \
  WS_STORE(name, hint, int, "s32", "r")                         \
  WS_STORE(name, hint, unsigned int, "u32", "r")                \
  WS_STORE(name, hint, long long, "s64", "l")                   \
  WS_STORE(name, hint, unsigned long long, "u64", "l")          \
  WS_STORE(name, hint, float, "f32", "f")                       \
  WS_STORE(name, hint, double, "f64", "d")                      \
  WS_DEVICE void name(float4* p, float4 v) {                    \
    asm volatile("st.global." hint ".v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) \
                 : "memory");                                   \
  }
WS_STORES(__stwb, "wb")
WS_STORES(__stcg, "cg")
WS_STORES(__stcs, "cs")
WS_STORES(__stwt, "wt")
#undef WS_STORES
#undef WS_STORE

WS_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(const __attribute__((address_space(3))) void*)p;
}
WS_DEVICE size_t __cvta_generic_to_global(const void* p) { return (size_t)(const __attribute__((address_space(1))) void*)p; }
WS_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
WS_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
WS_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
WS_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
