// Collects the wrong results of a form, with the inputs that cause them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/differential/reference.h"

namespace warpscope::test {

class Mismatches {
 public:
  // At most three are kept per form.
  explicit Mismatches(const Form& form) : form_(form) {}

  void compare(const Inputs& in, const Results& expected, const std::vector<Value>& found);
  // Compares a simulated result with a device's; if the form is approximate or undefined, `expected` says
  // what may differ.
  void compareDevice(const Inputs& in, const Results& expected, const std::vector<Value>& simulated,
                     const std::vector<Value>& device);
  size_t compared() const { return compared_; }
  std::string text() const { return text_; }  // empty: none

 private:
  void add(const Inputs& in, size_t destination, const std::string& what);

  const Form& form_;
  std::string text_;
  size_t compared_ = 0, found_ = 0;
};

}  // namespace warpscope::test
