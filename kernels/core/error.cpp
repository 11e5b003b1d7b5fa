#include "kernels/core/error.h"

#include <fmt/format.h>

namespace warpscope {

tl::unexpected<Error> failWith(ErrorKind kind, fmt::string_view format, fmt::format_args args) {
  return tl::unexpected<Error>(Error{kind, fmt::vformat(format, args), {}});
}

}  // namespace warpscope
