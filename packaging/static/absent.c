/* What glibc has and musl does not: asked for by GCC's OpenMP library and by the command. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

long __sysconf(int name);
long __sysconf(int name) {
  return sysconf(name);
}

/* Threads are bound by the command itself, not by their attributes. */
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set) {
  (void)attributes;
  (void)size;
  (void)set;
  return ENOSYS;
}

void closefrom(int first);
void closefrom(int first) {
  if (syscall(SYS_close_range, first, ~0u, 0) != 0) { // Linux before 5.9
    for (int file = first, end = (int)sysconf(_SC_OPEN_MAX); file < end; file++) {
      close(file);
    }
  }
}
