// The words of this window, each explained in two or three sentences, with where to read on.
#pragma once

#include <span>

namespace warpscope {

struct Term {
  const char* name;  // "wavefront"; translated where it is shown, as is `text`
  const char* also;  // other names and spellings, for the search
  const char* text;
  const char* source;  // "PTX ISA: ..."
};

std::span<const Term> glossary();

}  // namespace warpscope
