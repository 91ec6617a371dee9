/* Loaded before the C library (LD_PRELOAD), lets a process read a time of day that a test moves: so many nanoseconds later as stand in the file
   that MOLECULE_MOVED_CLOCK names. What counts time that passes (CLOCK_MONOTONIC) is left alone, as when a machine slept. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static volatile int64_t none = 0;
static volatile int64_t *moved = &none;
static int (*read_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find(void) {
  read_clock = dlsym(RTLD_NEXT, "clock_gettime");
  const char *name = getenv("MOLECULE_MOVED_CLOCK");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) {
    return;
  }
  void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) {
    moved = page;
  }
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!read_clock) {
    find();
  }
  int failed = read_clock(clock, time);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t now = time->tv_sec * SECOND + time->tv_nsec + *moved;
    time->tv_sec = now / SECOND;
    time->tv_nsec = now % SECOND;
  }
  return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now)) {
    return -1;
  }
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) {
    *into = now.tv_sec;
  }
  return now.tv_sec;
}
