// Finds a function of a library that was loaded at run time.
#pragma once

#include <dlfcn.h>

namespace warpscope::cuda {

// False: the library has no such entry; `function` is then null.
template <class F>
bool loadSymbol(void* library, const char* entry, F& function) {
  function = reinterpret_cast<F>(dlsym(library, entry));
  return function != nullptr;
}

}  // namespace warpscope::cuda
