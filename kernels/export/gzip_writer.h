// Compresses text on its way to a file, in the gzip format (RFC 1952).
#pragma once

#include <memory>
#include <string_view>

#include "kernels/export/text_writer.h"

namespace warpscope {

class GzipWriter {
 public:
  explicit GzipWriter(WriteText write);
  ~GzipWriter();

  void put(std::string_view text);
  // Writes the rest. Nothing may be put afterwards.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
