// How assignments of launch comments become rules. launch_resolve.cpp applies the rules.
#include "kernels/program/launch_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "kernels/compile/source_text.h"
#include "kernels/program/array_rule.h"
#include "kernels/program/image_rule.h"
#include "kernels/program/launch_guess.h"

namespace warpscope {
namespace {

constexpr std::array<const char*, 3> kSides{"x", "y", "z"};

// What stands for the launch as a whole; a parameter of the kernel cannot have such a name in a comment.
bool isLaunchWord(std::string_view name) {
  constexpr std::string_view kWords[] = {"block",   "grid",      "shared",    "cooperative",
                                         "cluster", "reference", "tolerance", "unordered"};
  return std::ranges::find(kWords, name) != std::end(kWords) || name.starts_with("expected.");
}

// "(a, b)" or "a".
std::vector<std::string> several(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(') && text.ends_with(')')) {
    auto parts = splitOutsideBrackets(text.substr(1, text.size() - 2), ',');
    if (parts.size() > 1) return parts;
  }
  return {std::string(text)};
}

// "(32, 8)" or "32x8" or "256": one to three texts.
std::vector<std::string> sides(std::string_view text) {
  auto parts = several(text);
  if (parts.size() > 1) return parts;
  text = trimmed(text);
  if (text.find_first_not_of("0123456789x") == std::string_view::npos) return splitOutsideBrackets(text, 'x');
  return parts;
}

// Takes "fixed" off the end.
bool takeWord(std::string& text, std::string_view word) {
  if (!text.ends_with(word) || text.size() == word.size()) return false;
  const char before = text[text.size() - word.size() - 1];
  if (before != ' ' && before != '\t') return false;
  text = trimmed(std::string_view(text).substr(0, text.size() - word.size()));
  return true;
}

Bytes bytesOf(ElementType type, double value, uint64_t bytes) {
  Bytes result(bytes);
  const uint64_t element = elementOf(type, value);
  std::memcpy(result.data(), &element, std::min<uint64_t>(bytes, type.bytes));
  return result;
}

class RuleMaker {
 public:
  RuleMaker(const KernelSignature& kernel, const std::vector<KernelSignature>& all, const std::string& file)
      : kernel_(kernel), all_(all), file_(file) {}

  Expected<LaunchRules> make(const std::vector<LaunchAssignment>& comments) {
    chooseAssignments(comments);
    for (const auto step : {&RuleMaker::readBlock, &RuleMaker::readSizes, &RuleMaker::readGrid,
                            &RuleMaker::readArguments, &RuleMaker::readReference}) {
      if (auto done = (this->*step)(); !done) return tl::unexpected(done.error());
    }
    dropUnused();
    for (const LaunchAssignment& each : chosen_)
      rules_.places[each.name] = fmt::format("{}:{}", file_, each.line);
    return std::move(rules_);
  }

 private:
  // A kernel's own assignments take precedence.
  void chooseAssignments(const std::vector<LaunchAssignment>& comments) {
    const std::string plain = kernel_.name.substr(0, kernel_.name.find('<'));
    for (const LaunchAssignment& each : comments) {
      const bool own = each.kernel == kernel_.name || each.kernel == plain;
      if (!own && !each.kernel.empty()) continue;
      const auto known = std::ranges::find(chosen_, each.name, &LaunchAssignment::name);
      if (known == chosen_.end()) {
        chosen_.push_back(each);
      } else if (own || known->kernel.empty()) {
        *known = each;
      }
    }
  }
  const LaunchAssignment* assigned(std::string_view name) const {
    const auto found = std::ranges::find(chosen_, name, &LaunchAssignment::name);
    return found == chosen_.end() ? nullptr : &*found;
  }
  tl::unexpected<Error> wrong(const LaunchAssignment& at, std::string_view why) const {
    return wrongAssignment(file_, at, why);
  }
  Expected<Expression> expression(const LaunchAssignment& at, std::string_view text) const {
    return expressionIn(file_, at, text);
  }
  void guessed(std::string_view name, std::string_view value) {
    rules_.guesses.push_back(fmt::format("{} = {}", name, value));
  }

  Expected<void> readBlock() {
    constexpr int64_t kMostThreads = 1024;
    rules_.block_dimensions = kernel_.block_dimensions;
    rules_.block = guessedBlock(kernel_);
    const LaunchAssignment* block = assigned("block");
    if (block == nullptr) {
      guessed("block", fmt::format("{}", fmt::join(rules_.block.begin(),
                                                   rules_.block.begin() + kernel_.block_dimensions, " x ")));
      return {};
    }
    std::string text = block->value;
    rules_.block_is_fixed = takeWord(text, "fixed");
    const std::vector<std::string> parts = sides(text);
    if (parts.size() > 3) return wrong(*block, "a block has at most 3 sides");
    rules_.block = {1, 1, 1};
    rules_.block_dimensions = static_cast<uint32_t>(parts.size());
    int64_t threads = 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto value = constantOf(parts[i]);
      if (!value) return wrong(*block, value.error().message);
      if (!(*value >= 1) || !(*value <= kMostThreads) || *value != std::floor(*value)) {
        return wrong(*block, "a side of a block has 1 to 1024 threads");
      }
      rules_.block[i] = static_cast<int64_t>(*value);
      threads *= rules_.block[i];
    }
    if (threads > kMostThreads)
      return wrong(*block, fmt::format("a block has at most 1024 threads, not {}", threads));
    return {};
  }

  // A size that the user sets, or one that follows from others.
  Expected<void> addSize(const LaunchAssignment& at) {
    std::string text = at.value;
    const bool fixed = takeWord(text, "fixed");
    const auto range = takeRange(text);
    const auto value = expression(at, text);
    if (!value) return tl::unexpected(value.error());
    const auto constant = value->constant();
    if (!constant || fixed) {
      rules_.derived.emplace_back(at.name, *value);
      return {};
    }
    SizeRule size{at.name, static_cast<int64_t>(std::floor(*constant)), 1, kMostElements};
    if (range) {
      const auto least = constantOf(range->first), most = constantOf(range->second);
      if (!least || !most || *least > *most) return wrong(at, "a range is written as: in 1..2^20");
      size.least = static_cast<int64_t>(*least);
      size.most = static_cast<int64_t>(*most);
    } else {
      size.least = std::min<int64_t>(size.least, size.default_value);
      size.most = std::max(size.most, size.default_value);
    }
    if (size.default_value < size.least || size.default_value > size.most)
      return wrong(at, "it is not in its own range");
    rules_.sizes.push_back(size);
    return {};
  }

  Expected<void> readSizes() {
    const auto integers =
        static_cast<size_t>(std::ranges::count_if(kernel_.parameters, &KernelParameter::isInteger));
    for (const KernelParameter& parameter : kernel_.parameters) {
      if (!parameter.isInteger()) continue;
      if (const LaunchAssignment* at = assigned(parameter.name)) {
        if (auto added = addSize(*at); !added) return added;
        continue;
      }
      const int64_t value = guessedSize(parameter.name, integers, rules_.block_dimensions);
      rules_.sizes.push_back({parameter.name, value, 0, kMostElements});
      guessed(parameter.name, fmt::to_string(value));
    }
    // Names that are no parameters stand for sizes of their own.
    for (const LaunchAssignment& each : chosen_) {
      if (isLaunchWord(each.name) || kernel_.find(each.name) != nullptr) continue;
      auto added = addSize(each);
      if (added) continue;
      // What is said of all kernels need not fit each of them.
      if (each.kernel.empty() && isParameterOfAnother(each.name)) continue;
      std::vector<std::string> names;
      for (const KernelParameter& parameter : kernel_.parameters) names.push_back(parameter.name);
      return wrong(each, fmt::format("{} has no parameter '{}'; it has {}", kernel_.name, each.name,
                                     names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    return {};
  }
  bool isParameterOfAnother(std::string_view name) const {
    return std::ranges::any_of(all_, [&](const KernelSignature& each) { return each.find(name) != nullptr; });
  }

  Expected<void> readGrid() {
    std::array<std::string, 3> texts = guessedGrid(rules_.sizes, rules_.block_dimensions);
    const LaunchAssignment* grid = assigned("grid");
    if (grid != nullptr) {
      const std::vector<std::string> parts = sides(grid->value);
      if (parts.size() > 3) return wrong(*grid, "a grid has at most 3 sides");
      texts = {"1", "1", "1"};
      std::ranges::copy(parts, texts.begin());
    } else {
      guessed("grid",
              fmt::format("{}", fmt::join(texts.begin(), texts.begin() + rules_.block_dimensions, " x ")));
    }
    for (size_t i = 0; i < texts.size(); ++i) {
      auto side = grid == nullptr ? Expression::parse(texts[i]) : expression(*grid, texts[i]);
      if (!side) return tl::unexpected(side.error());
      rules_.grid[i] = std::move(*side);
    }
    const LaunchAssignment* shared = assigned("shared");
    // Each thread an element of eight bytes is the usual need.
    const std::string guess = kernel_.uses_dynamic_shared ? "8 * block" : "0";
    if (shared == nullptr && kernel_.uses_dynamic_shared) guessed("shared", guess);
    auto bytes = shared == nullptr ? Expression::parse(guess) : expression(*shared, shared->value);
    if (!bytes) return tl::unexpected(bytes.error());
    rules_.shared_bytes = std::move(*bytes);
    if (auto cluster = readCluster(); !cluster) return cluster;
    const LaunchAssignment* cooperative = assigned("cooperative");
    if (cooperative == nullptr) return {};
    if (cooperative->value != "true" && cooperative->value != "false")
      return wrong(*cooperative, "it is true or false");
    rules_.cooperative = cooperative->value == "true";
    return {};
  }

  Expected<void> readCluster() {
    const LaunchAssignment* cluster = assigned("cluster");
    if (cluster == nullptr) return {};
    std::vector<std::string> parts = sides(cluster->value);
    if (parts.size() > 3) return wrong(*cluster, "a cluster has at most 3 sides");
    parts.resize(3, "1");
    auto& rule = rules_.cluster.emplace();
    for (size_t i = 0; i < parts.size(); ++i) {
      auto side = expression(*cluster, parts[i]);
      if (!side) return tl::unexpected(side.error());
      rule[i] = std::move(*side);
    }
    return {};
  }

  Expected<ArrayRule> arrayRule(const LaunchAssignment* at, const KernelParameter& parameter) {
    const ArrayContext context{kernel_, all_, file_};
    if (parameter.image) {
      const LaunchAssignment guess{kernel_.name, parameter.name, guessedImage(parameter, rules_.sizes),
                                   kernel_.line};
      if (at == nullptr) guessed(parameter.name, guess.value);
      return readImage(context, at == nullptr ? guess : *at, parameter, guess.value);
    }
    if (at != nullptr) return readArray(context, *at, at->value, parameter);
    ArrayRule array = guessedArray(parameter, rules_.sizes);
    guessed(parameter.name,
            fmt::format("{}[{}]", parameter.is_read ? "random" : "zeros", array.count.text()));
    return array;
  }

  Expected<void> readArguments() {
    for (const KernelParameter& parameter : kernel_.parameters) {
      const LaunchAssignment* at = assigned(parameter.name);
      if (parameter.is_pointer) {
        auto array = arrayRule(at, parameter);
        if (!array) return tl::unexpected(array.error());
        rules_.arguments.emplace_back(std::move(*array));
      } else if (parameter.isInteger()) {
        rules_.arguments.emplace_back(SizeArgument{parameter.name});
      } else {
        auto value = readValue(at, parameter);
        if (!value) return tl::unexpected(value.error());
        rules_.arguments.emplace_back(std::move(*value));
      }
    }
    return {};
  }

  Expected<ValueArgument> readValue(const LaunchAssignment* at, const KernelParameter& parameter) {
    if (!parameter.value || parameter.value->components != 1) {
      if (at != nullptr) return wrong(*at, "values of this type cannot be written here; its bytes are zeros");
      guessed(parameter.name, "zeros");
      return ValueArgument{Bytes(parameter.bytes)};
    }
    if (at == nullptr) {
      const bool is_float = parameter.value->element.kind == ElementType::Kind::kFloat;
      guessed(parameter.name, "1");
      return ValueArgument{bytesOf(parameter.value->element, is_float ? 1.0 : 1, parameter.bytes)};
    }
    if (at->value == "true" || at->value == "false") {
      return ValueArgument{bytesOf(parameter.value->element, at->value == "true" ? 1 : 0, parameter.bytes)};
    }
    const auto value = constantOf(at->value);
    if (!value) return wrong(*at, value.error().message);
    return ValueArgument{bytesOf(parameter.value->element, *value, parameter.bytes)};
  }

  Expected<void> readUnordered() {
    const LaunchAssignment* at = assigned("unordered");
    if (at == nullptr) return {};
    for (const std::string& name : several(at->value)) {
      const KernelParameter* array = kernel_.find(name);
      if (array != nullptr && array->is_pointer && array->is_written) {
        rules_.reference.unordered.insert(name);
      } else if (!at->kernel.empty() || !isParameterOfAnother(name)) {
        return wrong(*at, fmt::format("{} writes no array '{}'", kernel_.name, name));
      }
    }
    return {};
  }

  Expected<void> readReference() {
    ReferenceRule& reference = rules_.reference;
    for (const LaunchAssignment& each : chosen_) {
      constexpr std::string_view kExpected = "expected.";
      if (!each.name.starts_with(kExpected)) continue;
      const std::string parameter = each.name.substr(kExpected.size());
      const KernelParameter* output = kernel_.find(parameter);
      const bool quoted = each.value.size() > 2 && each.value.starts_with('"') && each.value.ends_with('"');
      if (output == nullptr || !output->is_pointer || !quoted) {
        return wrong(each, "expected bytes are written as: expected.PARAMETER = \"file.bin\"");
      }
      std::filesystem::path path = each.value.substr(1, each.value.size() - 2);
      if (path.is_relative()) path = std::filesystem::path(file_).parent_path() / path;
      reference.expected_files[parameter] = path;
    }
    if (const LaunchAssignment* at = assigned("tolerance")) {
      const auto value = constantOf(at->value);
      if (!value || *value < 0) return wrong(*at, "a tolerance is a number from 0 on, such as 1e-5");
      reference.tolerance = *value;
    }
    if (auto read = readUnordered(); !read) return read;
    const LaunchAssignment* at = assigned("reference");
    if (at == nullptr) return {};
    constexpr std::string_view kHost = "host ";
    if (at->value.starts_with(kHost)) {
      reference.kind = ReferenceRule::Kind::kHostFunction;
      reference.name = trimmed(std::string_view(at->value).substr(kHost.size()));
      return {};
    }
    const auto named = std::ranges::find(all_, at->value, &KernelSignature::name);
    if (named == all_.end())
      return wrong(*at, "there is no such kernel in the file; a function of the host is 'host NAME'");
    // What is said of all kernels of the file is not meant for the reference itself.
    if (named->entry == kernel_.entry) return {};
    if (!named->sameParameters(kernel_)) return wrong(*at, "its parameters are not those of " + kernel_.name);
    reference.kind = ReferenceRule::Kind::kKernel;
    reference.name = named->name;
    return {};
  }

  // A size that nothing depends on would be a control without effect.
  void dropUnused() {
    std::set<std::string, std::less<>> used;
    const auto uses = [&](const Expression& expression) {
      used.insert(expression.names().begin(), expression.names().end());
    };
    for (const Expression& side : rules_.grid) uses(side);
    uses(rules_.shared_bytes);
    for (const ArgumentRule& argument : rules_.arguments) {
      if (const auto* array = std::get_if<ArrayRule>(&argument)) uses(array->count);
      if (const auto* size = std::get_if<SizeArgument>(&argument)) used.insert(size->name);
    }
    for (size_t pass = 0; pass < rules_.derived.size(); ++pass) {
      for (const auto& [name, expression] : rules_.derived) {
        if (used.contains(name)) uses(expression);
      }
    }
    std::erase_if(rules_.sizes, [&](const SizeRule& size) { return !used.contains(size.name); });
    std::erase_if(rules_.derived, [&](const auto& each) { return !used.contains(each.first); });
  }

  const KernelSignature& kernel_;
  const std::vector<KernelSignature>& all_;
  const std::string& file_;
  std::vector<LaunchAssignment> chosen_;
  LaunchRules rules_;
};

}  // namespace

Expected<LaunchRules> makeLaunchRules(const KernelSignature& kernel, const std::vector<KernelSignature>& all,
                                      const std::vector<LaunchAssignment>& comments,
                                      const std::string& file) {
  return RuleMaker(kernel, all, file).make(comments);
}

}  // namespace warpscope
