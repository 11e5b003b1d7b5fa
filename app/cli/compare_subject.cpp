#include "app/cli/compare_subject.h"

#include <charconv>

namespace warpscope {
namespace {

bool isFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// FILE, FILE#N or FILE:VARIANT of an existing file; nullopt: the text is not one of these.
std::optional<Expected<CompareSubject>> fileSubject(const std::string& text) {
  if (isFile(text)) return CompareSubject{.text = text, .file = text};
  const size_t hash = text.rfind('#');
  if (hash != std::string::npos && isFile(text.substr(0, hash))) {
    size_t number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + hash + 1, end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end || number == 0) {
      return fail(ErrorKind::kBadRequest, "'{}': after # comes the number of a run, from 1", text);
    }
    return CompareSubject{.text = text, .file = text.substr(0, hash), .number = number - 1};
  }
  const size_t colon = text.rfind(':');
  if (colon != std::string::npos && isFile(text.substr(0, colon))) {
    return CompareSubject{.text = text, .file = text.substr(0, colon), .variant = text.substr(colon + 1)};
  }
  return std::nullopt;
}

// The name of the user's program that the text begins with, which is also that of a file; empty: there is
// none.
std::string programIn(const std::string& text) {
  for (const Experiment* experiment : addedExperiments()) {
    const std::string& name = experiment->info().name;
    const bool ends = text.size() == name.size() ||
                      (text.size() > name.size() &&
                       std::string_view("/,@").find(text[name.size()]) != std::string_view::npos);
    if (ends && text.starts_with(name)) return name;
  }
  return {};
}

}  // namespace

Expected<CompareSubject> parseCompareSubject(const std::string& text, const RunRequest& base) {
  const std::string program = programIn(text);
  if (auto file = fileSubject(text); file && program.empty()) return *std::move(file);
  if (text.find(".wsrec") != std::string::npos && text.find('@') == std::string::npos) {
    return fail(ErrorKind::kBadRequest, "'{}': there is no such recording", text);
  }
  CompareSubject subject{.text = text};
  const size_t at = text.find('@');
  if (at != std::string::npos) subject.device = text.substr(at + 1);
  std::string settings = text.substr(0, at);
  ParameterTexts parameters;
  for (size_t comma = settings.rfind(','); comma != std::string::npos; comma = settings.rfind(',')) {
    const std::string setting = settings.substr(comma + 1);
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorKind::kBadRequest, "'{}': '{}' is not NAME=VALUE, such as block=256", text, setting);
    }
    parameters[setting.substr(0, equals)] = setting.substr(equals + 1);
    settings.resize(comma);
  }
  const size_t slash = settings.find('/', program.size());
  subject.family = settings.substr(0, slash);
  const auto experiment = findExperiment(subject.family);
  if (!experiment) {
    return fail(ErrorKind::kBadRequest, "'{}' is neither a file nor a family: {}", text,
                experiment.error().message);
  }
  const FamilyInfo& family = (*experiment)->info();
  const std::string variant = slash == std::string::npos ? "all" : settings.substr(slash + 1);
  subject.all_variants = variant == "all";
  const auto variants = parseVariants(family, variant);
  if (!variants) return tl::unexpected(variants.error());
  auto requests = makeRequests(family, *variants, parameters, base);
  if (!requests) return tl::unexpected(requests.error());
  subject.requests = std::move(*requests);
  return subject;
}

}  // namespace warpscope
