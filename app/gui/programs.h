// The user's own file of kernels in the window: opened, edited, watched, compiled off the UI thread, and made
// the shown family. While it has errors, the window goes on with what compiled last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/file_watch.h"
#include "kernels/program/program.h"

namespace warpscope {

class Model;

struct ProgramHooks {
  std::function<void(const std::string& text, double seconds)> tell;
  std::function<void()> wake;  // from another thread: update() has something to do
};

// A kernel to begin with, as the File menu offers it.
struct KernelTemplate {
  std::string name;  // "tiled matrix product"
  std::filesystem::path file;
};

class Programs {
 public:
  Programs(Model& model, ProgramHooks hooks);

  // They hold for files that are opened from here on.
  void setOptions(LoadOptions options) { options_ = std::move(options); }
  // The text of the file before goes to the clipboard if it was not saved. `kernel` is shown first, if it is
  // not empty.
  void open(const std::filesystem::path& file, const std::string& kernel = {});
  // A file that does not exist yet: it is written by save().
  void create(const std::filesystem::path& file, std::string text);
  bool update();  // true: there is something to draw
  bool busy() const { return compiling_; }

  bool isOpen() const { return !file_.empty(); }
  const std::filesystem::path& file() const { return file_; }
  bool isChanged() const { return text_ != saved_; }  // by the user, and not saved

  // The editor shows this text and may change it. version() changes when anything else replaces the text.
  std::string& text() { return text_; }
  const std::string& text() const { return text_; }
  uint64_t version() const { return version_; }

  void compile();  // the text as it is, and runs it
  void save();     // and compiles
  // Writes the present settings as a comment before the kernel. As the user's own edit, it is not saved.
  void writeLaunchComment();
  // As long as nothing else has changed the text since: puts back what was there before the comment.
  bool canTakeCommentBack() const { return !with_comment_.empty() && text_ == with_comment_; }
  void takeCommentBack();

  // The errors or warnings of the text that was compiled last.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const std::string& error() const { return error_; }  // empty: it compiled
  const std::shared_ptr<const Program>& program() const {
    return program_;
  }  // that compiled last; null: none
  double compile_s() const { return compile_s_; }
  const std::vector<KernelTemplate>& templates() const { return templates_; }

 private:
  struct Outcome {
    uint64_t ticket = 0;
    bool from_disk = false;
    std::string text;
    std::optional<Error> error;
    LoadedProgram loaded;
    const Experiment* experiment = nullptr;
    double seconds = 0;
  };
  void start(std::optional<std::string> text);
  void take(Outcome outcome);
  void showText(std::string text);

  Model& model_;
  ProgramHooks hooks_;
  const std::vector<KernelTemplate> templates_;
  LoadOptions options_;
  std::string wanted_kernel_;  // once it is compiled
  std::filesystem::path file_;
  std::string text_, saved_, compiled_text_, error_;
  std::string with_comment_, before_comment_;
  std::vector<Diagnostic> diagnostics_;
  std::shared_ptr<const Program> program_;
  uint64_t version_ = 0, ticket_ = 0;
  double compile_s_ = 0;
  bool compiling_ = false, file_changed_ = false;
  Mailbox<Outcome> outcomes_;
  FileWatch watch_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
