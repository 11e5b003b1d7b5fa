// Errors are values. Whatever can be wrong with input, files, PTX or a device is returned as an Error that
// names the file, line, kernel or parameter, and what to do about it. Assertions are only for our own bugs.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace warpscope {

// Also decides the exit status of the command line (see app/cli/exit_status.h).
enum class ErrorKind {
  kBadRequest,   // the request is impossible: unknown name, value out of range, launch too large
  kNoDevice,     // there is no such device here: no driver, no GPU, no permission
  kDamagedFile,  // a file is not what it claims to be: truncated, corrupt, newer than this program
  kWorkFailed,   // the work itself failed: kernel error, device lost, disk full
  kCancelled,    // stopped by the user, or by a newer request
};

struct Error {
  ErrorKind kind = ErrorKind::kWorkFailed;
  std::string message;  // a sentence for the user: what, where, what to do
  // For an impossible launch: the parameter to change and its nearest possible value. Empty if none is known.
  std::map<std::string, int64_t> nearest{};
};

template <class T>
using Expected = tl::expected<T, Error>;

tl::unexpected<Error> failWith(ErrorKind kind, fmt::string_view format, fmt::format_args args);

// An error whose message is formatted. The work is failWith's, so that each call costs the compiler little.
template <class... Args>
tl::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> format, const Args&... args) {
  return failWith(kind, format, fmt::make_format_args(args...));
}

}  // namespace warpscope
