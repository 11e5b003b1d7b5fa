// Loads and stores of matrices (PTX ISA 9.7.14): ldmatrix and stmatrix of 8 x 8 elements of 16 bits,
// wmma.load and wmma.store of fragments.
#include <array>
#include <bit>
#include <cstring>

#include "kernels/sim/simt/fragment.h"
#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {
namespace {

using ptx::Op;

constexpr uint32_t kAllLanes = ~0U;
constexpr uint32_t kMatrixRows = 8, kRowBytes = 16;  // of ldmatrix

bool isLdmatrix(Op op) {
  return op == Op::kLdmatrix || op == Op::kStmatrix;
}
bool stores(Op op) {
  return op == Op::kStmatrix || op == Op::kMatrixStore;
}

FragmentLayout layoutOf(const Instruction& in) {
  return {in.modifiers, in.modifiers.matrix, in.type};
}

// The distance of two rows, or columns of a column-major matrix, in elements.
uint64_t strideOf(const Instruction& in, const Registers& registers, uint32_t lane) {
  const uint32_t at = in.op == Op::kMatrixStore ? 1U + in.vector : 1U;
  if (in.source_count > at) return registers.in(in.sources[at])[lane];
  const ptx::MatrixSize size = ptx::sizeOf(in.modifiers, in.modifiers.matrix);
  return in.modifiers.column_major ? size.rows : size.columns;
}

void locateRows(const Instruction& in, const uint64_t* addresses, MatrixAccess& matrix) {
  LaneSpan& span = matrix.spans[0];
  const uint32_t lanes = kMatrixRows * in.vector;
  span.mask = lanes == 32 ? kAllLanes : (1U << lanes) - 1;
  span.bytes = kRowBytes;
  std::copy_n(addresses, 32, span.addresses.begin());
  matrix.span_count = 1;
}

void locateFragment(const Instruction& in, const Registers& registers, const uint64_t* addresses,
                    MatrixAccess& matrix) {
  const FragmentLayout layout = layoutOf(in);
  const uint32_t element_bytes = layout.elementBits() / 8;
  const auto address = [&](uint32_t lane, uint32_t reg, uint32_t part) {
    const Cell cell = layout.cellOf(lane, reg, part);
    const uint64_t stride = strideOf(in, registers, lane);
    const uint64_t element =
        in.modifiers.column_major ? cell.column * stride + cell.row : cell.row * stride + cell.column;
    return addresses[lane] + element * element_bytes;
  };
  const uint32_t neighbours = layout.neighbours(in.modifiers.column_major);
  const uint32_t together = layout.registersTogether(in.modifiers.column_major);
  matrix.spans_of_register = layout.elementsOfRegister() / neighbours;
  matrix.registers_of_span = together;
  for (uint32_t reg = 0; reg < layout.distinctRegisters(); reg += together) {
    for (uint32_t part = 0; part < matrix.spans_of_register; ++part) {
      LaneSpan& span = matrix.spans[matrix.span_count++];
      span.mask = kAllLanes;
      span.bytes = together * neighbours * element_bytes;
      for (uint32_t lane = 0; lane < 32; ++lane) span.addresses[lane] = address(lane, reg, part);
    }
  }
}

// Two neighbours of 8 x 8 elements of 16 bits: the lane's part of a matrix, as mma takes it.
std::array<Cell, 2> cellsOfLane(uint32_t lane, bool transposed) {
  const uint32_t across = lane / 4, along = lane % 4 * 2;
  if (transposed) return {Cell{along, across}, Cell{along + 1, across}};
  return {Cell{across, along}, Cell{across, along + 1}};
}

}  // namespace

uint32_t matrixAccessBytes(const Instruction& instruction) {
  if (isLdmatrix(instruction.op)) return kRowBytes;
  const FragmentLayout layout = layoutOf(instruction);
  const bool column_major = instruction.modifiers.column_major;
  return layout.registersTogether(column_major) * layout.neighbours(column_major) * layout.elementBits() / 8;
}

bool Block::State::maySplit(const Warp& warp, const Instruction& instruction, uint32_t pc, uint32_t mask) {
  const bool needs_all =
      instruction.op == Op::kMma || instruction.op == Op::kMovmatrix || accessesMatrix(instruction.op);
  if (!needs_all) return true;
  const auto missing = static_cast<uint32_t>(std::countr_zero(~mask));
  raise(warp, pc, missing,
        fmt::format("a matrix instruction needs all 32 lanes of the warp; only lanes {} execute it",
                    formatLanes(mask)));
  return false;
}

bool Block::State::locateMatrix(const Warp& warp, const LaneAccess& access, MatrixAccess& matrix) {
  const Instruction& in = access.instruction;
  if (access.mask != kAllLanes && !maySplit(warp, in, access.pc, access.mask)) return false;
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, access.registers, 0, addresses);
  matrix.space = in.space;
  if (in.space == ptx::Space::kGeneric) {
    const SpaceMasks masks = resolveSpaces(access.mask, addresses);
    if (masks.global != kAllLanes && masks.shared != kAllLanes) {
      raise(warp, access.pc, 0, "the lanes of a warp must access one matrix in global or shared memory");
      return false;
    }
    matrix.space = masks.shared != 0 ? ptx::Space::kShared : ptx::Space::kGlobal;
  }
  if (isLdmatrix(in.op) && matrix.space != ptx::Space::kShared) {
    raise(warp, access.pc, 0, "the rows of the matrix must be in shared memory");
    return false;
  }
  if (isLdmatrix(in.op)) {
    locateRows(in, addresses, matrix);
  } else {
    locateFragment(in, access.registers, addresses, matrix);
  }
  return true;
}

namespace {

class Mover {
 public:
  Mover(const Instruction& in, const Registers& registers) : in_(in), registers_(registers) {}

  // `host` gives the bytes of a span's lane, or nullptr.
  template <class Host>
  void moveRows(const Host& host) {
    for (uint32_t i = 0; i < in_.vector; ++i) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        uint32_t word = stores(in_.op) ? wordOf(i, lane) : 0;
        for (uint32_t part = 0; part < 2; ++part) {
          const Cell cell = cellsOfLane(lane, in_.modifiers.transposed)[part];
          std::byte* row = host(0, i * kMatrixRows + cell.row);
          if (row != nullptr) moveElement(row + size_t{cell.column} * 2, word, part, 2);
        }
        if (!stores(in_.op)) setWord(i, lane, word);
      }
    }
  }

  template <class Host>
  void moveFragment(const FragmentLayout& layout, const MatrixAccess& matrix, const Host& host) {
    const uint32_t together = matrix.registers_of_span, bytes = matrix.spans[0].bytes / together;
    for (uint32_t reg = 0; reg < layout.registers(); ++reg) {
      const uint32_t first_span = reg % layout.distinctRegisters() / together * matrix.spans_of_register;
      const size_t place = size_t{reg % together} * bytes;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        uint32_t word = stores(in_.op) ? wordOf(reg, lane) : 0;
        for (uint32_t part = 0; part < matrix.spans_of_register; ++part) {
          std::byte* at = host(first_span + part, lane);
          if (at != nullptr) moveElement(at + place, word, part, bytes);
        }
        if (!stores(in_.op)) setWord(reg, lane, word);
      }
    }
  }

 private:
  uint32_t wordOf(uint32_t reg, uint32_t lane) const { return registers_.in(in_.sources[1 + reg])[lane]; }
  void setWord(uint32_t reg, uint32_t lane, uint32_t word) const {
    if (in_.destinations[reg].index != kSinkRow) registers_.out(in_.destinations[reg])[lane] = word;
  }
  void moveElement(std::byte* memory, uint32_t& word, uint32_t part, uint32_t bytes) const {
    uint32_t element = word >> (8 * bytes * part % 32);
    if (stores(in_.op)) {
      std::memcpy(memory, &element, bytes);
    } else {
      element = 0;
      std::memcpy(&element, memory, bytes);
      word |= element << (8 * bytes * part % 32);
    }
  }

  const Instruction& in_;
  const Registers& registers_;
};

}  // namespace

void Block::State::moveMatrix(const Warp& warp, const LaneAccess& access, const MatrixAccess& matrix) {
  const Instruction& in = access.instruction;
  const auto host = [&](uint32_t span, uint32_t lane) -> std::byte* {
    const LaneSpan& of = matrix.spans[span];
    return (of.mask >> lane & 1U) != 0 ? hostAddress(warp, matrix.space, lane, of.addresses[lane]) : nullptr;
  };
  Mover mover(in, access.registers);
  if (isLdmatrix(in.op)) {
    mover.moveRows(host);
  } else {
    mover.moveFragment(layoutOf(in), matrix, host);
  }
  if (in.kind != Kind::kStore || matrix.space != ptx::Space::kGlobal) return;
  for (uint32_t i = 0; i < matrix.span_count; ++i) {
    const LaneSpan& span = matrix.spans[i];
    for (uint32_t rest = span.mask; rest != 0; rest &= rest - 1)
      launch.memory->noteWritten(span.addresses[static_cast<size_t>(std::countr_zero(rest))], span.bytes);
  }
}

}  // namespace warpscope::sim
