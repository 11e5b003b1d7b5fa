// A teacher's own kernels in a lesson: files beside it, or the examples that come with the program. They are
// compiled and launched as any file that is opened, but nothing of them runs on the host: no function of the
// host as a reference, and no file as an array's content.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/run/program.h"

namespace warpscope {

// Gives the program of a file's name and makes it known to findExperiment(). Empty: the lesson may have none.
using KernelLoader = std::function<Expected<std::shared_ptr<const Program>>(const std::string& file)>;

// Whether it is the name of a file of kernels in the lesson's own folder: no path, and nothing hidden.
bool isKernelFileName(std::string_view name);

// Loads kernels beside a lesson, each once. Errors: kBadRequest, there is no such file; it runs something on
// the host; those of loadProgram().
KernelLoader kernelsBeside(const std::filesystem::path& lesson, std::stop_token stop = {});

}  // namespace warpscope
