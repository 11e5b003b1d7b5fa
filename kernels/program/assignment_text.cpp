#include "kernels/program/assignment_text.h"

#include <fmt/format.h>

#include "kernels/compile/source_text.h"

namespace warpscope {

std::optional<std::pair<std::string, std::string>> takeRange(std::string& text) {
  const size_t in = text.rfind(" in ");
  const size_t dots = in == std::string::npos ? in : text.find("..", in);
  if (dots == std::string::npos) return std::nullopt;
  std::pair range{std::string(trimmed(std::string_view(text).substr(in + 4, dots - in - 4))),
                  std::string(trimmed(std::string_view(text).substr(dots + 2)))};
  text = trimmed(std::string_view(text).substr(0, in));
  return range;
}

Expected<double> constantOf(std::string_view text) {
  const auto expression = Expression::parse(text);
  if (!expression) return tl::unexpected(expression.error());
  const auto value = expression->constant();
  if (!value) return fail(ErrorKind::kBadRequest, "'{}' is not a number", text);
  return *value;
}

tl::unexpected<Error> wrongAssignment(const std::string& file, const LaunchAssignment& at,
                                      std::string_view why) {
  return fail(ErrorKind::kBadRequest, "{}:{}: {} = {}: {}", file, at.line, at.name, at.value, why);
}

Expected<Expression> expressionIn(const std::string& file, const LaunchAssignment& at,
                                  std::string_view text) {
  auto parsed = Expression::parse(text);
  if (!parsed) return wrongAssignment(file, at, parsed.error().message);
  return parsed;
}

}  // namespace warpscope
