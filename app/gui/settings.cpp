#include "app/gui/settings.h"

#include <cstdlib>
#include <iterator>

#include "app/gui/find/find_state.h"
#include "app/gui/lenient_fields.h"
#include "app/gui/row_choice_fields.h"
#include "kernels/core/files.h"
#include "kernels/core/json.h"

namespace warpscope {

void describe(LenientFields& fields, PanelSizes& panels) {
  fields.number("controls_width", panels.controls_width, 100, 2000);
  fields.number("timeline_share", panels.timeline_share, 0.05, 0.95);
  fields.number("lanes_share", panels.lanes_share, 0.05, 0.95);
  fields.number("code_share", panels.code_share, 0.05, 0.95);
  fields.number("occupancy_share", panels.occupancy_share, 0.05, 0.95);
}

void describe(LenientFields& fields, WindowLayout& layout) {
  fields.text("page", layout.page);
  if (fields.has(!layout.alone.empty())) fields.text("alone", layout.alone);
  fields.choice("upper_tab", layout.upper_tab, {"occupancy", "states"});
  fields.choice("lower_tab", layout.lower_tab, {"bandwidth", "counters", "precision"});
  fields.object("panels", layout.panels);
  fields.number("scale", layout.scale, kSmallestScale, kLargestScale);
}

void describe(LenientFields& fields, FamilySettings& family) {
  fields.text("variant", family.variant);
  if (fields.has(!family.view.empty())) fields.text("view", family.view);
  fields.integers("parameters", family.parameters);
}

void describe(LenientFields& fields, Settings& settings) {
  fields.choice("theme", settings.theme, {"dark", "light", "contrast"});
  fields.choice("language", settings.language, {"", "en", "zh_CN"});
  fields.number("scale", settings.scale, kSmallestScale, kLargestScale);
  fields.number("width", settings.width, 320, 16384);
  fields.number("height", settings.height, 240, 16384);
  fields.text("device", settings.device);
  fields.text("family", settings.family);
  fields.flag("live", settings.live);
  describe(fields, settings.rows);
  fields.flag("instructions", settings.instructions);
  fields.flag("checks", settings.checks);
  fields.flag("counters", settings.counters);
  fields.choice("upper_tab", settings.upper_tab, {"occupancy", "states", "advice"});
  fields.choice("lower_tab", settings.lower_tab, {"bandwidth", "counters", "precision"});
  fields.text("page", settings.page);
  fields.text("notes", settings.notes);
  fields.texts("recent", settings.recent, kMostRecent);
  fields.textsByName("keys", settings.keys);
  fields.texts("found", settings.found, kMostRecentFinds);
  fields.object("panels", settings.panels);
  if (fields.has(settings.start_page_dismissed))
    fields.flag("start_page_dismissed", settings.start_page_dismissed);
  if (fields.has(!settings.alone.empty())) fields.text("alone", settings.alone);
  if (fields.has(!settings.layouts.empty())) fields.objects("layouts", settings.layouts);
  if (settings.layouts.size() > kMostLayouts) {
    settings.layouts.erase(std::next(settings.layouts.begin(), kMostLayouts), settings.layouts.end());
  }
  fields.objects("families", settings.families);
}

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
  if (!root || !root->isObject()) {
    loaded.note = fmt::format("{} is not a settings file: starting with the defaults", name);
    return loaded;
  }
  LenientReader reader(*root);
  LenientFields fields(reader);
  describe(fields, loaded.settings);
  if (!reader.wrongKeys().empty()) {
    loaded.note = fmt::format("{}: these settings were not understood and have their defaults: {}", name,
                              reader.wrongKeys());
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
  return rememberedJson(settings);
}

std::string textOf(const Settings& settings) {
  return settingsJson(settings).dump(2);
}

}  // namespace warpscope
