/** A library that makes the syncs of a file fail, or its disk full, in a process that loads it before all others. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(const char *of, int fd) {
  const char *end = getenv(of), *marker = getenv("FAILS_WHILE");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (!end || !marker || length < (ssize_t) strlen(end)) return 0;
  path[length] = 0;
  return strcmp(path + length - strlen(end), end) == 0 && access(marker, F_OK) == 0;
}

static int synced(const char *name, int fd) {
  if (!fails("SYNC_FAILS_OF", fd)) return ((int (*)(int)) dlsym(RTLD_NEXT, name))(fd);
  errno = EIO;
  return -1;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

static ssize_t written(const char *name, int fd, const void *from, size_t count, off_t at) {
  if (!fails("FULL_DISK_OF", fd))
    return ((ssize_t (*)(int, const void *, size_t, off_t)) dlsym(RTLD_NEXT, name))(fd, from, count, at);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite(int fd, const void *from, size_t count, off_t at) { return written("pwrite", fd, from, count, at); }
ssize_t pwrite64(int fd, const void *from, size_t count, off_t at) { return written("pwrite64", fd, from, count, at); }
`;

type Variables = Readonly<Record<string, string>>;

/** Variables for a process in which files whose names end so cannot be synced, as long as the marker is there. */
export const failingSync = (directory: string, of: string, marker: string): Variables => ({
  ...library(directory),
  SYNC_FAILS_OF: of,
  FAILS_WHILE: marker,
});

/** The same, where the disk has no room for what is written to them. */
export const fullDisk = (directory: string, of: string, marker: string): Variables => ({
  ...library(directory),
  FULL_DISK_OF: of,
  FAILS_WHILE: marker,
});

function library(directory: string): Variables {
  const source = join(directory, 'failing-disk.c');
  const loaded = join(directory, 'failing-disk.so');
  writeFileSync(source, SOURCE);
  execFileSync('cc', ['-shared', '-fPIC', '-o', loaded, source, '-ldl']);
  return { LD_PRELOAD: loaded };
}
