#include "tests/gui/window_fixture.h"

namespace warpscope::testing {

void WindowTest::SetUp() {
  setenv("WARPSCOPE_ASSETS", (folder_ / "assets").c_str(), 1);
  setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
  setenv("LC_ALL", "C.UTF-8", 1);  // the window's language
  ASSERT_TRUE(writeSyntheticAssets(folder_ / "assets", {"divergence", "reduction"}));
}

void WindowTest::TearDown() {
  window_.reset();
}

void WindowTest::start(StartOptions options, StartPage page) {
  window_.reset();
  if (options.device.empty()) options.device = "recorded";
  // If there may be a GPU, the program lists the devices, not this test.
  if (std::filesystem::exists("/dev/nvidiactl")) options.device_options.server_command = WARPSCOPE_PROGRAM;
  warnings_.clear();
  window_ = std::make_unique<DrivenApplication>(
      GuiOptions{.start = std::move(options),
                 .start_page = page,
                 .settings_file = {},
                 .report_file = {},
                 .warn = [this](const Error& error) { warnings_.push_back(error); }});
  ASSERT_EQ(window_->failure(), "");
}

void WindowTest::start(const std::string& family, const std::string& variant, uint32_t width,
                       uint32_t height) {
  StartOptions options;
  options.family = family;
  options.variant = variant;
  options.width = width;
  options.height = height;
  start(std::move(options));
}

::testing::AssertionResult WindowTest::shows(const std::string& variant) const {
  return window_->until(
      [&](const Json& state) { return state.contains("run") && state["run"]["variant"] == variant; });
}

::testing::AssertionResult WindowTest::clickFor(
    const std::string& widget, const std::function<bool(const Json& state)>& condition) const {
  window_->click(widget);
  const auto fulfilled = window_->until(condition);
  return fulfilled ? window_->rests() : fulfilled;
}

double WindowTest::cycleAt(double x) const {
  const auto plot = window_->find("timeline.plot");
  const Json visible = window_->state()["visible"];
  const auto begin = visible["begin_cycles"].get<double>();
  const auto end = visible["end_cycles"].get<double>();
  return begin + (x - plot->x0) / (plot->x1 - plot->x0) * (end - begin);
}

double WindowTest::visibleCycles() const {
  const Json visible = window_->state()["visible"];
  return visible["end_cycles"].get<double>() - visible["begin_cycles"].get<double>();
}

}  // namespace warpscope::testing
