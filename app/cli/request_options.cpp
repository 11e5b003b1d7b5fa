#include "app/cli/request_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace warpscope {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

namespace {

Expected<std::vector<int64_t>> parseRange(const ParameterSpec& spec, const std::string& text) {
  const size_t dots = text.find("..");
  const size_t colon = text.find(':', dots);
  const auto first = parseParameter(spec, text.substr(0, dots));
  if (!first) return tl::unexpected(first.error());
  const auto last =
      parseParameter(spec, text.substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2));
  if (!last) return tl::unexpected(last.error());
  int64_t step = std::max<int64_t>(spec.step, 1);
  if (colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, step);
    if (parsed.ec != std::errc{} || parsed.ptr != end || step <= 0) {
      return fail(ErrorKind::kBadRequest, "{}: '{}' has no valid step after the colon", spec.name, text);
    }
  }
  if (*first > *last) return fail(ErrorKind::kBadRequest, "{}: the range '{}' is empty", spec.name, text);
  std::vector<int64_t> values;
  // Sizes double; everything else advances in steps.
  const bool doubles = spec.kind == ParameterKind::kLog2 && colon == std::string::npos;
  int64_t value = *first;
  values.push_back(value);
  // Compares what is left, so that a huge step cannot overflow.
  while ((doubles ? std::max<int64_t>(value, 1) : step) <= *last - value) {
    value += doubles ? std::max<int64_t>(value, 1) : step;
    values.push_back(value);
  }
  return values;
}

}  // namespace

Expected<Sampling> parseSampling(const SampleArguments& arguments) {
  Sampling sampling{.max_warps = arguments.max_warps, .records_per_lane = arguments.records_per_lane};
  if (arguments.sample == "auto") return sampling;
  if (arguments.sample == "all") {
    sampling.mode = Sampling::Mode::kAll;
    return sampling;
  }
  sampling.mode = Sampling::Mode::kExplicit;
  for (const std::string& part : split(arguments.sample, ',')) {
    const size_t colon = part.find(':');
    const std::string name = part.substr(0, colon);
    uint32_t* count = name == "blocks" ? &sampling.first_blocks : name == "sms" ? &sampling.sms : nullptr;
    const char* end = part.data() + part.size();
    if (count == nullptr || colon == std::string::npos ||
        std::from_chars(part.data() + colon + 1, end, *count).ptr != end || *count == 0) {
      return fail(ErrorKind::kBadRequest, "--sample: '{}' is not possible. {}", arguments.sample,
                  samplingHelp());
    }
  }
  return sampling;
}

Expected<std::vector<std::string>> parseVariants(const FamilyInfo& family, const std::string& text) {
  std::vector<std::string> all;
  for (const VariantInfo& variant : family.variants) all.push_back(variant.name);
  if (text.empty() || text == "all") return all;
  std::vector<std::string> names = split(text, ',');
  for (const std::string& name : names) {
    if (std::ranges::count(all, name) == 0) {
      return fail(ErrorKind::kBadRequest, "{} has no variant '{}'; it has {}", family.name, name,
                  fmt::join(all, ", "));
    }
  }
  return names;
}

Expected<std::vector<int64_t>> parseValues(const ParameterSpec& spec, const std::string& text) {
  std::vector<int64_t> values;
  if (spec.kind == ParameterKind::kChoice && text == "all") {
    for (size_t i = 0; i < spec.choices.size(); ++i) values.push_back(static_cast<int64_t>(i));
    return values;
  }
  for (const std::string& part : split(text, ',')) {
    if (part.find("..") != std::string::npos && spec.kind != ParameterKind::kChoice) {
      const auto range = parseRange(spec, part);
      if (!range) return tl::unexpected(range.error());
      values.insert(values.end(), range->begin(), range->end());
    } else {
      const auto value = parseParameter(spec, part);
      if (!value) return tl::unexpected(value.error());
      values.push_back(*value);
    }
  }
  return values;
}

Expected<std::vector<RunRequest>> makeRequests(const FamilyInfo& family,
                                               const std::vector<std::string>& variants,
                                               const ParameterTexts& texts, const RunRequest& base) {
  // Each setting takes some kilobytes; it is better to refuse millions of them than to run out of memory.
  constexpr size_t kMostRequests = 100'000;
  std::vector<RunRequest> requests;
  std::set<std::string> used;
  for (const std::string& variant : variants) {
    std::vector<RunRequest> combinations{base};
    combinations.front().family = family.name;
    combinations.front().variant = variant;
    combinations.front().program = family.program;
    for (const ParameterSpec* spec : parametersOf(family, variant)) {
      const auto text = texts.find(spec->name);
      if (text == texts.end()) continue;
      used.insert(spec->name);
      const auto values = parseValues(*spec, text->second);
      if (!values) return tl::unexpected(values.error());
      if (values->size() * combinations.size() > kMostRequests - requests.size()) {
        return fail(
            ErrorKind::kBadRequest,
            "{} settings at a time are possible, and these are more: ask for fewer values or a larger "
            "step, such as 32..1024:64",
            kMostRequests);
      }
      std::vector<RunRequest> next;
      for (const RunRequest& request : combinations) {
        for (const int64_t value : *values) {
          next.push_back(request);
          next.back().parameters[spec->name] = value;
        }
      }
      combinations = std::move(next);
    }
    requests.insert(requests.end(), combinations.begin(), combinations.end());
  }
  for (const auto& [name, text] : texts) {
    if (used.contains(name)) continue;
    std::vector<std::string> possible;
    for (const ParameterSpec& spec : family.parameters) possible.push_back(parameterOption(spec.name));
    return fail(ErrorKind::kBadRequest, "{} {} has no parameter --{}; {} has {}", family.name,
                fmt::join(variants, ","), name, family.name, fmt::join(possible, ", "));
  }
  return requests;
}

}  // namespace warpscope
