// Reads what an OpenType or TrueType file says about its font, as far as a picture with text needs it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpscope {

struct FontFile {
  std::string family;  // "Roboto"; empty: not given
  float em_share = 0;  // the em relative to the height of a line (ascent and descent); 0: not given
};

// `index`: the font within a collection. Never reads outside `bytes`: damaged values count as not given.
FontFile readFontFile(std::span<const unsigned char> bytes, uint32_t index);

}  // namespace warpscope
