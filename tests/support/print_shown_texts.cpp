// Prints the engine's texts as a gettext template; assets/translations/update.sh uses it.
#include <fmt/format.h>

#include <cstdio>

#include "tests/support/shown_texts.h"

namespace {

std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

int main() {
  fmt::print("msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n");
  for (const auto& [text, where, context, finished] : warpscope::testing::shownTexts()) {
    if (finished) continue;
    const std::string msgctxt = context.empty() ? "" : fmt::format("msgctxt \"{}\"\n", context);
    fmt::print("\n#: {}\n{}msgid \"{}\"\nmsgstr \"\"\n", where, msgctxt, quoted(text));
  }
}
