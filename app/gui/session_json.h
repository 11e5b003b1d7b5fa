// The JSON parts of a session, one pair of functions each. Those that read say what they did not understand
// (it has its default then); empty: nothing. Internal to sessions.
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

// What is read of a run by those who look at its numbers only.
Run withoutTrace(const Run& run);

}  // namespace warpscope
