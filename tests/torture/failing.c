/* Preloaded into the command: its FAIL_AT-th allocation fails, with FAIL_ON all later ones too. The clock of the day stands still, so that
 * ledgers come out alike; at the end COUNT_FD gets how many allocations there were before main and in all. */
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { OBJECTS = 256 };

static const time_t now = 4102444800; /* 2100-01-01 */

static atomic_long count, before_main;

/** Code of the command and of the libraries that it starts with. */
static struct { uintptr_t from, to; } ours[OBJECTS];
static int objects;

/** Libraries that a command loads while it runs are left out, and the loader that loads them: without memory OpenBLAS ends the program,
 * libgfortran calls itself until the stack is full, and what the loader could not load reads as a library that is not there. */
static bool is_ours(uintptr_t caller) {
  bool found = objects == 0; /* before main */
  for (int i = 0; i < objects && !found; i++) {
    found = caller >= ours[i].from && caller < ours[i].to;
  }
  return found;
}

static bool fails(const void *caller) {
  static atomic_long failing = -1;
  static atomic_bool from_then_on;
  if (failing < 0) {
    const char *text = getenv("FAIL_AT");
    from_then_on = getenv("FAIL_ON") != NULL;
    failing = text != NULL ? atol(text) : 0;
  }
  if (!is_ours((uintptr_t)caller)) {
    return false;
  }
  long number = atomic_fetch_add(&count, 1) + 1;
  if (failing == 0 || number < failing || (number > failing && !from_then_on)) {
    return false;
  }
  errno = ENOMEM;
  return true;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
  return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  return fails(CALLER) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *data, size_t size) {
  return fails(CALLER) ? NULL : __libc_realloc(data, size);
}

void *memalign(size_t alignment, size_t size) {
  return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **data, size_t alignment, size_t size) {
  void *made = fails(CALLER) ? NULL : __libc_memalign(alignment, size);
  if (made == NULL) {
    return ENOMEM;
  }
  *data = made;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_BOOTTIME) {
    *out = (struct timespec){.tv_sec = now};
    return 0;
  }
  return (int)syscall(SYS_clock_gettime, clock, out);
}

time_t time(time_t *out) {
  if (out != NULL) {
    *out = now;
  }
  return now;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  *out = (struct timeval){.tv_sec = now};
  return 0;
}

int timespec_get(struct timespec *out, int base) {
  return clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/** hwloc writes to what it could not allocate while it loads a topology (2.9). */
static bool is_left_out(const char *name) {
  return name != NULL && (strncmp(name, "/ld-", 4) == 0 || strncmp(name, "/libhwloc", 9) == 0);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *user) {
  const char *name = strrchr(info->dlpi_name, '/');
  (void)size, (void)user;
  for (int i = 0; i < info->dlpi_phnum && !is_left_out(name); i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0 && objects < OBJECTS) {
      uintptr_t from = (uintptr_t)(info->dlpi_addr + part->p_vaddr);
      ours[objects].from = from;
      ours[objects++].to = from + part->p_memsz;
    }
  }
  return 0;
}

/** Runs after the constructors of the command's libraries. Programs that it starts are left alone. */
__attribute__((constructor)) static void begin(void) {
  before_main = count;
  dl_iterate_phdr(add_object, NULL);
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
  const char *file = getenv("COUNT_FD");
  if (file != NULL) {
    dprintf(atoi(file), "%ld %ld\n", (long)before_main, (long)count);
  }
}
