// What a compiler says of a source: errors, warnings and notes with their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

enum class Severity { kNote, kWarning, kError };

struct Diagnostic {
  std::string file;               // empty: of no file
  uint32_t line = 0, column = 0;  // from 1; 0: not known
  Severity severity = Severity::kError;
  std::string message;

  bool operator==(const Diagnostic&) const = default;
};

// From what clang ("a.cu:3:5: error: ...") or NVIDIA's compilers ("a.cu(3): error: ...") print. Lines that
// quote the source, and sums at the end, are left out.
std::vector<Diagnostic> parseDiagnostics(std::string_view output);

// "a.cu:3:5: error: ..."
std::string formatDiagnostic(const Diagnostic& diagnostic);

}  // namespace warpscope
