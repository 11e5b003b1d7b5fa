#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "kernels/core/json.h"
#include "kernels/export/tables.h"

namespace warpscope {
namespace {

// Numbers and truth values, the same in both forms; empty if there is no value.
std::string plainText(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate> || std::is_same_v<Value, std::string_view>) {
          return "";
        } else if constexpr (std::is_same_v<Value, double>) {
          return std::isfinite(value) ? fmt::format("{}", value) : "";
        } else {
          return fmt::format("{}", value);
        }
      },
      cell);
}

bool isNumber(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

}  // namespace

std::string csvField(std::string_view text) {
  constexpr std::string_view kFormulaStarts = "=+-@\t\r";
  std::string field(text);
  const bool may_be_formula = !text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos;
  if (may_be_formula && !isNumber(field)) field.insert(0, 1, '\'');
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void CsvRows::begin(std::span<const std::string> columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_.put(",");
    out_.put(csvField(columns[i]));
  }
  out_.put("\r\n");
}

void CsvRows::row(std::span<const Cell> cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out_.put(",");
    if (const auto* text = std::get_if<std::string_view>(&cells[i])) {
      out_.put(csvField(*text));
    } else {
      out_.put(plainText(cells[i]));
    }
  }
  out_.put("\r\n");
}

void JsonRows::begin(std::span<const std::string> columns) {
  for (const std::string& column : columns) names_.push_back(jsonText(column));
  out_.put("[");
}

void JsonRows::row(std::span<const Cell> cells) {
  out_.put(first_ ? "\n{" : ",\n{");
  first_ = false;
  bool first_member = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto* text = std::get_if<std::string_view>(&cells[i]);
    const std::string value = text != nullptr ? jsonText(*text) : plainText(cells[i]);
    if (value.empty()) continue;
    out_.print("{}{}: {}", first_member ? "" : ", ", names_[i], value);
    first_member = false;
  }
  out_.put("}");
}

void JsonRows::end() {
  out_.put("\n]\n");
  out_.flush();
}

}  // namespace warpscope
