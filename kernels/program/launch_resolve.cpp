// One launch from the rules: the values that a request sets, put into their expressions.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "kernels/program/image_text.h"
#include "kernels/program/launch_rules.h"

namespace warpscope {
namespace {

constexpr std::array<const char*, 3> kBlockNames{"block.x", "block.y", "block.z"};
constexpr std::array<const char*, 3> kGridNames{"grid.x", "grid.y", "grid.z"};
constexpr int64_t kMostBlockThreads = 1024;

int64_t valueOr(const ParameterValues& parameters, const std::string& name, int64_t otherwise) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? otherwise : found->second;
}

ParameterSpec blockSpec(const LaunchRules& rules, uint32_t dimension) {
  constexpr int64_t kWarp = 32;
  const int64_t value = rules.block[dimension];
  ParameterSpec spec;
  spec.name = blockParameterName(rules, dimension);
  spec.label = rules.block_dimensions == 1 ? "Block size" : fmt::format("Block {}", "xyz"[dimension]);
  spec.unit = "threads";
  spec.help = rules.block_dimensions == 1
                  ? "Threads in a block. Whole warps, unless the file asks for another size."
                  : "Threads along this side of a block; a block has at most 1,024.";
  spec.default_value = value;
  spec.max = kMostBlockThreads;
  const bool whole_warps = rules.block_dimensions == 1 && value % kWarp == 0;
  spec.min = spec.step = whole_warps ? kWarp : 1;
  spec.role = rules.block_dimensions == 1 ? ParameterRole::kBlock : ParameterRole::kBlockPart;
  if (spec.role == ParameterRole::kBlockPart) spec.samples = {value};
  return spec;
}

ParameterSpec sizeSpec(const SizeRule& size, bool only_one) {
  constexpr int64_t kLeastOfSizes = 64;
  ParameterSpec spec;
  spec.name = size.name;
  spec.label = size.name;
  spec.help = fmt::format("The kernel's '{}'.", size.name);
  spec.min = size.least;
  spec.max = size.most;
  spec.default_value = size.default_value;
  spec.kind = size.most > kLeastOfSizes && size.least >= 0 ? ParameterKind::kLog2 : ParameterKind::kInteger;
  if (only_one && size.default_value >= kLeastOfSizes) {
    spec.role = ParameterRole::kElements;
  } else {
    spec.samples = {size.default_value};
  }
  return spec;
}

// That the assignment `name` has no possible value.
tl::unexpected<Error> impossible(const LaunchRules& rules, const std::string& name, const std::string& what,
                                 const Error& why) {
  const auto place = rules.places.find(name);
  return fail(ErrorKind::kBadRequest, "{}{}: {}", place == rules.places.end() ? "" : place->second + ": ",
              what, why.message);
}

// Derived sizes may depend on each other in any order.
Expected<void> addDerived(const LaunchRules& rules, NamedValues& values) {
  for (size_t pass = 0; pass < rules.derived.size(); ++pass) {
    for (const auto& [name, expression] : rules.derived) {
      if (const auto value = expression.evaluate(values)) values[name] = std::floor(*value);
    }
  }
  for (const auto& [name, expression] : rules.derived) {
    if (const auto value = expression.evaluate(values); !value) {
      return impossible(rules, name, name, value.error());
    }
  }
  return {};
}

Expected<ImageDescription> imageWith(const ImageRule& rule, const NamedValues& values) {
  ImageDescription image = rule.description;
  uint32_t* const sides[] = {&image.width, &image.height, &image.depth};
  for (uint32_t i = 0; i < image.dimensions; ++i) {
    const auto side = rule.sides[i].evaluateWhole(values, 1, INT32_MAX);
    if (!side) return tl::unexpected(side.error());
    *sides[i] = static_cast<uint32_t>(*side);
  }
  return checkImage(image).map([&] { return image; });
}

std::string powerOfTwo(int64_t value) {
  constexpr int64_t kLeast = 1024;
  const bool is_power = value >= kLeast && std::has_single_bit(static_cast<uint64_t>(value));
  return is_power ? fmt::format("2^{}", std::countr_zero(static_cast<uint64_t>(value)))
                  : fmt::to_string(value);
}

std::string contentText(const ArrayRule& array) {
  using Kind = InitialContent::Kind;
  const InitialContent& content = array.content;
  std::string text;
  if (!array.from_kernel.empty())
    text = array.from_kernel + "." + array.from_parameter;
  else if (content.kind == Kind::kZeros)
    text = "zeros";
  else if (content.kind == Kind::kOnes)
    text = "ones";
  else if (content.kind == Kind::kIota)
    text = "iota";
  else if (content.kind == Kind::kRandom)
    text = "random";
  else
    text = fmt::format("\"{}\"", content.file.string());
  return text;
}

std::string valueText(const KernelParameter& parameter, const Bytes& bytes) {
  return parameter.value ? elementText(parameter.value->element, bytes) : "0";
}

}  // namespace

std::string blockParameterName(const LaunchRules& rules, uint32_t dimension) {
  constexpr std::array<const char*, 3> kNames{"block_x", "block_y", "block_z"};
  return rules.block_dimensions == 1 ? "block" : kNames[dimension];
}

std::vector<ParameterSpec> launchParametersOf(const LaunchRules& rules) {
  std::vector<ParameterSpec> specs;
  for (uint32_t i = 0; i < rules.block_dimensions && !rules.block_is_fixed; ++i)
    specs.push_back(blockSpec(rules, i));
  for (const SizeRule& size : rules.sizes) specs.push_back(sizeSpec(size, rules.sizes.size() == 1));
  return specs;
}

Expected<ResolvedLaunch> resolveLaunch(const LaunchRules& rules, const ParameterValues& parameters) {
  constexpr int64_t kMostGridX = INT32_MAX, kMostGridYz = 65535, kMostShared = 1 << 20, kMostClusterSide = 16;
  constexpr int64_t kMostArrayElements = int64_t{1} << 40;
  ResolvedLaunch launch;
  NamedValues& values = launch.values;
  std::array<int64_t, 3> block = rules.block;
  for (uint32_t i = 0; i < block.size(); ++i) {
    const bool is_set = i < rules.block_dimensions && !rules.block_is_fixed;
    if (is_set) block[i] = valueOr(parameters, blockParameterName(rules, i), block[i]);
    values[kBlockNames[i]] = static_cast<double>(block[i]);
  }
  const int64_t threads = block[0] * block[1] * block[2];
  if (threads > kMostBlockThreads) {
    return fail(ErrorKind::kBadRequest, "a block of {} x {} x {} has {} threads; at most 1,024 are possible",
                block[0], block[1], block[2], threads);
  }
  launch.block = {static_cast<uint32_t>(block[0]), static_cast<uint32_t>(block[1]),
                  static_cast<uint32_t>(block[2])};
  values["block"] = static_cast<double>(threads);
  for (const SizeRule& size : rules.sizes) {
    values[size.name] = static_cast<double>(valueOr(parameters, size.name, size.default_value));
  }
  if (auto derived = addDerived(rules, values); !derived) return tl::unexpected(derived.error());

  std::array<uint32_t*, 3> grid{&launch.grid.x, &launch.grid.y, &launch.grid.z};
  double blocks = 1;
  for (size_t i = 0; i < grid.size(); ++i) {
    const auto side = rules.grid[i].evaluateWhole(values, 1, i == 0 ? kMostGridX : kMostGridYz);
    if (!side) return impossible(rules, "grid", "the grid", side.error());
    *grid[i] = static_cast<uint32_t>(*side);
    values[kGridNames[i]] = static_cast<double>(*side);
    blocks *= static_cast<double>(*side);
  }
  if (rules.cluster) {
    launch.cluster.emplace();
    const std::array<uint32_t*, 3> cluster{&launch.cluster->x, &launch.cluster->y, &launch.cluster->z};
    for (size_t i = 0; i < cluster.size(); ++i) {
      const auto side = (*rules.cluster)[i].evaluateWhole(values, 1, kMostClusterSide);
      if (!side) return impossible(rules, "cluster", "the cluster", side.error());
      *cluster[i] = static_cast<uint32_t>(*side);
    }
  }
  values["grid"] = values["blocks"] = blocks;
  values["threads"] = blocks * static_cast<double>(threads);
  const auto shared = rules.shared_bytes.evaluateWhole(values, 0, kMostShared);
  if (!shared) return impossible(rules, "shared", "dynamic shared memory", shared.error());
  launch.shared_bytes = static_cast<uint32_t>(*shared);
  for (const ArgumentRule& argument : rules.arguments) {
    launch.counts.push_back(0);
    launch.images.emplace_back();
    const auto* array = std::get_if<ArrayRule>(&argument);
    if (array == nullptr) continue;
    const auto count = array->count.evaluateWhole(values, 1, kMostArrayElements);
    if (!count) return impossible(rules, array->name, "the length of " + array->name, count.error());
    launch.counts.back() = static_cast<uint64_t>(*count);
    if (!array->image) continue;
    auto image = imageWith(*array->image, values);
    if (!image) return impossible(rules, array->name, "the sides of " + array->name, image.error());
    launch.images.back() = *image;
  }
  return launch;
}

std::string formatLaunchRules(const KernelSignature& kernel, const LaunchRules& rules,
                              const ParameterValues& parameters) {
  std::vector<std::string> sides;
  for (uint32_t i = 0; i < rules.block_dimensions; ++i) {
    sides.push_back(fmt::to_string(valueOr(parameters, blockParameterName(rules, i), rules.block[i])));
  }
  std::vector<std::string> parts;
  const auto several = [](const std::vector<std::string>& each) {
    return each.size() == 1 ? each.front() : fmt::format("({})", fmt::join(each, ", "));
  };
  parts.push_back("block = " + several(sides) + (rules.block_is_fixed ? " fixed" : ""));
  constexpr int64_t kUsualMost = 1 << 28;
  for (const SizeRule& size : rules.sizes) {
    std::string text = size.name + " = " + powerOfTwo(valueOr(parameters, size.name, size.default_value));
    if (size.most != kUsualMost)
      text += fmt::format(" in {}..{}", powerOfTwo(size.least), powerOfTwo(size.most));
    parts.push_back(text);
  }
  for (const auto& [name, expression] : rules.derived) {
    parts.push_back(name + " = " + expression.text() + (expression.constant() ? " fixed" : ""));
  }
  std::vector<std::string> grid;
  for (size_t i = 0; i < rules.grid.size(); ++i) {
    if (i < rules.block_dimensions || rules.grid[i].text() != "1") grid.push_back(rules.grid[i].text());
  }
  parts.push_back("grid = " + several(grid));
  if (rules.shared_bytes.text() != "0") parts.push_back("shared = " + rules.shared_bytes.text());
  if (rules.cooperative) parts.emplace_back("cooperative = true");
  if (rules.cluster) {
    std::vector<std::string> cluster;
    for (const Expression& side : *rules.cluster) cluster.push_back(side.text());
    while (cluster.size() > 1 && cluster.back() == "1") cluster.pop_back();
    parts.push_back("cluster = " + several(cluster));
  }
  for (size_t i = 0; i < rules.arguments.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    if (const auto* array = std::get_if<ArrayRule>(&rules.arguments[i])) {
      std::string after;
      if (array->content.seed != 0) after += fmt::format(":{}", array->content.seed);
      if (array->content.range)
        after += fmt::format(" in {}..{}", array->content.range->least, array->content.range->most);
      if (array->image) {
        std::vector<std::string> of_image;
        for (uint32_t side = 0; side < array->image->description.dimensions; ++side)
          of_image.push_back(array->image->sides[side].text());
        parts.push_back(parameter.name + " = " +
                        formatImageText(array->image->description, of_image, contentText(*array), after));
        continue;
      }
      // An array of float4 is counted in floats inside, and in float4 in the text.
      const bool is_vector =
          parameter.value && parameter.value->components > 1 && array->element == parameter.value->element;
      std::string count = array->count.text();
      if (is_vector) count = count.substr(count.find('(') + 1, count.size() - count.find('(') - 2);
      const bool other_type = !parameter.value || array->element != parameter.value->element;
      std::string text =
          fmt::format("{} = {}{}[{}]", parameter.name, other_type ? array->element.name() + " " : "",
                      contentText(*array), count);
      parts.push_back(text + after);
    } else if (const auto* value = std::get_if<ValueArgument>(&rules.arguments[i])) {
      if (parameter.value && parameter.value->components == 1)
        parts.push_back(parameter.name + " = " + valueText(parameter, value->bytes));
    }
  }
  using Kind = ReferenceRule::Kind;
  if (rules.reference.kind != Kind::kNone) {
    parts.push_back(std::string("reference = ") +
                    (rules.reference.kind == Kind::kHostFunction ? "host " : "") + rules.reference.name);
  }
  if (rules.reference.tolerance > 0)
    parts.push_back(fmt::format("tolerance = {}", rules.reference.tolerance));
  if (!rules.reference.unordered.empty()) {
    parts.push_back("unordered = " +
                    several({rules.reference.unordered.begin(), rules.reference.unordered.end()}));
  }
  for (const auto& [name, file] : rules.reference.expected_files)
    parts.push_back(fmt::format("expected.{} = \"{}\"", name, file.string()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace warpscope
