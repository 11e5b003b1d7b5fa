#include "kernels/program/expression.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace warpscope {

// A number, a name, or a function (an operator is one, too) of its operands.
struct Expression::Node {
  double number = 0;
  std::string name;
  double (*function)(double, double) = nullptr;
  std::vector<std::shared_ptr<const Node>> operands;  // one or two
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;
using Function = double (*)(double, double);

constexpr int kMostNesting = 64;

struct Operator {
  std::string_view sign;
  int precedence;
  Function function;
};
// As in C++, and ^ is the power, which binds tightest and to the right.
constexpr Operator kOperators[] = {
    {"<<", 1, [](double a, double b) { return std::ldexp(a, static_cast<int>(b)); }},
    {">>", 1, [](double a, double b) { return std::floor(std::ldexp(a, -static_cast<int>(b))); }},
    {"+", 2, [](double a, double b) { return a + b; }},
    {"-", 2, [](double a, double b) { return a - b; }},
    {"*", 3, [](double a, double b) { return a * b; }},
    {"/", 3, [](double a, double b) { return a / b; }},
    {"%", 3, [](double a, double b) { return std::fmod(a, b); }},
    {"^", 4, [](double a, double b) { return std::pow(a, b); }},
};
constexpr int kPowerPrecedence = 4;

struct NamedFunction {
  std::string_view name;
  size_t operands;
  Function function;
};
constexpr NamedFunction kFunctions[] = {
    {"ceil", 1, [](double a, double) { return std::ceil(a); }},
    {"floor", 1, [](double a, double) { return std::floor(a); }},
    {"round", 1, [](double a, double) { return std::round(a); }},
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"log2", 1, [](double a, double) { return std::log2(a); }},
    {"min", 2, [](double a, double b) { return std::min(a, b); }},
    {"max", 2, [](double a, double b) { return std::max(a, b); }},
    {"divup", 2, [](double a, double b) { return std::ceil(a / b); }},
};

bool beginsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continuesName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Recursive descent with precedences; nesting is limited, because texts come from files.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::set<std::string, std::less<>>& names)
      : text_(text), names_(names) {}

  Expected<NodePtr> whole() {
    auto node = operation(0, 0);
    skipSpace();
    if (node && at_ < text_.size()) return wrong();
    return node;
  }

 private:
  tl::unexpected<Error> wrong() const {
    if (at_ >= text_.size()) return fail(ErrorKind::kBadRequest, "'{}' ends too early", text_);
    return fail(ErrorKind::kBadRequest, "'{}' cannot be read from '{}' on", text_, text_.substr(at_, 20));
  }
  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view sign) {
    skipSpace();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  const Operator* nextOperator() {
    skipSpace();
    for (const Operator& each : kOperators) {
      if (text_.substr(at_).starts_with(each.sign)) return &each;
    }
    return nullptr;
  }

  Expected<NodePtr> operation(int least_precedence, int depth) {
    if (depth > kMostNesting) return fail(ErrorKind::kBadRequest, "'{}' is nested too deeply", text_);
    auto left = operand(depth);
    if (!left) return left;
    for (const Operator* next = nextOperator(); next != nullptr && next->precedence >= least_precedence;
         next = nextOperator()) {
      at_ += next->sign.size();
      const bool to_the_right = next->precedence == kPowerPrecedence;
      auto right = operation(next->precedence + (to_the_right ? 0 : 1), depth + 1);
      if (!right) return right;
      left = std::make_shared<const Node>(Node{.function = next->function, .operands = {*left, *right}});
    }
    return left;
  }

  Expected<NodePtr> operand(int depth) {
    if (take("-")) {
      auto of = operation(kPowerPrecedence, depth + 1);
      if (!of) return of;
      return std::make_shared<const Node>(
          Node{.function = [](double a, double) { return -a; }, .operands = {*of}});
    }
    if (take("(")) {
      auto inner = operation(0, depth + 1);
      if (inner && !take(")")) return wrong();
      return inner;
    }
    skipSpace();
    if (at_ < text_.size() && beginsName(text_[at_])) return nameOrCall(depth);
    return number();
  }

  Expected<NodePtr> nameOrCall(int depth) {
    const size_t begin = at_;
    while (at_ < text_.size() && continuesName(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (!take("(")) {
      names_.emplace(name);
      return std::make_shared<const Node>(Node{.name = std::string(name)});
    }
    for (const NamedFunction& each : kFunctions) {
      if (each.name != name) continue;
      Node node{.function = each.function};
      do {
        auto argument = operation(0, depth + 1);
        if (!argument) return argument;
        node.operands.push_back(*argument);
      } while (node.operands.size() < each.operands && take(","));
      if (node.operands.size() < each.operands || !take(")")) return wrong();
      return std::make_shared<const Node>(std::move(node));
    }
    return fail(ErrorKind::kBadRequest, "'{}': there is no function '{}'", text_, name);
  }

  Expected<NodePtr> number() {
    Node node;
    const char* const end = text_.data() + text_.size();
    const auto parsed = text_.substr(at_).starts_with("0x")
                            ? hexadecimal(node.number)
                            : std::from_chars(text_.data() + at_, end, node.number);
    if (parsed.ec != std::errc{}) return wrong();
    at_ = static_cast<size_t>(parsed.ptr - text_.data());
    const char suffix = at_ < text_.size() ? text_[at_] : ' ';
    if (suffix == 'k') node.number *= 1 << 10;
    if (suffix == 'M') node.number *= 1 << 20;
    if (suffix == 'k' || suffix == 'M' || suffix == 'f') ++at_;
    if (at_ < text_.size() && continuesName(text_[at_])) return wrong();
    return std::make_shared<const Node>(std::move(node));
  }
  std::from_chars_result hexadecimal(double& number) const {
    uint64_t whole = 0;
    const auto parsed = std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), whole, 16);
    number = static_cast<double>(whole);
    return parsed;
  }

  std::string_view text_;
  std::set<std::string, std::less<>>& names_;
  size_t at_ = 0;
};

// The name of a missing value is the error.
Expected<double> valueOf(const Node& node, const NamedValues& values) {
  if (!node.name.empty()) {
    const auto found = values.find(node.name);
    if (found != values.end()) return found->second;
    return fail(ErrorKind::kBadRequest, "{}", node.name);
  }
  if (node.function == nullptr) return node.number;
  double operands[2] = {};
  for (size_t i = 0; i < node.operands.size(); ++i) {
    auto value = valueOf(*node.operands[i], values);
    if (!value) return value;
    operands[i] = *value;
  }
  return node.function(operands[0], operands[1]);
}

}  // namespace

Expected<Expression> Expression::parse(std::string_view text) {
  constexpr size_t kMostCharacters = 1000;
  if (text.size() > kMostCharacters) return fail(ErrorKind::kBadRequest, "so long an expression is refused");
  Expression expression;
  expression.text_ = text;
  auto root = ExpressionParser(text, expression.names_).whole();
  if (!root) return tl::unexpected(root.error());
  expression.root_ = std::move(*root);
  return expression;
}

std::optional<double> Expression::constant() const {
  if (!names_.empty()) return std::nullopt;
  const auto value = evaluate({});
  return value ? std::optional(*value) : std::nullopt;
}

Expected<double> Expression::evaluate(const NamedValues& values) const {
  auto value = valueOf(*root_, values);
  if (!value) {
    std::string known;
    for (const auto& [name, each] : values) known += (known.empty() ? "" : ", ") + name;
    return fail(ErrorKind::kBadRequest, "'{}': there is no size '{}'; there are {}", text_,
                value.error().message, known.empty() ? "none" : known);
  }
  if (!std::isfinite(*value)) return fail(ErrorKind::kBadRequest, "'{}' is not a finite number", text_);
  return value;
}

Expected<int64_t> Expression::evaluateWhole(const NamedValues& values, int64_t least, int64_t most) const {
  const auto value = evaluate(values);
  if (!value) return tl::unexpected(value.error());
  // What binary fractions lose (0.1 * 10) must not lose an element.
  const double whole = std::floor(*value + 1e-9 * std::max(1.0, std::abs(*value)) * 1e-3);
  if (whole < static_cast<double>(least) || whole > static_cast<double>(most)) {
    return fail(ErrorKind::kBadRequest, "'{}' is {}, but must be between {} and {}", text_, whole, least,
                most);
  }
  return static_cast<int64_t>(whole);
}

}  // namespace warpscope
