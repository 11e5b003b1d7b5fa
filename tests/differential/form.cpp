#include "tests/differential/form.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "kernels/sim/ptx/opcode_words.h"
#include "tests/differential/refused_forms.h"

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

std::vector<std::string> split(const std::string& text, const std::string& separators) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text + separators[0]) {
    if (separators.find(c) == std::string::npos) {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::move(part));
      part.clear();
    }
  }
  return parts;
}

Type typeNamed(const std::string& name) {
  for (auto value = static_cast<int>(Type::kNone); value <= static_cast<int>(Type::kF64); ++value) {
    if (name == ptx::typeName(static_cast<Type>(value))) return static_cast<Type>(value);
  }
  return Type::kNone;
}

Type wideOf(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    default:
      return Type::kS64;
  }
}

// One way to spell the words after an entry's name.
struct Spelling {
  std::vector<std::string> words;
  ptx::OpcodeMatch match;
};

void appendWord(std::vector<Spelling>& all, const Spelling& before, const ptx::OpcodeWord& word,
                bool written) {
  Spelling longer = before;
  if (written) longer.words.emplace_back(word.word);
  word.apply(longer.match);
  all.push_back(std::move(longer));
}

// Extends every spelling by what one item of the entry's modifiers allows.
std::vector<Spelling> extended(const std::vector<Spelling>& shorter, std::string item,
                               const std::vector<std::string>& type_lists) {
  std::vector<Spelling> all;
  const bool optional = item.back() == '?';
  if (optional) {
    item.pop_back();
    all = shorter;
  }
  for (const Spelling& before : shorter) {
    if (item == "T" || item == "U" || item == "V") {
      const auto which = static_cast<size_t>(item[0] - 'T');
      for (const std::string& name : split(type_lists.at(which), " ")) {
        Spelling longer = before;
        longer.words.push_back(name);
        longer.match.types[which] = typeNamed(name);
        all.push_back(std::move(longer));
      }
    } else if (item.front() == '{') {
      for (const ptx::OpcodeWord& word : ptx::wordGroup(item.substr(1, item.size() - 2))) {
        appendWord(all, before, word, true);
      }
    } else {
      const bool implied = item.front() == '+';
      const ptx::OpcodeWord* word = ptx::singleWord(implied ? item.substr(1) : item);
      if (word != nullptr) appendWord(all, before, *word, !implied);
    }
  }
  return all;
}

std::vector<Spelling> spellingsOf(const ptx::OpcodeEntry& entry) {
  std::vector<Spelling> all(1);
  const std::vector<std::string> type_lists = split(entry.types, ";");
  for (const std::string& item : split(entry.modifiers, " ")) all = extended(all, item, type_lists);
  return all;
}

uint32_t registerBits(Type type) {
  if (type == Type::kPred) return 1;
  return std::max(16U, bitsOf(type));  // there are no 8-bit registers
}

Slot slotOf(std::string text, const Spelling& spelling) {
  Slot slot;
  while (text.front() == '~' || text.front() == '*' || text.front() == '_') text.erase(0, 1);
  if (text.front() == '#') {
    slot.kind = Slot::Kind::kImmediate;
    text.erase(0, 1);
  }
  if (text.front() == '{') {
    slot.is_part = true;
    text = text.substr(1, text.size() - 2);
  }
  const size_t colon = text.find(':');
  slot.name = text.substr(0, colon);
  const std::string type = colon == std::string::npos ? "T" : text.substr(colon + 1);
  if (type == "wide") {
    slot.type = wideOf(spelling.match.types[0]);
  } else if (type == "address") {
    slot.type = Type::kU64;
  } else if (type.size() == 1) {
    slot.type = spelling.match.types[static_cast<size_t>(type[0] - 'T')];
  } else {
    slot.type = typeNamed(type);
  }
  slot.is_destination = slot.name == "d" || slot.name == "p" || slot.name == "q";
  if (slot.name == "p" || slot.name == "q") slot.type = Type::kPred;
  slot.register_bits = registerBits(slot.type);
  return slot;
}

// The operands; `second`: including what follows a '|'.
std::vector<Slot> slotsOf(const ptx::OpcodeEntry& entry, const Spelling& spelling, bool second) {
  std::vector<Slot> slots;
  for (const std::string& operand : split(entry.operands, ",")) {
    const std::vector<std::string> both = split(operand, "|");
    slots.push_back(slotOf(both[0], spelling));
    if (both.size() > 1 && second) {
      slots.push_back(slotOf(both[1], spelling));
      slots.back().is_second = true;
    }
  }
  if (isCrossLane(entry.op) && entry.op != Op::kActivemask) slots.back().is_members = true;
  return slots;
}

Form formOf(const ptx::OpcodeEntry& entry, const Spelling& spelling, bool second) {
  Form form;
  form.entry = &entry;
  form.words = split(entry.name, ".");
  form.opcode = entry.name;
  for (const std::string& word : spelling.words) {
    form.words.push_back(word);
    form.opcode += "." + word;
  }
  form.types = spelling.match.types;
  form.slots = slotsOf(entry, spelling, second);
  form.writes_carry = form.has("cc");
  form.reads_carry = entry.op == Op::kAddc || entry.op == Op::kSubc || entry.op == Op::kMadc;
  form.instruction.op = entry.op;
  form.instruction.types = spelling.match.types;
  form.instruction.modifiers = spelling.match.modifiers;
  form.instruction.space = spelling.match.space;
  if (second) form.variant = "two destinations";
  return form;
}

// mov of a vector: a whole with `parts` parts.
void splitVector(Form& form, size_t parts) {
  const auto braces = std::ranges::find_if(form.slots, &Slot::is_part);
  const Slot whole = *braces;
  Slot part = whole;
  part.register_bits = bitsOf(whole.type) / static_cast<uint32_t>(parts);
  part.type = part.register_bits == 64 ? Type::kB64 : part.register_bits == 32 ? Type::kB32 : Type::kB16;
  std::vector<Slot> slots;
  for (size_t i = 0; i < parts; ++i) {
    slots.push_back(part);
    slots.back().name += std::to_string(i);
  }
  const auto at = form.slots.erase(braces);
  form.slots.insert(at, slots.begin(), slots.end());
  ptx::Operand vector;
  vector.kind = ptx::Operand::Kind::kVector;
  vector.parts.resize(parts);
  form.instruction.operands.push_back(vector);
  form.variant = std::to_string(parts) + " parts";
}

void addForm(std::vector<Form>& forms, Form form) {
  if (isRefusedByPtxas(form)) return;
  forms.push_back(std::move(form));
}

// cvt with registers wider than its types.
void addWideConversions(std::vector<Form>& forms, const Form& form) {
  for (const uint32_t bits : {32U, 64U}) {
    Form wide = form;
    bool changed = false;
    for (Slot& slot : wide.slots) {
      if (ptx::isFloat(slot.type) || slot.register_bits >= bits) continue;
      slot.register_bits = bits;
      changed = true;
    }
    wide.variant = std::to_string(bits) + "-bit registers";
    if (changed) addForm(forms, std::move(wide));
  }
}

void addVariants(std::vector<Form>& forms, const Form& form) {
  const Op op = form.entry->op;
  if (op == Op::kMovePack || op == Op::kMoveUnpack) {
    for (const size_t parts : {size_t{2}, size_t{4}}) {
      const uint32_t bits = bitsOf(form.types[0]) / static_cast<uint32_t>(parts);
      if (bits < 16) continue;
      Form vector = form;
      splitVector(vector, parts);
      addForm(forms, std::move(vector));
    }
  } else if (op == Op::kLop3) {
    for (const uint64_t table : {0x00, 0x1B, 0x2E, 0x3C, 0x6A, 0x80, 0x96, 0xCA, 0xD8, 0xE8, 0xFE, 0xFF}) {
      Form with_table = form;
      const auto immediate = std::ranges::find(with_table.slots, Slot::Kind::kImmediate, &Slot::kind);
      immediate->immediate = table;
      with_table.variant += (form.variant.empty() ? "table " : ", table ") + std::to_string(table);
      addForm(forms, std::move(with_table));
    }
  } else {
    addForm(forms, form);
    if (op == Op::kCvt) addWideConversions(forms, form);
    if (isCrossLane(op) && op != Op::kShfl) {
      Form partial = form;
      partial.lanes = 0xA35FC1E8U;
      partial.variant = "some lanes";
      addForm(forms, std::move(partial));
    }
  }
}

}  // namespace

uint32_t bitsOf(Type type) {
  return 8 * ptx::bytesOf(type);
}

bool Form::has(const std::string& word) const {
  return std::ranges::find(words, word) != words.end();
}

bool isCrossLane(Op op) {
  switch (op) {
    case Op::kShfl:
    case Op::kVote:
    case Op::kMatch:
    case Op::kActivemask:
    case Op::kRedux:
    case Op::kElect:
      return true;
    default:
      return false;
  }
}

bool isRegisterOnly(Op op) {
  // Addresses differ from device to device.
  if (op == Op::kMoveAddress || op == Op::kReadSpecial || op == Op::kCvta || op == Op::kIsspacep)
    return false;
  if (op >= Op::kLd && op <= Op::kCpAsyncWait) return false;
  return op <= Op::kIsspacep || isCrossLane(op);
}

std::vector<Form> registerForms() {
  std::vector<Form> forms;
  for (const ptx::OpcodeEntry& entry : ptx::opcodeTable()) {
    const std::string_view operands = entry.operands;
    if (!isRegisterOnly(entry.op) || operands.find('&') != std::string_view::npos) continue;
    for (const Spelling& spelling : spellingsOf(entry)) {
      addVariants(forms, formOf(entry, spelling, false));
      if (operands.find('|') != std::string_view::npos) addVariants(forms, formOf(entry, spelling, true));
    }
  }
  return forms;
}

}  // namespace warpscope::test
