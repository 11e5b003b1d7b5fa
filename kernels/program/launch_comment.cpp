#include "kernels/program/launch_comment.h"

#include <optional>

namespace warpscope {
namespace {

constexpr std::string_view kMarker = "warpscope";

struct Comment {
  std::string_view kernel, body;
};

// Of a line "// warpscope KERNEL: BODY", wherever on the line the comment begins.
std::optional<Comment> launchComment(std::string_view line) {
  const size_t slashes = line.find("//");
  if (slashes == std::string_view::npos) return std::nullopt;
  std::string_view rest = trimmed(line.substr(slashes + 2));
  if (!rest.starts_with(kMarker)) return std::nullopt;
  rest.remove_prefix(kMarker.size());
  // "warpscope exec saxpy.cu ..." in a comment is none of these.
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view kernel = trimmed(rest.substr(0, colon));
  if (kernel.find_first_of(" \t=") != std::string_view::npos) return std::nullopt;
  if (!kernel.empty() && rest.front() != ' ' && rest.front() != '\t') return std::nullopt;
  return Comment{kernel, trimmed(rest.substr(colon + 1))};
}

template <class Visit>  // visit(line's text, its number, where it begins)
void forEachLine(std::string_view text, Visit&& visit) {
  uint32_t number = 1;
  for (size_t begin = 0; begin <= text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin), number, begin);
    begin = end + 1;
  }
}

// The line on which the kernel's definition begins: the last one before its name that has __global__.
std::optional<size_t> beginOfKernel(std::string_view source, std::string_view kernel) {
  std::optional<size_t> global, found;
  forEachLine(source, [&](std::string_view line, uint32_t, size_t begin) {
    if (found) return;
    if (line.find("__global__") != std::string_view::npos) global = begin;
    const size_t at = line.find(kernel);
    if (!global || at == std::string_view::npos) return;
    const std::string_view after = trimmed(line.substr(at + kernel.size()));
    if (after.starts_with("(")) found = global;
  });
  if (!found) return found;
  // "template <class T>" stands on the line before.
  const size_t line_before = *found < 2 ? 0 : source.rfind('\n', *found - 2) + 1;
  if (*found > 0 && trimmed(source.substr(line_before)).starts_with("template")) return line_before;
  return found;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::vector<std::string> splitOutsideBrackets(std::string_view text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : separator;
    if (i < text.size() && c == '"') quoted = !quoted;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (i < text.size() && (c != separator || depth > 0 || quoted)) continue;
    parts.emplace_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

Expected<std::vector<LaunchAssignment>> readLaunchComments(std::string_view source, const std::string& file) {
  std::vector<LaunchAssignment> assignments;
  std::optional<Error> wrong;
  forEachLine(source, [&](std::string_view line, uint32_t number, size_t) {
    const auto comment = launchComment(line);
    if (!comment || comment->body.empty() || wrong) return;
    for (const std::string& part : splitOutsideBrackets(comment->body, ',')) {
      if (part.empty()) continue;  // a comma at the line's end
      const size_t equals = part.find('=');
      const std::string_view name = trimmed(std::string_view(part).substr(0, equals));
      if (equals == std::string::npos || name.empty() || name.find(' ') != std::string_view::npos) {
        wrong = fail(ErrorKind::kBadRequest, "{}:{}: '{}' is not NAME = VALUE, such as block = 256", file,
                     number, part)
                    .value();
        return;
      }
      assignments.push_back({std::string(comment->kernel), std::string(name),
                             std::string(trimmed(std::string_view(part).substr(equals + 1))), number});
    }
  });
  if (wrong) return tl::unexpected(*wrong);
  return assignments;
}

std::string withLaunchComment(std::string_view source, const std::string& kernel,
                              const std::string& assignments) {
  const std::string line_text = "// warpscope " + kernel + ": " + assignments;
  std::string result;
  bool written = false;
  forEachLine(source, [&](std::string_view line, uint32_t, size_t begin) {
    const auto comment = launchComment(line);
    const bool replaced = comment && comment->kernel == kernel;
    if (replaced && written) return;
    if (begin > 0) result += '\n';
    result += replaced ? std::string(line.substr(0, line.find("//"))) + line_text : std::string(line);
    written = written || replaced;
  });
  if (written) return result;
  result = source;
  result.insert(beginOfKernel(source, kernel.substr(0, kernel.find('<'))).value_or(0), line_text + "\n");
  return result;
}

}  // namespace warpscope
