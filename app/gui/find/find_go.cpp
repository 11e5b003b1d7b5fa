#include "app/gui/find/find_go.h"

#include <algorithm>
#include <utility>

#include "app/gui/actions.h"
#include "app/gui/find/find_index.h"
#include "app/gui/overlay_box.h"
#include "app/gui/pages/pages.h"
#include "kernels/core/units.h"
#include "viz/layout/navigation.h"
#include "viz/views/view_tooltips.h"

namespace warpscope {
namespace {

constexpr size_t kStepsPerFrame = 200'000;  // a millisecond or so
constexpr double kNarrow = 0.02;            // of the visible range: too narrow to be seen
constexpr double kShare = 0.4;              // of the visible range that a place takes then

bool isWalked(FindKind kind) {
  return kind == FindKind::kWarp || kind == FindKind::kBlock || kind == FindKind::kSm ||
         kind == FindKind::kLine || kind == FindKind::kRegion || kind == FindKind::kInstruction;
}

std::vector<bool> regionsCalled(const Run& run, const std::string& name) {
  std::vector<bool> wanted(run.regions.size() + 1);
  for (size_t i = 0; i < run.regions.size(); ++i) wanted[i] = run.regions[i].name == name;
  return wanted;
}

TraceSearch searchOfLine(const Run& run, const TraceLayout& layout, uint32_t line) {
  TraceSearch search;
  if (run.listing != nullptr && !layout.instructions().empty()) {
    search.listed.resize(run.listing->size() + 1);
    for (size_t i = 0; i < run.listing->size(); ++i)
      search.listed[i] = lineIn(run.source_file, (*run.listing)[i]) == line;
    if (std::ranges::find(search.listed, true) != search.listed.end()) return search;
    search.listed.clear();
  }
  search.regions.resize(run.regions.size() + 1);
  if (const RegionIndex region = regionOfLine(run.regions, line); region < run.regions.size())
    search.regions[region] = true;
  return search;
}

TraceSearch searchFor(const Run& run, const TraceLayout& layout, const FindEntry& entry) {
  TraceSearch search;
  const auto number = static_cast<uint32_t>(entry.number);
  switch (entry.kind) {
    case FindKind::kBlock:
      search.block = number;
      break;
    case FindKind::kWarp:
      if (entry.warp) {
        search.block = number;
        search.warp_in_block = entry.warp;
      } else {
        search.warp_in_block = number;
      }
      break;
    case FindKind::kSm:
      search.sm = number;
      break;
    case FindKind::kRegion:
      search.regions = regionsCalled(run, entry.name);
      break;
    case FindKind::kInstruction:
      search.listed.resize(number + size_t{1});
      search.listed[number] = true;
      break;
    default:
      return searchOfLine(run, layout, number);
  }
  return search;
}

void startSearch(const Ui& ui) {
  FindState& find = ui.screen.find;
  const ShownRun& shown = ui.model.feed().shown();
  find.walked_run = shown.run;
  find.hit.reset();
  find.hits = {};
  if (shown.run != nullptr && shown.layout != nullptr && find.walked)
    find.hits = TraceHits(searchFor(*shown.run, *shown.layout, *find.walked));
}

// Shows a time on the axis: as it is if it can be seen, otherwise in the middle, and closer if it is narrow.
void showPlace(ViewState& view, int64_t begin_cycles, int64_t end_cycles) {
  const auto begin = static_cast<double>(begin_cycles), end = static_cast<double>(end_cycles);
  const double visible = view.end_cycles - view.begin_cycles;
  const bool inside = begin >= view.begin_cycles && end <= view.end_cycles;
  const bool narrow = end - begin < visible * kNarrow;
  if (inside && !narrow) return;
  rememberZoom(view);
  const double width = narrow || end - begin > visible ? (end - begin) / kShare : visible;
  const double middle = (begin + end) / 2;
  zoomTo(view, middle - width / 2, middle + width / 2);
}

void showHit(const Ui& ui, const TraceHit& hit) {
  const ShownRun& shown = ui.model.feed().shown();
  ViewState& view = ui.model.view;
  const TraceWarp& warp = shown.run->trace.warps[hit.warp];
  const WarpKey key{warp.block, warp.warp_in_block};
  ui.screen.page = ui.pages.first().name();  // the timeline's
  view.selected_warp = key;
  if (hit.ordinal) {
    view.instructions = true;
    view.selected_instruction = InstructionKey{
        key, *hit.ordinal, shown.layout->instructions().slotsOf(hit.warp)[*hit.ordinal].listed};
  }
  const auto order = ui.model.rowOrder();
  if (order != nullptr && !order->rowOf(hit.warp)) {
    view.rows.filter = {};
    notify(ui, tr("All rows are shown again: the warp was filtered out."));
  }
  showPlace(view, hit.begin, hit.end);
}

void show(const Ui& ui, size_t index) {
  FindState& find = ui.screen.find;
  find.hit = index;
  showHit(ui, find.hits.hits()[index]);
}

void startWalk(const Ui& ui, const FindEntry& entry) {
  FindState& find = ui.screen.find;
  find.walked = entry;
  find.walked_alone = ui.screen.stage.alone();
  find.jump_wanted = true;
  ViewState& view = ui.model.view;
  if (entry.kind == FindKind::kLine) view.selected_line = static_cast<uint32_t>(entry.number);
  if (entry.kind == FindKind::kRegion && ui.model.feed().shown().run != nullptr) {
    for (const Region& region : ui.model.feed().shown().run->regions) {
      if (region.name == entry.name) view.selected_region = region.id;
    }
  }
  startSearch(ui);
  continueWalk(ui);
}

}  // namespace

void goTo(const Ui& ui, const FindEntry& entry) {
  if (isWalked(entry.kind)) return startWalk(ui, entry);
  switch (entry.kind) {
    case FindKind::kSetting:
      ui.model.beginEdit();
      ui.model.setParameter(entry.name, entry.number);
      break;
    case FindKind::kPage:
      ui.screen.page = entry.name;
      break;
    case FindKind::kView: {
      const size_t slash = entry.name.find('/');
      const std::string page = entry.name.substr(0, slash), view = entry.name.substr(slash + 1);
      ui.screen.page = page;
      ui.pages.find(page).show(ui, view);
      ui.screen.stage.showAlone(page, view);
      break;
    }
    case FindKind::kAction:
      perform(ui, entry.name);
      break;
    case FindKind::kFamily:
      ui.model.selectFamily(entry.name);
      break;
    case FindKind::kVariant: {
      const size_t slash = entry.name.find('/');
      ui.model.selectFamily(entry.name.substr(0, slash));
      ui.model.selectVariant(entry.name.substr(slash + 1));
      break;
    }
    case FindKind::kDevice:
      ui.model.openDevice(entry.name);
      break;
    case FindKind::kTerm:
      copyText(ui, effectOf(ui, entry));
      break;
    default:
      break;
  }
}

void continueWalk(const Ui& ui) {
  FindState& find = ui.screen.find;
  const ShownRun& shown = ui.model.feed().shown();
  if (!find.walked) return;
  if (find.walked_run != shown.run) startSearch(ui);
  if (shown.run == nullptr || shown.layout == nullptr) return;
  if (!find.hits.finished()) {
    find.hits.advance(*shown.run, *shown.layout, kStepsPerFrame);
    if (!find.hits.finished()) redrawIn(ui, 0.01);
  }
  if (find.jump_wanted && !find.hits.hits().empty()) {
    find.jump_wanted = false;
    show(ui, 0);
  } else if (find.hits.finished()) {
    find.jump_wanted = false;
  }
}

std::string whyNoWalk(const Ui& ui) {
  const FindState& find = ui.screen.find;
  if (!find.walked)
    return trf("Nothing was looked for yet: {} finds a region, a line or a block.",
               ui.actions.shownKeys("find.open"));
  if (find.hits.hits().empty() && find.hits.finished())
    return trf("No warp executes {}.", find.walked->title);
  return {};
}

void walk(const Ui& ui, int direction) {
  FindState& find = ui.screen.find;
  const auto count = std::ssize(find.hits.hits());
  if (count == 0) return;
  const auto at = find.hit ? static_cast<ptrdiff_t>(*find.hit) + direction : ptrdiff_t{0};
  show(ui, static_cast<size_t>((at + count) % count));
}

bool aloneSinceWalk(const Ui& ui) {
  const std::string& alone = ui.screen.stage.alone();
  return !alone.empty() && alone != ui.screen.find.walked_alone;
}

void stopWalking(const Ui& ui) {
  FindState& find = ui.screen.find;
  find.walked.reset();
  find.walked_run.reset();
  find.hits = {};
  find.hit.reset();
}

void drawWalk(const Ui& ui, ImVec2 area_min, ImVec2 area_max) {
  FindState& find = ui.screen.find;
  if (!find.walked) return;
  const size_t count = find.hits.hits().size();
  const std::string all = formatCount(static_cast<int64_t>(count)) + (find.hits.finished() ? "" : "+");
  std::string text = find.walked->title + "   ";
  if (count == 0) {
    text += find.hits.finished() ? tr("nowhere") : tr("searching ...");
  } else if (find.hit) {
    text += trf("{} of {}", formatCount(static_cast<int64_t>(*find.hit) + 1), all);
    const ShownRun& shown = ui.model.feed().shown();
    const TraceHit& hit = find.hits.hits()[std::min(*find.hit, count - 1)];
    if (shown.run == find.walked_run && shown.run != nullptr && hit.warp < shown.run->trace.warps.size()) {
      const TraceWarp& warp = shown.run->trace.warps[hit.warp];
      text += fmt::format("   b{} w{}", warp.block.value, warp.warp_in_block);
    }
  } else {
    text += trf("{} warps", all);
  }
  ImGui::SetNextWindowPos({(area_min.x + area_max.x) / 2, area_max.y - ui.px(10)}, ImGuiCond_Always,
                          {0.5F, 1});
  const OverlayBox box(ui, "##walk", {10, 5}, 5, OverlayBox::kPassive);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text.c_str());
  ui.report.widgetOfLastItem("find.walk");
  ui.report.text("find.walk", text);
  ImGui::SameLine(0, ui.px(10));
  if (button(ui, "find.previous", "<")) perform(ui, "find.previous");
  helpTooltip(ui, "find.previous", ui.actions.withKeys(tr("The previous place"), "find.previous"), "");
  ImGui::SameLine(0, ui.px(3));
  if (button(ui, "find.next", ">")) perform(ui, "find.next");
  helpTooltip(ui, "find.next", ui.actions.withKeys(tr("The next place"), "find.next"), "");
  ImGui::SameLine(0, ui.px(3));
  if (button(ui, "find.stop", "×", ButtonLook::kQuiet)) stopWalking(ui);
  const std::string end = tr("Ends the walk");
  helpTooltip(ui, "find.stop", aloneSinceWalk(ui) ? end : ui.actions.withKeys(end, "window.back"), "");
}

}  // namespace warpscope
