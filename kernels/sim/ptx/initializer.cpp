#include <bit>
#include <cstring>

#include "kernels/sim/ptx/declarations.h"
#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

// More than a program can sensibly spell out.
constexpr uint64_t kMostInitialBytes = uint64_t{256} << 20;

// 5.4.4. Braces nest as the dimensions do and may stop early; elements that are not given are zero.
class Initializer {
 public:
  Initializer(ParserState& state, std::vector<uint64_t> dimensions, uint32_t vector_length,
              Variable& variable)
      : state_(state), shape_(std::move(dimensions)), variable_(variable) {
    if (vector_length > 1) shape_.push_back(vector_length);
  }

  void run() {
    const uint32_t line = state_.line();
    if (variable_.bytes > kMostInitialBytes)
      return state_.failAt(line, "an initialised variable of this size is not supported");
    open_ended_ = !shape_.empty() && shape_.front() == 0;
    variable_.initial.resize(variable_.bytes);
    if (shape_.empty() && !state_.cursor.peek().is("{")) {
      element(0);
    } else {
      list(0, 0);
    }
    if (open_ended_) variable_.bytes = variable_.initial.size();
  }

 private:
  // The number of elements that one element at depth `depth` contains.
  uint64_t elementsBelow(size_t depth) const {
    uint64_t count = 1;
    for (size_t i = depth; i < shape_.size(); ++i) count *= shape_[i];
    return count;
  }

  void list(size_t depth, uint64_t first) {
    if (depth > shape_.size())
      return state_.failAt(state_.line(), "braces nest deeper than the variable's dimensions");
    if (!state_.expect("{")) return;
    const uint64_t step = depth < shape_.size() ? elementsBelow(depth + 1) : 1;
    const uint64_t room = depth < shape_.size() ? shape_[depth] * step : 1;
    uint64_t at = 0;
    while (state_.ok() && !state_.cursor.peek().is("}")) {
      const bool unbounded = open_ended_ && depth == 0;
      if (at >= room && !unbounded) return state_.failAt(state_.line(), "more initial values than elements");
      if (state_.cursor.peek().is("{")) {
        list(depth + 1, first + at);
        at += step;
      } else {
        element(first + at);
        ++at;
      }
      if (!state_.cursor.accept(",")) break;
    }
    state_.expect("}");
  }

  void element(uint64_t index) {
    const uint64_t size = bytesOf(variable_.type);
    if (index >= kMostInitialBytes / size) return state_.failAt(state_.line(), "too many initial values");
    const uint64_t at = index * size;
    if (open_ended_ && at + size > variable_.initial.size()) variable_.initial.resize(at + size);
    if (at + size > variable_.initial.size())
      return state_.failAt(state_.line(), "more initial values than elements");
    const Token& token = state_.cursor.peek();
    if (token.kind == Token::Kind::kName && token.text != "WARP_SZ") return address(at, 8, 0);
    if (token.kind == Token::Kind::kNumber && state_.cursor.peek(1).is("(")) return maskedAddress(at);
    constant(at, size);
  }

  void constant(uint64_t at, uint64_t size) {
    const uint32_t line = state_.line();
    const std::optional<Constant> value = state_.expectConstant();
    if (!value) return;
    const bool whole_as_float = isFloat(variable_.type) && !value->isFloat();
    const Constant real{Constant::Kind::kDouble, std::bit_cast<uint64_t>(value->asDouble())};
    const std::optional<uint64_t> bits = constantAs(whole_as_float ? real : *value, variable_.type);
    if (!bits)
      return state_.failAt(line, fmt::format("this value cannot initialise a .{}", typeName(variable_.type)));
    std::memcpy(variable_.initial.data() + at, &*bits, std::min<uint64_t>(size, sizeof(*bits)));
  }

  // "0xFF00(symbol)": one byte of an address.
  void maskedAddress(uint64_t at) {
    const uint32_t line = state_.line();
    const std::optional<Constant> mask = parseNumber(state_.cursor.next().text);
    const uint64_t bits = mask ? mask->bits : 0;
    const auto skip = static_cast<uint32_t>(bits == 0 ? 0 : std::countr_zero(bits) / 8);
    if (bits == 0 || (bits >> (skip * 8)) != 0xFF)
      return state_.failAt(line, "a mask must select one byte: 0xFF, 0xFF00 ...");
    if (!state_.expect("(")) return;
    address(at, 1, skip);
    state_.expect(")");
  }

  // "symbol + 4", "generic(symbol) + 4".
  void address(uint64_t at, uint32_t bytes, uint32_t skip) {
    const uint32_t line = state_.line();
    const uint64_t element = bytesOf(variable_.type);
    if (bytes != 1 && element != 8)
      return state_.failAt(line, "an address takes 8 bytes; only .u64 and .b64 can hold one");
    Variable::Relocation relocation;
    relocation.at = at;
    relocation.bytes = bytes;
    relocation.skip = skip;
    std::string_view name = state_.expectName("a variable's name");
    if (name == "generic" && state_.cursor.accept("(")) {
      relocation.generic = true;
      name = state_.expectName("a variable's name");
      state_.expect(")");
    }
    if (!state_.ok()) return;
    const auto variable = state_.variables.find(name);
    const auto function = state_.functions.find(name);
    if (variable != state_.variables.end()) {
      relocation.index = variable->second;
    } else if (function != state_.functions.end()) {
      relocation.index = function->second;
      relocation.is_function = true;
    } else {
      return state_.failAt(line,
                           fmt::format("there is no variable or function '{}' to take the address of", name));
    }
    if (state_.cursor.peek().is("+") || state_.cursor.peek().is("-")) {
      const std::optional<Constant> offset = state_.expectConstant();
      if (!offset || offset->isFloat())
        return state_.failAt(line, "an address' offset must be a whole number");
      relocation.addend = static_cast<int64_t>(offset->bits);
    }
    variable_.relocations.push_back(relocation);
  }

  ParserState& state_;
  std::vector<uint64_t> shape_;
  Variable& variable_;
  bool open_ended_ = false;
};

}  // namespace

void parseInitializer(ParserState& state, const std::vector<uint64_t>& dimensions, uint32_t vector_length,
                      Variable& variable) {
  Initializer(state, dimensions, vector_length, variable).run();
}

}  // namespace warpscope::ptx
