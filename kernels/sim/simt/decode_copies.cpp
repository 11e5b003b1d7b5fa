// The operands of instructions that copy without registers: cp.async, bulk copies, copies of tensors,
// st.async and red.async. They have several addresses.
#include <algorithm>
#include <string_view>

#include "kernels/sim/ptx/opcode_table.h"
#include "kernels/sim/simt/decode_instruction.h"
#include "kernels/sim/simt/table_operands.h"

namespace warpscope::sim {

namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;
using OperandKind = ptx::Operand::Kind;

}  // namespace

// There are two addresses: the shared one is sources[0], the global one sources[1]; their offsets share the
// immediate.
Expected<void> InstructionDecoder::decodeAsyncCopy() {
  const auto& operands = from_->operands;
  if (operands.size() < 3) return refuse("too few operands");
  uint64_t packed = 0;
  for (uint32_t i = 0; i < 2; ++i) {
    const Operand& address = operands[i];
    int64_t offset = 0;
    Row row;
    uint8_t bits = 64;
    if (address.has_base) {
      row = function_->rows[address.index];
      bits = ptx::bytesOf(function_->function->registers[address.index].type) == 8 ? 64 : 32;
      offset = address.offset;
    } else {
      row = constant(address.absolute ? static_cast<uint64_t>(address.offset) : placeOf(address), 8);
    }
    if (i == 0) out_.address_bits = bits;
    if (i == 1 && bits != 64) return refuse("a global address has 64 bits");
    if (offset < INT32_MIN || offset > INT32_MAX) return refuse("the offset is too large");
    packed |= uint64_t{static_cast<uint32_t>(offset)} << (32 * i);
    out_.sources[i] = row;
  }
  out_.source_count = 2;
  out_.immediate = packed;
  out_.space = Space::kShared;
  const uint64_t bytes = operands[2].bits;
  if (bytes != 4 && bytes != 8 && bytes != 16) return refuse("4, 8 or 16 bytes can be copied");
  out_.vector = static_cast<uint8_t>(bytes);
  out_.type = Type::kB8;
  if (operands.size() > 3) {
    const auto patterns = tableOperands(from_->entry->operands);
    addSource(operands[3], patterns.size() > 3 ? typeOf(patterns[3], *from_) : Type::kU32);
  }
  return {};
}

// Adds the base of a further address.
Expected<void> InstructionDecoder::addFurtherAddress(const Operand& address, FurtherAddress& further) {
  further.source = out_.source_count;
  Row row;
  if (address.has_base) {
    row = function_->rows[address.index];
    further.bits = ptx::bytesOf(function_->function->registers[address.index].type) == 8 ? 64 : 32;
    if (address.offset < INT32_MIN || address.offset > INT32_MAX) return refuse("the offset is too large");
    further.offset = static_cast<int32_t>(address.offset);
  } else {
    row = constant(address.absolute ? static_cast<uint64_t>(address.offset) : placeOf(address), 8);
  }
  out_.sources[out_.source_count++] = row;
  return {};
}

// Bulk copies: [to], [from], bytes, [mbarrier], mask; st.async and red.async: [to], values, [mbarrier]. Cache
// policies change no result and are left out.
Expected<void> InstructionDecoder::decodeBulk() {
  const auto patterns = tableOperands(from_->entry->operands);
  const Space space = out_.space;
  if (out_.modifiers.bulk == ptx::BulkWay::kStore && out_.kind == Kind::kBulkCopy)
    out_.space = Space::kGlobal;
  if (auto decoded = decodeAddress(from_->operands[0]); !decoded) return decoded;
  if (out_.modifiers.bulk == ptx::BulkWay::kStore && out_.kind == Kind::kBulkCopy) {
    if (out_.address_bits == 32) return refuse("a global address has 64 bits");
  } else {
    out_.space = space;
  }
  FurtherAddresses further;
  for (size_t i = 1; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    const std::string_view name = patterns[i].text.substr(0, 1);
    if (operand.kind == OperandKind::kAddress) {
      if (auto added = addFurtherAddress(operand, name == "e" ? further.mbarrier : further.from); !added)
        return added;
    } else if (!operand.parts.empty()) {
      for (const Operand& part : operand.parts) addSource(part, out_.type);
      out_.vector = static_cast<uint8_t>(operand.parts.size());
    } else if (typeOf(patterns[i], *from_) != Type::kB64 || out_.kind == Kind::kAsyncStore) {
      addSource(operand, typeOf(patterns[i], *from_));
    }
  }
  out_.table = static_cast<uint32_t>(code_.further_addresses.size());
  code_.further_addresses.push_back(further);
  if (out_.kind == Kind::kAsyncStore) out_.type2 = bitsOf(std::max(ptx::bytesOf(out_.type), 4U));
  return {};
}

// Bulk copies of tensors: [to], [map, {x, ...}], [mbarrier], mask; or [map, {x, ...}], [from]. Cache policies
// change no result and are left out.
Expected<void> InstructionDecoder::decodeTensor() {
  const auto patterns = tableOperands(from_->entry->operands);
  FurtherAddresses further;
  for (size_t i = 0; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    if (operand.kind == OperandKind::kAddress) {
      const bool of_map = !operand.parts.empty(), signals = patterns[i].text.starts_with('e');
      FurtherAddress& place = of_map ? further.map : signals ? further.mbarrier : further.from;
      if (auto added = addFurtherAddress(operand, place); !added) return added;
      for (const Operand& part : operand.parts) addSource(part, Type::kS32);
    } else if (typeOf(patterns[i], *from_) != Type::kB64) {
      further.mask = out_.source_count;
      addSource(operand, typeOf(patterns[i], *from_));
    }
  }
  out_.table = static_cast<uint32_t>(code_.further_addresses.size());
  code_.further_addresses.push_back(further);
  return {};
}

}  // namespace warpscope::sim
