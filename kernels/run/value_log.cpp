#include "kernels/run/value_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

// The slots that a register takes, beginning with its first; a predicate has one.
uint32_t slotsOf(const LoggedRegister& of) {
  return std::max(1U, of.bits / 32U);
}

bool isDone(const WarpValues& warp, const ValueTime& time, uint32_t step) {
  return step < time.steps && static_cast<double>(warp.cycles[step]) <= time.cycle;
}

// The last write into a slot by the lane; nullptr: there is none.
const RegisterWrite* lastWrite(const WarpValues& warp, const ValueTime& time, uint32_t slot, int lane) {
  const std::vector<uint32_t>& writes = warp.writes_into[slot];
  const auto end = std::ranges::partition_point(
      writes, [&](uint32_t write) { return warp.writes[write].step < time.steps; });
  for (auto at = end; at != writes.begin();) {
    const RegisterWrite& write = warp.writes[*--at];
    if (write.mask.has(lane) && isDone(warp, time, write.step)) return &write;
  }
  return nullptr;
}

float asFloat(uint32_t bits, uint8_t width) {
  if (width != 16) return std::bit_cast<float>(bits);
  // IEEE 754 binary16.
  const uint32_t sign = (bits & 0x8000U) << 16, exponent = (bits >> 10) & 0x1FU, fraction = bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -small : small;
}

}  // namespace

size_t ValueLog::bytes() const {
  size_t sum = shared_writes.size() * sizeof(SharedWrite);
  for (const WarpValues& warp : warps) {
    sum += warp.steps.size() * sizeof(ValueStep) + warp.writes.size() * (sizeof(RegisterWrite) + 4) +
           warp.words.size() * 4 + warp.steps.size() * (sizeof(ValueIssue) + sizeof(int64_t));
  }
  return sum;
}

void orderIssues(WarpValues& warp) {
  warp.issues.clear();
  for (uint32_t step = 0; step < warp.cycles.size(); ++step)
    warp.issues.push_back({warp.cycles[step], step, 0});
  std::ranges::stable_sort(warp.issues, {}, &ValueIssue::cycle);
  uint32_t steps = 0;
  for (ValueIssue& issue : warp.issues) issue.steps = steps = std::max(steps, issue.step + 1);
}

ValueTime timeAt(const WarpValues& warp, double cycle) {
  const auto after = std::ranges::partition_point(
      warp.issues, [&](const ValueIssue& issue) { return static_cast<double>(issue.cycle) <= cycle; });
  return {cycle, after == warp.issues.begin() ? 0 : std::prev(after)->steps};
}

std::optional<RegisterValue> registerAt(const ValueLog& log, const WarpValues& warp, const ValueTime& time,
                                        uint32_t slot, int lane) {
  const RegisterWrite* write = lastWrite(warp, time, slot, lane);
  if (write == nullptr || write->slot != slot) return std::nullopt;
  const uint32_t count = slotsOf(log.registers[write->of]);
  for (uint32_t i = 1; i < count; ++i) {
    if (lastWrite(warp, time, slot + i, lane) != write) return std::nullopt;
  }
  RegisterValue value{.of = write->of, .slot = slot, .step = write->step};
  if (log.registers[write->of].bits == 1) {
    value.words[0] = (warp.words[write->first_word] >> lane) & 1U;
  } else {
    std::copy_n(warp.words.begin() + write->first_word + static_cast<uint32_t>(lane) * count, count,
                value.words.begin());
  }
  return value;
}

std::vector<RegisterValue> registersAt(const ValueLog& log, const WarpValues& warp, const ValueTime& time,
                                       int lane) {
  std::vector<RegisterValue> values;
  for (uint32_t slot = 0; slot < warp.writes_into.size(); ++slot) {
    if (warp.writes_into[slot].empty()) continue;
    if (const auto value = registerAt(log, warp, time, slot, lane)) values.push_back(*value);
  }
  return values;
}

SharedWord sharedWordAt(const ValueLog& log, std::span<const ValueTime> times, uint32_t word) {
  SharedWord found;
  if (word >= log.shared_writes_into.size()) return found;
  const std::vector<uint32_t>& writes = log.shared_writes_into[word];
  for (auto index = writes.rbegin(); index != writes.rend(); ++index) {  // clang 14 reads no views::reverse
    const SharedWrite& write = log.shared_writes[*index];
    if (!isDone(log.warps[write.warp], times[write.warp], write.step)) continue;
    const uint32_t before = found.written;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t address = word * 4 + i;
      if ((found.written >> i & 1U) != 0 || address < write.offset || address >= write.offset + write.bytes)
        continue;
      found.value |= static_cast<uint32_t>(write.data[address - write.offset]) << (8 * i);
      found.written |= 1U << i;
    }
    if (before == 0 && found.written != 0) {
      found.warp = write.warp;
      found.step = write.step;
    }
    if (found.written == 0xF) break;
  }
  return found;
}

std::vector<const GlobalWrite*> resultsAt(const WarpValues& warp, const ValueTime& time, int lane,
                                          size_t most) {
  std::vector<const GlobalWrite*> found;
  const auto end = std::ranges::partition_point(
      warp.results, [&](const GlobalWrite& write) { return write.step < time.steps; });
  for (auto at = end; at != warp.results.begin() && found.size() < most;) {
    --at;
    if (static_cast<int>(at->lane) == lane && isDone(warp, time, at->step)) found.push_back(&*at);
  }
  return found;
}

bool lookLikeFloats(std::span<const uint32_t> words) {
  int floats = 0, others = 0;
  for (const uint32_t word : words) {
    if (word == 0) continue;
    const uint32_t exponent = word >> 23 & 0xFFU;
    constexpr uint32_t kBias = 127, kFar = 40;  // 2^-40 to 2^40
    (exponent > kBias - kFar && exponent < kBias + kFar ? floats : others) += 1;
  }
  return floats > others;
}

std::string formatWord(uint32_t word, bool as_float) {
  return as_float ? fmt::format("{:.5g}", std::bit_cast<float>(word))
                  : fmt::format("{}", std::bit_cast<int32_t>(word));
}

std::string formatRegister(const LoggedRegister& of, const RegisterValue& value) {
  const uint64_t low = value.words[0] | uint64_t{value.words[1]} << 32;
  if (of.bits == 1) return low != 0 ? "true" : "false";
  if (of.bits == 128)
    return fmt::format("0x{:016x}{:016x}", value.words[2] | uint64_t{value.words[3]} << 32, low);
  if (of.is_float && of.bits == 64) return fmt::format("{:.17g}", std::bit_cast<double>(low));
  if (of.is_float) return fmt::format("{:.9g}", asFloat(value.words[0], of.bits));
  const uint64_t bits = of.bits == 64 ? low : low & ((uint64_t{1} << of.bits) - 1);
  if (bits < 10) return std::to_string(bits);
  if (of.bits == 64 && bits >> 40 != 0 && bits >> 40 != 0xFFFFFF)
    return fmt::format("0x{:x}", bits);  // an address
  const auto shift = 64U - of.bits;
  const auto as_signed = static_cast<int64_t>(bits << shift) >> shift;
  // A number with its highest bit set is rather a small negative one than a huge one.
  const bool negative = of.is_signed || as_signed > -(int64_t{1} << 16);
  if (negative) return fmt::format("{} (0x{:x})", as_signed, bits);
  return fmt::format("{} (0x{:x})", bits, bits);
}

}  // namespace warpscope
