// The JSON parts of a session, one pair of functions each. The reading ones return what they did not
// understand (it then has its default); empty: nothing. Internal to sessions.
#pragma once

#include <string>
#include <string_view>

#include "app/gui/session.h"

namespace warpscope {

std::string settingsText(const Session& session);
std::string takeSettings(Session& session, std::string_view text);
std::string viewText(const Session& session);
std::string takeView(Session& session, std::string_view text);
std::string labText(const Session& session);
std::string takeLab(Session& session, std::string_view text);

// The run without the parts that only its views need: the numbers are left.
Run withoutTrace(const Run& run);

}  // namespace warpscope
