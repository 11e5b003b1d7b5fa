// Errors are values. Whatever can be wrong with input, files, PTX or a device comes back as an Error that
// names the file, line, kernel or parameter, and what to do about it. Assertions are for our own bugs only.
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
  kBadRequest,   // what was asked for cannot be: unknown name, value out of range, launch too large
  kNoDevice,     // no such device here: no driver, no GPU, no permission
  kDamagedFile,  // a file that is not what it says: truncated, corrupt, newer than this program
  kWorkFailed,   // the work itself failed: kernel error, device lost, disk full
  kCancelled,    // the user, or a newer request, stopped it
};

struct Error {
  ErrorKind kind = ErrorKind::kWorkFailed;
  std::string message;  // a sentence for the user: what, where, what to do
  // Of a launch that is impossible: the parameter to change and its nearest possible value. Empty: none is
  // known.
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
