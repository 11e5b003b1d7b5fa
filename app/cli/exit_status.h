// The meanings of the program's exit status; part of the contract for scripts (README, "Command line").
#pragma once

#include "kernels/core/error.h"

namespace warpscope {

enum ExitStatus : int {
  kExitDone = 0,
  kExitWorkFailed = 1,  // not verified, kernel error, disk full, damaged file
  kExitBadRequest = 2,
  kExitNoDevice = 3,
};

inline ExitStatus exitStatus(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kBadRequest:
      return kExitBadRequest;
    case ErrorKind::kNoDevice:
      return kExitNoDevice;
    case ErrorKind::kDamagedFile:
    case ErrorKind::kWorkFailed:
    case ErrorKind::kCancelled:
      break;
  }
  return kExitWorkFailed;
}

}  // namespace warpscope
