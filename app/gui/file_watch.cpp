#include "app/gui/file_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <thread>
#include <tuple>

namespace warpscope {
namespace {

constexpr std::chrono::milliseconds kInterval{50};

// What differs after a change; all zeros: there is no such file.
using Stamp = std::tuple<int64_t, int64_t, uint64_t, uint64_t>;

Stamp stampOf(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, static_cast<uint64_t>(status.st_size),
          status.st_ino};
}

}  // namespace

void FileWatch::watch(const std::filesystem::path& file) {
  watched_ = file;
  changes_.take();
  worker_.cancel();
  worker_.queue([this, file](const std::stop_token& stop) {
    Stamp known = stampOf(file), last = known;
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(kInterval);
      const Stamp now = stampOf(file);
      // A file that is being written, or is away for a moment, is not read yet.
      const bool rests = now == last && now != Stamp{};
      last = now;
      if (!rests || now == known) continue;
      known = now;
      changes_.put(file);
    }
  });
}

bool FileWatch::takeChange() {
  return std::ranges::count(changes_.take(), watched_) > 0;
}

}  // namespace warpscope
