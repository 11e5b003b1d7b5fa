// The files of a sweep's folder: a point that is done is a recording of one run, NAME.wsrec; one that cannot
// be or failed is NAME.failed.json with the reason. Each is written whole or not at all.
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
    kDone,        // `run` is what the file holds
    kImpossible,  // `reason` says why
    kFailed,
    kDamaged,  // a file that is not whole, or not of this point: `reason` says what of it
  } state = State::kMissing;
  Run run;
  std::string reason;
};
const char* stateName(StoredPoint::State state);  // "done"

// Reads all of it, checksums too.
StoredPoint readPoint(const std::filesystem::path& folder, const std::string& name,
                      const RunRequest& request);

// Keeps what came out: a run, which takes the place of an earlier failure, or the reason why there is none.
// Error: it could not be written; what was there is unchanged.
Expected<void> writePoint(const std::filesystem::path& folder, const std::string& name,
                          const RunRequest& request, const RequestOutcome& outcome);

}  // namespace warpscope
