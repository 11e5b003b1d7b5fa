// Turns a CUDA C++ source file into PTX, on a machine without a GPU and without CUDA. The compiler is
// whichever is there: NVRTC, nvcc, or clang with headers of our own. It runs in a child process that has a
// limited time and memory, so that an endless template ends with a message. Knows nothing of devices and
// launches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/diagnostics.h"
#include "kernels/core/error.h"

namespace warpscope {

enum class Compiler { kNvrtc, kNvcc, kClang };
std::string_view compilerName(Compiler compiler);  // "nvrtc", "nvcc", "clang"

struct CompileRequest {
  std::filesystem::path source;        // also the name in messages and in the PTX's line information
  std::optional<std::string> text{};   // what the file is to contain; absent: the file is read
  std::optional<Compiler> compiler{};  // absent: the first that is there
  uint32_t sm = 80;                    // 90: for sm_90 and later
  std::vector<std::string> defines{};  // "N=4"
  std::vector<std::filesystem::path> include_folders{};  // the source's own folder is one of them
  double time_limit_s = 60;
  uint64_t memory_limit_bytes = uint64_t{4} << 30;
  // Where compilers are looked for; a test names others.
  std::optional<std::string> search_path{};  // absent: $PATH
  std::string nvrtc_program{};               // the program that has the subcommand `nvrtc`; empty: this one
};

struct Compiled {
  std::string ptx;
  Compiler compiler = Compiler::kClang;
  std::string compiler_version;         // "Debian clang version 14.0.6"
  std::vector<Diagnostic> diagnostics;  // warnings and notes
};

// Errors: kBadRequest, the source has errors: the message is one line each, "saxpy.cu:12:5: error: ...", or
// the compiler that was asked for is not here, or none is; kWorkFailed, the compiler was ended because it
// took too long or too much memory; kCancelled.
Expected<Compiled> compileCuda(const CompileRequest& request, const std::stop_token& stop = {});

// Compiles a source with its host part into a program for this machine, by clang with headers of our own. The
// CUDA runtime is missing: a function of it that is called crashes. `folder`: where `text` comes from, for
// its own headers. Errors: kNoDevice, there is no clang; kBadRequest, what clang says.
Expected<void> compileForHost(const std::string& text, const std::filesystem::path& folder,
                              const std::filesystem::path& program);

// Whether the file is one to compile: its name ends in .cu or .cuh.
bool isCudaSource(const std::filesystem::path& file);

// "auto", "nvrtc", "nvcc", "clang". Error kBadRequest.
Expected<std::optional<Compiler>> parseCompiler(std::string_view name);

}  // namespace warpscope
