/* Where a rank is: the hardware threads that its launcher lets it use, and their cores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/probe.h"
#include "region/job.h"
#include "roofline/text.h"

void rf_job_list_write(const cpu_set_t *set, char *text, size_t size) {
  roof_text all = {0};
  for (int i = 0; i < CPU_SETSIZE; i++) {
    int last = i;
    while (CPU_ISSET((size_t)i, set) && last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, set)) {
      last++;
    }
    if (CPU_ISSET((size_t)i, set)) {
      roof_text_addf(&all, last > i ? "%s%d-%d" : "%s%d", all.length > 0 ? "," : "", i, last);
      i = last;
    }
  }
  const char *whole = all.failed || all.data == NULL ? "" : all.data;
  if (strlen(whole) < size) {
    snprintf(text, size, "%s", whole);
  } else {
    snprintf(text, size, "%.*s...", (int)size - 4, whole);
  }
  roof_text_done(&all);
}

/** A number of a list; -1: there is none. */
static long read_number(const char **text) {
  char *end = NULL;
  long number = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : -1;
  *text = number >= 0 ? end : *text;
  return number < CPU_SETSIZE ? number : -1;
}

bool rf_job_list_read(const char *text, cpu_set_t *set) {
  bool more = true;
  CPU_ZERO(set);
  while (more) {
    long first = read_number(&text);
    bool range = *text == '-';
    text += range;
    long last = range ? read_number(&text) : first;
    if (first < 0 || last < first) {
      return false;
    }
    for (long i = first; i <= last; i++) {
      CPU_SET((size_t)i, set);
    }
    more = *text == ',';
    text += more;
  }
  return *text == '\0';
}

void rf_job_cores(const char *root, const cpu_set_t *processors, cpu_set_t *cores) {
  CPU_ZERO(cores);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET((size_t)i, processors)) {
      char path[96], line[64];
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
      long first = rf_probe_line(root, path, line, sizeof line) ? strtol(line, NULL, 10) : i;
      CPU_SET((size_t)(first >= 0 && first < CPU_SETSIZE ? first : i), cores);
    }
  }
}

void roof_job_place_here(roof_job_place *place) {
  cpu_set_t processors, cores;
  *place = (roof_job_place){.rank = 0};
  long all = sysconf(_SC_NPROCESSORS_ONLN);
  place->node_processors = all > 0 ? (int)all : 0;
  if (gethostname(place->node, sizeof place->node - 1) != 0 || !roof_text_is_plain(place->node)) {
    snprintf(place->node, sizeof place->node, "unknown");
  }
  if (sched_getaffinity(0, sizeof processors, &processors) == 0) {
    rf_job_cores("", &processors, &cores);
    rf_job_list_write(&processors, place->processors, sizeof place->processors);
    rf_job_list_write(&cores, place->cores, sizeof place->cores);
  }
}
