#include "kernels/sweep/point_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace warpscope {
namespace {

// The lock belongs to the open file, not to the process, so that two workers of one process exclude each
// other, too.
int setLock(int fd, short type, size_t point) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(point);
  lock.l_len = 1;
  int result = 0;
  do {
    result = ::fcntl(fd, F_OFD_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

PointLocks::PointLocks(const std::filesystem::path& folder)
    : fd_(::open((folder / "sweep.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                 0644)) {}

PointLocks::~PointLocks() {
  if (fd_ >= 0) ::close(fd_);
}

bool PointLocks::tryLock(size_t point) {
  if (fd_ < 0 || setLock(fd_, F_WRLCK, point) == 0) return true;
  return errno != EAGAIN && errno != EACCES;
}

void PointLocks::unlock(size_t point) {
  if (fd_ >= 0) setLock(fd_, F_UNLCK, point);
}

}  // namespace warpscope
