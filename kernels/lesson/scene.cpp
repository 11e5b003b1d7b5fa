#include "kernels/lesson/scene.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "kernels/experiments/experiment.h"
#include "kernels/metrics/counters.h"

namespace warpscope {
namespace {

// tests/gui/lesson_window_test.cpp compares them with the window's.
constexpr std::array kViews{"timeline",  "lanes",     "mapping",    "banks",         "sectors",   "shuffle",
                            "tree",      "tail",      "operations", "slots",         "values",    "code",
                            "details",   "occupancy", "states",     "advice",        "bandwidth", "counters",
                            "precision", "compare",   "race",       "occupancy_lab", "plots"};
constexpr std::string_view kRunPrefix = "run ";
constexpr size_t kMostNotes = 16, kLongestNote = 120;  // bytes: a note is a line in the picture
constexpr double kMostCycles = 1e15;

template <class Range, class Name>
std::string namesOf(const Range& range, Name name) {
  std::vector<std::string> names;
  names.reserve(std::size(range));
  for (const auto& each : range) names.push_back(name(each));
  return listed(names);
}

Expected<const FamilyInfo*> findFamily(const LessonEntry& entry) {
  const auto experiments = allExperiments();
  const auto found = std::ranges::find(experiments, entry.value,
                                       [](const Experiment* experiment) { return experiment->info().name; });
  if (found != experiments.end()) return &(*found)->info();
  return failAtLine(entry.line, "there is no family '{}'; there are {}", entry.value,
                    namesOf(experiments, [](const Experiment* each) { return each->info().name; }));
}

// "kernel: mine.cu" in place of a family.
Expected<std::shared_ptr<const Program>> findKernel(const LessonEntry& entry, const KernelLoader& kernels) {
  if (!isKernelFileName(entry.value))
    return failAtLine(entry.line,
                      "kernel: '{}' is not the name of a file of kernels (.cu, .ptx) beside the lesson",
                      entry.value);
  if (!kernels) return failAtLine(entry.line, "kernel: a lesson without a folder has no kernels of its own");
  auto program = kernels(entry.value);
  if (!program) return failAtLine(entry.line, "kernel: {}", program.error().message);
  return program;
}

Expected<void> checkVariant(const FamilyInfo& family, const std::string& variant, uint32_t line) {
  if (variantInfo(family, variant) != nullptr) return {};
  return failAtLine(line, "{} has no variant '{}'; it has {}", family.name, variant,
                    namesOf(family.variants, [](const VariantInfo& each) { return each.name; }));
}

Expected<void> setParameter(const FamilyInfo& family, const LessonEntry& entry, RunRequest& request) {
  const auto specs = parametersOf(family, request.variant);
  const auto spec = std::ranges::find(specs, entry.key, &ParameterSpec::name);
  if (spec == specs.end())
    return failAtLine(entry.line, "{} {} has no setting '{}'; it has {}", family.name, request.variant,
                      entry.key, namesOf(specs, [](const ParameterSpec* each) { return each->name; }));
  const auto value = parseParameter(**spec, entry.value);
  if (!value) return failAtLine(entry.line, "{}", value.error().message);
  request.parameters[entry.key] = *value;
  const auto complete = completeRequest(family, request);
  if (!complete) return failAtLine(entry.line, "{}", complete.error().message);
  return {};
}

// Another variant lacks some of the parameters, or gives them other limits.
void keepPossibleParameters(const FamilyInfo& family, RunRequest& request) {
  const auto specs = parametersOf(family, request.variant);
  std::erase_if(request.parameters, [&](const auto& parameter) {
    return std::ranges::find(specs, parameter.first, &ParameterSpec::name) == specs.end();
  });
}

// "run small: variant = warp_aligned, work = 8"
Expected<void> readOtherRun(const LessonEntry& entry, const FamilyInfo& family, LessonScene& scene) {
  const std::string name(trimmed(std::string_view(entry.key).substr(kRunPrefix.size())));
  const bool usable = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
  if (!usable || variantInfo(family, name) != nullptr)
    return failAtLine(entry.line, "a run's name consists of letters, digits and _, and is no variant's: '{}'",
                      name);
  RunRequest request = scene.request();
  std::vector<LessonEntry> settings;
  for (const std::string& part : splitAtCommas(entry.value)) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      return failAtLine(entry.line, "'{}' is not of the form 'setting = value'", part);
    settings.push_back({std::string(trimmed(part.substr(0, equals))),
                        std::string(trimmed(part.substr(equals + 1))), entry.line});
  }
  for (const LessonEntry& setting : settings) {
    if (setting.key != "variant") continue;
    if (auto checked = checkVariant(family, setting.value, entry.line); !checked) return checked;
    request.variant = setting.value;
    keepPossibleParameters(family, request);
  }
  for (const LessonEntry& setting : settings) {
    if (setting.key == "variant") continue;
    if (auto set = setParameter(family, setting, request); !set) return set;
  }
  scene.other_runs[name] = std::move(request);
  return {};
}

Expected<void> readView(const LessonEntry& entry, LessonScene& scene) {
  if (std::ranges::find(kViews, entry.value) == kViews.end())
    return failAtLine(entry.line, "there is no view '{}'; there are {}", entry.value,
                      namesOf(kViews, [](const char* each) { return std::string(each); }));
  scene.view = entry.value;
  return {};
}

// A whole number in a range.
Expected<int64_t> readWhole(const LessonEntry& entry, std::string_view text, double least, double most,
                            const char* what) {
  const auto number = Expression::parse(text);
  const auto value = number ? number->constant() : std::nullopt;
  if (!value || *value < least || *value > most || *value != std::floor(*value))
    return failAtLine(entry.line, "{}: '{}' is not {}", entry.key, text, what);
  return static_cast<int64_t>(*value);
}

// "note: @400 | all warps wait here", "note: 0:3 @400 | this one waits"
Expected<void> readNote(const LessonEntry& entry, LessonScene& scene) {
  const std::string_view value = entry.value;
  const size_t at = value.find('@'), bar = value.find('|');
  if (at == std::string_view::npos || bar == std::string_view::npos || bar < at)
    return failAtLine(entry.line, "a note is '@cycle | text', with a warp before it if it is about one: '{}'",
                      "0:3 @400 | text");
  LessonNote note{.text = std::string(trimmed(value.substr(bar + 1)))};
  if (note.text.empty() || note.text.size() > kLongestNote)
    return failAtLine(entry.line, "a note has a text of at most {} bytes", kLongestNote);
  if (const std::string_view warp = trimmed(value.substr(0, at)); !warp.empty()) {
    const auto parsed = parseLessonWarp(warp);
    if (!parsed) return failAtLine(entry.line, "note: {}", parsed.error().message);
    note.warp = *parsed;
  }
  const auto cycle = readWhole(entry, trimmed(value.substr(at + 1, bar - at - 1)), 0, kMostCycles, "a cycle");
  if (!cycle) return tl::unexpected(cycle.error());
  note.cycle = *cycle;
  if (scene.notes.size() == kMostNotes)
    return failAtLine(entry.line, "a step has at most {} notes", kMostNotes);
  scene.notes.push_back(std::move(note));
  return {};
}

Expected<void> readCompared(const LessonEntry& entry, const FamilyInfo& family, LessonScene& scene) {
  scene.compare = splitAtCommas(entry.value);
  for (const std::string& variant : scene.compare) {
    if (auto checked = checkVariant(family, variant, entry.line); !checked) return checked;
  }
  return {};
}

Expected<void> readEntry(const LessonEntry& entry, const FamilyInfo& family, LessonScene& scene) {
  // Errors of other readers get the line here.
  const auto take = [&](auto read, auto&& to) -> Expected<void> {
    auto value = read(entry.value);
    if (!value) return failAtLine(entry.line, "{}: {}", entry.key, value.error().message);
    to = std::move(*value);
    return {};
  };
  if (entry.key == "view") return readView(entry, scene);
  if (entry.key == "warp") return take(parseLessonWarp, scene.warp);
  if (entry.key == "zoom") return take(parseCycleRange, scene.zoom);
  if (entry.key == "select") return take(parseSelection, scene.selection);
  if (entry.key == "compare") return readCompared(entry, family, scene);
  if (entry.key == "note") return readNote(entry, scene);
  if (entry.key == "alone") {
    if (entry.value != "yes" && entry.value != "no")
      return failAtLine(entry.line, "alone: '{}' is neither 'yes' nor 'no'", entry.value);
    return scene.alone = entry.value == "yes", Expected<void>();
  }
  if (entry.key == "access") {
    const auto access = readWhole(entry, entry.value, 1, 1e6, "the number of an access, from 1");
    if (!access) return tl::unexpected(access.error());
    return scene.access = static_cast<uint32_t>(*access), Expected<void>();
  }
  if (entry.key == "region") return scene.region = entry.value, Expected<void>();
  if (entry.key == "play") {
    const auto number = Expression::parse(entry.value);
    const auto constant = number ? number->constant() : std::nullopt;
    if (!constant || *constant < 0) return failAtLine(entry.line, "play: '{}' is not a cycle", entry.value);
    return scene.play_cycle = constant, Expected<void>();
  }
  if (entry.key == "claim") {
    auto claim = Claim::parse(entry.value);
    if (!claim) return failAtLine(entry.line, "{}", claim.error().message);
    scene.claims.push_back({std::move(*claim), entry.line});
    return {};
  }
  RunRequest request = scene.request();
  if (auto set = setParameter(family, entry, request); !set) return set;
  scene.parameters = std::move(request.parameters);
  return {};
}

}  // namespace

Expected<LessonWarp> parseLessonWarp(std::string_view text) {
  LessonWarp warp;
  const char* const end = text.data() + text.size();
  const auto block = std::from_chars(text.data(), end, warp.block);
  const bool colon = block.ec == std::errc{} && block.ptr != end && *block.ptr == ':';
  const auto number = colon ? std::from_chars(block.ptr + 1, end, warp.warp) : block;
  if (!colon || number.ec != std::errc{} || number.ptr != end)
    return fail(ErrorKind::kBadRequest, "'{}' is not a block and a warp in it, such as '0:3'", text);
  return warp;
}

std::span<const char* const> lessonViews() {
  return kViews;
}

const FamilyInfo& familyOf(const LessonScene& scene) {
  // Uses the version of the file that the lesson was read with.
  if (scene.program != nullptr) return addedExperiment(*scene.program)->info();
  return (*findExperiment(scene.family))->info();
}

RunRequest LessonScene::request() const {
  RunRequest request;
  request.family = family;
  request.variant = variant;
  request.parameters = parameters;
  request.program = program;
  request.counters = usualCounters();  // claims may name them
  return request;
}

RunRequest LessonScene::requestOf(const std::string& of_variant) const {
  RunRequest of = request();
  of.variant = of_variant;
  keepPossibleParameters(familyOf(*this), of);
  return of;
}

LessonScene LessonScene::inherited() const {
  LessonScene scene = *this;
  scene.claims.clear();
  scene.other_runs.clear();
  scene.notes.clear();
  scene.access.reset();
  scene.alone = false;
  return scene;
}

Expected<LessonScene> readScene(const std::vector<LessonEntry>& entries, const LessonScene* before,
                                uint32_t line, const KernelLoader& kernels) {
  LessonScene scene;
  const auto named = std::ranges::find(entries, "family", &LessonEntry::key);
  const auto own = std::ranges::find(entries, "kernel", &LessonEntry::key);
  if (own != entries.end()) {
    if (named != entries.end())
      return failAtLine(own->line, "a scene shows a family or a kernel of a file, not both");
    auto program = findKernel(*own, kernels);
    if (!program) return tl::unexpected(program.error());
    scene.program = std::move(*program);
    const FamilyInfo& info = addedExperiment(*scene.program)->info();
    scene.family = info.name;
    scene.variant = info.variants.front().name;
  } else if (named == entries.end()) {
    if (before == nullptr)
      return failAtLine(line, "the first scene of a lesson says which family it shows: 'family: ...'");
    scene = before->inherited();
  }
  scene.line = line;
  if (named != entries.end()) {
    const auto family = findFamily(*named);
    if (!family) return tl::unexpected(family.error());
    scene.family = (*family)->name;
    scene.variant = (*family)->variants.front().name;
  }
  const FamilyInfo& family = familyOf(scene);
  // The variant first, since it decides which settings there are; other runs last, since they begin with the
  // scene's settings.
  for (const LessonEntry& entry : entries) {
    if (entry.key != "variant") continue;
    if (const auto checked = checkVariant(family, entry.value, entry.line); !checked)
      return tl::unexpected(checked.error());
    RunRequest request = scene.requestOf(entry.value);
    scene.variant = entry.value;
    scene.parameters = std::move(request.parameters);
  }
  for (const LessonEntry& entry : entries) {
    if (entry.key == "family" || entry.key == "kernel" || entry.key == "variant" ||
        entry.key.starts_with(kRunPrefix))
      continue;
    if (const auto read = readEntry(entry, family, scene); !read) return tl::unexpected(read.error());
  }
  for (const LessonEntry& entry : entries) {
    if (!entry.key.starts_with(kRunPrefix)) continue;
    if (const auto read = readOtherRun(entry, family, scene); !read) return tl::unexpected(read.error());
  }
  return scene;
}

}  // namespace warpscope
