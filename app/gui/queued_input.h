// Dear ImGui's queue of input events, which exists since 1.87 (kInputIsQueued). It is spread over several
// frames: a key and a movement of the mouse that arrive together are not seen together. Before, there is no
// queue, and these functions do nothing.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>

namespace warpscope {

// Events are left for the next frames.
bool inputWaits();

// The mouse was pressed, or moved to another place than that, in an event that waits.
bool mouseActs(ImVec2 at);

// Takes the movements of the mouse out of the queue; where the last one led, if there are any.
std::optional<ImVec2> dropMovements();

// What `add` adds to the queue comes before everything that waits there.
void addFirst(const std::function<void()>& add);

}  // namespace warpscope
