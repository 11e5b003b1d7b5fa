// Calls the handlers of register-only instructions directly, in every form: compares them with the reference,
// and those compiled for AVX2 with the portable ones, under full and partial masks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "kernels/sim/simt/decode.h"
#include "tests/differential/mismatch.h"
#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

constexpr uint32_t kThreads = 1024;
constexpr uint32_t kUntouched = 0xA5A5A5A5U;

// A form's operands in rows of a frame of their own.
struct Frame {
  alignas(128) std::array<uint32_t, 32 * 64> rows;
  std::array<uint32_t, 8> predicates;
  sim::Instruction instruction;
  std::vector<uint32_t> places;  // by slot: row, or predicate
};

void place(Frame& frame, const Form& form) {
  sim::Instruction& instruction = frame.instruction;
  instruction = {};
  const ptx::Instruction& parsed = form.instruction;
  instruction.op = parsed.op;
  instruction.type = parsed.types[0];
  instruction.type2 = parsed.types[1];
  instruction.modifiers = parsed.modifiers;
  instruction.space = parsed.space;
  uint32_t rows = 0, predicates = 1, predicate_sources = 0, predicate_destinations = 0, parts = 0;
  for (const Slot& slot : form.slots) {
    parts += slot.is_part ? 1 : 0;
    if (slot.kind == Slot::Kind::kImmediate) {
      instruction.immediate = slot.immediate;
      frame.places.push_back(0);
    } else if (slot.register_bits == 1) {
      const auto index = static_cast<sim::PredicateIndex>(predicates++);
      if (slot.is_destination) {
        instruction.predicate_destinations.at(predicate_destinations++) = index;
      } else {
        instruction.predicate_sources.at(predicate_sources++) = index;
      }
      frame.places.push_back(index);
    } else {
      const sim::Row row{static_cast<int32_t>(rows)};
      if (slot.is_destination) {
        instruction.destinations.at(instruction.destination_count++) = row;
      } else {
        instruction.sources.at(instruction.source_count++) = row;
      }
      frame.places.push_back(rows);
      rows += slot.register_bits == 128 ? 4 : 2;
      if (form.entry->op == ptx::Op::kCvt && slot.register_bits > bitsOf(slot.type)) {
        (slot.is_destination ? instruction.destination_bits : instruction.source_bits) =
            static_cast<uint8_t>(slot.register_bits);
      }
    }
  }
  instruction.vector = static_cast<uint8_t>(std::max(1U, parts));
}

void write(Frame& frame, const Slot& slot, uint32_t at, uint32_t lane, const Value& value) {
  if (slot.register_bits == 1) {
    frame.predicates[at] =
        (frame.predicates[at] & ~(1U << lane)) | (static_cast<uint32_t>(value[0] & 1U) << lane);
  } else if (slot.register_bits <= 32) {
    frame.rows[32 * at + lane] = static_cast<uint32_t>(value[0]);
  } else {
    for (uint32_t cell = 0; cell < slot.cells(); ++cell) {
      reinterpret_cast<uint64_t*>(&frame.rows[32 * (at + 2 * cell)])[lane] = value[cell];
    }
  }
}

Value read(const Frame& frame, const Slot& slot, uint32_t at, uint32_t lane) {
  Value value{};
  if (slot.register_bits == 1) {
    value[0] = (frame.predicates[at] >> lane) & 1U;
  } else if (slot.register_bits <= 32) {
    value[0] = frame.rows[32 * at + lane];
  } else {
    for (uint32_t cell = 0; cell < slot.cells(); ++cell) {
      value[cell] = reinterpret_cast<const uint64_t*>(&frame.rows[32 * (at + 2 * cell)])[lane];
    }
  }
  return value;
}

// Executes the form for one warp; destinations by lane.
std::array<std::vector<Value>, 32> execute(const Form& form, sim::Handler handler, const Inputs* lanes,
                                           uint32_t mask) {
  auto frame = std::make_unique<Frame>();
  frame->rows.fill(kUntouched);
  frame->predicates.fill(0);
  place(*frame, form);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    size_t next = 0;
    for (size_t i = 0; i < form.slots.size(); ++i) {
      const Slot& slot = form.slots[i];
      if (slot.is_destination || slot.kind == Slot::Kind::kImmediate) continue;
      write(*frame, slot, frame->places[i], lane, lanes[lane][next++]);
    }
    if (form.reads_carry)
      frame->predicates[sim::kCarry] |= static_cast<uint32_t>(lanes[lane][next][0] & 1U) << lane;
  }
  const sim::Registers registers{frame->rows.data(), nullptr, frame->predicates.data()};
  handler(frame->instruction, registers, mask);
  std::array<std::vector<Value>, 32> out;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < form.slots.size(); ++i) {
      if (form.slots[i].is_destination)
        out[lane].push_back(read(*frame, form.slots[i], frame->places[i], lane));
    }
    if (form.writes_carry) out[lane].push_back({(frame->predicates[sim::kCarry] >> lane) & 1U, 0});
  }
  return out;
}

TEST(Handlers, EqualTheReferenceInEveryForm) {
  size_t compared = 0;
  for (const Form& form : registerForms()) {
    const sim::Handler handler = sim::selectHandler(form.instruction);
    ASSERT_NE(handler, nullptr) << form.label();
    const std::vector<Inputs> inputs = inputsOf(form, kThreads);
    Mismatches mismatches(form);
    for (uint32_t first = 0; first < kThreads; first += 32) {
      std::array<Inputs, 32> lanes;
      std::copy_n(inputs.begin() + first, 32, lanes.begin());
      const auto expected = reference(form, lanes);
      const auto found = execute(form, handler, &inputs[first], form.lanes);
      for (uint32_t lane = 0; lane < 32; ++lane) mismatches.compare(lanes[lane], expected[lane], found[lane]);
    }
    EXPECT_GT(mismatches.compared(), 0U) << form.label() << ": no reference";
    EXPECT_EQ(mismatches.text(), "");
    ++compared;
  }
  std::cout << compared << " instruction forms compared with the reference\n";
}

TEST(Handlers, OfBothInstructionSetsAgreeBitForBit) {
  if (!sim::hasAvx2Handlers()) GTEST_SKIP() << "this processor has no AVX2: only portable handlers are used";
  for (const Form& form : registerForms()) {
    const std::vector<Inputs> inputs = inputsOf(form, 64);
    for (uint32_t first = 0; first < 64; first += 32) {
      const uint32_t mask = first == 0 ? form.lanes : form.lanes & 0x5A3C0FF1U;
      const auto fast = execute(form, sim::selectHandler(form.instruction), &inputs[first], mask);
      const auto portable = execute(form, sim::selectPortableHandler(form.instruction), &inputs[first], mask);
      ASSERT_EQ(fast, portable) << form.label();
    }
  }
}

TEST(Handlers, LeaveLanesOutsideTheMaskAlone) {
  constexpr uint32_t kMask = 0x00F0A5C3U;
  for (const Form& form : registerForms()) {
    const std::vector<Inputs> inputs = inputsOf(form, 32);
    const auto found = execute(form, sim::selectHandler(form.instruction), inputs.data(), kMask);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (((kMask >> lane) & 1U) != 0) continue;
      size_t next = 0;
      for (const Slot& slot : form.slots) {
        if (!slot.is_destination) continue;
        const Value untouched = slot.register_bits == 1 ? Value{0, 0}
                                : slot.register_bits <= 32
                                    ? Value{kUntouched, 0}
                                    : Value{0xA5A5A5A5A5A5A5A5U, slot.cells() == 2 ? 0xA5A5A5A5A5A5A5A5U : 0};
        EXPECT_EQ(found[lane][next++], untouched) << form.label() << ", lane " << lane;
      }
    }
  }
}

}  // namespace
}  // namespace warpscope::test
