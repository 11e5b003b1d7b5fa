#include "kernels/sim/ptx/declarations.h"

#include <bit>

#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

// More than any GPU's memory, and small enough that sums of sizes cannot overflow.
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr size_t kMostDimensions = 16;
// The largest variable per state space: CUDA's 512 KiB of local memory per thread, generous bounds on what a
// block can share and on parameters (a kernel's may have 32764 bytes).
uint64_t mostBytes(Space space) {
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster:
      return uint64_t{1} << 24;
    case Space::kLocal:
      return uint64_t{512} << 10;
    case Space::kParam:
      return uint64_t{64} << 10;
    case Space::kConst:
      return uint64_t{1} << 24;
    case Space::kGlobal:
    case Space::kGeneric:
      break;
  }
  return kMostBytes;
}

// The qualifiers that precede a variable's name.
struct Qualifiers {
  Type type = Type::kNone;
  uint32_t vector_length = 1;
  uint32_t alignment = 0;  // 0: the type's own
};

uint32_t parseAlignment(ParserState& state) {
  const uint32_t line = state.line();
  const uint64_t alignment = state.expectCount("an alignment", 1U << 20);
  if (state.ok() && !std::has_single_bit(alignment))
    state.failAt(line, "an alignment must be a power of two");
  return static_cast<uint32_t>(alignment);
}

Qualifiers parseQualifiers(ParserState& state) {
  Qualifiers result;
  while (state.cursor.peek().kind == Token::Kind::kDirective) {
    const Token& token = state.cursor.next();
    const std::string_view word = token.text.substr(1);
    Space pointed;
    if (word == "align") {
      result.alignment = parseAlignment(state);
    } else if (word == "v2" || word == "v4") {
      result.vector_length = word == "v2" ? 2 : 4;
    } else if (word == "attribute") {
      if (state.expect("(")) state.skipPast(")");
    } else if (word == "ptr") {
      // 4.8: .ptr names the space and alignment that a parameter points to; neither has an effect here.
      if (spaceOfDirective(state.cursor.peek().text, pointed)) state.cursor.next();
      if (state.cursor.accept(".align")) parseAlignment(state);
    } else if (typeNamed(word) != Type::kNone && typeNamed(word) != Type::kPred) {
      result.type = typeNamed(word);
    } else if (word == "texref" || word == "samplerref" || word == "surfref") {
      state.refuseAt(token.line, fmt::format(".{}: textures and surfaces are not supported", word));
      result.type = Type::kB64;
    } else {
      state.failAt(token.line, fmt::format("'{}' has no place in a declaration", token.text));
    }
  }
  if (state.ok() && result.type == Type::kNone) {
    state.failAt(state.line(), fmt::format("a type is expected before {}", describe(state.cursor.peek())));
  }
  return result;
}

// Parses "[4][2]". A dimension left open is 0; only the first may be.
std::vector<uint64_t> parseDimensions(ParserState& state) {
  std::vector<uint64_t> dimensions;
  while (state.cursor.peek().is("[")) {
    const uint32_t line = state.cursor.next().line;
    if (dimensions.size() == kMostDimensions) state.failAt(line, "too many dimensions");
    if (state.cursor.accept("]")) {
      if (!dimensions.empty()) state.failAt(line, "only the first dimension may be left open");
      dimensions.push_back(0);
      continue;
    }
    dimensions.push_back(state.expectCount("a dimension", kMostBytes));
    if (state.ok() && dimensions.back() == 0) state.failAt(line, "a dimension must not be 0");
    if (!state.expect("]")) break;
  }
  return dimensions;
}

DeclaredVariable parseOne(ParserState& state, Space space, const Qualifiers& qualifiers) {
  const uint32_t line = state.line();
  DeclaredVariable declared;
  declared.name = state.expectName("a variable's name");
  Variable& variable = declared.variable;
  variable.name = declared.name;
  variable.space = space;
  variable.type = qualifiers.type;
  const uint32_t element = bytesOf(qualifiers.type) * qualifiers.vector_length;
  variable.alignment = std::max(qualifiers.alignment, element);
  if (qualifiers.alignment != 0) variable.alignment = qualifiers.alignment;
  const std::vector<uint64_t> dimensions = parseDimensions(state);
  variable.bytes = element;
  for (const uint64_t dimension : dimensions) {
    if (dimension != 0 && variable.bytes > kMostBytes / dimension) variable.bytes = kMostBytes + 1;
    if (variable.bytes <= kMostBytes) variable.bytes *= dimension;
  }
  if (variable.bytes > mostBytes(space)) {
    state.failAt(line,
                 fmt::format("{} is too large: {} bytes are the most", declared.name, mostBytes(space)));
  }
  if (state.cursor.accept("=")) parseInitializer(state, dimensions, qualifiers.vector_length, variable);
  return declared;
}

}  // namespace

bool spaceOfDirective(std::string_view directive, Space& space) {
  if (directive == ".global") {
    space = Space::kGlobal;
  } else if (directive == ".const") {
    space = Space::kConst;
  } else if (directive == ".shared") {
    space = Space::kShared;
  } else if (directive == ".local") {
    space = Space::kLocal;
  } else if (directive == ".param") {
    space = Space::kParam;
  } else {
    return false;
  }
  return true;
}

std::vector<DeclaredVariable> parseVariables(ParserState& state, Space space, bool is_extern) {
  std::vector<DeclaredVariable> variables;
  const Qualifiers qualifiers = parseQualifiers(state);
  do {
    const uint32_t line = state.line();
    variables.push_back(parseOne(state, space, qualifiers));
    Variable& variable = variables.back().variable;
    variable.is_extern = is_extern;
    const bool may_be_open = is_extern || space == Space::kParam;
    if (variable.bytes == 0 && !may_be_open) {
      state.failAt(line, fmt::format("{} has no size", variable.name));
    }
  } while (state.ok() && state.cursor.accept(","));
  state.expect(";");
  return variables;
}

std::vector<DeclaredVariable> parseParameters(ParserState& state) {
  std::vector<DeclaredVariable> parameters;
  state.expect("(");
  while (state.ok() && !state.cursor.peek().is(")")) {
    if (!parameters.empty()) state.expect(",");
    if (!state.ok()) break;
    const Token& token = state.cursor.next();
    if (token.is(".param") || token.is(".reg")) {
      DeclaredVariable parameter = parseOne(state, Space::kParam, parseQualifiers(state));
      parameter.is_register = token.is(".reg");
      parameters.push_back(std::move(parameter));
    } else {
      state.failAt(token.line, fmt::format("a parameter begins with .param, not with {}", describe(token)));
    }
  }
  state.expect(")");
  return parameters;
}

}  // namespace warpscope::ptx
