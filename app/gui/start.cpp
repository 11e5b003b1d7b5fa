#include "app/gui/start.h"

#include <algorithm>
#include <exception>

#include "app/gui/ui.h"
#include "app/gui/window.h"
#include "kernels/recording/recording.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"

namespace warpscope {
namespace {

const FamilyInfo* findFamily(const std::string& name) {
  for (const FamilyInfo* family : allFamilies()) {
    if (family->name == name) return family;
  }
  return nullptr;
}

template <class List>
std::string namesOf(const List& list) {
  std::string names;
  for (const auto& item : list) names += (names.empty() ? "" : ", ") + item.name;
  return names;
}

bool isAskedFor(const StartOptions& options, const RunRequest& request) {
  return (options.family.empty() || options.family == request.family) &&
         (options.variant.empty() || options.variant == request.variant);
}

// Selects a recording's first run that the options do not exclude, unless the recording holds what is
// selected. A file that cannot be read changes nothing: opening it as a device reports why.
void selectRunOf(const std::filesystem::path& recording, const StartOptions& options, Settings& settings) {
  const auto index = RecordingIndex::open(recording);
  if (!index) return;
  const FamilyInfo* selected = findFamily(settings.family);
  if (selected == nullptr) selected = allFamilies().front();
  const std::string& remembered = settings.families[selected->name].variant;
  const std::string& variant = remembered.empty() ? selected->variants.front().name : remembered;
  const RunRequest* first = nullptr;
  for (size_t i = 0; i < index->size(); ++i) {
    const RunRequest& request = index->summary(i).request;
    const FamilyInfo* family = findFamily(request.family);
    if (family == nullptr || !isAskedFor(options, request)) continue;
    if (family == selected && request.variant == variant) return;
    if (first == nullptr) first = &request;
  }
  if (first == nullptr) return;
  settings.family = first->family;
  settings.families[first->family].variant = first->variant;
  settings.families[first->family].parameters = first->parameters;
}

Expected<void> applyWhatRuns(const StartOptions& options, Settings& settings) {
  if (!options.family.empty()) settings.family = options.family;
  const std::string name = settings.family.empty() ? allFamilies().front()->name : settings.family;
  const FamilyInfo* family = findFamily(name);
  if (family == nullptr) {
    if (options.family.empty()) return {};  // remembered from another version: the default is used
    std::string names;
    for (const FamilyInfo* known : allFamilies()) names += (names.empty() ? "" : ", ") + known->name;
    return fail(ErrorKind::kBadRequest, "there is no family '{}': there are {}", name, names);
  }
  FamilySettings& entry = settings.families[family->name];
  if (!options.variant.empty() && options.program.empty()) {
    const bool known =
        std::any_of(family->variants.begin(), family->variants.end(),
                    [&](const VariantInfo& variant) { return variant.name == options.variant; });
    if (!known) {
      return fail(ErrorKind::kBadRequest, "{} has no variant '{}': there are {}", family->name,
                  options.variant, namesOf(family->variants));
    }
    entry.variant = options.variant;
  }
  for (const auto& given : options.parameters) {
    const std::string& parameter = given.first;
    const bool known = std::any_of(family->parameters.begin(), family->parameters.end(),
                                   [&](const ParameterSpec& spec) { return spec.name == parameter; });
    if (!known) {
      return fail(ErrorKind::kBadRequest, "{} has no parameter '{}': there are {}", family->name, parameter,
                  namesOf(family->parameters));
    }
    entry.parameters[parameter] = given.second;
  }
  return {};
}

}  // namespace

std::vector<const FamilyInfo*> allFamilies() {
  std::vector<const FamilyInfo*> families;
  for (const Experiment* experiment : allExperiments()) families.push_back(&experiment->info());
  for (const Experiment* experiment : addedExperiments()) families.push_back(&experiment->info());
  return families;
}

Expected<Settings> settingsFor(const StartOptions& options, Settings remembered) {
  Settings settings = std::move(remembered);
  if (!options.theme.empty()) {
    if (!findTheme(options.theme)) {
      return fail(ErrorKind::kBadRequest, "there is no theme '{}': there are dark, light and contrast",
                  options.theme);
    }
    settings.theme = options.theme;
  }
  if (!options.language.empty()) {
    const auto known = [&](const Language& language) { return language.code == options.language; };
    if (std::none_of(languages().begin(), languages().end(), known)) {
      return fail(ErrorKind::kBadRequest, "there is no language '{}': there are en and zh_CN",
                  options.language);
    }
    settings.language = options.language;
  }
  if (options.scale != 0) {
    if (!(options.scale >= kSmallestScale && options.scale <= kLargestScale)) {
      return fail(ErrorKind::kBadRequest, "a scale of {} is out of range: {} to {}", options.scale,
                  kSmallestScale, kLargestScale);
    }
    settings.scale = options.scale;
  }
  if (options.width != 0) settings.width = options.width;
  if (options.height != 0) settings.height = options.height;
  if (!options.device.empty()) settings.device = options.device;
  if (!options.recordings.empty() && options.device.empty()) {
    settings.device = fileDeviceId(options.recordings.front());
    selectRunOf(options.recordings.front(), options, settings);
  }
  if (auto applied = applyWhatRuns(options, settings); !applied) return tl::unexpected(applied.error());
  return settings;
}

DeviceSource deviceSource(const StartOptions& options, Window& window) {
  DeviceSource source;
  source.list = [options] {
    DeviceListing listing = listDevices(options.device_options);
    for (const std::filesystem::path& recording : options.recordings) {
      const std::string id = fileDeviceId(recording);
      const auto device = openDevice(id, options.device_options);
      if (!device) {
        listing.notes.push_back(device.error().message);
        continue;
      }
      DeviceDescription description = (*device)->description();
      description.id = id;
      description.name += " in " + recording.filename().string();
      listing.devices.push_back(std::move(description));
    }
    return listing;
  };
  source.open = [options](const std::string& id) { return openDevice(id, options.device_options); };
  source.build_layout = [](auto run) { return std::make_shared<const TraceLayout>(std::move(run)); };
  source.wake = [&window] { window.wake(); };
  return source;
}

Expected<void> withoutExceptions(const std::function<Expected<void>()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::kWorkFailed,
                "the window ended: there is not enough memory; choose smaller settings");
  } catch (const std::exception& exception) {
    return fail(ErrorKind::kWorkFailed, "the window ended: {}", exception.what());
  }
}

}  // namespace warpscope
