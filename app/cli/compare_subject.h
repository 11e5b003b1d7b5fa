// The subjects of `warpscope compare`: a recording, one run of it, or settings to run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/request_options.h"

namespace warpscope {

struct CompareSubject {
  std::string text;                  // as given, for messages
  std::filesystem::path file;        // the recording; empty: settings
  std::optional<size_t> number;      // FILE#N: its N-th run, from 0 here
  std::string variant;               // FILE:VARIANT
  std::string family;                // of settings
  std::vector<RunRequest> requests;  // every request that the settings mean, incomplete
  bool all_variants = false;         // a family without a variant: variants that cannot run are left out
  std::string device;                // what follows @; empty: not given
};

// "FILE", "FILE#N" (N counts from 1), "FILE:VARIANT"; "FAMILY[/VARIANT][,NAME=VALUE...][@DEVICE]". The name
// of an existing file is taken as that file. `base` is what all requests have in common. kBadRequest: it is
// neither; the message says why.
Expected<CompareSubject> parseCompareSubject(const std::string& text, const RunRequest& base);

}  // namespace warpscope
