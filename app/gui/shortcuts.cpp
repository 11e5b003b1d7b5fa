// Keys. They act on the model and on ViewState through the same functions as the mouse; none acts while text
// is being typed.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "app/gui/pages/pages.h"
#include "app/gui/panels.h"
#include "viz/layout/navigation.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view_tooltips.h"

namespace warpscope {
namespace {

constexpr double kPanShare = 0.15, kZoomStep = 1.3;
constexpr std::array kScales{0.75F, 0.875F, 1.0F, 1.125F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};

void stepScale(ScreenState& screen, int direction) {
  if (direction == 0) {
    screen.scale = 1;
  } else if (direction > 0) {
    const auto next = std::upper_bound(kScales.begin(), kScales.end(), screen.scale + 0.001F);
    screen.scale = next == kScales.end() ? kScales.back() : *next;
  } else {
    const auto next = std::lower_bound(kScales.begin(), kScales.end(), screen.scale - 0.001F);
    screen.scale = next == kScales.begin() ? kScales.front() : *(next - 1);
  }
}

Page& pageOf(const Ui& ui) {
  return ui.pages.find(ui.screen.page);
}

// The time axis of the visible page.
ViewState& viewOf(const Ui& ui) {
  return pageOf(ui).timeAxis(ui);
}

void moveInTime(const Ui& ui, int direction) {
  const auto launch = pageOf(ui).timeExtent(ui);
  ViewState& view = viewOf(ui);
  if (!launch) return;
  rememberGesture(view, ui.now_s);
  panBy(view, *launch, (view.end_cycles - view.begin_cycles) * kPanShare * direction);
}

void zoom(const Ui& ui, double factor) {
  const auto launch = pageOf(ui).timeExtent(ui);
  ViewState& view = viewOf(ui);
  if (!launch) return;
  rememberGesture(view, ui.now_s);
  zoomAround(view, *launch, (view.begin_cycles + view.end_cycles) / 2, factor);
}

// Selects the warp of the row above or below.
void moveSelection(const Ui& ui, int direction) {
  const ShownRun& shown = ui.model.feed().shown();
  ViewState& view = ui.model.view;
  if (shown.layout == nullptr || shown.layout->rowCount() == 0) return;
  const auto grouping = view.grouping == ViewState::Grouping::kBySm ? TraceLayout::Grouping::kBySm
                                                                    : TraceLayout::Grouping::kByBlock;
  int64_t row = 0;
  if (view.selected_warp) {
    const auto warp = shown.layout->findWarp(view.selected_warp->block, view.selected_warp->warp_in_block);
    if (warp) row = int64_t{shown.layout->rowOfWarp(grouping, *warp)} + direction;
  }
  row = std::clamp<int64_t>(row, 0, int64_t{shown.layout->rowCount()} - 1);
  const TraceWarp& warp =
      shown.run->trace.warps[shown.layout->warpOfRow(grouping, static_cast<uint32_t>(row))];
  view.selected_warp = WarpKey{warp.block, warp.warp_in_block};
}

// Shows or hides instructions; says why if the run has none.
void toggleInstructions(const Ui& ui) {
  const ShownRun& shown = ui.model.feed().shown();
  const std::string why_not = whyNoInstructions(shown.run.get(), shown.layout.get());
  if (!why_not.empty()) {
    notify(ui, why_not, 8);
  } else {
    ui.model.view.instructions = !ui.model.view.instructions;
  }
}

// Selects the instruction that the warp issued before or after.
void step(const Ui& ui, int direction) {
  const TraceLayout* layout = ui.model.feed().shown().layout.get();
  if (layout != nullptr && ui.model.view.instructions) stepInstruction(ui.model.view, *layout, direction);
}

// Goes one step back: closes or deselects whatever is in front.
void escape(const Ui& ui) {
  ViewState& view = ui.model.view;
  if (ui.screen.help_open) {
    ui.screen.help_open = false;
  } else if (ui.model.problem()) {
    ui.model.dismissProblem();
  } else if (ui.model.feed().busy()) {
    ui.model.cancel();
  } else if (goBack(viewOf(ui)) || pageOf(ui).goBack(ui)) {
    return;
  } else if (view.selected_instruction) {
    view.selected_instruction.reset();
  } else if (view.selected_line) {
    view.selected_line.reset();
  } else if (view.selected_region) {
    view.selected_region.reset();
  } else {
    view.selected_warp.reset();
  }
}

void withControl(const Ui& ui, const KeyPress& press) {
  switch (press.key) {
    case GLFW_KEY_Z:
      press.shift ? ui.model.redo() : ui.model.undo();
      break;
    case GLFW_KEY_Y:
      ui.model.redo();
      break;
    case GLFW_KEY_S:
      if (press.shift) {
        ui.screen.files.wish = &infoOf(FileAction::kSaveSession);
      } else {
        ui.screen.save_picture = PictureWish{};
      }
      break;
    case GLFW_KEY_O:
      ui.screen.files.wish = &infoOf(FileAction::kOpen);
      break;
    case GLFW_KEY_L:
      ui.screen.language_wanted = otherLanguage().code;
      break;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD:
      stepScale(ui.screen, +1);
      break;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT:
      stepScale(ui.screen, -1);
      break;
    case GLFW_KEY_0:
    case GLFW_KEY_KP_0:
      stepScale(ui.screen, 0);
      break;
    default:
      break;
  }
}

void selectByNumber(const Ui& ui, size_t index) {
  const auto& variants = ui.model.choice().family().variants;
  if (index < variants.size()) ui.model.selectVariant(variants[index].name);
}

// A page's key opens it; pressed again, it returns to the run.
bool openPage(const Ui& ui, int key) {
  const Page* page = ui.pages.withKey(key);
  if (page == nullptr) return false;
  ui.screen.page = page == &pageOf(ui) ? ui.pages.first().name() : page->name();
  return true;
}

// Handles keys that may be held down.
bool movement(const Ui& ui, const KeyPress& press) {
  switch (press.key) {
    case GLFW_KEY_LEFT:
      moveInTime(ui, -1);
      return true;
    case GLFW_KEY_RIGHT:
      moveInTime(ui, +1);
      return true;
    case GLFW_KEY_COMMA:
      step(ui, -1);
      return true;
    case GLFW_KEY_PERIOD:
      step(ui, +1);
      return true;
    case GLFW_KEY_LEFT_BRACKET:
      --ui.model.view.step_by;
      return true;
    case GLFW_KEY_RIGHT_BRACKET:
      ++ui.model.view.step_by;
      return true;
    case GLFW_KEY_UP:
      moveSelection(ui, -1);
      return true;
    case GLFW_KEY_DOWN:
      moveSelection(ui, +1);
      return true;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD:
      zoom(ui, 1 / kZoomStep);
      return true;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT:
      zoom(ui, kZoomStep);
      return true;
    default:
      return false;
  }
}

void single(const Ui& ui, const KeyPress& press) {
  switch (press.key) {
    case GLFW_KEY_SPACE:
      ui.model.launch();
      break;
    case GLFW_KEY_L:
      ui.model.setLive(!ui.model.live());
      break;
    case GLFW_KEY_F:
      rememberZoom(viewOf(ui));
      fit(viewOf(ui));
      break;
    case GLFW_KEY_K:
      keepShownRun(ui);
      break;
    case GLFW_KEY_I:
      toggleInstructions(ui);
      break;
    case GLFW_KEY_N:
      ui.screen.files.notes_open = !ui.screen.files.notes_open;
      ui.screen.files.notes_begin = ui.screen.files.notes_open;
      break;
    case GLFW_KEY_T:
      ui.screen.theme = nextTheme(ui.screen.theme);
      break;
    case GLFW_KEY_F1:
      ui.screen.help_open = !ui.screen.help_open;
      break;
    case GLFW_KEY_SLASH:
      if (press.shift) ui.screen.help_open = !ui.screen.help_open;
      break;
    case GLFW_KEY_ESCAPE:
      escape(ui);
      break;
    default:
      if (press.key >= GLFW_KEY_1 && press.key <= GLFW_KEY_9) {
        selectByNumber(ui, static_cast<size_t>(press.key - GLFW_KEY_1));
      }
  }
}

}  // namespace

void handleShortcuts(const Ui& ui, std::span<const KeyPress> keys) {
  for (const KeyPress& press : keys) {
    if (ui.screen.files.dialog_open) {
      if (press.key == GLFW_KEY_ESCAPE) ui.screen.files.close_wish = true;
      continue;
    }
    if (ImGui::GetIO().WantTextInput) {
      if (press.key == GLFW_KEY_ESCAPE) ui.screen.typing.clear();
      // Text fields do not use this key, so that a session can be saved while its notes are typed.
      if (press.key != GLFW_KEY_S || !press.control || !press.shift) continue;
    }
    if (press.control) {
      withControl(ui, press);
    } else if (!movement(ui, press) && !press.repeated && !openPage(ui, press.key) &&
               !pageOf(ui).takeKey(ui, press.key)) {
      single(ui, press);
    }
  }
}

}  // namespace warpscope
