// The program's output. Results go to standard output: whether all of them could be written is known only at
// the end, and a program whose results are lost has failed. Everything else goes to standard error, where
// nothing can be done about what cannot be written.
#pragma once

#include <fmt/core.h>

#include <string_view>

#include "kernels/core/error.h"
#include "kernels/core/json.h"

namespace warpscope {

// A closed standard stream would lend its number to the next file that is opened, which would then take what
// is printed. Call it before anything else.
void openStandardStreams();

// Text for people. Control characters in it are made visible: it may quote a file from an unknown source.
void printText(std::string_view text);
void printErrorText(std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> format, const Args&... args) {
  printText(fmt::vformat(format, fmt::make_format_args(args...)));
}
template <class... Args>
void printError(fmt::format_string<Args...> format, const Args&... args) {
  printErrorText(fmt::vformat(format, fmt::make_format_args(args...)));
}

// The one JSON value that --json promises. What is not UTF-8 in it is replaced.
void printJson(const Json& json);

// Standard output as it is, for formats that have their own rules.
void writeOutput(std::string_view bytes);
// Standard error as it is, for what moves the cursor.
void writeError(std::string_view bytes);

// Flushes what was printed so far, for a reader who watches the work.
void flushOutput();

// Writes what is left. Error: not all of what was printed could be written.
Expected<void> finishOutput();

}  // namespace warpscope
