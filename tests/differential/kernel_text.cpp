#include "tests/differential/kernel_text.h"

#include <fmt/format.h>

namespace warpscope::test {
namespace {

uint32_t cellsWhere(const Form& form, bool destination) {
  uint32_t cells = 0;
  for (const Slot& slot : form.slots) {
    if (slot.kind == Slot::Kind::kRegister && slot.is_destination == destination) cells += slot.cells();
  }
  return cells;
}

std::string registerOf(const Slot& slot) {
  if (slot.kind == Slot::Kind::kImmediate) return std::to_string(slot.immediate);
  return "%" + slot.name;
}

std::string declaration(const Slot& slot) {
  if (slot.register_bits == 1) return fmt::format("  .reg .pred {};\n", registerOf(slot));
  return fmt::format("  .reg .b{} {};\n", slot.register_bits, registerOf(slot));
}

uint32_t offsetOf(uint32_t cell) {
  return 8 * cell * kThreadsPerForm;
}

std::string load(const Slot& slot, uint32_t cell) {
  const std::string reg = registerOf(slot);
  const uint32_t at = offsetOf(cell);
  if (slot.register_bits == 1) {
    return fmt::format("  ld.global.b32 %t, [%in+{}];\n  setp.ne.b32 {}, %t, 0;\n", at, reg);
  }
  if (slot.register_bits == 128) {
    return fmt::format(
        "  ld.global.b64 %x, [%in+{}];\n  ld.global.b64 %y, [%in+{}];\n  mov.b128 {}, {{%x, %y}};\n", at,
        offsetOf(cell + 1), reg);
  }
  return fmt::format("  ld.global.b{} {}, [%in+{}];\n", slot.register_bits, reg, at);
}

std::string store(const Slot& slot, uint32_t cell) {
  const std::string reg = registerOf(slot);
  const uint32_t at = offsetOf(cell);
  if (slot.register_bits == 1) {
    return fmt::format("  selp.b32 %t, 1, 0, {};\n  st.global.b32 [%out+{}], %t;\n", reg, at);
  }
  if (slot.register_bits == 128) {
    return fmt::format(
        "  mov.b128 {{%x, %y}}, {};\n  st.global.b64 [%out+{}], %x;\n  st.global.b64 [%out+{}], %y;\n", reg,
        at, offsetOf(cell + 1));
  }
  return fmt::format("  st.global.b{} [%out+{}], {};\n", slot.register_bits, at, reg);
}

std::string instructionText(const Form& form) {
  std::string operands;
  for (size_t i = 0; i < form.slots.size(); ++i) {
    const Slot& slot = form.slots[i];
    const bool first_part = slot.is_part && (i == 0 || !form.slots[i - 1].is_part);
    const bool last_part = slot.is_part && (i + 1 == form.slots.size() || !form.slots[i + 1].is_part);
    if (i > 0) operands += slot.is_second ? "|" : ", ";
    operands += (first_part ? "{" : "") + registerOf(slot) + (last_part ? "}" : "");
  }
  return fmt::format("  {} {};\n", form.opcode, operands);
}

bool isSubtraction(const Form& form) {
  return form.words[0] == "sub" || form.words[0] == "subc";
}

std::string threadText(const Form& form) {
  std::string text =
      "  .reg .b64 %in, %out, %x, %y;\n  .reg .b32 %t, %u, %v;\n  .reg .pred %s;\n"
      "  ld.param.u64 %in, [inputs];\n  ld.param.u64 %out, [outputs];\n"
      "  mov.u32 %t, %tid.x;\n  mov.u32 %u, %ctaid.x;\n  mov.u32 %v, %ntid.x;\n  mad.lo.s32 %t, %u, %v, %t;\n"
      "  mul.wide.u32 %x, %t, 8;\n  add.s64 %in, %in, %x;\n  add.s64 %out, %out, %x;\n";
  if (form.lanes != 0xFFFFFFFFU) {
    text += fmt::format(
        "  mov.u32 %t, %laneid;\n  mov.u32 %u, {};\n  shr.u32 %u, %u, %t;\n  and.b32 %u, %u, 1;\n"
        "  setp.eq.u32 %s, %u, 0;\n  @%s bra DONE;\n",
        form.lanes);
  }
  return text;
}

}  // namespace

uint32_t inputCells(const Form& form) {
  return cellsWhere(form, false) + (form.reads_carry ? 1 : 0);
}
uint32_t outputCells(const Form& form) {
  return cellsWhere(form, true) + (form.writes_carry ? 1 : 0);
}

std::string kernelText(const Form& form, const std::string& name) {
  std::string text = fmt::format("// {}\n.visible .entry {}(.param .u64 inputs, .param .u64 outputs) {{\n",
                                 form.label(), name);
  for (const Slot& slot : form.slots) {
    if (slot.kind == Slot::Kind::kRegister) text += declaration(slot);
  }
  text += threadText(form);
  uint32_t cell = 0;
  for (const Slot& slot : form.slots) {
    if (slot.is_destination || slot.kind == Slot::Kind::kImmediate) continue;
    text += load(slot, cell);
    cell += slot.cells();
  }
  if (form.reads_carry) {  // carry, or borrow, if the cell is not 0
    text += fmt::format("  ld.global.b32 %t, [%in+{}];\n", offsetOf(cell));
    text += isSubtraction(form) ? "  sub.cc.u32 %t, 0, %t;\n" : "  add.cc.u32 %t, %t, 0xFFFFFFFF;\n";
  }
  text += instructionText(form);
  if (form.writes_carry) text += isSubtraction(form) ? "  subc.u32 %u, 0, 0;\n" : "  addc.u32 %u, 0, 0;\n";
  cell = 0;
  for (const Slot& slot : form.slots) {
    if (!slot.is_destination) continue;
    text += store(slot, cell);
    cell += slot.cells();
  }
  if (form.writes_carry) {
    text += fmt::format("  and.b32 %u, %u, 1;\n  st.global.b32 [%out+{}], %u;\n", offsetOf(cell));
  }
  return text + (form.lanes != 0xFFFFFFFFU ? "DONE:\n" : "") + "  ret;\n}\n";
}

std::string moduleText(std::span<const Form> forms, size_t first) {
  std::string text = ".version 8.6\n.target sm_90\n.address_size 64\n";
  for (size_t i = 0; i < forms.size(); ++i) text += kernelText(forms[i], fmt::format("form_{}", first + i));
  return text;
}

}  // namespace warpscope::test
