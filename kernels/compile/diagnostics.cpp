#include "kernels/compile/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace warpscope {
namespace {

constexpr std::array<std::pair<std::string_view, Severity>, 6> kWords{
    {{"fatal error", Severity::kError},
     {"catastrophic error", Severity::kError},
     {"error", Severity::kError},
     {"warning", Severity::kWarning},
     {"remark", Severity::kNote},
     {"note", Severity::kNote}}};

// Takes a number from the text's end, and the separator before it.
std::optional<uint32_t> takeNumberAtEnd(std::string_view& text, char separator) {
  const size_t at = text.rfind(separator);
  if (at == std::string_view::npos || at + 1 == text.size()) return std::nullopt;
  uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + at + 1, end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  text = text.substr(0, at);
  return number;
}

// The place before the severity: "a.cu:3:5: ", "a.cu(3): ", "clang: " or nothing.
bool readPlace(std::string_view place, Diagnostic& diagnostic) {
  while (!place.empty() && (place.back() == ' ' || place.back() == ':')) place.remove_suffix(1);
  if (!place.empty() && place.back() == ')') {
    place.remove_suffix(1);
    const auto line = takeNumberAtEnd(place, '(');
    if (!line) return false;
    diagnostic.line = *line;
  } else if (const auto last = takeNumberAtEnd(place, ':')) {
    if (const auto line = takeNumberAtEnd(place, ':')) {
      diagnostic.line = *line;
      diagnostic.column = *last;
    } else {
      diagnostic.line = *last;
    }
  } else {
    return place.find_first_of(" '\"") == std::string_view::npos;  // a program's name
  }
  diagnostic.file = place;
  return true;
}

std::optional<Diagnostic> parseLine(std::string_view line) {
  for (const auto& [word, severity] : kWords) {
    const size_t at = line.find(word);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ')) continue;
    // NVIDIA's compilers may put a number between the word and the colon: "error #20: ".
    const size_t colon = line.find(':', at + word.size());
    if (colon == std::string_view::npos) continue;
    const std::string_view number = line.substr(at + word.size(), colon - at - word.size());
    if (!number.empty() && !number.starts_with(" #")) continue;
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    if (!readPlace(line.substr(0, at), diagnostic)) continue;
    std::string_view message = line.substr(colon + 1);
    message.remove_prefix(std::min(message.find_first_not_of(' '), message.size()));
    diagnostic.message = message;
    return diagnostic;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> parseDiagnostics(std::string_view output) {
  std::vector<Diagnostic> found;
  while (!output.empty()) {
    const size_t end = std::min(output.find('\n'), output.size());
    if (auto one = parseLine(output.substr(0, end))) found.push_back(std::move(*one));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return found;
}

std::string formatDiagnostic(const Diagnostic& diagnostic) {
  std::string place = diagnostic.file;
  if (diagnostic.line > 0) place += fmt::format(":{}", diagnostic.line);
  if (diagnostic.column > 0) place += fmt::format(":{}", diagnostic.column);
  if (!place.empty()) place += ": ";
  const char* word = diagnostic.severity == Severity::kError     ? "error"
                     : diagnostic.severity == Severity::kWarning ? "warning"
                                                                 : "note";
  return fmt::format("{}{}: {}", place, word, diagnostic.message);
}

}  // namespace warpscope
