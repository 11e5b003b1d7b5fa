// The line at the bottom: where the shown run comes from, whether its result is right, how long it took, and
// what measuring it cost. Each item's tooltip says how it was obtained; a right click copies it.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "app/gui/long_work.h"
#include "app/gui/panels.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/metrics/run_times.h"
#include "viz/text/translate.h"
#include "viz/views/run_times_text.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

struct Item {
  std::string name, text, title, how;
  ImU32 colour = 0;
  int priority = 0;  // if room is short, the item with the highest number is left out first
  bool outlined = false;
  std::function<void()> click{};  // empty: nothing happens
};

Item deviceItem(const Ui& ui, const Run& run) {
  const DeviceDescription& device = run.device;
  std::string how = trf("{} SMs", device.limits.sm_count);
  if (device.sm_clock_khz > 0) how += ", " + formatSi(device.sm_clock_khz * 1e3, "Hz");
  if (device.memory_bytes > 0) how += ", " + formatBytes(device.memory_bytes);
  if (!device.driver.empty()) how += "\n" + trf("driver {}", device.driver);
  if (!device.recorded_on.empty()) how += "\n" + trf("recorded {}", device.recorded_on);
  if (!run.created.empty()) how += "\n" + trf("this run: {}", run.created);
  return {"status.device", device.name, device.name, how, ui.theme.text, 6};
}

Item provenanceItem(const Ui& ui, const Run& run) {
  const std::string label = provenanceLabel(run.device);
  return {"status.provenance",
          label,
          label,
          run.device.provenance == Provenance::kMeasured
              ? tr("Every number of this run was measured on the device named here.")
              : tr("Every number of this run comes from a model of the device named here."),
          ui.theme.text_quiet,
          3,
          run.device.provenance == Provenance::kModelled};
}

Item verifiedItem(const Ui& ui, const Run& run) {
  const Verification& check = run.verification;
  if (check.pending)
    return {"status.verified",
            tr("… not checked yet"),
            tr("The result has not been compared yet"),
            tr("All blocks are being executed, to compare what they leave with a reference computed on the "
               "host."),
            ui.theme.text_quiet,
            0};
  if (check.unchecked)
    return {"status.verified",       tr("not checked"),   tr("The result was not compared with anything"),
            trMessage(check.detail), ui.theme.text_quiet, 0};
  const std::string how = trMessage(check.detail) + "\n" +
                          trf("{} values were compared with a reference computed on the host.",
                              formatCount(static_cast<int64_t>(check.checked)));
  if (check.passed)
    return {"status.verified", tr("✓ verified"), tr("The result is right"), how, ui.theme.ok, 0};
  return {"status.verified", tr("✗ wrong result"), tr("The result is wrong"), how, ui.theme.error, 0};
}

// nullopt if the run did not look for hazards.
std::optional<Item> hazardsItem(const Ui& ui, const Run& run) {
  if (!run.hazards) return std::nullopt;
  if (run.hazards->empty()) {
    return Item{"status.hazards",
                tr("✓ no hazards"),
                tr("The checks found nothing"),
                tr("A launch under checks found no race, no invalid address, no read of uninitialised memory "
                   "and no divergent barrier."),
                ui.theme.ok,
                1};
  }
  std::string how;
  for (const Hazard& hazard : *run.hazards) how += (how.empty() ? "" : "\n\n") + trMessage(hazard.message);
  const size_t count = run.hazards->size();
  return Item{"status.hazards",
              count == 1 ? tr("! 1 hazard") : trf("! {} hazards", count),
              tr("What the checks found; CODE marks the lines"),
              how,
              ui.theme.error,
              0};
}

Item timeItem(const Ui& ui, const Run& run) {
  const Timing& timing = run.timing;
  const bool whole = run.streams.has_value();  // many operations, of which launches are a part
  const char* by = run.device.provenance == Provenance::kMeasured ? tr("by the device's own events")
                                                                  : tr("modelled: no hardware ran");
  std::string how = timesRelation(run) + "\n\n";
  if (timing.repeats == 1) {
    how += trf("One launch of the bare kernel, warm-ups before it: {}, {}.", timing.warm_ups, by);
  } else {
    how += trf(
        "Median of {} launches of the bare kernel, warm-ups before them: {}, {}.\nFastest {}, slowest {}.",
        timing.repeats, timing.warm_ups, by, formatUs(timing.min_us), formatUs(timing.max_us));
  }
  if (ui.model.feed().shown().latency_ms > 0) {
    how += "\n" + trf("From the request to a run that can be drawn: {}; to its picture: {}.",
                      formatSi(ui.model.feed().shown().latency_ms * 1e-3, "s", 3),
                      formatSi(ui.screen.picture_ms * 1e-3, "s", 3));
  }
  const std::string time = timing.repeats == 1
                               ? formatUs(timing.median_us)
                               : formatUsWithSpread(timing.median_us, timing.min_us, timing.max_us);
  return {"status.time",
          whole ? trf("operations {}", time) : trf("launch {}", time),
          whole ? tr("Time from the first operation to the end of the last") : tr("Time of the launch"),
          how,
          ui.theme.text,
          1};
}

// nullopt: the kernel's own time is not known.
std::optional<Item> kernelItem(const Ui& ui, const Run& run) {
  const RunTimes times = timesOf(run);
  if (!times.kernel) return std::nullopt;
  return Item{"status.kernel",
              trf("kernel {}", formatUs(*times.kernel, 3)),
              tr("Time of the kernel"),
              timesRelation(run) + "\n\n" + timeDefinitions(),
              ui.theme.text,
              3};
}

// Said only where launching takes most of the time; a click chooses a size at which it does not.
std::optional<Item> overheadItem(const Ui& ui, const Run& run) {
  if (!workToOutweighOverhead(run)) return std::nullopt;
  const std::string share = formatPercent(*timesOf(run).overheadShare(), 2);
  Item item{"status.overhead",
            trf("! {} launch overhead", share),
            tr("Most of the time is launching"),
            timesRelation(run) + "\n\n" + timeDefinitions(),
            ui.theme.warning,
            1};
  const auto size = ui.model.sizeForWork(*workToOutweighOverhead(run));
  if (!size) return item;
  const std::string text = formatParameter(*size->spec, size->value);
  item.text += "  " + trf("▸ {} {}", size->spec->name, text);
  item.how += "\n\n" + trf("Click: {} {}, where the kernel should take most of the time. {} undoes it.",
                           tr(size->spec->label), text, keysOrName(ui, "settings.undo"));
  item.click = [&ui, size = *size] { ui.model.useSize(size); };
  return item;
}

Item bandwidthItem(const Ui& ui, const Run& run) {
  const Bandwidth& bandwidth = run.bandwidth;
  std::string text = formatGbPerS(bandwidth.gb_per_s);
  std::string how =
      trf("{} that must move at least (each input read once, each output written once), over the median time "
          "of a "
          "launch.",
          formatBytes(bandwidth.bytes));
  if (bandwidth.copy_gb_per_s) {
    text += " " + trf("({} of copy)", formatPercent(bandwidth.gb_per_s / *bandwidth.copy_gb_per_s));
    how += "\n" + trf("A copy of as many bytes on the same device reaches {}.",
                      formatGbPerS(*bandwidth.copy_gb_per_s));
  }
  return {"status.bandwidth", text, tr("Effective bandwidth"), how, ui.theme.text, 2};
}

Item probeItem(const Ui& ui, const Run& run) {
  std::string how =
      trf("A launch with probes, from which the trace is taken, takes {}; a launch of the bare kernel, which "
          "is what is timed, takes {}.",
          formatUs(run.probe.probed_median_us), formatUs(run.probe.bare_us.value_or(run.timing.median_us)));
  if (run.probe.bare_us) {
    how += std::string("\n") + tr("Both take longer than the time that is shown, because the times of each "
                                  "operation are recorded.");
  }
  return {"status.probes",
          trf("with probes {}×", formatSignificant(run.probe.ratio, 3)),
          tr("Cost of the probes"),
          how + "\n" + timesRelation(run),
          ui.theme.text,
          5};
}

Item eventsItem(const Ui& ui, const Run& run) {
  const uint64_t lost = run.probe.dropped;
  std::string how =
      trf("{} events of {} warps were kept, {} did not fit into their lane's log.",
          formatCount(static_cast<int64_t>(run.probe.kept)),
          formatCount(static_cast<int64_t>(run.trace.warps.size())), formatCount(static_cast<int64_t>(lost)));
  for (const TraceProblem& problem : run.trace.problems) how += "\n! " + trMessage(problem.cause);
  const bool complete = lost == 0;
  return {
      "status.events",
      (complete ? "" : "! ") + trf("{} events, {} lost", formatCount(static_cast<int64_t>(run.probe.kept)),
                                   formatCount(static_cast<int64_t>(lost))),
      tr("Events in the trace"),
      how,
      complete ? ui.theme.text : ui.theme.warning,
      4};
}

Item clockItem(const Ui& ui, const Run& run) {
  const auto& uncertainty = run.trace.clocks.uncertainty_ns;
  const std::string how =
      tr("Each SM has its own clock; readings of the GPU-wide timer put them on one axis. Within an SM, "
         "cycles are exact.");
  if (!uncertainty) {
    return {"status.clocks",
            tr("! clocks not aligned"),
            tr("SMs cannot be compared with each other"),
            how,
            ui.theme.warning,
            7};
  }
  return {"status.clocks",
          trf("clocks ± {}", formatNs(*uncertainty, 3)),
          tr("Uncertainty between the clocks of two SMs"),
          how,
          ui.theme.text,
          7};
}

float itemWidth(const Ui& ui, const Item& item) {
  return item.outlined ? badgeWidth(ui, item.text.c_str()) : ImGui::CalcTextSize(item.text.c_str()).x;
}

// The width with the gap to the next item.
float widthOf(const Ui& ui, const Item& item) {
  return itemWidth(ui, item) + ui.px(22);
}

// Leaves items out, the least important first, until the rest fits.
std::vector<Item> fitting(const Ui& ui, std::vector<Item> items, float room) {
  const auto total = [&] {
    float sum = 0;
    for (const Item& item : items) sum += widthOf(ui, item);
    return sum;
  };
  while (items.size() > 1 && total() > room) {
    items.erase(std::max_element(items.begin(), items.end(),
                                 [](const Item& a, const Item& b) { return a.priority < b.priority; }));
  }
  return items;
}

void drawItem(const Ui& ui, const Item& item, bool dimmed) {
  const float height = ImGui::GetWindowSize().y;
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y + (height - line) / 2;
  const float alpha = dimmed ? 0.55F : 1;
  if (item.outlined) {
    outlinedBadge(ui, item.text.c_str(), ImVec2(at.x, y - ui.px(2)), line + ui.px(4), alpha);
    ImGui::SetCursorScreenPos(at);
  } else {
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x, y), withAlpha(item.colour, alpha), item.text.c_str());
  }
  const bool clicked = ImGui::InvisibleButton(item.name.c_str(), ImVec2(itemWidth(ui, item), height));
  ui.report.widgetOfLastItem(item.name);
  ui.report.text(item.name, item.text);
  if (item.click && ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const float y_line = y + line;
    ImGui::GetWindowDrawList()->AddLine({at.x, y_line}, {at.x + itemWidth(ui, item), y_line}, item.colour);
  }
  if (item.click && clicked) item.click();
  helpTooltip(ui, item.name, item.title, item.how + "\n\n" + tr("Right click copies."));
  copyOnRightClick(ui, item.text);
}

void quietLine(const Ui& ui, const std::string& text) {
  ImGui::SetCursorPosY((ImGui::GetWindowSize().y - ImGui::GetTextLineHeight()) / 2);
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

namespace {

// Work that takes long, at the right end; returns the width that it leaves to the items.
float drawWorkAtTheEnd(const Ui& ui, float width) {
  const auto work = longWork(ui);
  if (!work) return width;
  const float taken = std::min(longWorkWidth(ui, *work), width * 0.75F);
  ImGui::SetCursorPos({ui.px(10) + width - taken, (ImGui::GetWindowSize().y - ImGui::GetFrameHeight()) / 2});
  drawLongWork(ui, *work, taken);
  return width - taken - ui.px(22);
}

}  // namespace

void drawStatusLine(const Ui& ui) {
  const float width = drawWorkAtTheEnd(ui, ImGui::GetWindowSize().x - ui.px(20));
  ImGui::SetCursorPos(ImVec2(ui.px(10), 0));
  const std::shared_ptr<const Run>& run = ui.model.feed().shown().run;
  if (run == nullptr) {
    quietLine(ui, ui.model.devices().listing() || ui.model.devices().opening() ? tr("Looking for devices ...")
                  : ui.model.devices().description() == nullptr                ? tr("No device is open.")
                  : ui.model.feed().busy() ? tr("Running for the first time ...")
                                           : tr("No run yet: press ▶ Run."));
    return;
  }
  const bool dimmed = ui.model.outdated();
  std::vector<Item> items{verifiedItem(ui, *run),   timeItem(ui, *run),   bandwidthItem(ui, *run),
                          probeItem(ui, *run),      eventsItem(ui, *run), clockItem(ui, *run),
                          provenanceItem(ui, *run), deviceItem(ui, *run)};
  const auto insert = [&](std::optional<Item> item, std::ptrdiff_t place) {
    if (item) items.insert(items.begin() + place, std::move(*item));
  };
  insert(overheadItem(ui, *run), 2);
  insert(kernelItem(ui, *run), 2);
  insert(hazardsItem(ui, *run), 1);
  items = fitting(ui, std::move(items), width);
  pushFont(ui.fonts.text);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      ImGui::SameLine(0, ui.px(22));
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::GetWindowDrawList()->AddCircleFilled(
          ImVec2(at.x - ui.px(11), at.y + ImGui::GetWindowSize().y / 2), ui.px(1.5F), ui.theme.text_quiet);
    }
    drawItem(ui, items[i], dimmed);
  }
  ImGui::PopFont();
}

}  // namespace warpscope
