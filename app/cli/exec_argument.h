// A kernel's arguments as `warpscope exec --arg` writes them, and the parts of them that --print and --save
// name. Plain values and their texts: nothing is allocated or launched here.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/element_type.h"
#include "kernels/core/error.h"
#include "kernels/core/ids.h"

namespace warpscope {

// The content of an array before the launch.
struct InitialContent {
  enum class Kind { kZeros, kOnes, kIota, kRandom, kFile } kind = Kind::kZeros;
  uint64_t seed = 0;           // kRandom
  std::filesystem::path file;  // kFile: its bytes, as many as the array has
};

// TYPE=VALUE or bytes=HEX, passed by value; or TYPE[N]=CONTENT, an array in global memory whose address is
// passed.
struct ExecArgument {
  std::string text;  // as given, for messages
  ElementType type;
  bool is_array = false;
  uint64_t count = 1;             // elements of an array
  InitialContent content;         // of an array
  std::vector<std::byte> values;  // by value: its bytes

  uint64_t arrayBytes() const { return count * type.bytes; }
};
Expected<ExecArgument> parseExecArgument(const std::string& text);

// The array's bytes from element `first` on, `out.size()` of them (whole elements). Random integers have any
// bits; random floats are in [0, 1); the same seed gives the same values everywhere. Error: the file is not a
// regular one that can be read, or ends before the array does.
Expected<void> initialBytes(const ExecArgument& argument, uint64_t first, std::span<std::byte> out);
// Whether the content can be made at all, before anything is launched. Error: the file is not a regular one
// that can be read, or its size is not that of the array.
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
