// Texture and surface objects: fetches, surface loads and stores ("CUDA C++ Programming Guide", "Texture Functions" and
// "Surface Functions"). Each is one PTX instruction.
#pragma once

#include "warpscope/language.h"
#include "warpscope/vectors.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

// How a texel's type is made of the four results of a fetch, which are `Word`s.
template <class T>
struct WsTexel;
#define WS_TEXEL(type, word, ...)                                           \
  template <>                                                               \
  struct WsTexel<type> {                                                    \
    typedef word Word;                                                      \
    static WS_DEVICE_MEMBER type of(const word* r) { return __VA_ARGS__; }  \
  };
#define WS_TEXELS(vector, word, element)                                    \
  WS_TEXEL(element, word, (element)r[0])                                    \
  WS_TEXEL(vector##1, word, vector##1{(element)r[0]})                       \
  WS_TEXEL(vector##2, word, vector##2{(element)r[0], (element)r[1]})        \
  WS_TEXEL(vector##4, word, vector##4{(element)r[0], (element)r[1], (element)r[2], (element)r[3]})
#define WS_DEVICE_MEMBER __inline__ __attribute__((always_inline, nodebug, device))
WS_TEXELS(char, int, signed char)
WS_TEXEL(char, int, (char)r[0])
WS_TEXELS(uchar, unsigned int, unsigned char)
WS_TEXELS(short, int, short)
WS_TEXELS(ushort, unsigned int, unsigned short)
WS_TEXELS(int, int, int)
WS_TEXELS(uint, unsigned int, unsigned int)
WS_TEXELS(float, float, float)
#undef WS_TEXELS
#undef WS_TEXEL
#undef WS_DEVICE_MEMBER

// wsFetch: an instruction with four results of one of three types.
#define WS_FETCH_TYPE(opcode, type, word, letter, coordinate_type, parameters, operands, ...)                       \
  WS_DEVICE void wsFetch(word* r, cudaTextureObject_t t, WS_UNPACKED parameters) {                                  \
    asm(opcode ".v4." type "." coordinate_type " {%0, %1, %2, %3}, [%4, " operands ";"                              \
        : "=" letter(r[0]), "=" letter(r[1]), "=" letter(r[2]), "=" letter(r[3])                                    \
        : "l"(t), __VA_ARGS__);                                                                                     \
  }
#define WS_UNPACKED(...) __VA_ARGS__
#define WS_FETCH(opcode, coordinate_type, parameters, operands, ...)                                    \
  WS_FETCH_TYPE(opcode, "f32", float, "f", coordinate_type, parameters, operands, __VA_ARGS__)          \
  WS_FETCH_TYPE(opcode, "s32", int, "r", coordinate_type, parameters, operands, __VA_ARGS__)            \
  WS_FETCH_TYPE(opcode, "u32", unsigned int, "r", coordinate_type, parameters, operands, __VA_ARGS__)
// The function for people, which returns a texel or writes it through a pointer.
#define WS_TEXTURE_FUNCTION(name, parameters, ...)                                    \
  template <class T>                                                                  \
  WS_DEVICE T name(cudaTextureObject_t texture, WS_UNPACKED parameters) {             \
    typename WsTexel<T>::Word r[4];                                                   \
    wsFetch(r, texture, __VA_ARGS__);                                                 \
    return WsTexel<T>::of(r);                                                         \
  }                                                                                   \
  template <class T>                                                                  \
  WS_DEVICE void name(T* texel, cudaTextureObject_t texture, WS_UNPACKED parameters) { \
    *texel = name<T>(texture, __VA_ARGS__);                                           \
  }
struct WsLevel {
  float value;
};
WS_FETCH("tex.1d", "s32", (int x), "{%5}]", "r"(x))
WS_FETCH("tex.1d", "f32", (float x), "{%5}]", "f"(x))
WS_FETCH("tex.2d", "f32", (float x, float y), "{%5, %6}]", "f"(x), "f"(y))
WS_FETCH("tex.3d", "f32", (float x, float y, float z), "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
WS_FETCH("tex.level.1d", "f32", (float x, WsLevel l), "{%5}], %6", "f"(x), "f"(l.value))
WS_FETCH("tex.level.2d", "f32", (float x, float y, WsLevel l), "{%5, %6}], %7", "f"(x), "f"(y), "f"(l.value))
WS_FETCH("tex.level.3d", "f32", (float x, float y, float z, WsLevel l), "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z),
         "f"(l.value))
WS_TEXTURE_FUNCTION(tex1Dfetch, (int x), x)
WS_TEXTURE_FUNCTION(tex1D, (float x), x)
WS_TEXTURE_FUNCTION(tex2D, (float x, float y), x, y)
WS_TEXTURE_FUNCTION(tex3D, (float x, float y, float z), x, y, z)
#undef WS_TEXTURE_FUNCTION
#define WS_TEXTURE_FUNCTION(name, parameters, ...)                                    \
  template <class T>                                                                  \
  WS_DEVICE T name(cudaTextureObject_t texture, WS_UNPACKED parameters) {             \
    typename WsTexel<T>::Word r[4];                                                   \
    wsFetch(r, texture, __VA_ARGS__, WsLevel{level});                                 \
    return WsTexel<T>::of(r);                                                         \
  }
WS_TEXTURE_FUNCTION(tex1DLod, (float x, float level), x)
WS_TEXTURE_FUNCTION(tex2DLod, (float x, float y, float level), x, y)
WS_TEXTURE_FUNCTION(tex3DLod, (float x, float y, float z, float level), x, y, z)
#undef WS_TEXTURE_FUNCTION
#undef WS_FETCH
#undef WS_FETCH_TYPE

// wsSurfaceRead, wsSurfaceWrite: elements of 1 to 16 bytes, for each number of dimensions and each mode.
template <int bytes>
struct WsSurfaceElement;
#define WS_SURFACE_ACCESS(dimensions, mode, parameters, coordinates, vector, bits, outputs, inputs, values, ...)     \
  static WS_SURFACE_MEMBER void read(Value& v, cudaSurfaceObject_t s, WsBoundary<mode>, WS_UNPACKED parameters) {    \
    asm volatile("suld.b." dimensions vector ".b" bits "." WS_BOUNDARY_##mode " {" values "}, [%[s], " coordinates "];" \
                 : WS_UNPACKED outputs : [s] "l"(s), __VA_ARGS__ : "memory");                                        \
  }                                                                                                                  \
  static WS_SURFACE_MEMBER void write(Value v, cudaSurfaceObject_t s, WsBoundary<mode>, WS_UNPACKED parameters) {    \
    asm volatile("sust.b." dimensions vector ".b" bits "." WS_BOUNDARY_##mode " [%[s], " coordinates "], {" values "};" \
                 : : WS_UNPACKED inputs, [s] "l"(s), __VA_ARGS__ : "memory");                                        \
  }
#define WS_SURFACE_MEMBER __inline__ __attribute__((always_inline, nodebug, device))
#define WS_BOUNDARY_0 "zero"
#define WS_BOUNDARY_1 "clamp"
#define WS_BOUNDARY_2 "trap"
template <int mode>
struct WsBoundary {};
#define WS_SURFACE_MODES(dimensions, parameters, coordinates, element, ...)                       \
  WS_SURFACE_PASS(WS_SURFACE_ACCESS, (dimensions, 0, parameters, coordinates, WS_UNPACKED element, __VA_ARGS__)) \
  WS_SURFACE_PASS(WS_SURFACE_ACCESS, (dimensions, 1, parameters, coordinates, WS_UNPACKED element, __VA_ARGS__)) \
  WS_SURFACE_PASS(WS_SURFACE_ACCESS, (dimensions, 2, parameters, coordinates, WS_UNPACKED element, __VA_ARGS__))
#define WS_SURFACE_PASS(macro, arguments) macro arguments
#define WS_SURFACE_ELEMENT(bytes, type, ...)                                                                            \
  template <>                                                                                                           \
  struct WsSurfaceElement<bytes> {                                                                                      \
    typedef type Value;                                                                                                 \
    WS_SURFACE_MODES("1d", (int x), "{%[x]}", (__VA_ARGS__), [x] "r"(x))                                                \
    WS_SURFACE_MODES("2d", (int x, int y), "{%[x], %[y]}", (__VA_ARGS__), [x] "r"(x), [y] "r"(y))                       \
    WS_SURFACE_MODES("3d", (int x, int y, int z), "{%[x], %[y], %[z], %[z]}", (__VA_ARGS__), [x] "r"(x), [y] "r"(y),    \
                     [z] "r"(z))                                                                                        \
  };
WS_SURFACE_ELEMENT(1, unsigned short, "", "8", ([a] "=h"(v)), ([a] "h"(v)), "%[a]")
WS_SURFACE_ELEMENT(2, unsigned short, "", "16", ([a] "=h"(v)), ([a] "h"(v)), "%[a]")
WS_SURFACE_ELEMENT(4, unsigned int, "", "32", ([a] "=r"(v)), ([a] "r"(v)), "%[a]")
WS_SURFACE_ELEMENT(8, uint2, ".v2", "32", ([a] "=r"(v.x), [b] "=r"(v.y)), ([a] "r"(v.x), [b] "r"(v.y)), "%[a], %[b]")
WS_SURFACE_ELEMENT(16, uint4, ".v4", "32", ([a] "=r"(v.x), [b] "=r"(v.y), [c] "=r"(v.z), [d] "=r"(v.w)),
                   ([a] "r"(v.x), [b] "r"(v.y), [c] "r"(v.z), [d] "r"(v.w)), "%[a], %[b], %[c], %[d]")
#undef WS_SURFACE_ELEMENT
#undef WS_SURFACE_PASS
#undef WS_SURFACE_MODES
#undef WS_SURFACE_ACCESS
#undef WS_SURFACE_MEMBER
#undef WS_BOUNDARY_0
#undef WS_BOUNDARY_1
#undef WS_BOUNDARY_2

#define WS_SURFACE_FUNCTIONS(dimensions, parameters, ...)                                                              \
  template <class T>                                                                                                   \
  WS_DEVICE T surf##dimensions##read(cudaSurfaceObject_t surface, WS_UNPACKED parameters,                              \
                                     enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                       \
    typedef WsSurfaceElement<(int)sizeof(T)> Element;                                                                  \
    typename Element::Value value;                                                                                     \
    if (mode == cudaBoundaryModeZero) Element::read(value, surface, WsBoundary<0>(), __VA_ARGS__);                     \
    else if (mode == cudaBoundaryModeClamp) Element::read(value, surface, WsBoundary<1>(), __VA_ARGS__);               \
    else Element::read(value, surface, WsBoundary<2>(), __VA_ARGS__);                                                  \
    T result;                                                                                                          \
    __builtin_memcpy(&result, &value, sizeof result);                                                                  \
    return result;                                                                                                     \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  WS_DEVICE void surf##dimensions##read(T* result, cudaSurfaceObject_t surface, WS_UNPACKED parameters,                \
                                        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                    \
    *result = surf##dimensions##read<T>(surface, __VA_ARGS__, mode);                                                   \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  WS_DEVICE void surf##dimensions##write(T written, cudaSurfaceObject_t surface, WS_UNPACKED parameters,               \
                                         enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    typedef WsSurfaceElement<(int)sizeof(T)> Element;                                                                  \
    typename Element::Value value = {};                                                                                \
    __builtin_memcpy(&value, &written, sizeof written);                                                                \
    if (mode == cudaBoundaryModeZero) Element::write(value, surface, WsBoundary<0>(), __VA_ARGS__);                    \
    else if (mode == cudaBoundaryModeClamp) Element::write(value, surface, WsBoundary<1>(), __VA_ARGS__);              \
    else Element::write(value, surface, WsBoundary<2>(), __VA_ARGS__);                                                 \
  }
WS_SURFACE_FUNCTIONS(1D, (int x), x)
WS_SURFACE_FUNCTIONS(2D, (int x, int y), x, y)
WS_SURFACE_FUNCTIONS(3D, (int x, int y, int z), x, y, z)
#undef WS_SURFACE_FUNCTIONS
#undef WS_UNPACKED
