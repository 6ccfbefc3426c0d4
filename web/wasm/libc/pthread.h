/** One thread runs: wasi-libc has no threads, and what guards against others costs nothing. */
#ifndef WEB_LIBC_PTHREAD_H
#define WEB_LIBC_PTHREAD_H

typedef int pthread_once_t, pthread_mutex_t, pthread_mutexattr_t;

#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_once(pthread_once_t *once, void (*run)(void)) {
  if (*once == 0) {
    *once = 1;
    run();
  }
  return 0;
}

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  (void)attributes;
  return *mutex = 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex) {
  (void)mutex;
  return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  (void)mutex;
  return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  (void)mutex;
  return 0;
}

#endif
