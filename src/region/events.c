#include "region/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/probe.h"

#if defined(__x86_64__)
#include <cpuid.h>

/** CPUID leaf 1, ECX bit 31: hypervisors set it, processors never do. */
static bool is_virtual(void) {
  unsigned a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 31) != 0;
}
#else
static bool is_virtual(void) {
  return false;
}
#endif

/** kernel.perf_event_paranoid, -2 when it cannot be read. */
static int paranoid(void) {
  double level = rf_probe_number("", "/proc/sys/kernel/perf_event_paranoid", "");
  return isnan(level) ? -2 : (int)level;
}

const char *rf_events_explain(int code, char *buffer, size_t size) {
  int level = paranoid();
  if (code == ENOENT || code == EOPNOTSUPP || code == ENODEV) {
    snprintf(buffer, size, "no hardware events %s",
             is_virtual() ? "in this virtual machine" : "on this machine");
  } else if ((code == EACCES || code == EPERM) && level > 0) {
    snprintf(buffer, size, "not permitted: kernel.perf_event_paranoid is %d", level);
  } else if (code == EACCES || code == EPERM) {
    snprintf(buffer, size, "not permitted: a container or a security module blocks perf_event_open");
  } else {
    snprintf(buffer, size, "perf_event_open: %s", strerror(code));
  }
  return buffer;
}

const char *rf_events_reason(char *buffer, size_t size) {
  struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof cycles,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
  int file = (int)syscall(SYS_perf_event_open, &cycles, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file >= 0) {
    close(file);
    return NULL;
  }
  return rf_events_explain(errno, buffer, size);
}
