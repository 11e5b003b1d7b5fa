// The PTX that a marked kernel executes to record itself: what kernels/probe/probe.cuh compiles to, written
// so that a warp which is not recorded executes one test for each mark. All names begin with %ws_ or $WS_.
#pragma once

#include <cstdint>
#include <string>

namespace warpscope {

class ProbeText {
 public:
  // `variable`: the name of the module's ProbeParams (layout.h), in constant memory.
  explicit ProbeText(std::string variable) : variable_(std::move(variable)) {}

  std::string declaration() const;  // of the variable, at module scope
  std::string registers() const;    // at the beginning of the entry's body
  // At the entry, while the warp's lanes are together: takes a slot, writes the header and anchors, and
  // enters `region`.
  std::string begin(uint32_t region);
  // The lanes that pass here together enter `region`.
  std::string mark(uint32_t region);
  // Right before lanes leave.
  std::string exit();
  // The same before an instruction by which the lanes leave for which `guard` ("%p3", "!%p3") holds: they
  // leave here.
  std::string exitIf(const std::string& guard);

 private:
  std::string label();
  std::string record(uint32_t region) const;
  std::string field(uint32_t offset) const;  // "[variable+offset]"
  std::string anchor(const std::string& predicate, uint32_t field_offset, const std::string& index) const;

  std::string variable_;
  uint32_t labels_ = 0;
};

}  // namespace warpscope
