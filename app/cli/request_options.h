// Requests from what was typed: texts of parameters, variants and samples.
#pragma once

#include <string>
#include <vector>

#include "app/cli/shared_options.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

// "a,,b" at commas: "a", "", "b".
std::vector<std::string> split(const std::string& text, char separator);

// "auto", "all", "blocks:N", "sms:K", "blocks:N,sms:K"
Expected<Sampling> parseSampling(const SampleArguments& arguments);

// "all", "", or "A,B": the variants' names in the order asked for; an unknown one is refused with what there
// is.
Expected<std::vector<std::string>> parseVariants(const FamilyInfo& family, const std::string& text);

// One parameter's values from "256", "32,64,2^10", "32..1024" (every step; powers of two for sizes),
// "32..1024:64", or "all" (a choice's every value). Ascending as written, at least one.
Expected<std::vector<int64_t>> parseValues(const ParameterSpec& spec, const std::string& text);

// The requests of every variant x every combination of the values given. A parameter that some of the
// variants lack is simply not set for those; one that none has is refused.
Expected<std::vector<RunRequest>> makeRequests(const FamilyInfo& family,
                                               const std::vector<std::string>& variants,
                                               const ParameterTexts& texts, const RunRequest& base);

}  // namespace warpscope
