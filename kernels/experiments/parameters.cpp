// Parameters of experiments: which a variant has, defaults and ranges, and their text forms.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

std::optional<int64_t> parseWhole(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// "17", "2^20", "4k", "4M" (binary multiples: sizes here are powers of two).
std::optional<int64_t> parseTerm(std::string_view text) {
  if (text.starts_with("2^")) {
    const auto exponent = parseWhole(text.substr(2));
    if (!exponent || *exponent < 0 || *exponent > 62) return std::nullopt;
    return int64_t{1} << *exponent;
  }
  int shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) text.remove_suffix(1);
  const auto value = parseWhole(text);
  if (!value || *value < 0 || *value > (int64_t{1} << (62 - shift))) return std::nullopt;
  return *value << shift;
}

std::string allowedValues(const ParameterSpec& spec) {
  if (spec.kind == ParameterKind::kChoice) return fmt::format("one of {}", fmt::join(spec.choices, ", "));
  const std::string range =
      fmt::format("{} to {}", formatParameter(spec, spec.min), formatParameter(spec, spec.max));
  return spec.kind == ParameterKind::kInteger && spec.step > 1
             ? fmt::format("{} in steps of {}", range, spec.step)
             : range;
}

bool inRange(const ParameterSpec& spec, int64_t value) {
  if (spec.kind == ParameterKind::kChoice)
    return value >= 0 && value < static_cast<int64_t>(spec.choices.size());
  if (value < spec.min || value > spec.max) return false;
  return spec.kind != ParameterKind::kInteger || (value - spec.min) % spec.step == 0;
}

}  // namespace

std::vector<const ParameterSpec*> parametersOf(const FamilyInfo& family, const std::string& variant) {
  std::vector<const ParameterSpec*> found;
  for (const ParameterSpec& spec : family.parameters) {
    if (spec.variants.empty() || std::ranges::count(spec.variants, variant) > 0) found.push_back(&spec);
  }
  return found;
}

std::string variantTitle(const std::string& family, const std::string& variant) {
  const auto experiment = findExperiment(family);
  const VariantInfo* info = experiment ? variantInfo((*experiment)->info(), variant) : nullptr;
  return info == nullptr ? variant : info->title;
}

bool isCeiling(const std::string& family, const std::string& variant) {
  const auto experiment = findExperiment(family);
  const VariantInfo* info = experiment ? variantInfo((*experiment)->info(), variant) : nullptr;
  return info != nullptr && info->ceiling;
}

std::string variantLabel(const std::string& family, const std::string& variant) {
  const std::string title = variantTitle(family, variant);
  return title == variant ? variant : fmt::format("{} ({})", title, variant);
}

const VariantInfo* variantInfo(const FamilyInfo& family, const std::string& variant) {
  const auto found = std::ranges::find(family.variants, variant, &VariantInfo::name);
  return found == family.variants.end() ? nullptr : &*found;
}

namespace {

constexpr int64_t kLeastElements = 1 << 12;

// A GPU with so few SMs is simulated whole (kernels/sim/sm/sampled_sms.h), block by block.
constexpr uint32_t kFewSms = 8;
constexpr int64_t kMostElementsOfFewSms = 1 << 14;

// The elements for the SMs that there are, in powers of two; few are not worth dividing.
int64_t simulatedDefault(const ParameterSpec& spec, uint32_t sm_count) {
  int64_t value = spec.simulated_default.value_or(spec.default_value);
  if (spec.role != ParameterRole::kElements) return value;
  for (uint32_t sms = std::max(sm_count, 1U); sms < DefaultsFor::kManySms && value / 2 >= kLeastElements;
       sms *= 2) {
    value /= 2;
  }
  if (sm_count < kFewSms) value = std::min(value, kMostElementsOfFewSms);
  return value;
}

}  // namespace

int64_t defaultOn(const ParameterSpec& spec, const DefaultsFor& device) {
  return device.kind == DeviceKind::kSimulated ? simulatedDefault(spec, device.sm_count) : spec.default_value;
}

Expected<RunRequest> completeRequest(const FamilyInfo& family, RunRequest request,
                                     const DefaultsFor& device) {
  if (variantInfo(family, request.variant) == nullptr) {
    std::vector<std::string> names;
    for (const VariantInfo& variant : family.variants) names.push_back(variant.name);
    return fail(ErrorKind::kBadRequest, "{} has no variant '{}'; it has {}", family.name, request.variant,
                fmt::join(names, ", "));
  }
  const auto specs = parametersOf(family, request.variant);
  for (const auto& [name, value] : request.parameters) {
    const auto spec = std::ranges::find(specs, name, &ParameterSpec::name);
    if (spec == specs.end()) {
      return fail(ErrorKind::kBadRequest, "{} {} has no parameter '{}'", family.name, request.variant, name);
    }
    if (!inRange(**spec, value)) {
      return fail(ErrorKind::kBadRequest, "{} {}: {} is {}, but must be {}", family.name, request.variant,
                  name, value, allowedValues(**spec));
    }
  }
  if (!request.program) request.program = family.program;
  for (const ParameterSpec* spec : specs) {
    request.parameters.try_emplace(spec->name, defaultOn(*spec, device));
  }
  return request;
}

std::optional<int64_t> parseCount(std::string_view text) {
  int64_t sum = 0;
  while (true) {
    const size_t plus = text.find('+');
    const auto term = parseTerm(text.substr(0, plus));
    if (!term || sum > INT64_MAX - *term) return std::nullopt;
    sum += *term;
    if (plus == std::string_view::npos) return sum;
    text.remove_prefix(plus + 1);
  }
}

Expected<int64_t> parseParameter(const ParameterSpec& spec, const std::string& text) {
  if (spec.kind == ParameterKind::kChoice) {
    const auto choice = std::ranges::find(spec.choices, text);
    if (choice != spec.choices.end()) return choice - spec.choices.begin();
  } else if (!spec.zero_means.empty() && text == spec.zero_means) {
    return 0;
  } else {
    const bool negative = text.starts_with('-');
    const auto count = parseCount(std::string_view(text).substr(negative ? 1 : 0));
    const int64_t value = count.value_or(0) * (negative ? -1 : 1);
    if (count && inRange(spec, value)) return value;
  }
  return fail(ErrorKind::kBadRequest, "{}: '{}' is not possible; it must be {}", spec.name, text,
              allowedValues(spec));
}

std::string formatParameter(const ParameterSpec& spec, int64_t value) {
  if (spec.kind == ParameterKind::kChoice && value >= 0 &&
      value < static_cast<int64_t>(spec.choices.size())) {
    return spec.choices[static_cast<size_t>(value)];
  }
  if (value == 0 && !spec.zero_means.empty()) return spec.zero_means;
  if (spec.kind == ParameterKind::kLog2 && value >= 1024 &&
      std::has_single_bit(static_cast<uint64_t>(value))) {
    return fmt::format("2^{}", std::countr_zero(static_cast<uint64_t>(value)));
  }
  return fmt::format("{}", value);
}

std::string formatParameters(const RunRequest& request, std::string_view before, std::string_view between) {
  const auto experiment = findExperiment(request.family);
  std::string text;
  for (const auto& [name, value] : request.parameters) {
    std::string shown = fmt::to_string(value);
    if (experiment) {
      const auto& specs = (*experiment)->info().parameters;
      const auto spec = std::ranges::find(specs, name, &ParameterSpec::name);
      if (spec != specs.end()) shown = formatParameter(*spec, value);
    }
    text += fmt::format("{}{}{}{}", before, name, between, shown);
  }
  return text;
}

}  // namespace warpscope
