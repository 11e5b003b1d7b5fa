// A user's own kernels as requests, recordings and sessions carry them: the file's text, and what a compiler
// made of it. With it, the kernels can be launched again on any machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace warpscope {

// How much of a kernel is marked so that it records itself (kernels/mark/mark.h).
enum class MarkLevel { kOff, kCoarse, kFine };
const char* markLevelName(MarkLevel level);  // "off", "coarse", "fine"

struct Program {
  std::string name;      // "saxpy.cu": the name of its family
  std::string file;      // the path, as it was given
  std::string source;    // the file's text when it was compiled
  std::string ptx;       // the same text, if the file is PTX
  std::string compiler;  // "clang (Debian clang version 14.0.6)"; empty: the file is PTX
  MarkLevel marks = MarkLevel::kCoarse;

  bool operator==(const Program&) const = default;
  bool isPtx() const { return compiler.empty(); }
};

// The one copy that is shared by all who have a program with this content, so that equal programs have equal
// pointers. It lives as long as anyone holds it.
std::shared_ptr<const Program> shared(Program program);

}  // namespace warpscope
