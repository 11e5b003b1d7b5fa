#include "kernels/sim/ptx/constant_expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>

#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

using ConstantKind = Constant::Kind;

std::optional<uint64_t> digits(std::string_view text, int base) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::optional<Constant> parseInteger(std::string_view text) {
  bool is_unsigned = false;
  if (text.ends_with('U') || text.ends_with('u')) {
    is_unsigned = true;
    text.remove_suffix(1);
  }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  const std::optional<uint64_t> value = digits(text, base);
  if (!value) return std::nullopt;
  // 4.5.1: a constant is signed unless it does not fit.
  is_unsigned = is_unsigned || (*value >> 63) != 0;
  return Constant{is_unsigned ? ConstantKind::kUnsigned : ConstantKind::kSigned, *value};
}

std::optional<Constant> parseDecimalFloat(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return Constant{ConstantKind::kDouble, std::bit_cast<uint64_t>(value)};
}

struct Binary {
  std::string_view symbol;
  int precedence;
};
// 4.5.5, Table 5: precedences, from ?: (binds least, handled separately) up to * / %.
constexpr std::array<Binary, 18> kBinaries{{{"||", 1},
                                            {"&&", 2},
                                            {"|", 3},
                                            {"^", 4},
                                            {"&", 5},
                                            {"==", 6},
                                            {"!=", 6},
                                            {"<=", 7},
                                            {"<", 7},
                                            {">", 7},
                                            {">=", 7},
                                            {">>", 8},
                                            {"<<", 8},
                                            {"+", 9},
                                            {"-", 9},
                                            {"*", 10},
                                            {"/", 10},
                                            {"%", 10}}};

class Evaluator {
 public:
  Evaluator(TokenCursor& cursor, std::string& error) : cursor_(cursor), error_(error) {}

  std::optional<Constant> ternary() {
    // Parentheses and operators nest by recursion; no input may exhaust the stack.
    if (++depth_ > 200) return refuse("the expression is nested too deeply");
    std::optional<Constant> value = binary(1);
    if (value && cursor_.accept("?")) {
      const std::optional<Constant> yes = ternary();
      if (!yes) return std::nullopt;
      if (!cursor_.accept(":")) return refuse("an expression with ? lacks its :");
      const std::optional<Constant> no = ternary();
      if (!no) return std::nullopt;
      value = isTrue(*value) ? yes : no;
    }
    --depth_;
    return value;
  }

 private:
  std::optional<Constant> refuse(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return std::nullopt;
  }

  static bool isTrue(const Constant& c) { return c.isFloat() ? c.asDouble() != 0 : c.bits != 0; }
  static Constant truth(bool value) { return {ConstantKind::kSigned, value ? 1U : 0U}; }
  static Constant real(double value) { return {ConstantKind::kDouble, std::bit_cast<uint64_t>(value)}; }

  std::optional<Constant> binary(int lowest) {
    std::optional<Constant> left = unary();
    while (left) {
      const Token& token = cursor_.peek();
      const Binary* found = nullptr;
      for (const Binary& candidate : kBinaries) {
        if (token.kind == Token::Kind::kSymbol && token.text == candidate.symbol) found = &candidate;
      }
      if (found == nullptr || found->precedence < lowest) break;
      cursor_.next();
      const std::optional<Constant> right = binary(found->precedence + 1);
      if (!right) return std::nullopt;
      left = apply(found->symbol, *left, *right);
    }
    return left;
  }

  std::optional<Constant> unary() {
    if (++depth_ > 200) return refuse("the expression is nested too deeply");
    std::optional<Constant> value;
    const Token& token = cursor_.peek();
    if (token.is("(")) {
      value = parenthesised();
    } else if (token.kind == Token::Kind::kSymbol &&
               (token.text == "-" || token.text == "+" || token.text == "!" || token.text == "~")) {
      cursor_.next();
      value = unary();
      if (value) value = applyUnary(token.text.front(), *value);
    } else if (token.kind == Token::Kind::kNumber) {
      value = parseNumber(token.text);
      if (!value) return refuse(fmt::format("'{}' is not a number, or too large for one", token.text));
      cursor_.next();
    } else if (token.kind == Token::Kind::kName && token.text == "WARP_SZ") {
      cursor_.next();
      value = Constant{ConstantKind::kSigned, 32};
    } else {
      return refuse(fmt::format("'{}' is given where a constant is expected", token.text));
    }
    --depth_;
    return value;
  }

  // "(1 + 2)" or a cast, "(.s64) 1".
  std::optional<Constant> parenthesised() {
    cursor_.next();
    if (cursor_.peek().kind == Token::Kind::kDirective) {
      const std::string_view type = cursor_.next().text;
      if (type != ".s64" && type != ".u64") {
        return refuse(fmt::format("a constant is cast to .s64 or .u64, not to {}", type));
      }
      if (!cursor_.accept(")")) return refuse("a cast lacks its closing parenthesis");
      std::optional<Constant> value = unary();
      if (!value || value->isFloat()) return value ? refuse("a float cannot be cast") : std::nullopt;
      value->kind = type == ".s64" ? ConstantKind::kSigned : ConstantKind::kUnsigned;
      return value;
    }
    const std::optional<Constant> value = ternary();
    if (value && !cursor_.accept(")")) return refuse("an expression lacks its closing parenthesis");
    return value;
  }

  std::optional<Constant> applyUnary(char symbol, Constant value) {
    if (symbol == '!') return truth(!isTrue(value));
    if (value.kind == ConstantKind::kSingle) {
      if (symbol == '-') value.bits ^= 0x8000'0000U;
      return symbol == '~' ? refuse("~ has no meaning for a float") : value;
    }
    if (value.isFloat()) {
      if (symbol == '~') return refuse("~ has no meaning for a float");
      return symbol == '-' ? real(-value.asDouble()) : value;
    }
    if (symbol == '-') value.bits = 0 - value.bits;
    if (symbol == '~') value.bits = ~value.bits;
    return value;
  }

  std::optional<Constant> apply(std::string_view symbol, const Constant& a, const Constant& b) {
    if (symbol == "&&") return truth(isTrue(a) && isTrue(b));
    if (symbol == "||") return truth(isTrue(a) || isTrue(b));
    if (a.isFloat() || b.isFloat()) return applyReal(symbol, a.asDouble(), b.asDouble());
    const bool is_unsigned = a.kind == ConstantKind::kUnsigned || b.kind == ConstantKind::kUnsigned;
    if (symbol == "<<" || symbol == ">>") return shift(symbol == "<<", a, b.bits);
    if (const std::optional<bool> result =
            is_unsigned ? compare(symbol, a.bits, b.bits)
                        : compare(symbol, static_cast<int64_t>(a.bits), static_cast<int64_t>(b.bits))) {
      return truth(*result);
    }
    const ConstantKind kind = is_unsigned ? ConstantKind::kUnsigned : ConstantKind::kSigned;
    if (symbol == "/" || symbol == "%") return divide(symbol == "/", kind, a.bits, b.bits);
    if (symbol == "+") return Constant{kind, a.bits + b.bits};
    if (symbol == "-") return Constant{kind, a.bits - b.bits};
    if (symbol == "*") return Constant{kind, a.bits * b.bits};
    if (symbol == "&") return Constant{kind, a.bits & b.bits};
    if (symbol == "|") return Constant{kind, a.bits | b.bits};
    return Constant{kind, a.bits ^ b.bits};
  }

  template <class T>
  static std::optional<bool> compare(std::string_view symbol, T a, T b) {
    if (symbol == "==") return a == b;
    if (symbol == "!=") return a != b;
    if (symbol == "<") return a < b;
    if (symbol == "<=") return a <= b;
    if (symbol == ">") return a > b;
    if (symbol == ">=") return a >= b;
    return std::nullopt;
  }

  std::optional<Constant> applyReal(std::string_view symbol, double a, double b) {
    if (const std::optional<bool> result = compare(symbol, a, b)) return truth(*result);
    if (symbol == "+") return real(a + b);
    if (symbol == "-") return real(a - b);
    if (symbol == "*") return real(a * b);
    if (symbol == "/" && b == 0) return refuse("division by zero");
    if (symbol == "/") return real(a / b);
    return refuse(fmt::format("{} has no meaning for floats", symbol));
  }

  static Constant shift(bool left, const Constant& a, uint64_t by) {
    const bool is_signed = a.kind == ConstantKind::kSigned;
    if (left) return {a.kind, by > 63 ? 0 : a.bits << by};
    if (is_signed)
      return {a.kind, static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> (by > 63 ? 63 : by))};
    return {a.kind, by > 63 ? 0 : a.bits >> by};
  }

  std::optional<Constant> divide(bool quotient, ConstantKind kind, uint64_t a, uint64_t b) {
    if (b == 0) return refuse("division by zero");
    if (kind == ConstantKind::kUnsigned) return Constant{kind, quotient ? a / b : a % b};
    // INT64_MIN / -1 wraps.
    if (b == ~0ULL) return Constant{kind, quotient ? 0 - a : 0};
    const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    return Constant{kind, static_cast<uint64_t>(quotient ? x / y : x % y)};
  }

  TokenCursor& cursor_;
  std::string& error_;
  int depth_ = 0;
};

}  // namespace

double Constant::asDouble() const {
  switch (kind) {
    case ConstantKind::kSigned:
      return static_cast<double>(static_cast<int64_t>(bits));
    case ConstantKind::kUnsigned:
      return static_cast<double>(bits);
    case ConstantKind::kDouble:
      return std::bit_cast<double>(bits);
    case ConstantKind::kSingle:
      break;
  }
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

std::optional<Constant> parseNumber(std::string_view text) {
  if (text.size() > 2 && text[0] == '0') {
    const char kind = text[1];
    if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
      const bool single = kind == 'f' || kind == 'F';
      const std::string_view hex = text.substr(2);
      const std::optional<uint64_t> bits = digits(hex, 16);
      if (!bits || hex.size() != (single ? 8U : 16U)) return std::nullopt;
      return Constant{single ? ConstantKind::kSingle : ConstantKind::kDouble, *bits};
    }
  }
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool has_point_or_exponent = text.find_first_of(".eE") != std::string_view::npos;
  return !hexadecimal && has_point_or_exponent ? parseDecimalFloat(text) : parseInteger(text);
}

bool beginsConstant(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == Token::Kind::kNumber) return true;
  if (token.kind == Token::Kind::kName) return token.text == "WARP_SZ";
  return token.is("-") || token.is("+") || token.is("~") || token.is("!") || token.is("(");
}

std::optional<Constant> parseConstant(TokenCursor& cursor, std::string& error) {
  return Evaluator(cursor, error).ternary();
}

std::optional<uint64_t> constantAs(const Constant& constant, Type type) {
  if (type == Type::kF64) {
    if (!constant.isFloat()) return std::nullopt;
    return std::bit_cast<uint64_t>(constant.asDouble());
  }
  if (type == Type::kF32) {
    if (!constant.isFloat()) return std::nullopt;
    // A float keeps its bits as written, including a NaN's payload; a double is rounded to nearest.
    if (constant.kind == ConstantKind::kSingle) return constant.bits;
    return std::bit_cast<uint32_t>(static_cast<float>(constant.asDouble()));
  }
  if (isFloat(type)) return std::nullopt;
  if (!constant.isFloat()) return constant.bits;
  if (constant.kind == ConstantKind::kSingle && type == Type::kB32) return constant.bits;
  if (type == Type::kB64) return std::bit_cast<uint64_t>(constant.asDouble());
  return std::nullopt;
}

}  // namespace warpscope::ptx
