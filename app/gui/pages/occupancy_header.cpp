#include "app/gui/pages/occupancy_header.h"

#include <algorithm>
#include <array>

#include "app/gui/fold_row.h"
#include "kernels/core/ids.h"
#include "kernels/core/units.h"
#include "kernels/occupancy/capabilities.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/imgui_compat.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kNumberWidth = 74;

// The present numbers, with which the calculator starts.
LabNumbers typedLike(const Ui& ui) {
  LabNumbers numbers = ui.model.lab().numbers();
  if (const auto& kernel = ui.model.plannedKernel(); kernel && !numbers.typed) {
    const KernelResources& needs = kernel->resources;
    numbers.block = static_cast<uint32_t>(kernel->block.count());
    numbers.registers = numbers.registers_instead.value_or(needs.registers_per_thread);
    numbers.shared_bytes =
        numbers.shared_instead.value_or(needs.static_shared_bytes + needs.dynamic_shared_bytes);
    numbers.barriers = needs.barriers_per_block;
  }
  return numbers;
}

ButtonLook lookOfChoice(bool on) {
  return on ? ButtonLook::kOn : ButtonLook::kPlain;
}

void kernelButton(const Ui& ui) {
  const bool typed = ui.model.lab().numbers().typed;
  if (button(ui, "lab.kernel", tr("Kernel at hand"), lookOfChoice(!typed)) && typed) {
    ui.model.beginEdit();
    LabNumbers numbers = ui.model.lab().numbers();
    numbers.typed = false;
    ui.model.lab().setNumbers(numbers);
  }
  helpTooltip(
      ui, "lab.kernel", tr("The kernel that the settings on the left launch"),
      tr("Registers and shared memory are those of the compiled kernel. Changing the block launches it."));
}

void calculatorButton(const Ui& ui) {
  const bool typed = ui.model.lab().numbers().typed;
  if (button(ui, "lab.calculator", tr("Calculator"), lookOfChoice(typed)) && !typed) {
    LabNumbers numbers = typedLike(ui);
    ui.model.beginEdit();
    numbers.typed = true;
    numbers.registers_instead.reset();
    numbers.shared_instead.reset();
    ui.model.lab().setNumbers(numbers);
  }
  helpTooltip(ui, "lab.calculator", tr("Your own numbers"),
              tr("Type what nvcc -Xptxas -v reports for a kernel. Nothing is launched."));
}

void quietLabel(const Ui& ui, const char* label) {
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text_quiet);
  ImGui::TextUnformatted(label);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, ui.px(5));
}

// A number field; Enter or leaving it takes the number. True: `value` changed.
bool number(const Ui& ui, const char* name, const char* label, uint32_t& value, uint32_t least, uint32_t most,
            const std::string& help) {
  quietLabel(ui, label);
  ImGui::SetNextItemWidth(ui.px(kNumberWidth));
  int typed = static_cast<int>(value);
  pushFont(ui.fonts.mono);
  ImGui::PushID(name);
  ImGui::InputInt("##number", &typed, 0, 0, ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopID();
  ImGui::PopFont();
  const bool done = ImGui::IsItemDeactivatedAfterEdit();
  ui.report.widgetOfLastItem(name);
  ui.report.text(name, std::to_string(value));
  helpTooltip(ui, name, help, "");
  const auto taken =
      static_cast<uint32_t>(std::clamp<int64_t>(typed, least, std::min<int64_t>(most, INT32_MAX)));
  if (!done || taken == value) return false;
  value = taken;
  return true;
}

// Takes a number of the answer: launches it where a control sets it, else as a what-if, or as typed.
void takeNumber(const Ui& ui, OccupancyAxis axis, uint32_t value) {
  Model& model = ui.model;
  LabNumbers numbers = model.lab().numbers();
  model.beginEdit();
  if (numbers.typed) {
    (axis == OccupancyAxis::kBlock       ? numbers.block
     : axis == OccupancyAxis::kRegisters ? numbers.registers
                                         : numbers.shared_bytes) = value;
    model.lab().setNumbers(numbers);
  } else if (axis == OccupancyAxis::kBlock) {
    if (!model.setLaunched(axis, value))
      notify(ui, tr("This variant has no control that sets the block size. The calculator has one."));
  } else if (model.canLaunch(axis)) {
    model.setLaunched(axis, value);
  } else {
    (axis == OccupancyAxis::kRegisters ? numbers.registers_instead : numbers.shared_instead) = value;
    model.lab().setNumbers(numbers);
  }
}

void resetButton(const Ui& ui) {
  if (button(ui, "lab.reset", tr("What if: back to the kernel"), ButtonLook::kOn)) {
    LabNumbers numbers = ui.model.lab().numbers();
    ui.model.beginEdit();
    numbers.registers_instead.reset();
    numbers.shared_instead.reset();
    ui.model.lab().setNumbers(numbers);
  }
  helpTooltip(ui, "lab.reset", tr("These numbers are hypothetical, not the kernel's"),
              tr("The kernel keeps what the compiler gave it; what was launched is shown below."));
}

float labelledWidth(const Ui& ui, const char* label, float width) {
  return ImGui::CalcTextSize(label).x + ui.px(5) + width;
}

void addNumbers(const Ui& ui, std::vector<FoldItem>& items) {
  struct Field {
    OccupancyAxis axis;
    const char *name, *label;
    uint32_t LabNumbers::*value;
    uint32_t least, most;
    const char* help;
  };
  constexpr uint32_t kMostShared = 1U << 20;
  const std::array fields{
      Field{OccupancyAxis::kBlock, "lab.block", tr("Block"), &LabNumbers::block, 1, 1024,
            tr("Threads per block")},
      Field{OccupancyAxis::kRegisters, "lab.registers", tr("Registers"), &LabNumbers::registers, 1, 255,
            tr("Registers per thread")},
      Field{OccupancyAxis::kShared, "lab.shared", tr("Shared memory (B)"), &LabNumbers::shared_bytes, 0,
            kMostShared, tr("Shared memory per block, static and dynamic, in bytes")}};
  const auto add = [&](const char* label, auto draw) {
    items.push_back(fixedItem(labelledWidth(ui, label, ui.px(kNumberWidth)), 20, ui.px(14),
                              [&ui, draw](float) { draw(ui); }));
  };
  for (const Field& field : fields) {
    add(field.label, [field](const Ui& at) {
      uint32_t value = typedLike(at).*field.value;
      if (number(at, field.name, field.label, value, field.least, field.most, field.help))
        takeNumber(at, field.axis, value);
    });
  }
  const LabNumbers& now = ui.model.lab().numbers();
  if (now.typed) {
    add(tr("Barriers"), [](const Ui& at) {
      LabNumbers numbers = at.model.lab().numbers();
      if (!number(at, "lab.barriers", tr("Barriers"), numbers.barriers, 0, 16,
                  tr("Numbered barriers per block: __syncthreads uses one. They are limited from compute "
                     "capability 9.0 on.")))
        return;
      at.model.beginEdit();
      at.model.lab().setNumbers(numbers);
    });
  } else if (now.registers_instead || now.shared_instead) {
    items.push_back(fixedItem(buttonWidth(tr("What if: back to the kernel")), 10, ui.px(14),
                              [&ui](float) { resetButton(ui); }));
  }
}

// Shows the physical limits from which the answer is computed.
void limitsTooltip(const Ui& ui, const char* name, const LabDevice& device) {
  if (!wantsTooltip(ui, name)) return;
  const DeviceLimits& limits = device.description.limits;
  const AllocationRules& rules = factsOf(limits.compute_capability).rules;
  const auto number = [](uint64_t count) { return formatCount(static_cast<int64_t>(count)); };
  Tooltip tooltip(ui.theme, ui.fonts, device.label, 290);
  tooltip.row(tr("warps per SM"), number(limits.max_threads_per_sm / kWarpSize));
  tooltip.row(tr("threads per SM"), number(limits.max_threads_per_sm));
  tooltip.row(tr("blocks per SM"), number(limits.max_blocks_per_sm));
  tooltip.row(tr("threads per block"), number(limits.max_threads_per_block));
  tooltip.row(tr("registers per SM"), number(limits.registers_per_sm));
  tooltip.row(tr("registers per block"), number(limits.registers_per_block));
  tooltip.row(tr("registers per thread"), number(rules.max_registers_per_thread));
  tooltip.row(tr("a warp's registers are multiples of"), number(rules.register_unit));
  tooltip.row(tr("sub-partitions per SM"), number(rules.sub_partitions));
  tooltip.row(tr("shared memory per SM"), formatBytes(limits.shared_bytes_per_sm));
  tooltip.row(tr("shared memory per block"),
              formatBytes(std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in)));
  tooltip.row(tr("a block's shared memory is a multiple of"), formatBytes(rules.shared_unit_bytes));
  tooltip.row(tr("reserved per block by the driver"), formatBytes(limits.shared_bytes_reserved_per_block));
  tooltip.note(
      tr("Limits of a device, whether it is here or not: one of this machine, or any compute capability."));
}

void deviceCombo(const Ui& ui, const LabDevices& devices, const char* name, const char* label, bool second,
                 float width) {
  LabNumbers numbers = ui.model.lab().numbers();
  std::string& chosen = second ? numbers.second_device : numbers.device;
  const auto found = std::ranges::find(devices, chosen, &LabDevice::id);
  std::string preview = second && chosen.empty() ? tr("no second device")
                        : found == devices.end() ? tr("none")
                                                 : found->label;
  quietLabel(ui, label);
  ImGui::SetNextItemWidth(width);
  preview = fittedText(ui.fonts.text, preview, width - ImGui::GetFrameHeight() - ui.px(10));
  ImGui::PushID(name);
  const bool open = ImGui::BeginCombo("##device", preview.c_str(), ImGuiComboFlags_HeightLarge);
  ui.report.widgetOfLastItem(name);
  std::optional<std::string> now;
  if (open) {
    if (second) {
      if (ImGui::Selectable(tr("no second device"), chosen.empty())) now = "";
      ui.report.widgetOfLastItem(std::string(name) + ".none");
    }
    for (const LabDevice& device : devices) {
      // The open device is the first one's "", and needs an id of its own as the second one.
      const std::string id = device.id.empty() && second ? "cc:open" : device.id;
      if (device.id.empty() && second) continue;
      if (ImGui::Selectable((device.label + "##" + id).c_str(), device.id == chosen)) now = device.id;
      ui.report.widgetOfLastItem(std::string(name) + "." + id);
    }
    ImGui::EndCombo();
  } else if (found != devices.end()) {
    limitsTooltip(ui, name, *found);
  } else {
    helpTooltip(
        ui, name, label,
        tr("Limits of a device, whether it is here or not: one of this machine, or any compute capability."));
  }
  ImGui::PopID();
  if (!now) return;
  chosen = *now;
  ui.model.beginEdit();
  ui.model.lab().setNumbers(numbers);
}

void carveOut(const Ui& ui, const DeviceLimits& limits, float width) {
  LabNumbers numbers = ui.model.lab().numbers();
  const auto& all = factsOf(limits.compute_capability).shared_configurations_bytes;
  quietLabel(ui, tr("Carve-out"));
  ImGui::SetNextItemWidth(width);
  const std::string preview = numbers.carve_out_bytes ? formatBytes(*numbers.carve_out_bytes) : tr("largest");
  const bool open = ImGui::BeginCombo("##carve-out", preview.c_str());
  ui.report.widgetOfLastItem("lab.carve_out");
  std::optional<std::optional<uint32_t>> now;
  if (open) {
    if (ImGui::Selectable(tr("largest"), !numbers.carve_out_bytes)) now.emplace();
    ui.report.widgetOfLastItem("lab.carve_out.largest");
    for (const uint32_t bytes : all) {
      if (bytes > limits.shared_bytes_per_sm) continue;
      if (ImGui::Selectable(formatBytes(bytes).c_str(), numbers.carve_out_bytes == bytes)) now = bytes;
      ui.report.widgetOfLastItem(fmt::format("lab.carve_out.{}", bytes));
    }
    ImGui::EndCombo();
  } else {
    helpTooltip(ui, "lab.carve_out", tr("How much of the memory shared with L1 is shared memory"),
                tr("What the driver is asked for; a block that needs more gets the smallest configuration "
                   "that holds it. By default the driver chooses the one that holds the most blocks."));
  }
  if (!now) return;
  ui.model.beginEdit();
  numbers.carve_out_bytes = *now;
  ui.model.lab().setNumbers(numbers);
}

void cachedLoads(const Ui& ui, float width) {
  LabNumbers numbers = ui.model.lab().numbers();
  quietLabel(ui, tr("Global loads"));
  ImGui::SetNextItemWidth(width);
  const std::array names{tr("L2 only"), tr("L1 and L2")};
  const bool open = ImGui::BeginCombo("##cached-loads", names[numbers.cached_loads ? 1 : 0]);
  ui.report.widgetOfLastItem("lab.cached_loads");
  std::optional<bool> now;
  if (open) {
    for (const bool cached : {false, true}) {
      if (ImGui::Selectable(names[cached ? 1 : 0], numbers.cached_loads == cached)) now = cached;
      ui.report.widgetOfLastItem(cached ? "lab.cached_loads.l1" : "lab.cached_loads.l2");
    }
    ImGui::EndCombo();
  } else {
    helpTooltip(ui, "lab.cached_loads", tr("Where global loads are cached: nvcc -Xptxas -dlcm=ca or cg"),
                tr("Each half of this SM has its own L1: a block whose loads are cached there is placed in "
                   "one half, if it fits."));
  }
  if (!now) return;
  ui.model.beginEdit();
  numbers.cached_loads = *now;
  ui.model.lab().setNumbers(numbers);
}

LabDevices labDevices(const Model& model) {
  LabDevices all;
  if (const DeviceDescription* open = model.devices().description(); open != nullptr)
    all.push_back({"", open->name, *open});
  for (const DeviceDescription& device : model.devices().listed().devices) {
    if (device.limits.max_threads_per_sm == 0 || device.id == model.devices().id()) continue;
    all.push_back({device.id, device.name, device});
  }
  for (const CapabilityFacts& facts : knownCapabilities()) {
    const std::string number = fmt::format("{}.{}", facts.capability.major, facts.capability.minor);
    DeviceDescription description;
    description.name = trf("Compute capability {} ({}: {})", number, facts.architecture, facts.chips);
    description.limits = facts.limits;
    all.push_back({"cc:" + number, description.name, description});
  }
  return all;
}

}  // namespace

const LabDevices& LabDeviceList::of(const Model& model) {
  if (version_ != model.devices().version() || language_ != &language()) {
    all_ = labDevices(model);
    version_ = model.devices().version();
    language_ = &language();
  }
  return all_;
}

namespace {

void addDevices(const Ui& ui, const LabDevices& devices, std::vector<FoldItem>& items) {
  const auto combo = [&](const char* name, const char* label, bool second, int rank) {
    items.push_back({.least = labelledWidth(ui, label, ui.px(110)),
                     .width = labelledWidth(ui, label, ui.px(300)),
                     .gap = ui.px(14),
                     .rank = rank,
                     .draw = [&ui, &devices, name, label, second](float room) {
                       deviceCombo(ui, devices, name, label, second, room - labelledWidth(ui, label, 0));
                     }});
  };
  combo("lab.device", tr("Device"), false, 30);
  combo("lab.second_device", tr("beside"), true, 50);
  const LabNumbers& numbers = ui.model.lab().numbers();
  bool cached_loads_matter = false;
  for (const LabDevice& device : devices) {
    const DeviceLimits& limits = device.description.limits;
    const bool first = device.id == numbers.device;
    if (first) {
      items.push_back(fixedItem(labelledWidth(ui, tr("Carve-out"), ui.px(92)), 60, ui.px(14),
                                [&ui, &limits](float) { carveOut(ui, limits, ui.px(92)); }));
    }
    const bool second = !numbers.second_device.empty() && device.id == numbers.second_device;
    const bool halves = factsOf(limits.compute_capability).rules.cached_loads_halve_sm;
    cached_loads_matter = cached_loads_matter || ((first || second) && halves);
  }
  if (cached_loads_matter) {
    items.push_back(fixedItem(labelledWidth(ui, tr("Global loads"), ui.px(92)), 61, ui.px(14),
                              [&ui](float) { cachedLoads(ui, ui.px(92)); }));
  }
}

}  // namespace

OccupancyHeader drawOccupancyHeader(const Ui& ui, const LabDevices& devices, ImVec2 at, float width) {
  std::vector<FoldItem> items;
  items.push_back(fixedItem(buttonWidth(tr("Kernel at hand")), 0, 0, [&ui](float) { kernelButton(ui); }));
  items.push_back(
      fixedItem(buttonWidth(tr("Calculator")), 0, ui.px(2), [&ui](float) { calculatorButton(ui); }));
  addNumbers(ui, items);
  const float row = ImGui::GetFrameHeight() + ui.px(5), room = width - ui.px(8);
  const bool one_row = ui.screen.stage.tabbed();  // the picture needs the height
  ImGui::SetCursorScreenPos({at.x + ui.px(4), at.y + ui.px(2)});
  if (!one_row) {
    drawFoldingRow(ui, "lab.numbers", room, items);
    items.clear();
    ImGui::SetCursorScreenPos({at.x + ui.px(4), at.y + ui.px(2) + row});
  }
  addDevices(ui, devices, items);
  const float right = drawFoldingRow(ui, "lab.devices", room, items);
  return {.height = row * (one_row ? 1.0F : 2.0F) + ui.px(4), .right = right};
}

}  // namespace warpscope
