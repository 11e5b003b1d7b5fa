// A lesson on paper: one HTML file with its texts, questions and pictures, which prints. The version for
// students leaves out the answers, and the pictures that give them away.
#pragma once

#include <string>
#include <vector>

#include "kernels/lesson/lesson_file.h"
#include "kernels/lesson/lesson_runs.h"

namespace warpscope {

struct HandoutStep {
  StepRuns runs, recorded;            // whose numbers stand in the texts
  std::string svg;                    // the picture; empty: there is none
  std::vector<std::string> settings;  // kDrag: the right values, as texts
};

struct HandoutOptions {
  bool answers = false;
  std::string device;           // "Simulated H100 SXM, modelled": whose numbers these are
  std::string language = "en";  // of the few words that are not the lesson's: "en" or "zh_CN"
};

// `steps`: one for each of the lesson's.
std::string handoutOf(const Lesson& lesson, const std::vector<HandoutStep>& steps,
                      const HandoutOptions& options);

}  // namespace warpscope
