// The desktop's window: GLFW, an OpenGL 3.3 core context, Dear ImGui's back ends, and reading pixels back.
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
// Must come after glad, which brings the OpenGL declarations.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/gui/queued_input.h"
#include "app/gui/window.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

std::string last_glfw_error;

void rememberGlfwError(int /*code*/, const char* text) {
  last_glfw_error = text;
}

// The events of keys and buttons between two frames, in order. Before 1.87 Dear ImGui looks only at the state
// when a frame begins: if drawing one takes longer than a key is held, or longer than from a click to the
// next move, it would miss them. Later versions queue everything themselves, and this stays empty.
struct HeldInput {
  std::vector<int> pressed;  // keys, since the last frame
  std::vector<int> released,
      due;  // those of the keys that the coming frame still sees down, and the next does not
  std::optional<ImVec2> mouse;         // after the last movement
  std::vector<ImVec2> button_changes;  // where the mouse was at each; a frame takes one
  bool waits() const { return !released.empty() || !due.empty() || !button_changes.empty(); }
};

class GlfwWindow : public Window {
 public:
  explicit GlfwWindow(GLFWwindow* window);
  ~GlfwWindow() override;
  Expected<void> makeOffscreenBuffer(uint32_t width, uint32_t height);

  bool closing() const override;
  ImVec2 size() const override;
  ImVec2 sizeOnScreen() const override;
  bool wait(double timeout_s) override;
  void wake() override;
  double now() const override;
  void beginFrame() override;
  void render() override;
  void present() override;
  Image pixels() override;

 private:
  void uploadFonts() override;
  void installCallbacks();
  bool holdsRelease(int key, int action);  // the coming frame must still see it down

  GLFWwindow* window_;
  bool input_ = true;
  bool fonts_uploaded_ = false;
  HeldInput held_;
  uint32_t offscreen_ = 0, offscreen_colour_ = 0;  // OpenGL names; 0: draws to the window
  uint32_t offscreen_width_ = 0, offscreen_height_ = 0;
};

GlfwWindow& windowOf(GLFWwindow* window) {
  return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window));
}

GlfwWindow::GlfwWindow(GLFWwindow* window) : window_(window) {
  glfwSetWindowUserPointer(window_, this);
  installCallbacks();  // before Dear ImGui's, which call ours
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  if (!kInputIsQueued) {
    // Replaces Dear ImGui's callback, and calls it.
    glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
      if (!windowOf(window).holdsRelease(key, action))
        ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, modifiers);
    });
  }
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

GlfwWindow::~GlfwWindow() {
  if (offscreen_ != 0) {
    glDeleteFramebuffers(1, &offscreen_);
    glDeleteRenderbuffers(1, &offscreen_colour_);
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void GlfwWindow::installCallbacks() {
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int /*scancode*/, int action, int modifiers) {
    GlfwWindow& self = windowOf(window);
    self.input_ = true;
    if (action == GLFW_RELEASE) return;
    self.keys_.push_back({.key = key,
                          .control = (modifiers & GLFW_MOD_CONTROL) != 0,
                          .shift = (modifiers & GLFW_MOD_SHIFT) != 0,
                          .alt = (modifiers & GLFW_MOD_ALT) != 0,
                          .repeated = action == GLFW_REPEAT});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned character) {
    windowOf(window).input_ = true;
    windowOf(window).addTyped(character);
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int, int, int) {
    GlfwWindow& self = windowOf(window);
    self.input_ = true;
    if (!kInputIsQueued && self.held_.mouse) self.held_.button_changes.push_back(*self.held_.mouse);
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    GlfwWindow& self = windowOf(window);
    self.input_ = true;
    self.held_.mouse = ImVec2(static_cast<float>(x), static_cast<float>(y));
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* window, int) { windowOf(window).input_ = true; });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double, double) { windowOf(window).input_ = true; });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* window, int) { windowOf(window).input_ = true; });
  glfwSetFramebufferSizeCallback(window_,
                                 [](GLFWwindow* window, int, int) { windowOf(window).input_ = true; });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* window) { windowOf(window).input_ = true; });
  glfwSetWindowCloseCallback(window_, [](GLFWwindow* window) { windowOf(window).input_ = true; });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    GlfwWindow& self = windowOf(window);
    self.input_ = true;
    self.drops_.insert(self.drops_.end(), paths, paths + count);
  });
}

bool GlfwWindow::holdsRelease(int key, int action) {
  std::vector<int>& pressed = held_.pressed;
  if (action != GLFW_RELEASE) {
    pressed.push_back(key);
    std::erase(held_.released, key);  // pressed again meanwhile
    std::erase(held_.due, key);
    return false;
  }
  if (std::find(pressed.begin(), pressed.end(), key) == pressed.end()) return false;
  held_.released.push_back(key);
  return true;
}

Expected<void> GlfwWindow::makeOffscreenBuffer(uint32_t width, uint32_t height) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
  if (width > static_cast<uint32_t>(largest) || height > static_cast<uint32_t>(largest)) {
    return fail(ErrorKind::kBadRequest,
                "a picture of {} x {} pixels is larger than this OpenGL allows ({} x {})", width, height,
                largest, largest);
  }
  glGenFramebuffers(1, &offscreen_);
  glBindFramebuffer(GL_FRAMEBUFFER, offscreen_);
  glGenRenderbuffers(1, &offscreen_colour_);
  glBindRenderbuffer(GL_RENDERBUFFER, offscreen_colour_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, offscreen_colour_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return fail(ErrorKind::kWorkFailed, "OpenGL made no off-screen buffer of {} x {} pixels", width, height);
  }
  offscreen_width_ = width;
  offscreen_height_ = height;
  return {};
}

bool GlfwWindow::closing() const {
  return glfwWindowShouldClose(window_) != 0;
}

ImVec2 GlfwWindow::size() const {
  if (offscreen_ != 0) return {static_cast<float>(offscreen_width_), static_cast<float>(offscreen_height_)};
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  return {static_cast<float>(width), static_cast<float>(height)};
}

ImVec2 GlfwWindow::sizeOnScreen() const {
  int width = 0;
  int height = 0;
  glfwGetWindowSize(window_, &width, &height);
  return {static_cast<float>(width), static_cast<float>(height)};
}

void GlfwWindow::uploadFonts() {
#if IMGUI_VERSION_NUM < 19200
  if (std::exchange(fonts_uploaded_, true)) ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

bool GlfwWindow::wait(double timeout_s) {
  const bool waits = held_.waits() || inputWaits();
  if (input_ || waits || timeout_s == 0) {
    glfwPollEvents();
  } else if (timeout_s < 0) {
    glfwWaitEvents();
  } else {
    glfwWaitEventsTimeout(timeout_s);
  }
  return std::exchange(input_, false) || waits || held_.waits();
}

void GlfwWindow::wake() {
  glfwPostEmptyEvent();
}

double GlfwWindow::now() const {
  return glfwGetTime();
}

void GlfwWindow::beginFrame() {
  for (const int key : std::exchange(held_.due, {}))
    ImGui_ImplGlfw_KeyCallback(window_, key, 0, GLFW_RELEASE, 0);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  if (offscreen_ != 0) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size();
    io.DisplayFramebufferScale = ImVec2(1, 1);
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
  }
  if (!held_.button_changes.empty()) {
    ImGui::GetIO().MousePos = held_.button_changes.front();
    held_.button_changes.erase(held_.button_changes.begin());
  }
  startFrame();
  held_.pressed.clear();
  held_.due = std::exchange(held_.released, {});
}

void GlfwWindow::render() {
  ImGui::Render();
  const ImVec2 pixels = size();
  glBindFramebuffer(GL_FRAMEBUFFER, offscreen_);
  glViewport(0, 0, static_cast<GLsizei>(pixels.x), static_cast<GLsizei>(pixels.y));
  const ImVec4 background = ImGui::ColorConvertU32ToFloat4(theme().background);
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void GlfwWindow::present() {
  if (offscreen_ != 0) return;
  glfwSwapBuffers(window_);
  if (glfwGetWindowAttrib(window_, GLFW_VISIBLE) == 0) glfwShowWindow(window_);
}

Image GlfwWindow::pixels() {
  const ImVec2 extent = size();
  Image image{static_cast<uint32_t>(extent.x), static_cast<uint32_t>(extent.y), {}};
  const size_t row = size_t{image.width} * 3;
  std::vector<uint8_t> upside_down(row * image.height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, static_cast<GLsizei>(image.width), static_cast<GLsizei>(image.height), GL_RGB,
               GL_UNSIGNED_BYTE, upside_down.data());
  image.rgb.resize(upside_down.size());
  for (uint32_t y = 0; y < image.height; ++y) {
    const auto from = upside_down.begin() + static_cast<ptrdiff_t>((image.height - 1 - y) * row);
    std::copy_n(from, row, image.rgb.begin() + static_cast<ptrdiff_t>(y * row));
  }
  return image;
}

}  // namespace

Expected<std::unique_ptr<Window>> Window::open(const WindowOptions& options) {
  glfwSetErrorCallback(rememberGlfwError);
  if (glfwInit() == 0) {
    return fail(
        ErrorKind::kWorkFailed,
        "no display to open a window on ({}): start it on a desktop, through 'ssh -X', or under xvfb-run",
        last_glfw_error);
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  // Shown after the first frame is drawn, so that it never flashes empty.
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  const int width = options.visible ? static_cast<int>(options.width) : 64;
  const int height = options.visible ? static_cast<int>(options.height) : 64;
  GLFWwindow* handle = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
  if (handle == nullptr) {
    const std::string cause = last_glfw_error;
    glfwTerminate();
    return fail(ErrorKind::kWorkFailed,
                "no window with OpenGL 3.3 could be opened ({}): install a driver, or libgl1-mesa-dri for "
                "software rendering",
                cause);
  }
  glfwMakeContextCurrent(handle);
  if (gladLoadGL(glfwGetProcAddress) == 0) {
    glfwDestroyWindow(handle);
    glfwTerminate();
    return fail(ErrorKind::kWorkFailed, "the OpenGL driver does not offer version 3.3");
  }
  glfwSwapInterval(1);
  auto window = std::make_unique<GlfwWindow>(handle);
  if (!options.visible) {
    if (auto made = window->makeOffscreenBuffer(options.width, options.height); !made) {
      return tl::unexpected(made.error());
    }
  }
  return window;
}

}  // namespace warpscope
