#include "app/gui/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kernels/core/atomic_file.h"

namespace warpscope {
namespace {

using nlohmann::json;

// Reads members of a JSON object; what is there but wrong is counted, what is absent keeps its default.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {}

  void text(const char* key, std::string& to) {
    if (const json* value = find(key); value != nullptr) {
      value->is_string() ? void(to = value->get<std::string>()) : wrong(key);
    }
  }
  void choice(const char* key, std::string& to, std::initializer_list<const char*> allowed) {
    std::string value = to;
    text(key, value);
    std::find(allowed.begin(), allowed.end(), value) != allowed.end() ? void(to = value) : wrong(key);
  }
  void flag(const char* key, bool& to) {
    if (const json* value = find(key); value != nullptr) {
      value->is_boolean() ? void(to = value->get<bool>()) : wrong(key);
    }
  }
  template <class Number>
  void number(const char* key, Number& to, double min, double max) {
    const json* value = find(key);
    if (value == nullptr) return;
    const double read = value->is_number() ? value->get<double>() : std::nan("");
    read >= min&& read <= max ? void(to = static_cast<Number>(read)) : wrong(key);
  }
  const json* object(const char* key) {
    const json* value = find(key);
    if (value != nullptr && !value->is_object()) {
      wrong(key);
      return nullptr;
    }
    return value;
  }
  void wrong(const std::string& key) { wrong_ += (wrong_.empty() ? "" : ", ") + key; }
  const std::string& wrongKeys() const { return wrong_; }

 private:
  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  const json& object_;
  std::string wrong_;
};

void readFamilies(Reader& reader, const json& families, Settings& settings) {
  for (const auto& [name, entry] : families.items()) {
    if (!entry.is_object()) {
      reader.wrong("families." + name);
      continue;
    }
    Reader family_reader(entry);
    FamilySettings family;
    family_reader.text("variant", family.variant);
    family_reader.text("view", family.view);
    if (const json* parameters = family_reader.object("parameters"); parameters != nullptr) {
      for (const auto& [parameter, value] : parameters->items()) {
        value.is_number_integer() ? void(family.parameters[parameter] = value.get<int64_t>())
                                  : family_reader.wrong(parameter);
      }
    }
    if (!family_reader.wrongKeys().empty()) reader.wrong("families." + name);
    settings.families[name] = std::move(family);
  }
}

std::string readAll(const json& root, Settings& settings) {
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
  reader.choice("page", settings.page, {"trace", "occupancy", "compare"});  // kPages
  if (const json* panels = reader.object("panels"); panels != nullptr) {
    Reader sizes(*panels);
    sizes.number("controls_width", settings.panels.controls_width, 100, 2000);
    sizes.number("timeline_share", settings.panels.timeline_share, 0.05, 0.95);
    sizes.number("lanes_share", settings.panels.lanes_share, 0.05, 0.95);
    sizes.number("code_share", settings.panels.code_share, 0.05, 0.95);
    sizes.number("occupancy_share", settings.panels.occupancy_share, 0.05, 0.95);
    if (!sizes.wrongKeys().empty()) reader.wrong("panels");
  }
  if (const json* families = reader.object("families"); families != nullptr) {
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
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return loaded;  // the first start
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const json root = json::parse(content, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.is_object()) {
    loaded.note = fmt::format("{} is not a settings file: starting with the defaults", path.string());
    return loaded;
  }
  if (const std::string wrong = readAll(root, loaded.settings); !wrong.empty()) {
    loaded.note = fmt::format("{}: these settings were not understood and have their defaults: {}",
                              path.string(), wrong);
  }
  return loaded;
}

Expected<void> saveSettings(const std::filesystem::path& path, const Settings& settings) {
  if (path.empty()) {
    return fail(ErrorKind::kBadRequest,
                "settings cannot be saved: neither XDG_CONFIG_HOME nor HOME is set in the environment");
  }
  json families = json::object();
  for (const auto& [name, family] : settings.families) {
    families[name] = {{"variant", family.variant}, {"parameters", family.parameters}};
    if (!family.view.empty()) families[name]["view"] = family.view;
  }
  const PanelSizes& panels = settings.panels;
  const json root{{"theme", settings.theme},
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
                  {"panels",
                   {{"controls_width", panels.controls_width},
                    {"timeline_share", panels.timeline_share},
                    {"lanes_share", panels.lanes_share},
                    {"code_share", panels.code_share},
                    {"occupancy_share", panels.occupancy_share}}}};
  return replaceFile(path, root.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace warpscope
