#include "kernels/program/signature.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "kernels/compile/source_text.h"
#include "kernels/program/definitions.h"
#include "kernels/program/order_use.h"
#include "kernels/program/pointer_use.h"

namespace warpscope {
namespace {

using Kind = ElementType::Kind;

std::string demangled(const std::string& entry) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : "";
}

// "void tools::scan<float>(float const*, int)": its name without return type and namespaces, and its types.
struct Declaration {
  std::string name;
  std::vector<std::string> types;
};

std::optional<Declaration> declarationOf(const std::string& entry) {
  const std::string text = demangled(entry);
  // The parameter list is what the last closing bracket closes.
  const size_t close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  size_t open = std::string::npos;
  int depth = 0;
  for (size_t i = close + 1; i-- > 0 && open == std::string::npos;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) open = i;
  }
  if (open == std::string::npos) return std::nullopt;
  std::string name = text.substr(0, open);
  int angles = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++angles;
    if (name[i] == '>') --angles;
    if (angles == 0 && (name[i] == ' ' || name[i] == ':')) begin = i + 1;
  }
  return Declaration{name.substr(begin),
                     splitParameters(std::string_view(text).substr(open + 1, close - open - 1))};
}

// The name of a parameter as it is declared: the last word before "[]" or "= default".
std::string declaredName(std::string_view declaration) {
  declaration = trimmed(declaration.substr(0, declaration.find_first_of("=[")));
  size_t begin = declaration.size();
  while (begin > 0 && isWordCharacter(declaration[begin - 1])) --begin;
  return std::string(declaration.substr(begin));
}

uint32_t dimensionsOf(const ptx::Function& function) {
  using ptx::Special;
  uint32_t dimensions = 1;
  const auto see = [&](const ptx::Operand& operand) {
    if (operand.kind != ptx::Operand::Kind::kSpecial) return;
    const Special read = operand.special;
    if (read == Special::kTidY || read == Special::kCtaidY) dimensions = std::max(dimensions, 2U);
    if (read == Special::kTidZ || read == Special::kCtaidZ) dimensions = 3;
  };
  for (const ptx::Instruction& instruction : function.instructions)
    std::ranges::for_each(instruction.operands, see);
  return dimensions;
}

bool usesDynamicShared(const ptx::Module& module, const ptx::Function& function) {
  const auto is_dynamic = [](const ptx::Variable& variable) {
    return variable.space == ptx::Space::kShared && variable.is_extern;
  };
  const auto uses = [&](const ptx::Operand& operand) {
    const bool names =
        operand.kind == ptx::Operand::Kind::kVariable ||
        (operand.kind == ptx::Operand::Kind::kAddress && !operand.has_base && !operand.absolute);
    if (!names) return false;
    const auto& variables = operand.local ? function.variables : module.variables;
    return operand.index < variables.size() && is_dynamic(variables[operand.index]);
  };
  return std::ranges::any_of(function.instructions, [&](const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, uses);
  });
}

// The channels of a texel as far as instructions tell them: registers have no type of their own.
ValueType channelOf(const PointerUse& use) {
  const bool is_float =
      use.is_float || (use.is_surface && use.access_bytes >= 4) || use.image_dimensions == 0;
  const Kind kind = is_float ? Kind::kFloat : use.is_signed ? Kind::kSigned : Kind::kUnsigned;
  return {{kind, std::clamp(use.access_bytes, 1U, 4U)}, 1};
}

// Makes a texture or surface of the parameter, if it is one: `written` is its declaration.
void takeImage(const PointerUse& use, std::string_view written, KernelParameter& parameter) {
  const bool surface = written.find("cudaSurfaceObject_t") != std::string_view::npos;
  const bool texture = written.find("cudaTextureObject_t") != std::string_view::npos;
  if (parameter.bytes != 8 || (use.image_dimensions == 0 && !surface && !texture)) return;
  parameter.is_pointer = true;
  const bool is_surface = use.image_dimensions > 0 ? use.is_surface : surface;
  parameter.type = is_surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t";
  parameter.image = ImageUse{is_surface, use.image_dimensions, use.image_channels, use.by_index};
  parameter.value = channelOf(use);
  parameter.is_read = use.is_read;
  parameter.is_written = use.is_written;
}

KernelParameter parameterOf(const ptx::Variable& variable, size_t index, const PointerUse& use,
                            const std::string& type, const std::string& declared, std::string_view source) {
  KernelParameter parameter;
  parameter.name = declared.empty() ? fmt::format("arg{}", index) : declared;
  parameter.type = type;
  parameter.bytes = variable.bytes;
  parameter.is_pointer = type.empty() ? use.is_address && variable.bytes == 8 : type.ends_with("*");
  parameter.value = valueTypeOf(type, source);
  if (!parameter.value && type.empty()) {
    const uint32_t bytes =
        parameter.is_pointer ? std::max(use.access_bytes, 1U) : static_cast<uint32_t>(variable.bytes);
    const bool is_float = parameter.is_pointer ? use.is_float : use.is_float_value;
    if (bytes <= 8) parameter.value = ValueType{{is_float ? Kind::kFloat : Kind::kUnsigned, bytes}, 1};
  }
  if (parameter.is_pointer) {
    parameter.is_read = use.is_read || !use.is_written;
    parameter.is_written = use.is_written || (!use.is_read && type.find("const*") == std::string::npos);
  }
  return parameter;
}

}  // namespace

bool KernelParameter::isInteger() const {
  return !is_pointer && value && value->components == 1 && value->element.kind != Kind::kFloat &&
         value->element.bytes >= 4;
}

const KernelParameter* KernelSignature::find(std::string_view parameter) const {
  const auto found = std::ranges::find(parameters, parameter, &KernelParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

bool KernelSignature::sameParameters(const KernelSignature& other) const {
  return std::ranges::equal(parameters, other.parameters, [](const auto& one, const auto& two) {
    return one.name == two.name && one.bytes == two.bytes && one.is_pointer == two.is_pointer;
  });
}

std::vector<KernelSignature> kernelSignatures(const ptx::Module& module, std::string_view source) {
  const std::string code = codeOnly(source);
  std::vector<KernelSignature> signatures;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    KernelSignature signature;
    signature.entry = function.name;
    const auto declaration = declarationOf(function.name);
    signature.name = declaration ? declaration->name : function.name;
    const auto defined = findKernelDefinition(code, signature.name.substr(0, signature.name.find('<')));
    if (defined) signature.line = defined->line;
    const bool named = defined && defined->parameters.size() == function.parameters.size();
    const bool typed = declaration && declaration->types.size() == function.parameters.size();
    const std::vector<PointerUse> uses = pointerUses(function);
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const std::string written = named ? defined->parameters[i] : "";
      const std::string name = declaredName(written);
      std::string type = typed ? declaration->types[i] : "";
      if (!typed && named) type = trimmed(std::string_view(written).substr(0, written.rfind(name)));
      signature.parameters.push_back(
          parameterOf(function.variables[function.parameters[i]], i, uses[i], type, name, code));
      takeImage(uses[i], written, signature.parameters.back());
    }
    signature.block_dimensions = dimensionsOf(function);
    signature.uses_dynamic_shared = usesDynamicShared(module, function);
    signature.order_dependence = orderDependence(module, function);
    signature.most_threads = function.max_threads_per_block;
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

namespace {

struct NamedType {
  std::string_view name;
  ElementType type;
};
// Of an LP64 host, which CUDA's compilers take for theirs on Linux.
constexpr NamedType kTypes[] = {
    {"char", {Kind::kSigned, 1}},
    {"signed char", {Kind::kSigned, 1}},
    {"int8_t", {Kind::kSigned, 1}},
    {"unsigned char", {Kind::kUnsigned, 1}},
    {"uchar", {Kind::kUnsigned, 1}},
    {"uint8_t", {Kind::kUnsigned, 1}},
    {"bool", {Kind::kUnsigned, 1}},
    {"short", {Kind::kSigned, 2}},
    {"int16_t", {Kind::kSigned, 2}},
    {"unsigned short", {Kind::kUnsigned, 2}},
    {"ushort", {Kind::kUnsigned, 2}},
    {"uint16_t", {Kind::kUnsigned, 2}},
    {"int", {Kind::kSigned, 4}},
    {"int32_t", {Kind::kSigned, 4}},
    {"unsigned int", {Kind::kUnsigned, 4}},
    {"unsigned", {Kind::kUnsigned, 4}},
    {"uint", {Kind::kUnsigned, 4}},
    {"uint32_t", {Kind::kUnsigned, 4}},
    {"long", {Kind::kSigned, 8}},
    {"long long", {Kind::kSigned, 8}},
    {"int64_t", {Kind::kSigned, 8}},
    {"unsigned long", {Kind::kUnsigned, 8}},
    {"ulong", {Kind::kUnsigned, 8}},
    {"unsigned long long", {Kind::kUnsigned, 8}},
    {"uint64_t", {Kind::kUnsigned, 8}},
    {"size_t", {Kind::kUnsigned, 8}},
    {"long long int", {Kind::kSigned, 8}},
    {"unsigned long long int", {Kind::kUnsigned, 8}},
    {"long int", {Kind::kSigned, 8}},
    {"unsigned long int", {Kind::kUnsigned, 8}},
    {"float", {Kind::kFloat, 4}},
    {"double", {Kind::kFloat, 8}},
    {"half", {Kind::kFloat, 2}},
    {"__half", {Kind::kFloat, 2}},
    {"__nv_bfloat16", {Kind::kBits, 2}},
    {"nv_bfloat16", {Kind::kBits, 2}},
};
constexpr NamedType kVectors[] = {
    // before the number of components
    {"char", {Kind::kSigned, 1}},     {"uchar", {Kind::kUnsigned, 1}},     {"short", {Kind::kSigned, 2}},
    {"ushort", {Kind::kUnsigned, 2}}, {"int", {Kind::kSigned, 4}},         {"uint", {Kind::kUnsigned, 4}},
    {"long", {Kind::kSigned, 8}},     {"ulong", {Kind::kUnsigned, 8}},     {"longlong", {Kind::kSigned, 8}},
    {"float", {Kind::kFloat, 4}},     {"double", {Kind::kFloat, 8}},       {"half", {Kind::kFloat, 2}},
    {"__half", {Kind::kFloat, 2}},    {"ulonglong", {Kind::kUnsigned, 8}},
};

// "float x, y[4]; int k;" if all its members are of one size, as they then have no gaps.
std::optional<ValueType> structOf(std::string_view body) {
  std::optional<ValueType> whole;
  for (const std::string& member : splitOutsideBrackets(body, ';')) {
    if (member.empty()) continue;
    const auto names = splitOutsideBrackets(member, ',');
    const std::string first = declaredName(names.front());
    const auto type =
        valueTypeOf(trimmed(std::string_view(names.front()).substr(0, names.front().rfind(first))));
    if (!type || (whole && whole->element.bytes != type->element.bytes)) return std::nullopt;
    if (!whole) whole = ValueType{type->element, 0};
    for (const std::string& name : names) {
      const size_t bracket = name.find('[');
      const int count = bracket == std::string::npos ? 1 : std::atoi(name.c_str() + bracket + 1);
      if (count < 1) return std::nullopt;
      whole->components += type->components * static_cast<uint32_t>(count);
    }
  }
  return whole;
}

}  // namespace

std::optional<ValueType> valueTypeOf(std::string_view type, std::string_view source) {
  std::string plain;
  std::string word;
  const auto end_word = [&] {
    const bool skipped = word.empty() || word == "const" || word == "volatile" || word == "__restrict__" ||
                         word == "restrict" || word == "__restrict" || word == "struct";
    if (!skipped) plain += (plain.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : type) {
    if (isWordCharacter(c)) {
      word += c;
    } else {
      end_word();
    }
    if (c == ':') plain.clear();  // std::size_t
  }
  end_word();
  for (const NamedType& each : kTypes) {
    if (each.name == plain) return ValueType{each.type, 1};
  }
  if (plain.size() > 1 && plain.back() >= '1' && plain.back() <= '4') {
    for (const NamedType& each : kVectors) {
      if (each.name != std::string_view(plain).substr(0, plain.size() - 1)) continue;
      const auto components = static_cast<uint32_t>(plain.back() - '0');
      return ValueType{each.type, components};
    }
  }
  const auto body = source.empty() || plain.empty() ? std::nullopt : findStructBody(source, plain);
  return body ? structOf(*body) : std::nullopt;
}

}  // namespace warpscope
