// Buffers text on its way to a file, and passes it on in large pieces.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace warpscope {

using WriteText = std::function<void(std::string_view)>;

// The rest is passed on in the destructor.
class TextWriter {
 public:
  explicit TextWriter(WriteText write) : write_(std::move(write)) {}
  ~TextWriter() { flush(); }
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  void put(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= kPieceBytes) flush();
  }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kPieceBytes) flush();
  }
  void flush();

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 16;
  WriteText write_;
  fmt::memory_buffer buffer_;
};

// Text for HTML and SVG, between tags or in an attribute: markup is escaped, and characters that no document
// may contain are replaced.
std::string markupText(std::string_view text);

}  // namespace warpscope
