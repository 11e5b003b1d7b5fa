#include "app/gui/session_json.h"

#include <cstdint>
#include <limits>

#include "app/gui/lenient_fields.h"
#include "app/gui/row_choice_fields.h"

namespace warpscope {
namespace {

constexpr double kMostCycles = 1e15, kMostRows = 1e9, kMostRowHeight = 1000;
constexpr double kMostNumber = std::numeric_limits<uint32_t>::max();
constexpr double kMostSteps = 1e9;
constexpr size_t kMostZooms = 200, kMostNotes = 1000, kMostPins = 100;

std::string written(const Json& value) {
  return value.dump(1);
}

Json objectOf(std::string_view text) {
  auto root = Json::parse(text);
  return root && root->isObject() ? std::move(*root) : Json();
}

}  // namespace

void describe(LenientFields& fields, WarpKey& warp) {
  fields.number("block", warp.block.value, 0, kMostNumber);
  fields.number("warp", warp.warp_in_block, 0, kMostNumber);
}

void describe(LenientFields& fields, InstructionKey& key) {
  describe(fields, key.warp);
  fields.number("ordinal", key.ordinal, 0, kMostNumber);
  fields.number("listed", key.listed, 0, kMostNumber);
}

void describe(LenientFields& fields, TimeNote& note) {
  fields.number("cycle", note.cycle, -kMostCycles, kMostCycles);
  fields.object("of", note.warp);
  fields.text("text", note.text);
}

void describe(LenientFields& fields, ViewState::Zoom& zoom) {
  fields.flag("fitted", zoom.fitted);
  fields.number("begin_cycles", zoom.begin_cycles, -kMostCycles, kMostCycles);
  fields.number("end_cycles", zoom.end_cycles, -kMostCycles, kMostCycles);
  fields.number("first_row", zoom.first_row, 0, kMostRows);
  fields.number("row_height", zoom.row_height, 0, kMostRowHeight);
  // An axis without length cannot be drawn.
  if (fields.reader() != nullptr && !(zoom.begin_cycles < zoom.end_cycles)) zoom = {};
}

namespace {

void describeSteps(LenientFields& fields, ViewState& view) {
  if (fields.reader() == nullptr) {
    Json list = Json::array();
    for (const auto& step : view.selected_steps) list.push_back(step ? Json(*step) : Json());
    return fields.put("selected_steps", std::move(list));
  }
  const Json& steps = fields.reader()->json()["selected_steps"];
  for (size_t i = 0; i < std::min(steps.size(), view.selected_steps.size()); ++i) {
    const Json& step = steps.at(i);
    if (step.isUnsigned() && step.get<double>() <= kMostSteps) view.selected_steps[i] = step.get<size_t>();
  }
}

// As the text that is copied.
void describeSelection(LenientFields& fields, const char* key, TraceSelection& selection) {
  std::string text = selectionText(selection);
  fields.text(key, text);
  if (fields.reader() == nullptr || text.empty()) return;
  if (auto read = parseSelection(text)) {
    selection = std::move(*read);
  } else {
    fields.reader()->wrong(key);
  }
}

void describePins(LenientFields& fields, ViewState& view) {
  std::vector<std::string> texts;
  for (const TraceSelection& pin : view.pins) texts.push_back(selectionText(pin));
  fields.texts("pins", texts, kMostPins);
  if (fields.reader() == nullptr) return;
  for (const std::string& text : texts) {
    if (auto pin = parseSelection(text)) view.pins.push_back(std::move(*pin));
  }
}

}  // namespace

// As they were shown, in the language of that time.
void describe(LenientFields& fields, ShownItem& item) {
  constexpr size_t kMostValues = 100;
  std::vector<std::string> names, values;
  for (const auto& [name, value] : item.values) {
    names.push_back(name);
    values.push_back(value);
  }
  fields.text("title", item.title);
  fields.texts("names", names, kMostValues);
  fields.texts("values", values, kMostValues);
  fields.text("run", item.run);
  fields.text("command", item.command);
  describeSelection(fields, "where", item.where);
  if (fields.reader() == nullptr) return;
  for (size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    item.values.emplace_back(std::move(names[i]), std::move(values[i]));
}

namespace {

void describeAnnotations(LenientFields& fields, Annotations& annotations) {
  auto& [first, second] = annotations.markers;
  if (fields.has(first.has_value())) fields.optional("marker", first, -kMostCycles, kMostCycles);
  if (fields.has(second.has_value())) fields.optional("second_marker", second, -kMostCycles, kMostCycles);
  if (!first) second.reset();
  fields.objects("time_notes", annotations.notes, kMostNotes);
}

}  // namespace

void describe(LenientFields& fields, ViewState& view) {
  ViewState::Zoom zoom{view.fitted, view.begin_cycles, view.end_cycles, view.first_row, view.row_height};
  std::optional<decltype(RegionId::value)> region;
  if (view.selected_region) region = view.selected_region->value;
  describe(fields, zoom);
  describe(fields, view.rows);
  fields.flag("instructions", view.instructions);
  fields.object("selected_warp", view.selected_warp);
  fields.object("selected_instruction", view.selected_instruction);
  if (fields.has(region.has_value()))
    fields.optional("selected_region", region, 0, std::numeric_limits<decltype(RegionId::value)>::max());
  if (fields.has(view.selected_line.has_value()))
    fields.optional("selected_line", view.selected_line, 1, kMostNumber);
  describeSelection(fields, "selection", view.selection);
  describePins(fields, view);
  fields.objects("pinned_items", view.pinned_items, kMostPins);
  describeAnnotations(fields, view.annotations);
  describeSteps(fields, view);
  fields.objects("zoom_history", view.zoom_history, kMostZooms);
  if (fields.reader() == nullptr) return;
  view.fitted = zoom.fitted;
  view.begin_cycles = zoom.begin_cycles;
  view.end_cycles = zoom.end_cycles;
  view.first_row = zoom.first_row;
  view.row_height = zoom.row_height;
  if (region) view.selected_region = RegionId{*region};
}

// Limited to what the lab's own fields accept.
void describe(LenientFields& fields, LabNumbers& lab) {
  constexpr double kMostShared = 1U << 20, kMostRegisters = 512, kMostBarriers = 1024;
  fields.flag("typed", lab.typed);
  fields.number("block", lab.block, 1, 1024);
  fields.number("registers", lab.registers, 0, kMostRegisters);
  fields.number("shared_bytes", lab.shared_bytes, 0, kMostShared);
  fields.number("barriers", lab.barriers, 0, kMostBarriers);
  fields.optional("registers_instead", lab.registers_instead, 0, kMostRegisters);
  fields.optional("shared_instead", lab.shared_instead, 0, kMostShared);
  fields.optional("carve_out_bytes", lab.carve_out_bytes, 0, kMostShared);
  fields.flag("cached_loads", lab.cached_loads);
  fields.text("device", lab.device);
  fields.text("second_device", lab.second_device);
}

namespace {

// Returns what was not understood; empty: nothing.
template <class T>
std::string take(T& to, std::string_view text) {
  const Json root = objectOf(text);
  if (root.isNull()) return "it is not a JSON object";
  LenientReader reader(root);
  LenientFields fields(reader);
  T value;
  describe(fields, value);
  to = std::move(value);
  return reader.wrongKeys();
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
  for (const char* own : {"theme", "language", "scale", "width", "height", "recent", "notes", "keys", "found",
                          "layouts", "start_page_dismissed"})
    root.erase(own);
  root["device_name"] = session.device_name;
  root["notes_open"] = session.notes_open;
  return written(root);
}

std::string takeSettings(Session& session, std::string_view text) {
  const Json root = objectOf(text);
  if (root.isNull()) return "it is not a JSON object";
  const LoadedSettings loaded = settingsOf(text, "settings");
  session.settings = loaded.settings;
  LenientReader in(root);
  in.text("device_name", session.device_name);
  in.flag("notes_open", session.notes_open);
  return loaded.note.empty() ? in.wrongKeys() : loaded.note;
}

std::string viewText(const Session& session) {
  return written(rememberedJson(session.view));
}

std::string takeView(Session& session, std::string_view text) {
  return take(session.view, text);
}

std::string labText(const Session& session) {
  return written(rememberedJson(session.lab));
}

std::string takeLab(Session& session, std::string_view text) {
  return take(session.lab, text);
}

}  // namespace warpscope
