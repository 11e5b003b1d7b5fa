// Arithmetic as launch comments write it: "ceil(n / block)", "2^20", "2*n + 1". Knows names only as texts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace warpscope {

// Values by name: "n", "block", "block.x".
using NamedValues = std::map<std::string, double, std::less<>>;

// Real numbers with + - * / %, ^ (power), << and >>, parentheses, and the functions ceil, floor, round, sqrt,
// log2, min, max and divup(a, b). Numbers may end in k or M (binary multiples). A value of this type owns its
// text; copies share the tree.
class Expression {
 public:
  // Error: not an expression; the message says at what it failed.
  static Expected<Expression> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::set<std::string, std::less<>>& names() const { return names_; }
  std::optional<double> constant() const;  // its value, if it contains no names

  // Error: a name has no value; or the value is not finite.
  Expected<double> evaluate(const NamedValues& values) const;
  // Rounded down, as integers divide in C++. Error: also if it is not within `least` and `most`.
  Expected<int64_t> evaluateWhole(const NamedValues& values, int64_t least, int64_t most) const;

  struct Node;

 private:
  std::string text_;
  std::set<std::string, std::less<>> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace warpscope
