#include "kernels/program/launch_comment.h"

#include <optional>

#include "kernels/compile/source_text.h"
#include "kernels/program/definitions.h"

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

}  // namespace

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
  const auto defined = findKernelDefinition(codeOnly(source), kernel.substr(0, kernel.find('<')));
  const size_t at = defined ? source.rfind('\n', defined->begin) + 1 : 0;  // npos + 1: the first line
  result = source;
  result.insert(at, line_text + "\n");
  return result;
}

}  // namespace warpscope
