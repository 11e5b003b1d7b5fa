// The kernels of a PTX module with their parameters as the source names them, and what the kernel does with
// each pointer. Where there is no source, parameters are numbered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/program/element_type.h"
#include "kernels/sim/ptx/module.h"

namespace warpscope {

// What a pointer points to, or a value is: `components` elements of a type; a float4 has four f32.
struct ValueType {
  ElementType element;
  uint32_t components = 1;
  uint64_t bytes() const { return uint64_t{element.bytes} * components; }
};

// A texture or surface object, as far as the kernel's instructions show.
struct ImageUse {
  bool is_surface = false;
  uint32_t dimensions = 0;  // 0: nothing is read or written through it
  uint32_t channels = 1;
  bool by_index = false;  // tex1Dfetch: the texture may be one in linear memory
};

struct KernelParameter {
  std::string name;  // "in"; "arg0" without a source
  std::string type;  // "float const*"; empty: unknown
  uint64_t bytes = 0;
  bool is_pointer = false;
  std::optional<ValueType> value;  // of what it points to, or of itself; absent: unknown
  // Through a pointer, as far as the kernel's instructions show; both if they do not.
  bool is_read = false, is_written = false;
  // It is the handle of an object; the texels are an array, so is_pointer is true, and `value` is a
  // channel's.
  std::optional<ImageUse> image = std::nullopt;

  bool isInteger() const;  // a number that can be a size
};

struct KernelSignature {
  std::string entry;  // "_Z5saxpyjfPKfPf"
  std::string name;   // "saxpy", "scan<float>"
  std::vector<KernelParameter> parameters;
  uint32_t line = 0;              // of the definition in the source; 0: unknown
  uint32_t block_dimensions = 1;  // the thread and block indices that it reads: 1, 2 or 3
  bool uses_dynamic_shared = false;
  std::optional<uint32_t> most_threads;  // .maxntid, .reqntid
  std::string order_dependence;          // orderDependence(): order_use.h

  const KernelParameter* find(std::string_view parameter) const;  // nullptr: there is none
  bool sameParameters(const KernelSignature& other) const;        // names and types
};

// All entries of the module, in its order. `source` may be empty.
std::vector<KernelSignature> kernelSignatures(const ptx::Module& module, std::string_view source);

// "float const*", "unsigned int", "float4", or a struct of such that `source` defines; nullopt: unknown.
std::optional<ValueType> valueTypeOf(std::string_view type, std::string_view source = {});

}  // namespace warpscope
