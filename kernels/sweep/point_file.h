// The files of a sweep's folder: a finished point is a recording of one run, NAME.wsrec; one that is
// impossible or failed is NAME.failed.json with the reason. Each file is written whole or not at all.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/sweep/request_outcome.h"

namespace warpscope {

std::filesystem::path runFile(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path failureFile(const std::filesystem::path& folder, const std::string& name);

struct StoredPoint {
  enum class State {
    kMissing,     // never run
    kDone,        // `run` is the content of the file
    kImpossible,  // `reason` says why
    kFailed,
    kDamaged,  // the file is incomplete, or not of this point: `reason` says what is wrong
  } state = State::kMissing;
  Run run;
  std::string reason;
};
const char* stateName(StoredPoint::State state);  // "done"

// Reads the whole file and verifies its checksums.
StoredPoint readPoint(const std::filesystem::path& folder, const std::string& name,
                      const RunRequest& request);

// Stores the outcome: a run, which replaces an earlier failure, or the reason why there is none. Fails if it
// cannot be written; whatever was there is then unchanged.
Expected<void> writePoint(const std::filesystem::path& folder, const std::string& name,
                          const RunRequest& request, const RequestOutcome& outcome);

}  // namespace warpscope
