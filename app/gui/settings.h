// The settings that the window keeps between starts: theme, scale, size, panels, and what was shown. A
// damaged or foreign settings file never stops the program: what cannot be read takes its default, and a note
// says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/run.h"
#include "viz/layout/row_choice.h"

namespace warpscope {

class Json;

inline constexpr size_t kMostRecent = 8, kMostLayouts = 12;
inline constexpr float kSmallestScale = 0.75F, kLargestScale = 3.0F;

// The positions of the splitters, as shares of the space that the two sides have together.
struct PanelSizes {
  float controls_width = 236;     // pixels at 100 %
  float timeline_share = 0.47F;   // of the height
  float lanes_share = 0.36F;      // of the width below the timeline
  float code_share = 0.53F;       // of the width right of the lanes
  float occupancy_share = 0.42F;  // of the height below the timeline
  bool operator==(const PanelSizes&) const = default;
};

// An arrangement of the window. Layouts that users save are part of the settings; app/gui/layouts.h has
// others.
struct WindowLayout {
  std::string page = "trace";  // Page::name()
  std::string alone;           // the view that has the window for itself; empty: none
  std::string upper_tab = "occupancy", lower_tab = "bandwidth";
  PanelSizes panels;
  float scale = 1;
  bool operator==(const WindowLayout&) const = default;
};

struct FamilySettings {
  std::string variant;
  ParameterValues parameters;
  std::string view;  // in the lanes' panel; empty: the family's own
  bool operator==(const FamilySettings&) const = default;
};

struct Settings {
  std::string theme = "dark";  // "dark", "light", "contrast"
  std::string language;        // "en", "zh_CN"; empty: as the environment says
  float scale = 1;
  uint32_t width = 1600, height = 900;
  std::string device, family;  // empty: the default
  std::map<std::string, FamilySettings> families;
  bool live = true;
  RowChoice rows;             // of the timeline
  bool checks = false;        // look for hazards in every run, where the device can
  bool counters = true;       // read hardware counters in every run on a real GPU
  bool instructions = false;  // timeline and lanes show instructions where the run has them
  // The visible one of the views that share a panel.
  std::string upper_tab = "occupancy", lower_tab = "bandwidth";  // or "states", "counters", "precision"
  std::string page = "trace";       // Page::name(); an unknown name means the first page
  std::vector<std::string> recent;  // sessions and recordings, the most recent first; at most kMostRecent
  std::string notes;                // those on screen, so that they survive without a session
  std::map<std::string, std::string> keys;  // the changed ones, by action: Actions::changed()
  std::vector<std::string> found;           // what was chosen in the search field, the latest first
  PanelSizes panels;
  bool start_page_dismissed = false;
  std::string alone;  // the view of the page that has the window for itself; empty: none
  std::map<std::string, WindowLayout> layouts;  // the user's own, by name; at most kMostLayouts
  bool operator==(const Settings&) const = default;
};

struct LoadedSettings {
  Settings settings;
  std::string note;  // empty: read, or there was no file
};

// $XDG_CONFIG_HOME/warpscope/settings.json, or the same below ~/.config. Empty if neither is known.
std::filesystem::path defaultSettingsFile();
LoadedSettings loadSettings(const std::filesystem::path& path);
// The same from a text, and the text of settings; `name` is used in the note only.
LoadedSettings settingsOf(std::string_view text, const std::string& name);
Json settingsJson(const Settings& settings);
std::string textOf(const Settings& settings);
// Writes a temporary file beside `path`, then renames it; creates missing folders.
Expected<void> saveSettings(const std::filesystem::path& path, const Settings& settings);

}  // namespace warpscope
