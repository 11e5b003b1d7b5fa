// vprintf: takes the format of C's printf and arguments in a buffer as NVCC's ABI lays it out: each is
// aligned to its size, and float is passed as double.
#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

constexpr size_t kMostText = 4096;  // for a format, a %s, or one conversion
constexpr int kMostWidth = 1024;

// Reads a lane's memory by generic address, but nothing outside it.
class LaneReader {
 public:
  LaneReader(Block::State& block, const Warp& warp, uint32_t lane)
      : block_(block), warp_(warp), lane_(lane) {}

  bool read(uint64_t address, void* to, uint32_t bytes) const {
    alignas(64) uint64_t addresses[32] = {};
    addresses[lane_] = address;
    const SpaceMasks masks = resolveSpaces(1U << lane_, addresses);
    const uint64_t at = addresses[lane_];
    if (masks.global != 0) {
      const std::byte* from = block_.launch.memory->at(at, bytes);
      if (from == nullptr) return false;
      std::memcpy(to, from, bytes);
      return true;
    }
    const uint64_t size = masks.shared != 0 ? block_.shared_bytes : masks.local != 0 ? warp_.stack_bytes : 0;
    if (at > size || bytes > size - at) return false;
    const ptx::Space space = masks.shared != 0 ? ptx::Space::kShared : ptx::Space::kLocal;
    std::memcpy(to, block_.hostAddress(warp_, space, lane_, at), bytes);
    return true;
  }
  std::string text(uint64_t address) const {
    std::string text;
    for (char c = 0; text.size() < kMostText && read(address + text.size(), &c, 1) && c != 0;) text += c;
    return text;
  }

 private:
  Block::State& block_;
  const Warp& warp_;
  uint32_t lane_;
};

// Reads the arguments one after another.
class Arguments {
 public:
  Arguments(const LaneReader& reader, uint64_t address) : reader_(reader), begin_(address) {}
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    reader_.read(begin_ + offset_, &value, sizeof value);
    offset_ += sizeof(T);
    return value;
  }

 private:
  const LaneReader& reader_;
  uint64_t begin_, offset_ = 0;
};

template <class T>
std::string printed(const std::string& specification, int width, int precision, T value) {
  char text[kMostText];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(text, sizeof text, specification.c_str(), width, precision, value);
#pragma GCC diagnostic pop
  if (length < 0) return "";
  return std::string(text, std::min<size_t>(static_cast<size_t>(length), sizeof text - 1));
}

// Formats one conversion; `at` is just after the '%' and is moved past the conversion.
std::string convert(const std::string& format, size_t& at, Arguments& arguments, const LaneReader& reader) {
  std::string flags;
  const auto peek = [&] { return at < format.size() ? format[at] : '\0'; };
  while (peek() != '\0' && std::strchr("-+ #0", peek()) != nullptr) flags += format[at++];
  const auto number = [&](int absent) {
    if (peek() == '*') {
      ++at;
      return arguments.next<int>();
    }
    if (peek() < '0' || peek() > '9') return absent;
    int value = 0;
    while (peek() >= '0' && peek() <= '9') value = std::min(kMostWidth, value * 10 + (format[at++] - '0'));
    return value;
  };
  int width = std::clamp(number(0), -kMostWidth, kMostWidth), precision = -1;
  if (peek() == '.') {
    ++at;
    precision = std::clamp(number(0), -1, kMostWidth);
  }
  int longs = 0, shorts = 0;
  for (; peek() != '\0' && std::strchr("hlLqjzt", peek()) != nullptr; ++at) {
    if (peek() == 'h') {
      ++shorts;
    } else {
      ++longs;
    }
  }
  const char conversion = peek();
  if (conversion != '\0') ++at;
  const std::string head = "%" + flags + "*.*";
  switch (conversion) {
    case 'd':
    case 'i': {
      int64_t value = longs > 0 ? arguments.next<int64_t>() : arguments.next<int32_t>();
      if (shorts == 1) value = static_cast<int16_t>(value);
      if (shorts >= 2) value = int64_t{static_cast<int8_t>(value)};
      return printed<long long>(head + "lld", width, precision, value);
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      uint64_t value = longs > 0 ? arguments.next<uint64_t>() : arguments.next<uint32_t>();
      if (shorts == 1) value = static_cast<uint16_t>(value);
      if (shorts >= 2) value = static_cast<uint8_t>(value);
      return printed<unsigned long long>(head + "ll" + conversion, width, precision, value);
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return printed(head + conversion, width, precision, arguments.next<double>());
    case 'c':
      return printed(head + "c", width, -1, arguments.next<int>() & 0xFF);
    case 's':
      return printed(head + "s", width, precision, reader.text(arguments.next<uint64_t>()).c_str());
    case 'p':
      return printed<unsigned long long>("%#*.*llx", width, precision, arguments.next<uint64_t>());
    case '%':
      return "%";
    default:  // unknown, including %n, which a GPU does not have: printed as written
      return "%" + flags + (conversion == '\0' ? std::string() : std::string(1, conversion));
  }
}

}  // namespace

bool Block::State::print(const Warp& warp, const Path& path, const Instruction& in, uint32_t mask) {
  const Frame& frame = warp.frames[path.frame];
  const auto& places = code.tables[in.table];  // offset and size of format, arguments and result in the frame
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    std::byte* local = warp.localOf(lane) + frame.local_base;
    uint64_t format_address = 0, buffer = 0;
    std::memcpy(&format_address, local + places[0], 8);
    std::memcpy(&buffer, local + places[2], 8);
    const LaneReader reader(*this, warp, lane);
    const std::string format = reader.text(format_address);
    Arguments arguments(reader, buffer);
    std::string text;
    int32_t conversions = 0;
    for (size_t at = 0; at < format.size();) {
      if (format[at] != '%') {
        text += format[at++];
        continue;
      }
      conversions += at + 1 < format.size() && format[at + 1] != '%' ? 1 : 0;
      text += convert(format, ++at, arguments, reader);
    }
    if (launch.print) launch.print(text);
    if (places.size() > 4) std::memcpy(local + places[4], &conversions, sizeof conversions);
  }
  return true;
}

}  // namespace warpscope::sim
