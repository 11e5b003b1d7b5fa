// A kernel's arguments as `warpscope exec --arg` writes them, and the parts of them that --print and --save
// name. Plain values and their texts: nothing is allocated or launched here.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/ids.h"
#include "kernels/core/image.h"
#include "kernels/program/content.h"
#include "kernels/program/element_type.h"

namespace warpscope {

// TYPE=VALUE or bytes=HEX, passed by value; or TYPE[N]=CONTENT, an array in global memory whose address is
// passed; or KIND:TYPE[WIDTHxHEIGHT]=CONTENT,OPTIONS, an array of texels of which the handle of a texture or
// surface object is passed.
struct ExecArgument {
  std::string text;  // as given, for messages
  ElementType type;
  bool is_array = false;
  uint64_t count = 1;                     // elements of an array
  InitialContent content;                 // of an array
  std::vector<std::byte> values;          // by value: its bytes
  std::optional<ImageDescription> image;  // the array is a texture's or a surface's

  uint64_t arrayBytes() const { return count * type.bytes; }
};
Expected<ExecArgument> parseExecArgument(const std::string& text);
// The texture or surface that `left=right` describes (exec_image.cpp).
Expected<ExecArgument> parseExecImage(std::string_view left, std::string right);

// These do for an argument what initialBytes and checkContent (kernels/program/content.h) do; errors name it.
Expected<void> initialBytes(const ExecArgument& argument, uint64_t first, std::span<std::byte> out);
Expected<void> checkContent(const ExecArgument& argument);

// "K", "K:FIRST" or "K:FIRST,COUNT": elements of argument K, by default up to its end.
struct PrintRange {
  size_t argument = 0;
  uint64_t first = 0, count = 0;
};
// "K=FILE": argument K's bytes after the launch.
struct SaveTarget {
  size_t argument = 0;
  std::filesystem::path file;
};
Expected<PrintRange> parsePrintRange(const std::string& text, std::span<const ExecArgument> arguments);
Expected<SaveTarget> parseSaveTarget(const std::string& text, std::span<const ExecArgument> arguments);

// "X", "X,Y" or "X,Y,Z", each at least 1. `option` is named in the error.
Expected<Dim3> parseDim3(const std::string& text, const char* option);

// A parameter as the PTX declares it.
struct DeclaredParameter {
  std::string type;  // ".u64", ".b8[1]"
  uint64_t bytes = 0;
};
// Error: the number of arguments, or one of them, does not fit what the kernel declares; the message contains
// the declaration.
Expected<void> checkArguments(const std::string& kernel, std::span<const DeclaredParameter> declared,
                              std::span<const ExecArgument> arguments);

}  // namespace warpscope
