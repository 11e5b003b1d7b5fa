#include "kernels/sim/ptx/opcode_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

class Compiler {
 public:
  Compiler(const OpcodeEntry& entry, std::vector<std::string>& mistakes) : mistakes_(mistakes) {
    form_.entry = &entry;
  }

  OpcodeForm run() {
    const OpcodeEntry& entry = *form_.entry;
    form_.name_words = split(entry.name, '.');
    form_.name_words.erase(form_.name_words.begin());
    for (const std::string_view list : split(entry.types, ';')) {
      form_.types.emplace_back();
      for (const std::string_view name : split(list, ' ')) {
        form_.types.back().push_back(typeNamed(name));
        if (form_.types.back().back() == Type::kNone) mistake("type", name);
      }
    }
    for (const std::string_view text : split(entry.modifiers, ' ')) word(text);
    for (const std::string_view text : split(entry.operands, ',')) operand(text);
    return std::move(form_);
  }

 private:
  void mistake(std::string_view what, std::string_view text) {
    mistakes_.push_back(
        fmt::format("{} ({}): {} '{}' is unknown", form_.entry->name, form_.entry->modifiers, what, text));
  }

  void word(std::string_view text) {
    WordSlot slot;
    if (text.ends_with('?')) {
      slot.may_be_absent = true;
      text.remove_suffix(1);
    }
    const bool implied = text.starts_with('+');
    if (implied) text.remove_prefix(1);
    if (text == "T" || text == "U" || text == "V") {
      slot.type = text == "T" ? 0 : text == "U" ? 1 : 2;
      if (static_cast<size_t>(slot.type) >= form_.types.size()) return mistake("type slot", text);
    } else if (text.starts_with('{')) {
      const auto group = wordGroup(text.substr(1, text.size() - 2));
      slot.words.assign(group.begin(), group.end());
    } else if (const OpcodeWord* single = singleWord(text)) {
      slot.words.push_back(*single);
    }
    if (slot.type < 0 && slot.words.empty()) return mistake("word", text);
    if (implied) {
      form_.implied.push_back(slot.words.front());
    } else {
      form_.slots.push_back(std::move(slot));
    }
  }

  void operand(std::string_view text) {
    OperandPattern pattern;
    if (text.ends_with('?')) {
      pattern.may_be_absent = true;
      text.remove_suffix(1);
    }
    const size_t second = text.find('|');
    if (second != std::string_view::npos) {
      pattern.has_second = true;
      pattern.may_be_sink = true;
      simpleOperand(text.substr(0, second), pattern);
      pattern = {};
      pattern.may_be_sink = true;
      text.remove_prefix(second + 1);
    }
    simpleOperand(text, pattern);
  }

  void simpleOperand(std::string_view text, OperandPattern pattern) {
    using Shape = OperandPattern::Shape;
    const auto prefix = [&](char c) {
      if (!text.starts_with(c)) return false;
      text.remove_prefix(1);
      return true;
    };
    if (text == "label") {
      pattern.shape = Shape::kLabel;
    } else if (text == "targets") {
      pattern.shape = Shape::kTargets;
    } else if (text == "callee") {
      pattern.shape = Shape::kCallee;
    } else if (prefix('[')) {
      pattern.shape = Shape::kAddress;
      text.remove_suffix(1);
    } else if (prefix('<')) {
      pattern.shape = Shape::kImage;
      text.remove_suffix(1);
    } else if (prefix('(')) {
      pattern.shape = Shape::kFragment;
      text.remove_suffix(1);
    } else if (prefix('{')) {
      text.remove_suffix(1);
      pattern.shape = text == "d" ? Shape::kUnpack : Shape::kPack;
    } else if (prefix('#')) {
      pattern.shape = Shape::kImmediate;
    } else if (prefix('&')) {
      pattern.shape = Shape::kVariableAddress;
    } else if (prefix('%')) {
      pattern.shape = Shape::kSpecial;
    } else {
      pattern.may_be_vector = prefix('*');
      pattern.may_be_wider = prefix('~') || pattern.may_be_vector;
      pattern.may_be_sink = prefix('_') || pattern.may_be_sink;
    }
    const size_t colon = text.find(':');
    pattern.name = text.substr(0, colon);
    const bool is_predicate = pattern.name == "p" || pattern.name == "q";
    const bool may_be_d = pattern.shape == Shape::kValue || pattern.shape == Shape::kFragment;
    pattern.is_destination =
        is_predicate || (may_be_d && pattern.name == "d") || pattern.shape == Shape::kUnpack;
    if (is_predicate) typeOf("pred", pattern);
    if (colon != std::string_view::npos) typeOf(text.substr(colon + 1), pattern);
    form_.operands.push_back(std::move(pattern));
  }

  void typeOf(std::string_view text, OperandPattern& pattern) {
    using From = OperandPattern::TypeFrom;
    if (text == "U") {
      pattern.type_from = From::kSecond;
    } else if (text == "V") {
      pattern.type_from = From::kThird;
    } else if (text == "wide") {
      pattern.type_from = From::kTwiceFirst;
    } else if (text == "address") {
      pattern.type_from = From::kAddressSized;
    } else {
      pattern.type_from = From::kFixed;
      pattern.fixed = typeNamed(text);
      if (pattern.fixed == Type::kNone) mistake("operand type", text);
    }
  }

  OpcodeForm form_;
  std::vector<std::string>& mistakes_;
};

struct Forms {
  std::map<std::string_view, std::vector<OpcodeForm>, std::less<>> by_first_word;
  std::vector<std::string> mistakes;
};

const Forms& forms() {
  static const Forms kForms = [] {
    Forms all;
    for (const OpcodeEntry& entry : opcodeTable()) {
      const std::string_view name = entry.name;
      all.by_first_word[name.substr(0, name.find('.'))].push_back(Compiler(entry, all.mistakes).run());
    }
    return all;
  }();
  return kForms;
}

// Puts the word into one of the form's slots that are still free.
bool takeWord(const OpcodeForm& form, std::string_view word, std::vector<bool>& taken, OpcodeMatch& match) {
  const Type type = typeNamed(word);
  for (size_t i = 0; i < form.slots.size(); ++i) {
    if (taken[i]) continue;
    const WordSlot& slot = form.slots[i];
    if (slot.type >= 0) {
      if (type == Type::kNone) continue;
      // Types come in order, so the first free slot is the one meant.
      const auto& possible = form.types[static_cast<size_t>(slot.type)];
      if (std::find(possible.begin(), possible.end(), type) == possible.end()) return false;
      match.types[static_cast<size_t>(slot.type)] = type;
      taken[i] = true;
      return true;
    }
    for (const OpcodeWord& candidate : slot.words) {
      if (candidate.word != word) continue;
      candidate.apply(match);
      taken[i] = true;
      return true;
    }
  }
  return false;
}

bool matchForm(const OpcodeForm& form, const std::vector<std::string_view>& words, OpcodeMatch& match) {
  match.entry = form.entry;
  for (const OpcodeWord& word : form.implied) word.apply(match);
  std::vector<bool> taken(form.slots.size());
  size_t of_name = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    if (of_name < form.name_words.size() && words[i] == form.name_words[of_name]) {
      ++of_name;
    } else if (!takeWord(form, words[i], taken, match)) {
      return false;
    }
  }
  if (of_name < form.name_words.size()) return false;
  for (size_t i = 0; i < form.slots.size(); ++i) {
    if (!taken[i] && !form.slots[i].may_be_absent) return false;
  }
  return true;
}

bool beginsWithWords(std::string_view opcode, std::string_view prefix) {
  return opcode.starts_with(prefix) && (opcode.size() == prefix.size() || opcode[prefix.size()] == '.');
}

// Returns the form that recognises most of the opcode's words.
const OpcodeForm& nearest(const std::vector<OpcodeForm>& forms, const std::vector<std::string_view>& words) {
  const OpcodeForm* best = &forms.front();
  size_t most = 0;
  for (const OpcodeForm& form : forms) {
    OpcodeMatch match;
    std::vector<bool> taken(form.slots.size());
    size_t known = 0;
    for (const std::string_view word : words) {
      const bool of_name =
          std::find(form.name_words.begin(), form.name_words.end(), word) != form.name_words.end();
      known += of_name || takeWord(form, word, taken, match) ? 1 : 0;
    }
    if (known <= most) continue;
    most = known;
    best = &form;
  }
  return *best;
}

std::string reasonOfRefusal(std::string_view opcode, const std::vector<std::string_view>& words) {
  const RefusedInstruction* refused = nullptr;
  for (const RefusedInstruction& candidate : refusedInstructions()) {
    if (!beginsWithWords(opcode, candidate.prefix)) continue;
    if (refused == nullptr ||
        std::string_view(candidate.prefix).size() > std::string_view(refused->prefix).size()) {
      refused = &candidate;
    }
  }
  const auto known = forms().by_first_word.find(words.front());
  if (refused != nullptr) return refused->reason;
  if (known == forms().by_first_word.end()) return fmt::format("there is no instruction '{}'", words.front());
  return fmt::format("not supported with these modifiers and types; the nearest supported form is {}",
                     formatEntry(*nearest(known->second, words).entry));
}

std::string listed(const std::vector<OpcodeWord>& words) {
  std::string list;
  for (const OpcodeWord& word : words) list += fmt::format("{}.{}", list.empty() ? "" : "|", word.word);
  return list;
}

std::string formatSlot(const OpcodeForm& form, const WordSlot& slot) {
  std::string list;
  size_t choices = slot.words.size();
  if (slot.type >= 0) {
    const auto& types = form.types[static_cast<size_t>(slot.type)];
    choices = types.size();
    for (const Type type : types) list += fmt::format("{}.{}", list.empty() ? "" : "|", typeName(type));
  } else {
    list = listed(slot.words);
  }
  if (slot.may_be_absent) return fmt::format("{{{}}}", list);
  return choices == 1 ? list : fmt::format("({})", list);
}

std::string formatOperand(const OperandPattern& pattern) {
  using Shape = OperandPattern::Shape;
  switch (pattern.shape) {
    case Shape::kAddress:
      return fmt::format("[{}]", pattern.name);
    case Shape::kImage:
      return fmt::format("[{}, {{x, ...}}]", pattern.name);
    case Shape::kFragment:
    case Shape::kPack:
    case Shape::kUnpack:
      return fmt::format("{{{}, ...}}", pattern.name);
    case Shape::kVariableAddress:
      return "variable";
    case Shape::kSpecial:
      return "%special";
    case Shape::kTargets:
      return "targets";
    case Shape::kCallee:
      return "{(d),} function, (a, ...){, prototype}";
    case Shape::kLabel:
    case Shape::kImmediate:
    case Shape::kValue:
      break;
  }
  return pattern.name;
}

}  // namespace

std::vector<std::string> mistakesInOpcodeTable() {
  return forms().mistakes;
}

OpcodeMeaning meaningOf(std::string_view opcode) {
  OpcodeMeaning meaning;
  const std::vector<std::string_view> words = split(opcode, '.');
  if (words.empty()) {
    meaning.why = "an instruction is expected";
    return meaning;
  }
  const auto known = forms().by_first_word.find(words.front());
  if (known != forms().by_first_word.end()) {
    for (const OpcodeForm& form : known->second) {
      FormMatch match;
      match.form = &form;
      if (matchForm(form, words, match.opcode)) meaning.matches.push_back(match);
    }
  }
  if (meaning.matches.empty()) meaning.why = reasonOfRefusal(opcode, words);
  return meaning;
}

const OpcodeMeaning& OpcodeCache::meaning(std::string_view opcode) {
  const auto [place, is_new] = known_.try_emplace(std::string(opcode));
  if (is_new) place->second = meaningOf(opcode);
  return place->second;
}

std::string formatEntry(const OpcodeEntry& entry) {
  std::vector<std::string> mistakes;
  const OpcodeForm form = Compiler(entry, mistakes).run();
  std::string text = entry.name;
  for (const WordSlot& slot : form.slots) text += formatSlot(form, slot);
  std::string operands;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const OperandPattern& pattern = form.operands[i];
    const bool is_second = i > 0 && form.operands[i - 1].has_second;
    const std::string name = formatOperand(pattern);
    if (is_second) {
      operands += fmt::format("{{|{}}}", name);
    } else if (pattern.may_be_absent) {
      operands += fmt::format("{{, {}}}", name);
    } else {
      operands += (operands.empty() ? "" : ", ") + name;
    }
  }
  return operands.empty() ? text : text + " " + operands;
}

}  // namespace warpscope::ptx
