/**
 * A disk that fails: loaded before the C library (LD_PRELOAD), it lets writes to a ledger fail while the file that
 * OFS_TEST_DISK names begins with 'f' (no room), 'w' (write error) or 's' (nothing can be made durable).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* What the file says now; '.' where there is none. */
static char order(void) {
  const char *path = getenv("OFS_TEST_DISK");
  char said = '.';
  int control = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (control < 0) return said;
  if (read(control, &said, 1) != 1) said = '.';
  close(control);
  return said;
}

static int of_ledger(int fd) {
  char link[64], target[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return 0;
  target[length] = 0;
  return strstr(target, "/ledger.db") != NULL;
}

/* The error of a call that writes, or that makes durable; 0 where it goes on. */
static int failure(int fd, int syncs) {
  if (!of_ledger(fd)) return 0;
  switch (order()) {
    case 'f': return syncs ? 0 : ENOSPC;
    case 'w': return syncs ? 0 : EIO;
    case 's': return syncs ? EIO : 0;
    default: return 0;
  }
}

#define FAILING(fd, syncs) \
  int error = failure(fd, syncs); \
  if (error != 0) { errno = error; return -1; }
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t length) {
  if (fd > 2) { FAILING(fd, 0) }
  return NEXT(write)(fd, bytes, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  FAILING(fd, 0)
  return NEXT(pwrite)(fd, bytes, length, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  FAILING(fd, 0)
  return NEXT(pwrite64)(fd, bytes, length, at);
}

int fsync(int fd) {
  FAILING(fd, 1)
  return NEXT(fsync)(fd);
}

int fdatasync(int fd) {
  FAILING(fd, 1)
  return NEXT(fdatasync)(fd);
}
