#include "tests/gui/desktop.h"

#ifdef WARPSCOPE_TEST_HAS_X11
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <optional>

namespace warpscope::testing {
namespace {

using Clock = std::chrono::steady_clock;

class Desktop {
 public:
  explicit Desktop(const std::string& display) : display_(XOpenDisplay(display.c_str())) {
    if (display_ == nullptr) return;
    root_ = DefaultRootWindow(display_);
    window_ = XCreateSimpleWindow(display_, root_, 0, 0, 1, 1, 0, 0, 0);
    target_ = findTarget(root_);
  }
  ~Desktop() {
    if (display_ != nullptr) XCloseDisplay(display_);
  }
  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  bool drop(const std::vector<std::filesystem::path>& paths) {
    if (display_ == nullptr || target_ == None) return false;
    for (const auto& path : paths) uris_ += "file://" + path.string() + "\r\n";
    XSetSelectionOwner(display_, atom("XdndSelection"), window_, CurrentTime);
    constexpr long kVersion = 5, kX = 300, kY = 300;
    send("XdndEnter", {kVersion << 24, static_cast<long>(atom("text/uri-list")), 0, 0});
    send("XdndPosition", {0, (kX << 16) | kY, CurrentTime, static_cast<long>(atom("XdndActionCopy"))});
    const auto status = waitFor("XdndStatus");
    if (!status || (status->data.l[1] & 1) == 0) return false;
    send("XdndDrop", {0, CurrentTime, 0, 0});
    return waitFor("XdndFinished").has_value();
  }

  bool close() {
    if (display_ == nullptr || target_ == None) return false;
    send("WM_PROTOCOLS", {static_cast<long>(atom("WM_DELETE_WINDOW")), CurrentTime, 0, 0}, 0);
    return true;
  }

 private:
  Atom atom(const char* name) const { return XInternAtom(display_, name, False); }

  // The window that says that it takes drops, else None.
  Window findTarget(Window window) const {
    Atom type = None;
    int format = 0;
    unsigned long count = 0, after = 0;
    unsigned char* data = nullptr;
    XGetWindowProperty(display_, window, atom("XdndAware"), 0, 1, False, AnyPropertyType, &type, &format,
                       &count, &after, &data);
    if (data != nullptr) XFree(data);
    if (type != None) return window;
    Window root = None, parent = None, found = None;
    Window* children = nullptr;
    unsigned children_count = 0;
    if (XQueryTree(display_, window, &root, &parent, &children, &children_count) == 0) return None;
    for (unsigned i = 0; i < children_count && found == None; ++i) found = findTarget(children[i]);
    if (children != nullptr) XFree(children);
    return found;
  }

  // XDND's messages begin with the source's window.
  void send(const char* message, const std::array<long, 4>& data, size_t first = 1) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = atom(message);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(window_);
    for (size_t i = 0; i < data.size(); ++i) event.xclient.data.l[i + first] = data[i];
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  // Gives the list of files away meanwhile, when it is asked for.
  std::optional<XClientMessageEvent> waitFor(const char* message) {
    const auto end = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < end) {
      if (XPending(display_) == 0) {
        pollfd connection{ConnectionNumber(display_), POLLIN, 0};
        poll(&connection, 1, 100);
        continue;
      }
      XEvent event;
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) giveAway(event.xselectionrequest);
      if (event.type == ClientMessage && event.xclient.message_type == atom(message)) return event.xclient;
    }
    return std::nullopt;
  }

  void giveAway(const XSelectionRequestEvent& request) {
    XChangeProperty(display_, request.requestor, request.property, request.target, 8, PropModeReplace,
                    reinterpret_cast<const unsigned char*>(uris_.data()), static_cast<int>(uris_.size()));
    XEvent answer{};
    answer.xselection.type = SelectionNotify;
    answer.xselection.requestor = request.requestor;
    answer.xselection.selection = request.selection;
    answer.xselection.target = request.target;
    answer.xselection.property = request.property;
    answer.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &answer);
    XFlush(display_);
  }

  ::Display* display_;
  Window root_ = None, window_ = None, target_ = None;
  std::string uris_;
};

}  // namespace

std::string missingDesktop() {
  return {};
}

bool dropFiles(const std::string& display, const std::vector<std::filesystem::path>& paths) {
  return Desktop(display).drop(paths);
}

bool closeWindow(const std::string& display) {
  return Desktop(display).close();
}

}  // namespace warpscope::testing
#else
namespace warpscope::testing {

std::string missingDesktop() {
  return "the tests were built without X11's headers (Debian: libx11-dev)";
}
bool dropFiles(const std::string&, const std::vector<std::filesystem::path>&) {
  return false;
}
bool closeWindow(const std::string&) {
  return false;
}

}  // namespace warpscope::testing
#endif
