/*
 * Preloaded into a server by tests of a power cut: when a sync of a file below KEPT_DISK_FOLDER ends, the file as it was when the sync began
 * lies in KEPT_DISK_COPY. So this folder has what a disk had to keep, and nothing that was only written. The first byte of KEPT_DISK_STALL
 * is by how many tenths of a second a sync is delayed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned char *stall;
static const char *folder, *copies;

__attribute__((constructor)) static void open_disk(void) {
  const char *path = getenv("KEPT_DISK_STALL");
  folder = getenv("KEPT_DISK_FOLDER");
  copies = getenv("KEPT_DISK_COPY");
  int file = path && folder && copies ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) stall = memory;
}

/* The name of a file in the folder, or NULL for any other. */
static const char *name_of(int descriptor, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  size_t before = strlen(folder);
  if (strncmp(path, folder, before) != 0 || path[before] != '/' || strchr(path + before + 1, '/')) return NULL;
  return path + before + 1;
}

static void copy(const char *from, const char *to) {
  char part[65536];
  int source = open(from, O_RDONLY), target = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (ssize_t count; source >= 0 && target >= 0 && (count = read(source, part, sizeof part)) > 0;)
    if (write(target, part, (size_t)count) != count) abort();
  if (source < 0 || target < 0) abort();
  close(source);
  close(target);
}

static int kept(const char *call, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, call);
  char path[4096], begun[8192], whole[8192];
  struct stat facts;
  const char *name = stall ? name_of(descriptor, path, sizeof path) : NULL;
  if (!name || fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return real(descriptor);
  static _Atomic int number;
  snprintf(begun, sizeof begun, "%s/.%d", copies, number++);
  snprintf(whole, sizeof whole, "%s/%s", copies, name);
  copy(path, begun);
  const struct timespec pause = {*stall / 10, (*stall % 10) * 100000000L};
  nanosleep(&pause, NULL);
  int result = real(descriptor);
  rename(begun, whole);
  return result;
}

int fsync(int descriptor) { return kept("fsync", descriptor); }

int fdatasync(int descriptor) { return kept("fdatasync", descriptor); }
