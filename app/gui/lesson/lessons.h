// A lesson in the window: it makes the window show each step's scene, hides the picture while a question is
// open, and writes the answers to a file. What is asked and answered is LessonModel's.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background_work.h"
#include "app/gui/lesson/presenter.h"
#include "app/gui/model/lesson_model.h"
#include "app/gui/page_area.h"
#include "viz/layout/annotations.h"
#include "viz/widgets/theme.h"

namespace warpscope {

class Model;
struct KeyPress;
struct Ui;

struct LessonHooks {
  OpenDevice open_device;
  std::function<void(const std::string& text, double seconds)> tell;
  std::function<void()> wake;  // from another thread: update() has something to do
};

// A lesson to choose: its title and where it is.
struct LessonTitle {
  std::string title, summary;
  uint32_t minutes = 0;
  std::filesystem::path file;
};

class Lessons {
 public:
  explicit Lessons(LessonHooks hooks);

  // The first step is shown as soon as there is a device. A lesson that cannot be read changes nothing but
  // the notice. One with kernels of its own is opened by update(), once they are compiled.
  void open(const std::filesystem::path& file);
  bool opening() const { return opening_; }
  void close(const Ui& ui);
  bool isOpen() const { return model_.isOpen(); }
  LessonModel& model() { return model_; }
  const LessonModel& model() const { return model_; }
  bool update();  // true: there is something to draw
  // Runs are awaited, or a scene is still to be shown.
  bool pending() const;
  // Once a frame, before it is drawn.
  void frame(const Ui& ui);

  void go(int by);
  void answer(const LessonAnswer& answer);
  void answerDragged(const Ui& ui);
  // Presenter mode: one view, with caption and question below it in large type.
  bool presenting() const { return before_.has_value(); }
  // The window's look without presenter mode, which is what settings remember; nullopt: it has that look.
  struct Look {
    ThemeKind theme = ThemeKind::kDark;
    float scale = 1;
  };
  const std::optional<Look>& lookBefore() const { return before_; }
  void present(const Ui& ui, bool on);
  // The keys of a clicker, and digits for the options of an open question. True: the key was taken.
  bool takeKey(const Ui& ui, const KeyPress& press);

  // The widgets of the question edit these.
  LaneMask painted;
  bool paints = true;  // the drag that is going on paints lanes; false: it clears them
  std::string typed_number;
  std::optional<size_t> closed_step;  // whose answer was scrolled into sight
  Ink ink;                            // in presenter mode
  // Where the answers are written; empty: nothing was answered yet.
  const std::filesystem::path& answersFile() const { return answers_file_; }
  // The lessons that come with the program, in the window's language.
  const std::vector<LessonTitle>& titles();
  // All text of the lesson, whose characters the fonts must have.
  const std::string& text() const { return text_; }
  const std::string& deviceNote() const {
    return device_note_;
  }  // why the step is not shown as it is; empty: it is

 private:
  void take(Expected<Lesson> lesson, const std::filesystem::path& file);
  void applyScene(const Ui& ui);
  void adoptKernels(Model& model);
  void applyWhenRun(const Ui& ui);
  void takeNotesBack(Annotations& annotations);  // those of the step before
  void useRecording(Model& model);
  bool showsScene(const Run& run) const;
  void saveAnswers();

  LessonHooks hooks_;
  LessonModel model_;
  std::optional<size_t> applied_;  // the step whose scene is shown
  std::string applied_device_;
  std::vector<TimeNote> notes_;  // that the step has put onto the time axis
  bool shown_alone_ = false;     // its view has the window, without presenter mode or with it
  ParameterValues applied_parameters_;
  bool opening_ = false;    // kernels of a lesson are being compiled
  bool wants_run_ = false;  // region and zoom are set once the scene's run is there
  std::string device_note_, text_;
  std::string home_device_,
      cannot_show_;  // while a recording is shown in its place, and why; empty: it is not
  std::optional<Look> before_;
  std::vector<LessonTitle> titles_;
  std::string titles_language_;
  std::filesystem::path answers_file_;
  uint64_t saved_version_ = 0;
  std::string saved_student_;
  BackgroundWork work_;  // last: what it does calls the others
};

// Caption, question and navigation, in this area.
void drawLessonPanel(const Ui& ui, const PageArea& area);
// In place of the page, while a question is open.
void drawHiddenPicture(const Ui& ui, const PageArea& area);

}  // namespace warpscope
