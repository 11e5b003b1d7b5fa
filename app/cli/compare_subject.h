// What `warpscope compare` is given to compare: a recording, a run of one, or settings to be run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/request_options.h"

namespace warpscope {

struct CompareSubject {
  std::string text;                  // as given, for messages
  std::filesystem::path file;        // of a recording; empty: settings
  std::optional<size_t> number;      // FILE#N: its N-th run, from 0 here
  std::string variant;               // FILE:VARIANT
  std::string family;                // of settings
  std::vector<RunRequest> requests;  // every one that the settings mean, incomplete
  bool all_variants = false;         // a family without a variant: those that cannot run are left out
  std::string device;                // behind @; empty: not given
};

// "FILE", "FILE#N" (N counts from 1), "FILE:VARIANT"; "FAMILY[/VARIANT][,NAME=VALUE...][@DEVICE]". What is a
// file's name is a file. `base` is what all requests have in common. kBadRequest: neither; it says why.
Expected<CompareSubject> parseCompareSubject(const std::string& text, const RunRequest& base);

}  // namespace warpscope
