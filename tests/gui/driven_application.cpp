#include "tests/gui/driven_application.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "tests/gui/key_names.h"

namespace warpscope::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kBackground_s = 0.02;  // waited for news at a time, while something works in the background
constexpr double kSoon_s = 0.6;         // a frame that is due later does not disturb the rest
constexpr double kBetweenClicks_s = 0.6;  // longer than a double click's pause
constexpr auto kLongest = std::chrono::seconds(30);
constexpr int kMostIdleSteps = 100;  // of kBackground_s, before nothing is expected any more

}  // namespace

DrivenApplication::DrivenApplication(const GuiOptions& options) {
  auto loop = FrameLoop::start(options, [this](const WindowOptions& wanted) {
    auto window = std::make_unique<InjectedWindow>(wanted);
    window_ = window.get();
    return Expected<std::unique_ptr<Window>>(std::move(window));
  });
  if (!loop) {
    failure_ = loop.error().message;
    return;
  }
  loop_ = std::move(*loop);
  settleGesture();
}

std::string DrivenApplication::text(const std::string& widget) const {
  return report()["texts"].value(widget, "");
}

std::optional<Rectangle> DrivenApplication::find(const std::string& widget) const {
  const auto* area = loop_->application().report().find(widget);
  if (area == nullptr) return std::nullopt;
  return Rectangle{(*area)[0], (*area)[1], (*area)[2], (*area)[3]};
}

bool DrivenApplication::step(double real_s, double clock_s) {
  window_->setPatience(real_s, clock_s);
  return loop_->step();
}

void DrivenApplication::settleGesture() {
  for (int i = 0; i < 3; ++i) step(0, 0);
}

::testing::AssertionResult DrivenApplication::gaveUp(const char* why) const {
  return ::testing::AssertionFailure() << why << " The window's state: " << state().dump(1);
}

::testing::AssertionResult DrivenApplication::until(const std::function<bool(const Json& state)>& condition) {
  const auto end = Clock::now() + kLongest;
  int idle_steps = 0;
  while (!condition(state())) {
    const bool pending = loop_->application().pending();
    const bool idle = !pending && loop_->nextFrameIn() < 0;
    const bool drew = step(pending || idle ? kBackground_s : 0, pending ? kBackground_s : kForever);
    idle_steps = idle && !drew ? idle_steps + 1 : 0;
    if (idle_steps > kMostIdleSteps)
      return gaveUp("What was waited for does not come: nothing is on its way.");
    if (Clock::now() > end) return gaveUp("What was waited for did not come within 30 s.");
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult DrivenApplication::settled() {
  return until([](const Json& state) {
    return state.contains("run") && !state["busy"].get<bool>() && !state["outdated"].get<bool>();
  });
}

::testing::AssertionResult DrivenApplication::rests() {
  const auto end = Clock::now() + kLongest;
  const auto soon = [this] {
    const double next = loop_->nextFrameIn();
    return next >= 0 && next < kSoon_s;
  };
  while (Clock::now() < end) {
    const bool pending = loop_->application().pending();
    const bool drew = pending ? step(kBackground_s, kBackground_s) : step(0, soon() ? kSoon_s : 0);
    // Anything that arrived before pending() returned false was taken by that step.
    if (!pending && !drew && !soon() && !loop_->application().pending()) return ::testing::AssertionSuccess();
  }
  return gaveUp("The window did not come to rest within 30 s.");
}

void DrivenApplication::passTime(double seconds) {
  const double end_s = now() + seconds;
  while (now() < end_s) {
    const double before_s = now();
    const bool drew = step(0, end_s - before_s);
    if (!drew && now() == before_s) window_->passTime(end_s - before_s);  // nothing is due
  }
}

void DrivenApplication::resize(double width, double height) {
  window_->resize(static_cast<float>(width), static_cast<float>(height));
}

void DrivenApplication::draw(int frames) {
  for (int i = 0; i < frames; ++i) loop_->application().frame();
}

void DrivenApplication::move(double x, double y) {
  window_->moveMouse(static_cast<float>(std::round(x)), static_cast<float>(std::round(y)));
  step(0, 0);
}

void DrivenApplication::press(double x, double y) {
  move(x, y);
  window_->passTime(kBetweenClicks_s);
  window_->setButton(0, true);
  step(0, 0);
}

void DrivenApplication::release() {
  window_->setButton(0, false);
  settleGesture();
}

void DrivenApplication::click(double x, double y) {
  press(x, y);
  release();
}

void DrivenApplication::click(const std::string& widget) {
  const auto area = find(widget);
  if (!area) {
    ADD_FAILURE() << widget << " is not on screen, so it cannot be clicked";
    return;
  }
  click(area->x(), area->y());
}

void DrivenApplication::controlClick(const std::string& widget) {
  window_->setKey(GLFW_KEY_LEFT_CONTROL, true);
  step(0, 0);
  click(widget);
  window_->setKey(GLFW_KEY_LEFT_CONTROL, false);
  settleGesture();
}

void DrivenApplication::doubleClick(double x, double y) {
  press(x, y);
  window_->setButton(0, false);
  step(0, 0);
  window_->setButton(0, true);
  step(0, 0);
  release();
}

void DrivenApplication::rightClick(const std::string& widget) {
  const auto area = find(widget);
  if (!area) {
    ADD_FAILURE() << widget << " is not on screen, so it cannot be clicked";
    return;
  }
  rightClick(area->x(), area->y());
}

void DrivenApplication::rightClick(double x, double y) {
  move(x, y);
  window_->passTime(kBetweenClicks_s);
  window_->setButton(1, true);
  step(0, 0);
  window_->setButton(1, false);
  settleGesture();
}

void DrivenApplication::shiftClick(double x, double y) {
  window_->setKey(GLFW_KEY_LEFT_SHIFT, true);
  step(0, 0);
  click(x, y);
  window_->setKey(GLFW_KEY_LEFT_SHIFT, false);
  settleGesture();
}

void DrivenApplication::drag(double from_x, double from_y, double to_x, double to_y,
                             const std::string& with) {
  const int key = with == "shift" ? GLFW_KEY_LEFT_SHIFT : GLFW_KEY_LEFT_CONTROL;
  const bool holds_key = with == "shift" || with == "ctrl";
  const int button = with == "middle" ? 2 : 0;
  if (holds_key) {
    window_->setKey(key, true);
    step(0, 0);
  }
  move(from_x, from_y);
  window_->passTime(kBetweenClicks_s);
  window_->setButton(button, true);
  step(0, 0);
  constexpr int kSteps = 6;
  for (int i = 1; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    move(from_x + (to_x - from_x) * share, from_y + (to_y - from_y) * share);
  }
  window_->setButton(button, false);
  settleGesture();
  if (!holds_key) return;
  window_->setKey(key, false);
  settleGesture();
}

void DrivenApplication::wheel(double x, double y, int notches) {
  move(x, y);
  for (int i = 0; i < std::abs(notches); ++i) {
    window_->turnWheel(notches > 0 ? 1.0F : -1.0F);
    step(0, 0);
  }
  settleGesture();
}

void DrivenApplication::key(const std::string& name) {
  const auto named = keyOfName(name);
  if (!named) {
    ADD_FAILURE() << "no key is called " << name;
    return;
  }
  const auto change = [this](int key, bool down) {
    window_->setKey(key, down);
    step(0, 0);
  };
  if (named->control) change(GLFW_KEY_LEFT_CONTROL, true);
  if (named->shift) change(GLFW_KEY_LEFT_SHIFT, true);
  change(named->key, true);
  change(named->key, false);
  if (named->shift) change(GLFW_KEY_LEFT_SHIFT, false);
  if (named->control) change(GLFW_KEY_LEFT_CONTROL, false);
  settleGesture();
}

void DrivenApplication::keyAndTextAtOnce(const std::string& key, const std::string& text) {
  const auto named = keyOfName(key);
  ASSERT_TRUE(named) << key;
  const auto stroke = [this](int code) {
    window_->setKey(code, true);
    window_->setKey(code, false);
  };
  if (named->control) window_->setKey(GLFW_KEY_LEFT_CONTROL, true);
  stroke(named->key);
  if (named->control) window_->setKey(GLFW_KEY_LEFT_CONTROL, false);
  for (const char character : text) {
    const auto typed = keyOfCharacter(character);
    ASSERT_TRUE(typed) << character;
    window_->setKey(typed->key, true);
    window_->typeCharacter(static_cast<unsigned char>(character));
    window_->setKey(typed->key, false);
  }
  stroke(GLFW_KEY_ENTER);
  settleGesture();
}

void DrivenApplication::type(const std::string& text) {
  for (const char character : text) {
    const auto key = keyOfCharacter(character);
    if (!key) {
      ADD_FAILURE() << "no key types " << character;
      return;
    }
    if (key->shift) window_->setKey(GLFW_KEY_LEFT_SHIFT, true);
    window_->setKey(key->key, true);
    window_->typeCharacter(static_cast<unsigned char>(character));
    step(0, 0);
    window_->setKey(key->key, false);
    if (key->shift) window_->setKey(GLFW_KEY_LEFT_SHIFT, false);
    step(0, 0);
  }
  settleGesture();
}

void DrivenApplication::drop(const std::vector<std::filesystem::path>& paths) {
  window_->drop(paths);
  settleGesture();
}

bool DrivenApplication::running() {
  const uint64_t before = frames();
  const Json mouse = state()["mouse"];
  move(mouse["x"].get<double>() + 1, mouse["y"].get<double>());
  return frames() > before;
}

int DrivenApplication::close() {
  const auto saved = loop_->finish();
  loop_.reset();
  window_ = nullptr;
  EXPECT_TRUE(saved) << saved.error().message;
  return saved ? 0 : 1;
}

}  // namespace warpscope::testing
