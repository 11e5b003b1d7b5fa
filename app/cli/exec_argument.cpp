#include "app/cli/exec_argument.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr uint64_t kAddressBytes = 8;
constexpr std::string_view kHelp =
    "write TYPE=VALUE (u32=5, f32=1.5, bytes=00ff) or TYPE[N]=zeros|ones|iota|random:SEED|FILE, or a "
    "texture: "
    "tex2d:f32[64x32]=random:1,linear";

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

Expected<std::vector<std::byte>> parseHex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    uint8_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc{} || end != text.data() + i + 2) break;
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (text.empty() || bytes.size() * 2 != text.size()) {
    return fail(ErrorKind::kBadRequest,
                "'{}' is not bytes in hexadecimal: two digits each, at least one byte", text);
  }
  return bytes;
}

tl::unexpected<Error> ofArgument(const ExecArgument& argument, const Error& error) {
  return fail(error.kind, "--arg {}: {}", argument.text, error.message);
}

Expected<size_t> parseIndex(std::string_view text, const std::string& whole_text, const char* option,
                            std::span<const ExecArgument> arguments) {
  const auto index = whole<size_t>(text);
  if (!index || *index >= arguments.size()) {
    return fail(ErrorKind::kBadRequest,
                "{} {}: '{}' is not an argument's index; there are {} --arg, from 0 on", option, whole_text,
                text, arguments.size());
  }
  if (!arguments[*index].is_array) {
    return fail(ErrorKind::kBadRequest, "{} {}: argument {} ({}) is passed by value and holds no output",
                option, whole_text, *index, arguments[*index].text);
  }
  return *index;
}

}  // namespace

Expected<ExecArgument> parseExecArgument(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::kBadRequest, "--arg {}: {}", text, why);
  };
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return refuse(std::string(kHelp));
  std::string_view left = std::string_view(text).substr(0, equals);
  const std::string right = text.substr(equals + 1);
  if (left.find(':') != std::string_view::npos) {
    auto image = parseExecImage(left, right);
    if (!image) return refuse(image.error().message);
    image->text = text;
    return image;
  }
  ExecArgument argument;
  argument.text = text;
  if (const size_t bracket = left.find('['); bracket != std::string_view::npos) {
    if (!left.ends_with(']')) return refuse(std::string(kHelp));
    const auto count = parseCount(left.substr(bracket + 1, left.size() - bracket - 2));
    if (!count || *count < 1) return refuse("N must be a number of elements, at least 1: 1000, 4k, 2^20");
    argument.is_array = true;
    argument.count = static_cast<uint64_t>(*count);
    left = left.substr(0, bracket);
  }
  const bool bytes = left == "bytes";
  const auto type = parseElementType(bytes ? "u8" : left);
  if (!type) return refuse(type.error().message);
  argument.type = *type;
  if (argument.is_array) {
    if (argument.count > UINT64_MAX / 2 / argument.type.bytes) return refuse("so large an array cannot be");
    auto content = parseContent(right);
    if (!content) return refuse(content.error().message);
    argument.content = std::move(*content);
  } else if (bytes) {
    auto values = parseHex(right);
    if (!values) return refuse(values.error().message);
    argument.values = std::move(*values);
  } else {
    const auto value = parseElement(argument.type, right);
    if (!value) return refuse(value.error().message);
    argument.values.resize(argument.type.bytes);
    std::memcpy(argument.values.data(), &*value, argument.type.bytes);
  }
  return argument;
}

Expected<void> initialBytes(const ExecArgument& argument, uint64_t first, std::span<std::byte> out) {
  auto filled = initialBytes(argument.content, argument.type, first, out);
  if (!filled) return ofArgument(argument, filled.error());
  return filled;
}

Expected<void> checkContent(const ExecArgument& argument) {
  if (!argument.is_array) return {};
  auto possible = checkContent(argument.content, argument.type, argument.count);
  if (!possible) return ofArgument(argument, possible.error());
  return possible;
}

Expected<PrintRange> parsePrintRange(const std::string& text, std::span<const ExecArgument> arguments) {
  const size_t colon = text.find(':');
  const auto index = parseIndex(std::string_view(text).substr(0, colon), text, "--print", arguments);
  if (!index) return tl::unexpected(index.error());
  const uint64_t elements = arguments[*index].count;
  PrintRange range{*index, 0, elements};
  if (colon == std::string::npos) return range;
  const std::string_view rest = std::string_view(text).substr(colon + 1);
  const size_t comma = rest.find(',');
  const auto first = whole<uint64_t>(rest.substr(0, comma));
  const auto count = comma == std::string_view::npos
                         ? std::optional(elements - std::min(elements, first.value_or(0)))
                         : whole<uint64_t>(rest.substr(comma + 1));
  if (!first || !count) {
    return fail(ErrorKind::kBadRequest, "--print {}: write K:FIRST,COUNT, such as 0:0,16", text);
  }
  if (*first >= elements || *count > elements - *first) {
    return fail(ErrorKind::kBadRequest, "--print {}: argument {} ({}) has elements 0 to {}", text, *index,
                arguments[*index].text, elements - 1);
  }
  range.first = *first;
  range.count = *count;
  return range;
}

Expected<SaveTarget> parseSaveTarget(const std::string& text, std::span<const ExecArgument> arguments) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    return fail(ErrorKind::kBadRequest, "--save {}: write K=FILE, such as 1=out.bin", text);
  }
  const auto index = parseIndex(std::string_view(text).substr(0, equals), text, "--save", arguments);
  if (!index) return tl::unexpected(index.error());
  return SaveTarget{*index, text.substr(equals + 1)};
}

Expected<Dim3> parseDim3(const std::string& text, const char* option) {
  Dim3 dim;
  uint32_t* const sizes[] = {&dim.x, &dim.y, &dim.z};
  std::string_view rest = text;
  for (uint32_t* size : sizes) {
    const size_t comma = rest.find(',');
    const auto value = whole<uint32_t>(rest.substr(0, comma));
    if (!value || *value == 0) break;
    *size = *value;
    if (comma == std::string_view::npos) return dim;
    rest.remove_prefix(comma + 1);
  }
  return fail(ErrorKind::kBadRequest, "{} {}: write X, X,Y or X,Y,Z, each at least 1", option, text);
}

Expected<void> checkArguments(const std::string& kernel, std::span<const DeclaredParameter> declared,
                              std::span<const ExecArgument> arguments) {
  const auto declaration = [&] {
    std::vector<std::string> types;
    for (const DeclaredParameter& parameter : declared) types.push_back(parameter.type);
    return fmt::format("{}({})", kernel, fmt::join(types, ", "));
  };
  if (arguments.size() != declared.size()) {
    return fail(ErrorKind::kBadRequest, "{} takes {} argument{}, but {} --arg were given", declaration(),
                declared.size(), declared.size() == 1 ? "" : "s", arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ExecArgument& argument = arguments[i];
    const uint64_t bytes = argument.is_array ? kAddressBytes : argument.values.size();
    if (bytes == declared[i].bytes) continue;
    return fail(ErrorKind::kBadRequest,
                "{}: argument {} ({}) passes {} byte{}{}, but the parameter is {}, {}", declaration(), i,
                argument.text, bytes, bytes == 1 ? "" : "s",
                argument.image      ? ", a handle"
                : argument.is_array ? ", an address"
                                    : "",
                declared[i].type, declared[i].bytes);
  }
  return {};
}

}  // namespace warpscope
