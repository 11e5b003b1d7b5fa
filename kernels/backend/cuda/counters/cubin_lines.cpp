#include "kernels/backend/cuda/counters/cubin_lines.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace warpscope::cuda {
namespace {

constexpr uint32_t kMostLine = 1U << 30;
constexpr uint8_t kFunctionSymbol = 2;  // STT_FUNC

// Bytes that are read from front to back; whatever is beyond the end is 0.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }
  bool done() const { return at_ >= bytes_.size(); }
  void goTo(size_t at) { at_ = std::min(at, bytes_.size()); }
  void skip(uint64_t count) { at_ += static_cast<size_t>(std::min<uint64_t>(count, bytes_.size() - at_)); }

  template <class T>
  T take() {
    T value{};
    if (bytes_.size() - at_ >= sizeof value) std::memcpy(&value, bytes_.data() + at_, sizeof value);
    skip(sizeof value);
    return value;
  }
  uint64_t unsignedNumber() {  // LEB128
    uint64_t value = 0;
    for (uint32_t shift = 0; !done(); shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) break;
    }
    return value;
  }
  int64_t signedNumber() {
    uint64_t value = 0;
    uint32_t shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80U) != 0 && !done()) {
      byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7FU} << shift;
      shift += 7;
    }
    if (shift < 64 && (byte & 0x40U) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

std::span<const std::byte> part(std::span<const std::byte> whole, uint64_t offset, uint64_t bytes) {
  if (offset > whole.size() || bytes > whole.size() - offset) return {};
  return whole.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
}

std::string textAt(std::span<const std::byte> strings, uint64_t offset) {
  const auto rest = part(strings, offset, strings.size() - std::min<uint64_t>(offset, strings.size()));
  const auto end = std::ranges::find(rest, std::byte{0});
  return {reinterpret_cast<const char*>(rest.data()), static_cast<size_t>(end - rest.begin())};
}

struct Symbol {
  std::string name;
  uint8_t kind = 0;
  uint32_t section = 0;
  uint64_t value = 0;
};

// Reads what we need from a 64-bit ELF file: sections by name, and symbols.
class Elf {
 public:
  explicit Elf(std::span<const std::byte> file) : file_(file) {
    constexpr std::byte kMagic[] = {std::byte{0x7F}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
    if (file.size() < 64 || !std::equal(std::begin(kMagic), std::end(kMagic), file.begin())) return;
    Bytes header(file);
    header.goTo(40);
    const auto table = header.take<uint64_t>();
    header.goTo(58);
    const auto entry_bytes = header.take<uint16_t>(), count = header.take<uint16_t>();
    const auto names = header.take<uint16_t>();
    if (entry_bytes < 64) return;
    for (uint32_t i = 0; i < count; ++i)
      sections_.push_back(readSection(part(file, table + uint64_t{i} * entry_bytes, 64)));
    const auto name_text = names < sections_.size() ? sections_[names].content : std::span<const std::byte>{};
    for (Section& section : sections_) section.name = textAt(name_text, section.name_at);
    readSymbols();
  }

  std::span<const std::byte> section(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Section::name);
    return found == sections_.end() ? std::span<const std::byte>{} : found->content;
  }
  const std::vector<Symbol>& symbols() const { return symbols_; }

 private:
  struct Section {
    uint32_t name_at = 0, link = 0;
    std::string name;
    std::span<const std::byte> content;
  };

  Section readSection(std::span<const std::byte> entry) const {
    Bytes bytes(entry);
    Section section;
    section.name_at = bytes.take<uint32_t>();
    const auto kind = bytes.take<uint32_t>();
    bytes.skip(16);
    const auto offset = bytes.take<uint64_t>(), size = bytes.take<uint64_t>();
    section.link = bytes.take<uint32_t>();
    constexpr uint32_t kWithoutContent = 8;  // SHT_NOBITS
    if (kind != kWithoutContent) section.content = part(file_, offset, size);
    return section;
  }

  void readSymbols() {
    const auto table = std::ranges::find(sections_, ".symtab", &Section::name);
    if (table == sections_.end() || table->link >= sections_.size()) return;
    for (Bytes bytes(table->content); !bytes.done();) {
      const auto name = bytes.take<uint32_t>();
      const auto kind = static_cast<uint8_t>(bytes.take<uint8_t>() & 0xFU);
      bytes.skip(1);
      const auto section = bytes.take<uint16_t>();
      const auto value = bytes.take<uint64_t>();
      bytes.skip(8);
      symbols_.push_back({textAt(sections_[table->link].content, name), kind, section, value});
    }
  }

  std::span<const std::byte> file_;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
};

// One unit's line program. Calls row(section, address, line) for each of its rows; line 0: a sequence ends.
template <class Row, class AddressOf>
void runLineProgram(Bytes& bytes, const AddressOf& address_of, const Row& row) {
  const size_t begin = bytes.at();
  const auto length = bytes.take<uint32_t>();
  const size_t end = begin + 4 + length;
  bytes.skip(2);  // the version
  const auto header_bytes = bytes.take<uint32_t>();
  const size_t program = bytes.at() + header_bytes;
  const auto step = bytes.take<uint8_t>();
  bytes.skip(1);  // whether rows are statements
  const auto line_base = bytes.take<int8_t>();
  const auto line_range = bytes.take<uint8_t>(), first_special = bytes.take<uint8_t>();
  std::vector<uint8_t> operands(1);
  for (uint32_t i = 1; i < first_special; ++i) operands.push_back(bytes.take<uint8_t>());
  if (line_range == 0 || first_special == 0) return bytes.goTo(end);
  bytes.goTo(program);

  uint32_t section = 0;
  uint64_t address = 0;
  int64_t line = 1;
  const auto put = [&] {
    if (line > 0 && line < kMostLine) row(section, address, static_cast<uint32_t>(line));
  };
  while (!bytes.done() && bytes.at() < end) {
    const auto op = bytes.take<uint8_t>();
    if (op >= first_special) {
      const uint32_t special = uint32_t{op} - first_special;
      address += uint64_t{special / line_range} * step;
      line += line_base + static_cast<int64_t>(special % line_range);
      put();
      continue;
    }
    switch (op) {
      case 0: {  // extended
        const auto bytes_of = bytes.unsignedNumber();
        const size_t next = bytes.at() + static_cast<size_t>(std::min<uint64_t>(bytes_of, length));
        const auto extended = bytes_of == 0 ? uint8_t{0} : bytes.take<uint8_t>();
        if (extended == 1) {  // the end of a sequence
          row(section, address, 0);
          address = 0;
          line = 1;
        } else if (extended == 2) {
          const auto place = address_of(bytes.at());
          section = place.first;
          address = place.second + bytes.take<uint64_t>();
        }
        bytes.goTo(next);
        break;
      }
      case 1:
        put();
        break;
      case 2:
        address += bytes.unsignedNumber() * step;
        break;
      case 3:
        line =
            static_cast<int64_t>(static_cast<uint64_t>(line) + static_cast<uint64_t>(bytes.signedNumber()));
        break;
      case 8:
        address += uint64_t{(255U - first_special) / line_range} * step;
        break;
      case 9:
        address += bytes.take<uint16_t>();
        break;
      default:
        for (uint8_t i = 0; i < operands[op]; ++i) bytes.unsignedNumber();
    }
  }
  bytes.goTo(end);
}

}  // namespace

CubinLines::CubinLines(std::span<const std::byte> cubin) {
  const Elf elf(cubin);
  for (const Symbol& symbol : elf.symbols()) {
    if (symbol.kind == kFunctionSymbol) functions_.emplace(symbol.name, Place{symbol.section, symbol.value});
  }
  std::map<size_t, std::pair<uint32_t, uint64_t>> relocated;  // byte of the table -> section and address
  for (Bytes bytes(elf.section(".rela.nv_debug_line_sass")); !bytes.done();) {
    const auto at = bytes.take<uint64_t>(), info = bytes.take<uint64_t>();
    const auto addend = bytes.take<uint64_t>();
    const uint64_t symbol = info >> 32U;
    if (symbol >= elf.symbols().size()) continue;
    const Symbol& of = elf.symbols()[static_cast<size_t>(symbol)];
    relocated[static_cast<size_t>(at)] = {of.section, of.value + addend};
  }
  const auto address_of = [&](size_t at) {
    const auto found = relocated.find(at);
    return found == relocated.end() ? std::pair<uint32_t, uint64_t>{} : found->second;
  };
  for (Bytes bytes(elf.section(".nv_debug_line_sass")); !bytes.done();) {
    runLineProgram(bytes, address_of, [this](uint32_t section, uint64_t address, uint32_t line) {
      // Where one sequence ends another may begin.
      if (line > 0) {
        rows_[{section, address}] = line;
      } else {
        rows_.try_emplace({section, address}, 0);
      }
    });
  }
}

uint32_t CubinLines::lineAt(std::string_view function, uint64_t offset) const {
  const auto of = functions_.find(function);
  if (of == functions_.end()) return 0;
  const auto next = rows_.upper_bound({of->second.section, of->second.address + offset});
  if (next == rows_.begin()) return 0;
  const auto& [place, line] = *std::prev(next);
  return place.section == of->second.section ? line : 0;
}

}  // namespace warpscope::cuda
