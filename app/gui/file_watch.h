// Says that a file was changed by another program. Editors that write a new file and put it in the old one's
// place are noticed, too. The thread contract is worker.h's.
#pragma once

#include <filesystem>
#include <functional>

#include "kernels/device/service/worker.h"

namespace warpscope {

class FileWatch {
 public:
  // `wake` is called from the worker when takeChange() has something.
  explicit FileWatch(std::function<void()> wake) : changes_(std::move(wake)) {}

  // Watches this file instead of the one before; its present state is not a change.
  void watch(const std::filesystem::path& file);
  // True: the file has changed since the last call, and has stopped changing.
  bool takeChange();

 private:
  Mailbox<std::filesystem::path> changes_;
  std::filesystem::path watched_;
  Worker worker_;  // last: it uses the others
};

}  // namespace warpscope
