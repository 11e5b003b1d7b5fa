// A picture of one run of a file, as the window shows it.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/core/error.h"
#include "kernels/recording/recording.h"

namespace warpscope {

struct RunPicture {
  std::filesystem::path file;  // what `index` was opened from: a recording or a session
  size_t number = 0;           // of the run in it
  bool svg = false;            // else PNG
  std::string view;            // empty: the window
  std::filesystem::path output;
};
// Errors: no such view, no display or OpenGL, or a program that was built without a window.
Expected<void> pictureOf(const RunPicture& picture, const RecordingIndex& index);

}  // namespace warpscope
