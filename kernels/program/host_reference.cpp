#include "kernels/program/host_reference.h"

namespace warpscope {

Expected<std::vector<Bytes>> callHostFunction(const Program& program, const std::string& function,
                                              const LaunchPlan& /*plan*/) {
  return fail(ErrorKind::kWorkFailed, "{}: {} cannot be called", program.file, function);
}

}  // namespace warpscope
