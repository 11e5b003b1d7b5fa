// Texts from files, drivers and the command line are bytes that need not be UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace warpscope {

// The text with U+FFFD in place of what is not UTF-8: one for each longest part that begins a character, as
// the Unicode standard recommends (section 3.9, table 3-8).
std::string repairedUtf8(std::string_view text);

// The number of bytes from the beginning that are valid UTF-8.
size_t validUtf8Bytes(std::string_view text);

}  // namespace warpscope
