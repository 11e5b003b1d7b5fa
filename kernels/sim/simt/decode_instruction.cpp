#include "kernels/sim/simt/decode_instruction.h"

#include <algorithm>
#include <string_view>

#include "kernels/sim/ptx/opcode_table.h"
#include "kernels/sim/simt/interpreter_state.h"
#include "kernels/sim/simt/matrix_multiply.h"

namespace warpscope::sim {

namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using OperandKind = ptx::Operand::Kind;

Type typeByName(std::string_view name) {
  for (auto type = static_cast<int>(Type::kPred); type <= static_cast<int>(Type::kF64); ++type) {
    if (name == ptx::typeName(static_cast<Type>(type))) return static_cast<Type>(type);
  }
  return Type::kNone;
}

Type bitsOf(uint32_t bytes) {
  return bytes >= 16 ? Type::kB128 : bytes == 8 ? Type::kB64 : bytes == 4 ? Type::kB32 : Type::kB16;
}

Kind kindOf(const ptx::Instruction& in) {
  switch (in.op) {
    case Op::kReadSpecial:
      return Kind::kReadSpecial;
    case Op::kLd:
    case Op::kTex:
    case Op::kSuld:
    case Op::kImageQuery:
    case Op::kLdmatrix:
    case Op::kMatrixLoad:
      return Kind::kLoad;
    case Op::kSt:
    case Op::kSust:
    case Op::kStmatrix:
    case Op::kMatrixStore:
      return Kind::kStore;
    case Op::kMma:
    case Op::kMovmatrix:
      return Kind::kWarpRegister;
    case Op::kAtom:
      return Kind::kAtomic;
    case Op::kRed:
      return Kind::kReduction;
    case Op::kPrefetch:
    case Op::kPmevent:
      return Kind::kNothing;
    case Op::kCpAsync:
      return Kind::kAsyncCopy;
    case Op::kCpAsyncCommit:
      return Kind::kAsyncCommit;
    case Op::kCpAsyncWait:
      return Kind::kAsyncWait;
    case Op::kBulkCopy:
    case Op::kBulkReduce:
      return Kind::kBulkCopy;
    case Op::kBulkCommit:
      return Kind::kBulkCommit;
    case Op::kBulkWait:
      return Kind::kBulkWait;
    case Op::kStAsync:
    case Op::kRedAsync:
      return Kind::kAsyncStore;
    case Op::kMapa:
    case Op::kGetctarank:
      return Kind::kClusterAddress;
    case Op::kIsspacep:  // a block's own shared memory may be in its cluster's window, too
      return in.space == Space::kShared ? Kind::kClusterAddress : Kind::kRegister;
    case Op::kBarCluster:
      return Kind::kClusterBarrier;
    case Op::kGridDependency:
      return Kind::kGridDependency;
    case Op::kShfl:
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
    case Op::kElect:
      return in.modifiers.sync ? Kind::kWarpRegister : Kind::kRegister;
    case Op::kBar:
      return Kind::kBarrier;
    case Op::kBarWarpSync:
      return Kind::kWarpBarrier;
    case Op::kFence:
      return Kind::kFence;
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierArrive:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
    case Op::kCpAsyncMbarrierArrive:
      return Kind::kMbarrier;
    case Op::kBra:
      return Kind::kBranch;
    case Op::kBrx:
      return Kind::kIndirectBranch;
    case Op::kCall:
      return Kind::kCall;
    case Op::kRet:
      return Kind::kReturn;
    case Op::kExit:
      return Kind::kExit;
    case Op::kTrap:
    case Op::kBrkpt:
      return Kind::kTrap;
    case Op::kNanosleep:
      return Kind::kSleep;
    default:
      return Kind::kRegister;
  }
}

bool endsSegment(const Instruction& in) {
  switch (in.kind) {
    case Kind::kLoad:
      return isStrong(in.modifiers);
    case Kind::kMbarrier:
      return in.op == Op::kMbarrierTestWait || in.op == Op::kMbarrierTryWait;
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kBulkWait:
    case Kind::kClusterBarrier:
    case Kind::kBarrier:
    case Kind::kWarpBarrier:
    case Kind::kFence:
    case Kind::kGridDependency:
    case Kind::kBranch:
    case Kind::kIndirectBranch:
    case Kind::kCall:
    case Kind::kIndirectCall:
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kTrap:
    case Kind::kSleep:
    case Kind::kPrint:
    case Kind::kSetCondition:
      return true;
    default:
      return false;
  }
}

bool tellsTime(ptx::Special special) {
  switch (special) {
    case ptx::Special::kClock:
    case ptx::Special::kClockHi:
    case ptx::Special::kClock64:
    case ptx::Special::kGlobaltimer:
    case ptx::Special::kGlobaltimerLo:
    case ptx::Special::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

// One operand of an opcode table entry ("d:u32", "[a]", "p"): see OpcodeEntry.
struct Pattern {
  std::string_view text;  // without the prefixes of the letter
  bool is_destination = false, is_predicate_destination = false;
};

std::vector<Pattern> patternsOf(const char* operands) {
  std::vector<Pattern> patterns;
  std::string_view rest = operands;
  bool second = false;
  while (!rest.empty()) {
    const size_t end = rest.find_first_of(",|");
    std::string_view text = rest.substr(0, end);
    while (!text.empty() && std::string_view("~*_#&%[{<(").find(text.front()) != std::string_view::npos)
      text.remove_prefix(1);
    while (!text.empty() && std::string_view("]}?>)").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    const std::string_view name = text.substr(0, text.find_first_of("]}):"));
    Pattern pattern{text};
    pattern.is_predicate_destination = name == "p" || name == "q";
    pattern.is_destination = pattern.is_predicate_destination || name == "d" || second;
    patterns.push_back(pattern);
    if (end == std::string_view::npos) break;
    second = rest[end] == '|';
    rest.remove_prefix(end + 1);
  }
  return patterns;
}

}  // namespace

bool isStrong(const ptx::Modifiers& modifiers) {
  return modifiers.semantics == ptx::Semantics::kVolatile ||
         modifiers.semantics == ptx::Semantics::kRelaxed || modifiers.semantics == ptx::Semantics::kAcquire ||
         modifiers.semantics == ptx::Semantics::kMmio || modifiers.cache == ptx::CacheOp::kCv;
}

tl::unexpected<Error> InstructionDecoder::refuse(const std::string& why) const {
  return fail(ErrorKind::kBadRequest, "{}:{}: {}: {}", module_.name, from_->ptx_line, from_->text, why);
}

Row InstructionDecoder::constant(uint64_t bits, uint32_t bytes) {
  if (bytes < 8)
    bits &= bytes == 1 ? 0xFFU : bytes == 2 ? 0xFFFFU : 0xFFFFFFFFU;  // 8- and 16-bit values: zero-extended
  const uint32_t rows = std::max(bytes / 4, 1U);
  const auto [at, is_new] =
      constants_.try_emplace({bits, rows}, static_cast<uint32_t>(code_.constants.size() / kRowWords));
  if (is_new) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      code_.constants.push_back(static_cast<uint32_t>(bits));
      if (rows >= 2) code_.constants.push_back(static_cast<uint32_t>(bits >> 32));
    }
    if (rows == 4) code_.constants.resize(code_.constants.size() + 64, 0);  // the upper halves of 128 bits
  }
  return constantRow(at->second);
}

Type InstructionDecoder::typeOfPattern(std::string_view pattern) const {
  const size_t colon = pattern.find(':');
  if (colon == std::string_view::npos) return from_->types[0];
  const std::string_view name = pattern.substr(colon + 1);
  if (name == "U") return from_->types[1];
  if (name == "V") return from_->types[2];
  if (name == "wide") return bitsOf(2 * ptx::bytesOf(from_->types[0]));
  if (name == "address") return Type::kB64;
  return typeByName(name);
}

const ptx::Variable& InstructionDecoder::variable(const Operand& operand) const {
  return operand.local ? function_->function->variables[operand.index] : module_.variables[operand.index];
}

bool InstructionDecoder::isKernelParameter(const Operand& operand) const {
  return operand.local && function_->is_kernel_parameter[operand.index];
}

uint64_t InstructionDecoder::placeOf(const Operand& operand) const {
  const ptx::Variable& named = variable(operand);
  const auto offset = static_cast<uint64_t>(operand.offset);
  if (operand.local) return function_->variables[operand.index] + offset;
  if (named.space == Space::kShared) return layout_.shared_offsets[operand.index] + offset;
  return loaded_.variable_addresses[operand.index] + offset;
}

Type InstructionDecoder::widthOf(const Operand& operand) const {
  if (operand.kind != OperandKind::kRegister) return Type::kNone;
  return bitsOf(ptx::bytesOf(function_->function->registers[operand.index].type));
}

void InstructionDecoder::addSource(const Operand& operand, Type type) {
  const bool is_predicate = operand.kind == OperandKind::kRegister
                                ? function_->predicates[operand.index] != kNoPredicate
                                : type == Type::kPred;
  if (is_predicate) {
    const size_t at = out_.predicate_sources[0] == kNoPredicate && !out_.predicate_source_negated[0] ? 0 : 1;
    if (operand.kind == OperandKind::kRegister) {
      out_.predicate_sources[at] = function_->predicates[operand.index];
      out_.predicate_source_negated[at] = operand.negated;
    } else {
      out_.predicate_source_negated[at] = operand.bits == 0;
    }
    return;
  }
  const Row row = operand.kind == OperandKind::kRegister ? function_->rows[operand.index]
                                                         : constant(operand.bits, ptx::bytesOf(type));
  if (out_.source_count < out_.sources.size()) out_.sources[out_.source_count++] = row;
}

void InstructionDecoder::addDestination(const Operand& operand) {
  if (out_.destination_count >= out_.destinations.size()) return;
  const bool known = operand.kind == OperandKind::kRegister;
  out_.destinations[out_.destination_count++] = known ? function_->rows[operand.index] : Row{kSinkRow};
}

Expected<void> InstructionDecoder::decodeAddress(const Operand& operand) {
  out_.immediate = static_cast<uint64_t>(operand.offset);
  if (operand.has_base) {
    out_.address_bits = ptx::bytesOf(function_->function->registers[operand.index].type) == 8 ? 64 : 32;
    out_.sources[0] = function_->rows[operand.index];
    if (out_.space == Space::kParam) out_.space = Space::kGeneric;  // parameters have generic addresses here
  } else {
    out_.address_bits = 0;
    out_.sources[0] = constant(0, 8);
    if (!operand.absolute) {
      const Space space = variable(operand).space;
      if (out_.space == Space::kGeneric || (out_.space == Space::kGlobal && space == Space::kConst))
        out_.space = space;
      if (out_.space == Space::kSharedCluster) out_.space = space;  // the block's own
      if (out_.space != space) return refuse("a variable of another state space");
      out_.immediate = placeOf(operand);
    } else if (out_.space == Space::kParam) {
      return refuse("a parameter without a name");
    }
  }
  out_.source_count = 1;
  return {};
}

// ld, st, atom, red, mbarrier: the address is sources[0], whatever precedes it in the text.
Expected<void> InstructionDecoder::decodeMemory() {
  const auto patterns = patternsOf(from_->entry->operands);
  const auto address =
      std::find_if(from_->operands.begin(), from_->operands.end(),
                   [](const Operand& operand) { return operand.kind == OperandKind::kAddress; });
  if (address == from_->operands.end()) return refuse("no address");
  if (auto decoded = decodeAddress(*address); !decoded) return decoded;
  if (from_->op == Op::kImageQuery && out_.address_bits != 64)
    return refuse("the texture or surface must be an object's handle in a register of 64 bits");
  const bool parameter = out_.kind == Kind::kLoad || out_.kind == Kind::kStore;
  if (parameter && !address->has_base && !address->absolute && isKernelParameter(*address)) {
    if (out_.kind == Kind::kStore) return refuse("a kernel's parameters are constant");
    out_.kind = Kind::kLoadParameter;
    if (out_.immediate + uint64_t{ptx::bytesOf(out_.type)} * out_.vector > layout_.parameter_bytes ||
        out_.immediate > layout_.parameter_bytes) {
      return refuse("beyond the kernel's parameters");
    }
  }
  Type width = Type::kNone;
  for (size_t i = 0; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    const Pattern pattern = i < patterns.size() ? patterns[i] : Pattern{};
    if (operand.kind == OperandKind::kAddress) {  // a texture or surface has coordinates
      for (const Operand& part : operand.parts) addSource(part, typeOfPattern(pattern.text));
      continue;
    }
    const auto& parts = operand.parts;
    for (const Operand& part : parts) {
      const Type of = widthOf(part);
      if (of != Type::kNone && width != Type::kNone && of != width)
        return refuse("registers of different widths");
      if (of != Type::kNone) width = of;
    }
    if (parts.empty() && (out_.kind != Kind::kMbarrier && out_.kind != Kind::kAtomic)) {
      width = widthOf(operand) == Type::kNone ? width : widthOf(operand);
    }
    if (pattern.is_predicate_destination) {
      if (operand.kind == OperandKind::kRegister)
        out_.predicate_destinations[0] = function_->predicates[operand.index];
    } else if (pattern.is_destination) {
      if (parts.empty()) addDestination(operand);
      for (const Operand& part : parts) addDestination(part);
    } else {
      if (parts.empty()) addSource(operand, typeOfPattern(pattern.text));
      // An immediate among registers that are wider than the type gets a row as wide as theirs.
      const Type wider = ptx::bytesOf(width) > ptx::bytesOf(out_.type) ? width : out_.type;
      for (const Operand& part : parts) addSource(part, wider);
    }
    if (!parts.empty()) out_.vector = static_cast<uint8_t>(parts.size());
  }
  if (out_.kind == Kind::kLoad || out_.kind == Kind::kStore || out_.kind == Kind::kLoadParameter) {
    out_.type2 = width != Type::kNone ? width : bitsOf(ptx::bytesOf(out_.type));
  }
  return {};
}

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
    const auto patterns = patternsOf(from_->entry->operands);
    addSource(operands[3], patterns.size() > 3 ? typeOfPattern(patterns[3].text) : Type::kU32);
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
  const auto patterns = patternsOf(from_->entry->operands);
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
    } else if (typeOfPattern(patterns[i].text) != Type::kB64 || out_.kind == Kind::kAsyncStore) {
      addSource(operand, typeOfPattern(patterns[i].text));
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
  const auto patterns = patternsOf(from_->entry->operands);
  FurtherAddresses further;
  for (size_t i = 0; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    if (operand.kind == OperandKind::kAddress) {
      const bool of_map = !operand.parts.empty(), signals = patterns[i].text.starts_with('e');
      FurtherAddress& place = of_map ? further.map : signals ? further.mbarrier : further.from;
      if (auto added = addFurtherAddress(operand, place); !added) return added;
      for (const Operand& part : operand.parts) addSource(part, Type::kS32);
    } else if (typeOfPattern(patterns[i].text) != Type::kB64) {
      further.mask = out_.source_count;
      addSource(operand, typeOfPattern(patterns[i].text));
    }
  }
  out_.table = static_cast<uint32_t>(code_.further_addresses.size());
  code_.further_addresses.push_back(further);
  return {};
}

// mapa, getctarank and isspacep.shared: `immediate` is a variable's place, if there is one; the rank is the
// last source.
Expected<void> InstructionDecoder::decodeClusterAddress() {
  if (from_->op == Op::kIsspacep) return decodeOperands();
  addDestination(from_->operands[0]);
  out_.address_bits = ptx::bytesOf(out_.type) == 8 ? 64 : 32;
  const Operand& of = from_->operands[1];
  if (of.kind == OperandKind::kVariable) {
    out_.address_bits = 0;
    out_.immediate = placeOf(of);
  } else {
    addSource(of, out_.type);
  }
  if (from_->op == Op::kMapa) addSource(from_->operands[2], Type::kU32);
  return {};
}

// isspacep.const: `immediate` and the `target` bytes from there on hold the module's const variables, which
// were placed one after another.
void InstructionDecoder::addConstWindow() {
  uint64_t begin = 0, end = 0;
  for (size_t i = 0; i < module_.variables.size(); ++i) {
    if (module_.variables[i].space != Space::kConst) continue;
    const uint64_t address = loaded_.variable_addresses[i];
    begin = begin == 0 ? address : std::min(begin, address);
    end = std::max(end, address + module_.variables[i].bytes);
  }
  out_.immediate = begin;
  out_.target = static_cast<uint32_t>(end - begin);
}

// mov of an address, and cvta of a variable's address.
Expected<void> InstructionDecoder::decodeMoveAddress() {
  const Operand& of = from_->operands[1];
  addDestination(from_->operands[0]);
  const uint32_t bytes = std::max(ptx::bytesOf(out_.type), 4U);
  if (of.kind == OperandKind::kFunction) {
    out_.sources[0] = constant(kFunctionWindow + uint64_t{of.index} * 16, bytes);
  } else {
    uint64_t place = placeOf(of);
    const Space space = variable(of).space;
    const bool in_frame = space == Space::kLocal || (space == Space::kParam && !isKernelParameter(of));
    const bool to_generic = from_->op == Op::kCvta;
    out_.space = space;
    if (space == Space::kParam) place += in_frame ? kLocalWindow : kParameterWindow;
    if (to_generic && space == Space::kShared) place += kSharedWindow;
    if (to_generic && space == Space::kLocal) place += kLocalWindow;
    if (in_frame) {
      out_.kind = Kind::kLocalAddress;
      out_.immediate = place;
      out_.type2 = bitsOf(bytes);
      return {};
    }
    out_.sources[0] = constant(place, bytes);
  }
  out_.source_count = 1;
  ptx::Instruction move;
  move.op = Op::kMov;
  move.types[0] = bitsOf(bytes);
  out_.op = Op::kMov;
  out_.handler = selectHandler(move);
  return {};
}

Expected<void> InstructionDecoder::decodeCall() {
  const Operand& callee = from_->operands[0];
  const auto& variables = function_->function->variables;
  std::vector<uint32_t> places;
  const auto add_places = [&](const std::vector<uint32_t>& indices) {
    for (const uint32_t i : indices) {
      places.push_back(static_cast<uint32_t>(function_->variables[i]));
      places.push_back(static_cast<uint32_t>(variables[i].bytes));
    }
  };
  add_places(from_->call_arguments);
  add_places(from_->call_results);
  if (callee.kind == OperandKind::kFunction) {
    const ptx::Function& function = module_.functions[callee.index];
    if (isProvided(function)) {
      out_.kind = function.name == "vprintf"                   ? Kind::kPrint
                  : function.name == "cudaGraphSetConditional" ? Kind::kSetCondition
                                                               : Kind::kTrap;
      if (out_.kind == Kind::kSetCondition && (places.size() != 4 || places[1] != 8 || places[3] != 4))
        return refuse("cudaGraphSetConditional takes a handle of 64 bits and a value of 32");
      if (out_.kind == Kind::kPrint &&
          (places.size() < 4 || places[1] < 8 || places[3] < 8 || (places.size() > 4 && places[5] < 4))) {
        return refuse("vprintf takes a format and the address of its arguments");
      }
    } else {
      const auto matches = [&](const std::vector<uint32_t>& formal, const std::vector<uint32_t>& actual) {
        return std::equal(
            formal.begin(), formal.end(), actual.begin(), actual.end(),
            [&](uint32_t f, uint32_t a) { return function.variables[f].bytes == variables[a].bytes; });
      };
      if (!matches(function.parameters, from_->call_arguments) ||
          !matches(function.results, from_->call_results)) {
        return refuse(fmt::format("{} has other parameters or results", function.name));
      }
      out_.target =
          layout_.function_of.at(callee.index);  // becomes an instruction index once all are decoded
    }
  } else {
    if (widthOf(callee) != Type::kB64) return refuse("a function's address has 64 bits");
    out_.kind = Kind::kIndirectCall;
    addSource(callee, Type::kB64);
  }
  out_.table = static_cast<uint32_t>(code_.tables.size());
  code_.tables.push_back(std::move(places));
  return {};
}

Expected<void> InstructionDecoder::decodeOperands() {
  const auto patterns = patternsOf(from_->entry->operands);
  size_t predicates = 0;
  for (size_t i = 0; i < from_->operands.size(); ++i) {
    const Operand& operand = from_->operands[i];
    const Pattern pattern = i < patterns.size() ? patterns[i] : Pattern{};
    const Type type = typeOfPattern(pattern.text);
    const bool is_predicate =
        operand.kind == OperandKind::kRegister && function_->predicates[operand.index] != kNoPredicate;
    if (pattern.is_destination) {
      if (is_predicate || pattern.is_predicate_destination ||
          (operand.kind == OperandKind::kSink && out_.destination_count > 0)) {
        if (is_predicate && predicates < 2)
          out_.predicate_destinations[predicates] = function_->predicates[operand.index];
        ++predicates;
      } else if (!operand.parts.empty()) {
        for (const Operand& part : operand.parts) addDestination(part);
        out_.vector = static_cast<uint8_t>(operand.parts.size());
      } else {
        addDestination(operand);
      }
    } else if (!operand.parts.empty()) {
      const Type part_type = bitsOf(ptx::bytesOf(type) / static_cast<uint32_t>(operand.parts.size()));
      for (const Operand& part : operand.parts) addSource(part, part_type);
      out_.vector = static_cast<uint8_t>(operand.parts.size());
    } else if (pattern.text == "i") {
      out_.immediate = operand.bits;
    } else if (operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kImmediate) {
      addSource(operand, type);
    }
  }
  return {};
}

Expected<Instruction> InstructionDecoder::decode(const FunctionLayout& function, const ptx::Instruction& from,
                                                 uint32_t first) {
  function_ = &function;
  from_ = &from;
  first_ = first;
  out_ = {};
  out_.kind = kindOf(from);
  out_.op = from.op;
  out_.type = from.types[0];
  out_.type2 = from.types[1];
  out_.space = accessesImage(from.op) ? Space::kGlobal : from.space;
  out_.modifiers = from.modifiers;
  out_.modifiers.float_coordinates = from.op == Op::kTex && from.types[1] == Type::kF32;
  out_.vector = from.modifiers.vector;
  if (from.guard.kind == OperandKind::kRegister) {
    out_.guard = function.predicates[from.guard.index];
    out_.guard_negated = from.guard.negated;
  }
  Expected<void> decoded;
  switch (out_.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kMbarrier:
      if (out_.kind == Kind::kMbarrier) out_.type = Type::kB64;
      decoded = decodeMemory();
      break;
    case Kind::kAsyncCopy:
      decoded = decodeAsyncCopy();
      break;
    case Kind::kBulkCopy:
    case Kind::kAsyncStore:
      decoded = from.modifiers.dimensions > 0 ? decodeTensor() : decodeBulk();
      break;
    case Kind::kClusterAddress:
      decoded = decodeClusterAddress();
      break;
    case Kind::kCall:
      decoded = decodeCall();
      break;
    case Kind::kBranch:
      out_.target = first + from.operands[0].index;
      break;
    case Kind::kIndirectBranch:
      addSource(from.operands[0], Type::kU32);
      out_.table = static_cast<uint32_t>(code_.tables.size());
      code_.tables.emplace_back();
      for (const uint32_t target : from.targets) code_.tables.back().push_back(first + target);
      break;
    case Kind::kReadSpecial:
      out_.special = from.operands[1].special;
      if (tellsTime(out_.special)) out_.kind = Kind::kClock;
      if (out_.type == Type::kPred) {
        out_.predicate_destinations[0] = function.predicates[from.operands[0].index];
        break;
      }
      addDestination(from.operands[0]);
      out_.type2 = widthOf(from.operands[0]);
      break;
    case Kind::kGridDependency:
    case Kind::kClusterBarrier:
    case Kind::kNothing:
      break;
    case Kind::kRegister:
      if (from.op == Op::kMoveAddress ||
          (from.op == Op::kCvta && from.operands[1].kind != OperandKind::kRegister &&
           from.operands[1].kind != OperandKind::kImmediate)) {
        decoded = decodeMoveAddress();
        break;
      }
      [[fallthrough]];
    default:
      decoded = decodeOperands();
  }
  if (!decoded) return tl::unexpected(decoded.error());
  if (from.op == Op::kCvta && out_.handler == nullptr) {
    out_.immediate = ptx::isShared(from.space)     ? kSharedWindow
                     : from.space == Space::kLocal ? kLocalWindow
                                                   : 0;
  }
  if (from.op == Op::kIsspacep && from.space == Space::kConst) addConstWindow();
  if (from.op == Op::kCvt) {
    const auto wider_bits = [&](const Operand& operand, ptx::Type type) {
      if (operand.kind != OperandKind::kRegister) return uint8_t{0};
      const uint32_t bytes = ptx::bytesOf(function.function->registers[operand.index].type);
      return static_cast<uint8_t>(bytes > ptx::bytesOf(type) ? 8 * bytes : 0);
    };
    out_.destination_bits = wider_bits(from.operands[0], from.types[0]);
    out_.source_bits = wider_bits(from.operands[1], from.types[1]);
  }
  if (from.op == Op::kMma || from.op == Op::kMovmatrix) {  // all lanes are members
    out_.sources[out_.source_count++] = constant(0xFFFFFFFF, 4);
    out_.handler = selectMatrixHandler(from);
  }
  if (out_.kind == Kind::kWarpRegister || out_.kind == Kind::kWarpBarrier) {
    out_.member_source = static_cast<uint8_t>(out_.source_count - 1);
  }
  if (from.op == Op::kMbarrierPendingCount) out_.handler = &Block::State::pendingCount;
  const bool handled = out_.kind == Kind::kRegister || out_.kind == Kind::kWarpRegister;
  if (handled && out_.handler == nullptr) out_.handler = selectHandler(from);
  if (handled && out_.handler == nullptr) return refuse("this form is not executed here");
  out_.ends_segment = endsSegment(out_);
  return out_;
}

}  // namespace warpscope::sim
