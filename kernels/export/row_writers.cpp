#include "kernels/export/row_writers.h"

#include <cmath>
#include <type_traits>

#include "kernels/core/json.h"

namespace warpscope {
namespace {

// Numbers and truth values, the same in both forms; empty: there is none to tell.
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

}  // namespace

void CsvRows::begin(std::span<const std::string> columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_.put(",");
    field(columns[i]);
  }
  out_.put("\r\n");
}

void CsvRows::row(std::span<const Cell> cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out_.put(",");
    if (const auto* text = std::get_if<std::string_view>(&cells[i])) {
      field(*text);
    } else {
      out_.put(plainText(cells[i]));
    }
  }
  out_.put("\r\n");
}

void CsvRows::field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return out_.put(text);
  out_.put("\"");
  for (size_t quote = 0; (quote = text.find('"')) != std::string_view::npos; text.remove_prefix(quote + 1)) {
    out_.put(text.substr(0, quote + 1));
    out_.put("\"");
  }
  out_.put(text);
  out_.put("\"");
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
