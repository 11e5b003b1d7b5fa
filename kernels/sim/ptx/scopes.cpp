#include "kernels/sim/ptx/scopes.h"

#include <charconv>

namespace warpscope::ptx {
namespace {

// Whether `name` is, say, "%r12" of "%r<100>"; as in PTX, the number has no leading zeros.
bool isInRange(std::string_view name, std::string_view prefix, uint64_t count) {
  if (!name.starts_with(prefix)) return false;
  const std::string_view number = name.substr(prefix.size());
  if (number.empty() || (number.size() > 1 && number.front() == '0')) return false;
  uint64_t value = 0;
  const char* end = number.data() + number.size();
  const auto [stopped, error] = std::from_chars(number.data(), end, value);
  return error == std::errc{} && stopped == end && value < count;
}

}  // namespace

std::vector<LabelUse> Scopes::close() {
  const Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  std::vector<LabelUse> open_uses;
  for (const LabelUse& use : closed.uses) {
    const auto label = closed.labels.find(use.label);
    if (label == closed.labels.end()) {
      open_uses.push_back(use);
      continue;
    }
    Instruction& instruction = function_.instructions[use.instruction];
    if (use.target >= 0) {
      instruction.targets[static_cast<size_t>(use.target)] = label->second;
    } else {
      instruction.operands[0].index = label->second;
    }
  }
  if (scopes_.empty()) return open_uses;
  auto& around = scopes_.back().uses;
  around.insert(around.end(), open_uses.begin(), open_uses.end());
  return {};
}

uint32_t Scopes::makeRegister(std::string_view name, Type type) {
  function_.registers.push_back({std::string(name), type});
  return static_cast<uint32_t>(function_.registers.size() - 1);
}

bool Scopes::addRegister(std::string_view name, Type type, uint32_t vector_length) {
  const auto index = static_cast<uint32_t>(function_.registers.size());
  if (!scopes_.back().registers.try_emplace(name, KnownRegister{index, type, vector_length}).second)
    return false;
  static constexpr std::string_view kComponents = "xyzw";
  for (uint32_t i = 0; i < vector_length; ++i) {
    std::string component(name);
    if (vector_length > 1) component.append(".").push_back(kComponents[i]);
    makeRegister(component, type);
  }
  return true;
}

void Scopes::addRegisters(std::string_view prefix, uint64_t count, Type type) {
  scopes_.back().ranges.push_back({prefix, count, type});
}

bool Scopes::addVariable(std::string_view name, uint32_t index, bool local) {
  return scopes_.back().variables.try_emplace(name, KnownVariable{index, local}).second;
}
bool Scopes::addLabel(std::string_view name, uint32_t instruction) {
  return scopes_.back().labels.try_emplace(name, instruction).second;
}
bool Scopes::addTargets(std::string_view name, std::vector<std::string_view>&& labels) {
  return scopes_.back().targets.try_emplace(name, std::move(labels)).second;
}
bool Scopes::addSignature(std::string_view name, Signature&& signature) {
  return scopes_.back().signatures.try_emplace(name, std::move(signature)).second;
}

std::optional<KnownRegister> Scopes::findWhole(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->registers.find(name);
    if (known != scope->registers.end()) return known->second;
    for (const Range& range : scope->ranges) {
      if (!isInRange(name, range.prefix, range.count)) continue;
      const KnownRegister made{makeRegister(name, range.type), range.type};
      scope->registers.emplace(name, made);
      return made;
    }
  }
  return std::nullopt;
}

std::optional<KnownRegister> Scopes::findRegister(std::string_view name) {
  if (const std::optional<KnownRegister> whole = findWhole(name)) return whole;
  // A component of a vector register: "%v.x".
  const size_t point = name.rfind('.');
  if (point == std::string_view::npos || point + 2 != name.size()) return std::nullopt;
  const std::optional<KnownRegister> vector = findWhole(name.substr(0, point));
  size_t component = std::string_view("xyzw").find(name.back());
  if (component == std::string_view::npos) component = std::string_view("rgba").find(name.back());
  if (!vector || component >= vector->vector_length || vector->vector_length == 1) return std::nullopt;
  return KnownRegister{vector->index + static_cast<uint32_t>(component), vector->type};
}

std::optional<Scopes::KnownVariable> Scopes::findVariable(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->variables.find(name);
    if (known != scope->variables.end()) return known->second;
  }
  return std::nullopt;
}

const std::vector<std::string_view>* Scopes::findTargets(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->targets.find(name);
    if (known != scope->targets.end()) return &known->second;
  }
  return nullptr;
}

const Signature* Scopes::findSignature(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->signatures.find(name);
    if (known != scope->signatures.end()) return &known->second;
  }
  return nullptr;
}

}  // namespace warpscope::ptx
