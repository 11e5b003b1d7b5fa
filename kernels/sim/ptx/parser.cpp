#include "kernels/sim/ptx/parser.h"

#include <algorithm>

#include "kernels/sim/ptx/declarations.h"
#include "kernels/sim/ptx/function_parser.h"
#include "kernels/sim/ptx/parser_state.h"

namespace warpscope::ptx {
namespace {

// Parses a module's directives (PTX ISA 11), up to the functions' bodies.
class ModuleParser {
 public:
  explicit ModuleParser(ParserState& state) : state_(state) {}

  void run() {
    if (!state_.lexed.error.empty()) return state_.failAt(state_.lexed.error_line, state_.lexed.error);
    while (state_.ok() && state_.cursor.peek().kind != Token::Kind::kEnd) parseDirective();
    if (state_.ok() && state_.module.version.empty()) {
      state_.failAt(1, "this is not PTX: a module begins with .version");
    }
  }

 private:
  void parseDirective() {
    bool is_extern = false;
    while (state_.cursor.peek().is(".visible") || state_.cursor.peek().is(".extern") ||
           state_.cursor.peek().is(".weak") || state_.cursor.peek().is(".common")) {
      is_extern = is_extern || state_.cursor.peek().is(".extern");
      state_.cursor.next();
    }
    const Token& token = state_.cursor.next();
    Space space;
    if (token.is(".entry") || token.is(".func")) {
      parseFunction(token.is(".entry"), is_extern, token.line);
    } else if (spaceOfDirective(token.text, space)) {
      parseModuleVariables(space, is_extern);
    } else if (token.is(".version")) {
      state_.module.version = state_.cursor.next().text;
    } else if (token.is(".target")) {
      parseTarget();
    } else if (token.is(".address_size")) {
      const uint64_t bits = state_.expectCount("an address' size", 64);
      if (state_.ok() && bits != 64) state_.refuseAt(token.line, "addresses of 32 bits are not supported");
    } else if (token.is(".file")) {
      parseFile();
    } else if (token.is(".section")) {
      while (state_.ok() && !state_.cursor.peek().is("{") && state_.cursor.peek().kind != Token::Kind::kEnd) {
        state_.cursor.next();
      }
      state_.skipBraces();
    } else if (token.is(".alias")) {
      parseAlias();
    } else if (token.is(".pragma")) {
      state_.skipPast(";");
    } else if (!token.is(";")) {
      state_.failAt(token.line, fmt::format("{} has no place here; is this PTX?", describe(token)));
    }
  }

  void parseTarget() {
    std::string target;
    do {
      const std::string_view word = state_.expectName("a target");
      if (word.starts_with("sm_") && target.empty()) target = word;
    } while (state_.ok() && state_.cursor.accept(","));
    state_.module.target = std::move(target);
  }

  // ".file 1 "name" {, time, size}"
  void parseFile() {
    const auto number = static_cast<uint32_t>(state_.expectCount("a file's number", UINT32_MAX));
    const Token& name = state_.cursor.next();
    if (name.kind != Token::Kind::kString)
      return state_.failAt(name.line, "a file's name is expected in quotes");
    state_.module.files[number] = name.text;
    while (state_.ok() && state_.cursor.accept(",")) state_.expectCount("a time or size", UINT64_MAX);
  }

  // ".alias name, function;"
  void parseAlias() {
    const uint32_t line = state_.line();
    const std::string_view name = state_.expectName("a function's name");
    state_.expect(",");
    const std::string_view aliasee = state_.expectName("a function's name");
    state_.expect(";");
    const auto function = state_.functions.find(aliasee);
    if (!state_.ok()) return;
    if (function == state_.functions.end())
      return state_.failAt(line, fmt::format("there is no function '{}'", aliasee));
    state_.functions[name] = function->second;
  }

  void parseModuleVariables(Space space, bool is_extern) {
    const uint32_t line = state_.line();
    for (DeclaredVariable& declared : parseVariables(state_, space, is_extern)) {
      const auto index = static_cast<uint32_t>(state_.module.variables.size());
      const auto [place, is_new] = state_.variables.try_emplace(declared.name, index);
      if (is_new) {
        state_.module.variables.push_back(std::move(declared.variable));
      } else if (Variable& known = state_.module.variables[place->second]; known.is_extern) {
        known = std::move(declared.variable);
      } else if (!is_extern) {
        return state_.failAt(line, fmt::format("variable '{}' is declared twice", declared.name));
      }
    }
  }

  struct Header {
    Function function;
    std::vector<std::string_view> names;  // of the variables in function.variables
    std::vector<RegisterParameter> register_parameters, register_results;
  };

  static void addParameters(std::vector<DeclaredVariable> declared, Header& header, bool results) {
    for (DeclaredVariable& one : declared) {
      const auto index = static_cast<uint32_t>(header.function.variables.size());
      (results ? header.function.results : header.function.parameters).push_back(index);
      if (one.is_register) {
        auto& list = results ? header.register_results : header.register_parameters;
        list.push_back({index, one.name, one.variable.type});
      }
      header.names.push_back(one.is_register ? "_" : one.name);
      header.function.variables.push_back(std::move(one.variable));
    }
  }

  void parseFunction(bool is_entry, bool is_extern, uint32_t line) {
    Header header;
    header.function.is_entry = is_entry;
    header.function.ptx_line = line;
    if (state_.cursor.accept(".attribute") && state_.expect("(")) state_.skipPast(")");
    if (state_.cursor.peek().is("(") && !is_entry) addParameters(parseParameters(state_), header, true);
    const std::string_view name = state_.expectName("a function's name");
    header.function.name = name;
    if (state_.cursor.peek().is("(")) addParameters(parseParameters(state_), header, false);
    parseFunctionDirectives(header.function);
    if (!state_.ok()) return;
    const bool is_declaration = state_.cursor.accept(";");
    header.function.is_declared_only = is_declaration;
    if (!is_declaration && is_extern)
      return state_.failAt(line, fmt::format("the .extern function {} has a body", name));
    const std::optional<uint32_t> index = place(name, header.function);
    if (!index || is_declaration) return;
    FunctionParser body(state_, std::move(header.function), header.names);
    body.addRegisterParameters(header.register_parameters, std::move(header.register_results));
    body.parseBody();
    state_.module.functions[*index] = body.take();
  }

  // Returns where the module keeps the function: in a new place, or in that of its earlier declaration.
  std::optional<uint32_t> place(std::string_view name, const Function& function) {
    const auto index = static_cast<uint32_t>(state_.module.functions.size());
    const auto [known, is_new] = state_.functions.try_emplace(name, index);
    if (is_new) {
      state_.module.functions.push_back(function);
      return index;
    }
    Function& earlier = state_.module.functions[known->second];
    if (earlier.is_declared_only) {
      if (!function.is_declared_only) earlier = function;
    } else if (!function.is_declared_only) {
      state_.failAt(function.ptx_line, fmt::format("function '{}' is defined twice", name));
      return std::nullopt;
    }
    return known->second;
  }

  // ".reqnctapercluster x {, y {, z}}" (11.4.9)
  void parseClusterSize(Function& function) {
    Dim3 size;
    uint32_t* const sides[] = {&size.x, &size.y, &size.z};
    for (uint32_t* side : sides) {
      *side = static_cast<uint32_t>(state_.expectCount("a cluster's size", 1U << 16));
      if (!state_.ok() || !state_.cursor.accept(",")) break;
    }
    function.required_cluster = size;
  }

  // Parses the directives between the parameters and the body (11.4).
  void parseFunctionDirectives(Function& function) {
    while (state_.ok() && state_.cursor.peek().kind == Token::Kind::kDirective) {
      const Token& token = state_.cursor.next();
      if (token.is(".maxntid") || token.is(".reqntid")) {
        uint64_t product = 1;
        do {
          product *= state_.expectCount("a block's size", 1U << 16);
        } while (state_.ok() && product <= UINT32_MAX && state_.cursor.accept(","));
        function.max_threads_per_block = static_cast<uint32_t>(std::min<uint64_t>(product, UINT32_MAX));
      } else if (token.is(".maxnreg")) {
        function.max_registers =
            static_cast<uint32_t>(state_.expectCount("a number of registers", UINT32_MAX));
      } else if (token.is(".minnctapersm")) {
        function.min_blocks_per_sm =
            static_cast<uint32_t>(state_.expectCount("a number of blocks", UINT32_MAX));
      } else if (token.is(".reqnctapercluster")) {
        parseClusterSize(function);
      } else if (token.is(".explicitcluster")) {
        function.explicit_cluster = true;
      } else if (token.is(".maxclusterrank")) {
        function.max_cluster_rank =
            static_cast<uint32_t>(state_.expectCount("a number of blocks", UINT32_MAX));
      } else if (token.is(".maxnctapersm") || token.is(".abi_preserve") ||
                 token.is(".abi_preserve_control")) {
        state_.expectCount("a directive's number", UINT32_MAX);
      } else if (token.is(".pragma")) {
        state_.skipPast(";");
      } else if (token.is(".blocksareclusters")) {
        state_.refuseAt(token.line,
                        "grids that are counted in clusters (.blocksareclusters) are not supported");
      } else if (!token.is(".noreturn") && !token.is(".unreachable")) {
        state_.failAt(token.line, fmt::format("'{}' has no place before a function's body", token.text));
      }
    }
  }

  ParserState& state_;
};

}  // namespace

Expected<Module> parseModule(std::string_view text, std::string name) {
  ParserState state(text, std::move(name), false);
  ModuleParser(state).run();
  if (state.error) return tl::unexpected(*state.error);
  return std::move(state.module);
}

Expected<ModuleReport> reportModule(std::string_view text, std::string name) {
  ParserState state(text, std::move(name), true);
  ModuleParser(state).run();
  if (state.error) return tl::unexpected(*state.error);
  return ModuleReport{std::move(state.module), std::move(state.unsupported)};
}

void nameOwnLines(Module& module) {
  constexpr uint32_t kOwnFile = 1;
  module.is_own_source = true;
  module.files[kOwnFile] = module.name;
  for (Function& function : module.functions) {
    for (Instruction& each : function.instructions)
      each.source.at = {.file = kOwnFile, .line = each.ptx_line, .column = 0};
  }
}

}  // namespace warpscope::ptx
