#include "app/gui/settings.h"

#include <cstdlib>

#include "app/gui/lenient_reader.h"
#include "kernels/core/atomic_file.h"
#include "kernels/core/json.h"
#include "kernels/core/read_file.h"

namespace warpscope {
namespace {

using Reader = LenientReader;

void readFamilies(Reader& reader, const Json& families, Settings& settings) {
  for (const auto& [name, entry] : families.items()) {
    if (!entry.is_object()) {
      reader.wrong("families." + name);
      continue;
    }
    Reader family_reader(entry);
    FamilySettings family;
    family_reader.text("variant", family.variant);
    family_reader.text("view", family.view);
    if (const Json* parameters = family_reader.object("parameters"); parameters != nullptr) {
      for (const auto& [parameter, value] : parameters->items()) {
        value.is_number_integer() ? void(family.parameters[parameter] = value.get<int64_t>())
                                  : family_reader.wrong(parameter);
      }
    }
    if (!family_reader.wrongKeys().empty()) reader.wrong("families." + name);
    settings.families[name] = std::move(family);
  }
}

std::string readAll(const Json& root, Settings& settings) {
  Reader reader(root);
  reader.choice("theme", settings.theme, {"dark", "light", "contrast"});
  reader.choice("language", settings.language, {"", "en", "zh_CN"});
  reader.number("scale", settings.scale, kSmallestScale, kLargestScale);
  reader.number("width", settings.width, 320, 16384);
  reader.number("height", settings.height, 240, 16384);
  reader.text("device", settings.device);
  reader.text("family", settings.family);
  reader.flag("live", settings.live);
  reader.choice("grouping", settings.grouping, {"sm", "block"});
  reader.flag("instructions", settings.instructions);
  reader.flag("checks", settings.checks);
  reader.choice("upper_tab", settings.upper_tab, {"occupancy", "states"});
  reader.choice("lower_tab", settings.lower_tab, {"bandwidth", "counters", "precision"});
  reader.choice("page", settings.page, {"trace", "occupancy", "compare", "plots"});  // kPages
  reader.text("notes", settings.notes);
  reader.texts("recent", settings.recent, kMostRecent);
  if (const Json* panels = reader.object("panels"); panels != nullptr) {
    Reader sizes(*panels);
    sizes.number("controls_width", settings.panels.controls_width, 100, 2000);
    sizes.number("timeline_share", settings.panels.timeline_share, 0.05, 0.95);
    sizes.number("lanes_share", settings.panels.lanes_share, 0.05, 0.95);
    sizes.number("code_share", settings.panels.code_share, 0.05, 0.95);
    sizes.number("occupancy_share", settings.panels.occupancy_share, 0.05, 0.95);
    if (!sizes.wrongKeys().empty()) reader.wrong("panels");
  }
  if (const Json* families = reader.object("families"); families != nullptr) {
    readFamilies(reader, *families, settings);
  }
  return reader.wrongKeys();
}

}  // namespace

std::filesystem::path defaultSettingsFile() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && config[0] != '\0') {
    return std::filesystem::path(config) / "warpscope" / "settings.json";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] != '\0') {
    return std::filesystem::path(home) / ".config" / "warpscope" / "settings.json";
  }
  return {};
}

LoadedSettings loadSettings(const std::filesystem::path& path) {
  LoadedSettings loaded;
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return loaded;  // the first start
  const auto content = readFile(path);
  if (content) return settingsOf(*content, path.string());
  loaded.note = content.error().message + "; starting with the defaults";
  return loaded;
}

LoadedSettings settingsOf(std::string_view text, const std::string& name) {
  LoadedSettings loaded;
  const auto root = Json::parse(text);
  if (!root || !root->is_object()) {
    loaded.note = fmt::format("{} is not a settings file: starting with the defaults", name);
    return loaded;
  }
  if (const std::string wrong = readAll(*root, loaded.settings); !wrong.empty()) {
    loaded.note =
        fmt::format("{}: these settings were not understood and have their defaults: {}", name, wrong);
  }
  return loaded;
}

Expected<void> saveSettings(const std::filesystem::path& path, const Settings& settings) {
  if (path.empty()) {
    return fail(ErrorKind::kBadRequest,
                "settings cannot be saved: neither XDG_CONFIG_HOME nor HOME is set in the environment");
  }
  return replaceFile(path, textOf(settings) + "\n");
}

Json settingsJson(const Settings& settings) {
  Json families = Json::object();
  for (const auto& [name, family] : settings.families) {
    families[name] = {{"variant", family.variant}, {"parameters", family.parameters}};
    if (!family.view.empty()) families[name]["view"] = family.view;
  }
  const PanelSizes& panels = settings.panels;
  return {{"theme", settings.theme},
          {"language", settings.language},
          {"scale", settings.scale},
          {"width", settings.width},
          {"height", settings.height},
          {"device", settings.device},
          {"family", settings.family},
          {"families", families},
          {"live", settings.live},
          {"grouping", settings.grouping},
          {"instructions", settings.instructions},
          {"checks", settings.checks},
          {"upper_tab", settings.upper_tab},
          {"lower_tab", settings.lower_tab},
          {"page", settings.page},
          {"recent", settings.recent},
          {"notes", settings.notes},
          {"panels",
           {{"controls_width", panels.controls_width},
            {"timeline_share", panels.timeline_share},
            {"lanes_share", panels.lanes_share},
            {"code_share", panels.code_share},
            {"occupancy_share", panels.occupancy_share}}}};
}

std::string textOf(const Settings& settings) {
  return settingsJson(settings).dump(2);
}

}  // namespace warpscope
