#include "tests/differential/mismatch.h"

#include <fmt/format.h>

namespace warpscope::test {
namespace {

constexpr size_t kKept = 3;

std::string hex(const Value& value) {
  return value[1] == 0 ? fmt::format("{:#x}", value[0]) : fmt::format("{:#x}:{:016x}", value[1], value[0]);
}

std::string describe(const Result& expected) {
  switch (expected.rule) {
    case Result::Rule::kExact:
      return hex(expected.bits);
    case Result::Rule::kAny:
      return "anything";
    case Result::Rule::kNear:
      break;
  }
  return fmt::format("about {} {}", static_cast<double>(expected.value[0]),
                     static_cast<double>(expected.value[1]));
}

}  // namespace

void Mismatches::add(const Inputs& in, size_t destination, const std::string& what) {
  if (++found_ > kKept) return;
  text_ += form_.label() + " of";
  for (const Value& value : in) text_ += " " + hex(value);
  text_ += fmt::format(", destination {}: {}\n", destination, what);
}

void Mismatches::compare(const Inputs& in, const Results& expected, const std::vector<Value>& found) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared_;
    if (isAcceptable(expected[i], found.at(i))) continue;
    add(in, i, fmt::format("found {}, must be {}", hex(found[i]), describe(expected[i])));
  }
}

void Mismatches::compareDevice(const Inputs& in, const Results& expected, const std::vector<Value>& simulated,
                               const std::vector<Value>& device) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared_;
    const bool same = expected[i].rule == Result::Rule::kExact ? simulated.at(i) == device.at(i)
                                                               : isAcceptable(expected[i], device.at(i));
    if (same) continue;
    add(in, i,
        fmt::format("simulated {}, device {}, reference {}", hex(simulated[i]), hex(device[i]),
                    describe(expected[i])));
  }
}

}  // namespace warpscope::test
