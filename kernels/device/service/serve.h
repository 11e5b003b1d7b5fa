// The server side of a device in a child process: reads requests from one stream, answers on another. It
// lives in a process of its own so that a crashed, hung or poisoned GPU context never takes a window down.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"

namespace warpscope {

using BackendFactory = std::function<Expected<std::unique_ptr<Backend>>(const std::string& id)>;

// The devices and kernels that a server offers; serve() takes the CUDA GPUs and the built-in kernels.
struct ServerParts {
  std::function<DeviceListing()> list;
  BackendFactory open;
  KernelLibrary kernels;
  // Kernels print to this process's standard output, which nothing else uses; that output belongs to the
  // client.
  bool owns_stdout = false;
};

// Serves until `in_fd` ends. 0: the client went away, as it should; 1: the input was not the protocol. Only
// the protocol goes to out_fd: where that is standard output, whatever else the process prints there goes to
// standard error from then on. Ends the process if work still hangs one second after the client has gone.
int serve(int in_fd, int out_fd);

// The same with other parts, without touching standard streams or ending the process: it joins its worker.
int serve(int in_fd, int out_fd, const ServerParts& parts);

}  // namespace warpscope
