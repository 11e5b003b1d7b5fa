// What an OpenType or TrueType file says of its font, as far as a picture with text needs it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpscope {

struct FontFile {
  std::string family;  // "Roboto"; empty: it does not say
  float em_share = 0;  // the em over the height of a line (ascent and descent); 0: it does not say
};

// `index`: which font of a collection. Never reads outside of `bytes`: what is damaged stays unsaid.
FontFile readFontFile(std::span<const unsigned char> bytes, uint32_t index);

}  // namespace warpscope
