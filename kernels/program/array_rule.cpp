#include "kernels/program/array_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/compile/source_text.h"
#include "kernels/program/launch_guess.h"

namespace warpscope {
namespace {

// Fills in the content, and the count where the text leaves it out.
Expected<void> readContent(const ArrayContext& context, const LaunchAssignment& at, const std::string& text,
                           ArrayRule& array, std::string& count) {
  constexpr const char* kForms =
      "an array is zeros[n], ones[n], iota[n], random[n], \"file.bin\" or KERNEL.PARAMETER";
  using Kind = InitialContent::Kind;
  constexpr std::pair<std::string_view, Kind> kNames[] = {
      {"zeros", Kind::kZeros}, {"ones", Kind::kOnes}, {"iota", Kind::kIota}, {"random", Kind::kRandom}};
  for (const auto& [name, kind] : kNames) {
    if (text != name) continue;
    array.content.kind = kind;
    if (count.empty())
      return wrongAssignment(context.file, at, fmt::format("its length is missing: {}[n]", name));
    return {};
  }
  if (text.size() > 2 && text.starts_with('"') && text.ends_with('"')) {
    array.content.kind = Kind::kFile;
    std::filesystem::path file = text.substr(1, text.size() - 2);
    if (file.is_relative()) file = std::filesystem::path(context.file).parent_path() / file;
    array.content.file = file;
    if (!count.empty()) return {};
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error)
      return wrongAssignment(context.file, at, fmt::format("{}: {}", file.string(), error.message()));
    count = fmt::to_string(bytes / array.element.bytes);
    return {};
  }
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return wrongAssignment(context.file, at, kForms);
  const auto producer = std::ranges::find(context.all, text.substr(0, dot), &KernelSignature::name);
  if (producer == context.all.end())
    return wrongAssignment(context.file, at,
                           fmt::format("there is no kernel '{}'; {}", text.substr(0, dot), kForms));
  if (producer->entry == context.kernel.entry)
    return wrongAssignment(context.file, at, "a kernel cannot begin with its own output");
  const KernelParameter* output = producer->find(text.substr(dot + 1));
  if (output == nullptr || !output->is_pointer) {
    return wrongAssignment(context.file, at,
                           fmt::format("{} has no array '{}'", producer->name, text.substr(dot + 1)));
  }
  array.from_kernel = producer->name;
  array.from_parameter = output->name;
  if (count.empty())
    return wrongAssignment(context.file, at, fmt::format("its length is missing: {}[n]", text));
  return {};
}

}  // namespace

// "[TYPE] CONTENT[COUNT][:SEED] [in LEAST..MOST]", "\"FILE\"[COUNT]", "KERNEL.PARAMETER[COUNT]".
Expected<ArrayRule> readArray(const ArrayContext& context, const LaunchAssignment& at, std::string text,
                              const KernelParameter& parameter) {
  ArrayRule array{.name = parameter.name,
                  .element = parameter.value ? parameter.value->element : ElementType{}};
  const auto range = takeRange(text);
  if (range) {
    const auto least = constantOf(range->first), most = constantOf(range->second);
    if (!least || !most || *least > *most)
      return wrongAssignment(context.file, at, "a range of values is written as: in 0..255");
    array.content.range = InitialContent::Range{*least, *most};
  }
  const size_t space = text.find(' ');
  if (space != std::string::npos && space < text.find('[') && !text.starts_with('"')) {
    const auto type = parseElementType(text.substr(0, space));
    if (!type) return wrongAssignment(context.file, at, type.error().message);
    array.element = *type;
    text = trimmed(std::string_view(text).substr(space));
  }
  if (const size_t colon = text.rfind("]:"); colon != std::string::npos) {
    const auto seed = constantOf(std::string_view(text).substr(colon + 2));
    if (!seed || *seed < 0) return wrongAssignment(context.file, at, "a seed is a whole number: random[n]:1");
    array.content.seed = static_cast<uint64_t>(*seed);
    text.resize(colon + 1);
  }
  std::string count;
  if (const size_t open = text.find('['); open != std::string::npos && text.ends_with(']')) {
    count = text.substr(open + 1, text.size() - open - 2);
    text = trimmed(std::string_view(text).substr(0, open));
  }
  if (auto content = readContent(context, at, text, array, count); !content)
    return tl::unexpected(content.error());
  auto parsed = expressionIn(context.file, at, count);
  if (!parsed) return tl::unexpected(parsed.error());
  array.count = std::move(*parsed);
  // A float4 array of n has 4 n floats.
  if (parameter.value && parameter.value->components > 1 && array.element == parameter.value->element) {
    array.count = *Expression::parse(fmt::format("{} * ({})", parameter.value->components, count));
  }
  return array;
}

ArrayRule guessedArray(const KernelParameter& parameter, const std::vector<SizeRule>& sizes) {
  ArrayRule array{.name = parameter.name};
  const ValueType value = parameter.value.value_or(ValueType{{ElementType::Kind::kUnsigned, 4}, 1});
  array.element = value.element;
  std::string count = guessedCount(sizes);
  if (value.components > 1) count = fmt::format("{} * ({})", value.components, count);
  array.count = *Expression::parse(count);
  array.content = guessedContent(parameter);
  array.untouched = !parameter.is_read;
  return array;
}

}  // namespace warpscope
