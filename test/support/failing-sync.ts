/** A library that makes the syncs of a file fail, in a process that loads it before all others. */
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

static int fails(int fd) {
  const char *end = getenv("SYNC_FAILS_OF"), *marker = getenv("SYNC_FAILS_WHILE");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (!end || !marker || length < (ssize_t) strlen(end)) return 0;
  path[length] = 0;
  return strcmp(path + length - strlen(end), end) == 0 && access(marker, F_OK) == 0;
}

static int synced(const char *name, int fd) {
  if (!fails(fd)) return ((int (*)(int)) dlsym(RTLD_NEXT, name))(fd);
  errno = EIO;
  return -1;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
`;

/** Variables for a process in which files whose names end so cannot be synced, as long as the marker is there. */
export function failingSync(directory: string, of: string, marker: string): Readonly<Record<string, string>> {
  const [source, library] = ['failing-sync.c', 'failing-sync.so'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  writeFileSync(source, SOURCE);
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  return { LD_PRELOAD: library, SYNC_FAILS_OF: of, SYNC_FAILS_WHILE: marker };
}
