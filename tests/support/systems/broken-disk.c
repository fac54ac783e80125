/*
 * Preloaded into a server by tests of a disk that is full or fails: while BROKEN_DISK_SWITCH holds a number, every write and sync of a
 * file below BROKEN_DISK_FOLDER fails with it as its errno. The first byte of that file is the number, 0 for a disk that works.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile unsigned char *fault;
static char folder[4096];
static size_t folder_length;

__attribute__((constructor)) static void open_switch(void) {
  const char *path = getenv("BROKEN_DISK_SWITCH");
  const char *wanted = getenv("BROKEN_DISK_FOLDER");
  int file = path && wanted ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  snprintf(folder, sizeof folder, "%s/", wanted);
  folder_length = strlen(folder);
  fault = memory;
}

/* The errno of a call on this descriptor, or 0 where it may go on. */
static int fault_of(int descriptor) {
  if (!fault || !*fault) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < (ssize_t)folder_length) return 0;
  return strncmp(path, folder, folder_length) == 0 ? *fault : 0;
}

#define BROKEN(result, name, parameters, arguments)                           \
  result name parameters {                                                    \
    int code = fault_of(descriptor);                                          \
    if (code) {                                                               \
      errno = code;                                                           \
      return -1;                                                              \
    }                                                                         \
    result(*real) parameters = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    return real arguments;                                                    \
  }

BROKEN(ssize_t, write, (int descriptor, const void *data, size_t size), (descriptor, data, size))
BROKEN(ssize_t, pwrite, (int descriptor, const void *data, size_t size, off_t at), (descriptor, data, size, at))
BROKEN(ssize_t, pwrite64, (int descriptor, const void *data, size_t size, off64_t at), (descriptor, data, size, at))
BROKEN(ssize_t, writev, (int descriptor, const struct iovec *parts, int count), (descriptor, parts, count))
BROKEN(ssize_t, pwritev, (int descriptor, const struct iovec *parts, int count, off_t at), (descriptor, parts, count, at))
BROKEN(int, fsync, (int descriptor), (descriptor))
BROKEN(int, fdatasync, (int descriptor), (descriptor))
BROKEN(int, ftruncate, (int descriptor, off_t size), (descriptor, size))
BROKEN(int, ftruncate64, (int descriptor, off64_t size), (descriptor, size))
BROKEN(int, posix_fallocate, (int descriptor, off_t at, off_t size), (descriptor, at, size))
