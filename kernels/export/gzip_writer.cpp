#include "kernels/export/gzip_writer.h"

#include <zlib.h>

#include <array>
#include <new>

namespace warpscope {

struct GzipWriter::State {
  WriteText write;
  z_stream stream{};
  std::array<char, size_t{1} << 16> out;

  // `flush`: Z_NO_FLUSH or Z_FINISH.
  void compress(std::string_view text, int flush) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write to it
    stream.avail_in = static_cast<uInt>(text.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      deflate(&stream, flush);
      write({out.data(), out.size() - stream.avail_out});
    } while (stream.avail_out == 0);
  }
};

GzipWriter::GzipWriter(WriteText write) : state_(std::make_unique<State>()) {
  constexpr int kGzip = 16;  // added to the size of the window: a gzip header and trailer
  constexpr int kMemoryLevel = 8;
  state_->write = std::move(write);
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();  // nothing else can be wrong
  }
}

GzipWriter::~GzipWriter() {
  deflateEnd(&state_->stream);
}

void GzipWriter::put(std::string_view text) {
  constexpr size_t kMostBytes = size_t{1} << 30;  // zlib counts in 32 bits
  for (; text.size() > kMostBytes; text.remove_prefix(kMostBytes))
    state_->compress(text.substr(0, kMostBytes), Z_NO_FLUSH);
  state_->compress(text, Z_NO_FLUSH);
}

void GzipWriter::finish() {
  state_->compress({}, Z_FINISH);
}

}  // namespace warpscope
