#include "app/gui/session_json.h"

#include <cstdint>
#include <limits>

#include "app/gui/lenient_reader.h"

namespace warpscope {
namespace {

constexpr double kMostCycles = 1e15, kMostRows = 1e9, kMostRowHeight = 1000;
constexpr double kMostNumber = std::numeric_limits<uint32_t>::max();
constexpr double kMostSteps = 1e9;
constexpr size_t kMostZooms = 200;

std::string written(const Json& value) {
  return value.dump(1);
}

Json objectOf(std::string_view text) {
  auto root = Json::parse(text);
  return root && root->is_object() ? std::move(*root) : Json();
}

template <class Value>
Json optionalJson(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json warpJson(const WarpKey& warp) {
  return {{"block", warp.block.value}, {"warp", warp.warp_in_block}};
}
WarpKey readWarp(LenientReader& in) {
  WarpKey warp;
  in.number("block", warp.block.value, 0, kMostNumber);
  in.number("warp", warp.warp_in_block, 0, kMostNumber);
  return warp;
}

Json zoomJson(const ViewState::Zoom& zoom) {
  return {{"fitted", zoom.fitted},
          {"begin_cycles", zoom.begin_cycles},
          {"end_cycles", zoom.end_cycles},
          {"first_row", zoom.first_row},
          {"row_height", zoom.row_height}};
}
ViewState::Zoom readZoom(LenientReader& in) {
  ViewState::Zoom zoom;
  in.flag("fitted", zoom.fitted);
  in.number("begin_cycles", zoom.begin_cycles, -kMostCycles, kMostCycles);
  in.number("end_cycles", zoom.end_cycles, -kMostCycles, kMostCycles);
  in.number("first_row", zoom.first_row, 0, kMostRows);
  in.number("row_height", zoom.row_height, 0, kMostRowHeight);
  // An axis of no length cannot be drawn.
  if (!(zoom.begin_cycles < zoom.end_cycles)) zoom = {};
  return zoom;
}

void readSelection(const Json& object, LenientReader& in, ViewState& view) {
  if (const Json* warp = in.object("selected_warp"); warp != nullptr) {
    LenientReader reader(*warp);
    view.selected_warp = readWarp(reader);
    if (!reader.wrongKeys().empty()) in.wrong("selected_warp");
  }
  if (const Json* instruction = in.object("selected_instruction"); instruction != nullptr) {
    LenientReader reader(*instruction);
    InstructionKey key{.warp = readWarp(reader)};
    reader.number("ordinal", key.ordinal, 0, kMostNumber);
    reader.number("listed", key.listed, 0, kMostNumber);
    view.selected_instruction = key;
    if (!reader.wrongKeys().empty()) in.wrong("selected_instruction");
  }
  if (object.contains("selected_region")) {
    RegionId region{};
    in.number("selected_region", region.value, 0, std::numeric_limits<decltype(region.value)>::max());
    view.selected_region = region;
  }
  in.optional("selected_line", view.selected_line, 1, kMostNumber);
  const Json& steps = object["selected_steps"];
  for (size_t i = 0; i < std::min(steps.size(), view.selected_steps.size()); ++i) {
    const Json& step = steps[i];
    if (step.is_number_unsigned() && step.get<double>() <= kMostSteps)
      view.selected_steps[i] = step.get<size_t>();
  }
}

}  // namespace

Run withoutTrace(const Run& run) {
  Run summary = run;
  summary.trace = {};
  summary.listing.reset();
  return summary;
}

std::string settingsText(const Session& session) {
  Json root = settingsJson(session.settings);
  for (const char* own : {"theme", "language", "scale", "width", "height", "recent", "notes"})
    root.erase(own);
  root["device_name"] = session.device_name;
  root["notes_open"] = session.notes_open;
  return written(root);
}

std::string takeSettings(Session& session, std::string_view text) {
  const Json root = objectOf(text);
  if (root.is_null()) return "it is no JSON object";
  const LoadedSettings loaded = settingsOf(text, "settings");
  session.settings = loaded.settings;
  LenientReader in(root);
  in.text("device_name", session.device_name);
  in.flag("notes_open", session.notes_open);
  return loaded.note.empty() ? in.wrongKeys() : loaded.note;
}

std::string viewText(const Session& session) {
  const ViewState& view = session.view;
  Json root = zoomJson({view.fitted, view.begin_cycles, view.end_cycles, view.first_row, view.row_height});
  root["grouping"] = view.grouping == ViewState::Grouping::kByBlock ? "block" : "sm";
  root["instructions"] = view.instructions;
  if (view.selected_warp) root["selected_warp"] = warpJson(*view.selected_warp);
  if (view.selected_region) root["selected_region"] = view.selected_region->value;
  if (view.selected_line) root["selected_line"] = *view.selected_line;
  if (const auto& instruction = view.selected_instruction; instruction) {
    Json key = warpJson(instruction->warp);
    key["ordinal"] = instruction->ordinal;
    key["listed"] = instruction->listed;
    root["selected_instruction"] = std::move(key);
  }
  root["selected_steps"] = Json::array();
  for (const auto& step : view.selected_steps) root["selected_steps"].push_back(optionalJson(step));
  root["zoom_history"] = Json::array();
  for (const ViewState::Zoom& zoom : view.zoom_history) root["zoom_history"].push_back(zoomJson(zoom));
  return written(root);
}

std::string takeView(Session& session, std::string_view text) {
  const Json root = objectOf(text);
  if (root.is_null()) return "it is no JSON object";
  LenientReader in(root);
  ViewState view;
  const ViewState::Zoom zoom = readZoom(in);
  view.fitted = zoom.fitted;
  view.begin_cycles = zoom.begin_cycles;
  view.end_cycles = zoom.end_cycles;
  view.first_row = zoom.first_row;
  view.row_height = zoom.row_height;
  std::string grouping = "sm";
  in.choice("grouping", grouping, {"sm", "block"});
  view.grouping = grouping == "block" ? ViewState::Grouping::kByBlock : ViewState::Grouping::kBySm;
  in.flag("instructions", view.instructions);
  readSelection(root, in, view);
  for (const Json& element : root["zoom_history"]) {
    if (!element.is_object() || view.zoom_history.size() == kMostZooms) break;
    LenientReader reader(element);
    view.zoom_history.push_back(readZoom(reader));
  }
  session.view = std::move(view);
  return in.wrongKeys();
}

std::string labText(const Session& session) {
  const LabNumbers& lab = session.lab;
  return written({{"typed", lab.typed},
                  {"block", lab.block},
                  {"registers", lab.registers},
                  {"shared_bytes", lab.shared_bytes},
                  {"barriers", lab.barriers},
                  {"registers_instead", optionalJson(lab.registers_instead)},
                  {"shared_instead", optionalJson(lab.shared_instead)},
                  {"carve_out_bytes", optionalJson(lab.carve_out_bytes)},
                  {"cached_loads", lab.cached_loads},
                  {"device", lab.device},
                  {"second_device", lab.second_device}});
}

// Within what the lab's own fields take.
std::string takeLab(Session& session, std::string_view text) {
  constexpr double kMostShared = 1U << 20, kMostRegisters = 512, kMostBarriers = 1024;
  const Json root = objectOf(text);
  if (root.is_null()) return "it is no JSON object";
  LenientReader in(root);
  LabNumbers lab;
  in.flag("typed", lab.typed);
  in.number("block", lab.block, 1, 1024);
  in.number("registers", lab.registers, 0, kMostRegisters);
  in.number("shared_bytes", lab.shared_bytes, 0, kMostShared);
  in.number("barriers", lab.barriers, 0, kMostBarriers);
  in.optional("registers_instead", lab.registers_instead, 0, kMostRegisters);
  in.optional("shared_instead", lab.shared_instead, 0, kMostShared);
  in.optional("carve_out_bytes", lab.carve_out_bytes, 0, kMostShared);
  in.flag("cached_loads", lab.cached_loads);
  in.text("device", lab.device);
  in.text("second_device", lab.second_device);
  session.lab = lab;
  return in.wrongKeys();
}

}  // namespace warpscope
