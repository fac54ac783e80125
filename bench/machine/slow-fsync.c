/*
 * Preloaded into a gateway by the benchmark: every fsync and fdatasync takes 5 ms longer, as on a slow disk.
 * The calls are counted in the file named by SLOW_FSYNC_COUNT, so that the benchmark can tell that it was in force.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Atomic unsigned long long *delayed_calls;

__attribute__((constructor)) static void open_count(void) {
  const char *path = getenv("SLOW_FSYNC_COUNT");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *delayed_calls, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) delayed_calls = memory;
  close(file);
}

static int delayed(const char *name, int descriptor) {
  const struct timespec five_milliseconds = {0, 5000000};
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&five_milliseconds, NULL);
  if (delayed_calls) atomic_fetch_add(delayed_calls, 1);
  return real(descriptor);
}

int fsync(int descriptor) { return delayed("fsync", descriptor); }

int fdatasync(int descriptor) { return delayed("fdatasync", descriptor); }
