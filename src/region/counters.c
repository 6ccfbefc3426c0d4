#include "region/counters.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "host/library.h"
#include "host/papi.h"
#include "region/events.h"

/* The part of papi.h that is used; its names and types have not changed since version 5. */
enum { PAPI_OK = 0, PAPI_NULL = -1, PAPI_INHERIT = 28, PAPI_INHERIT_ALL = 1, CPU_COMPONENT = 0 };

/** The member of papi.h's PAPI_option_t that PAPI_INHERIT reads, in room enough for the others. */
typedef union papi_option {
  struct {
    int set, inherit;
  } inherit;
  char room[1024];
} papi_option;

static struct {
  int (*library_init)(int version);
  int (*thread_init)(unsigned long (*id)(void));
  int (*event_name_to_code)(const char *name, int *code);
  int (*query_event)(int code);
  int (*create_eventset)(int *set);
  int (*assign_eventset_component)(int set, int component);
  int (*set_opt)(int option, papi_option *value);
  int (*attach)(int set, unsigned long process);
  int (*add_event)(int set, int code);
  int (*start)(int set);
  int (*read)(int set, long long *values);
  int (*stop)(int set, long long *values);
  int (*cleanup_eventset)(int set);
  int (*destroy_eventset)(int *set);
  int (*unregister_thread)(void);
  char *(*strerror)(int code);
} papi;

static const rf_symbol symbols[] = {
    {"PAPI_library_init", &papi.library_init},
    {"PAPI_thread_init", &papi.thread_init},
    {"PAPI_event_name_to_code", &papi.event_name_to_code},
    {"PAPI_query_event", &papi.query_event},
    {"PAPI_create_eventset", &papi.create_eventset},
    {"PAPI_assign_eventset_component", &papi.assign_eventset_component},
    {"PAPI_set_opt", &papi.set_opt},
    {"PAPI_attach", &papi.attach},
    {"PAPI_add_event", &papi.add_event},
    {"PAPI_start", &papi.start},
    {"PAPI_read", &papi.read},
    {"PAPI_stop", &papi.stop},
    {"PAPI_cleanup_eventset", &papi.cleanup_eventset},
    {"PAPI_destroy_eventset", &papi.destroy_eventset},
    {"PAPI_unregister_thread", &papi.unregister_thread},
    {"PAPI_strerror", &papi.strerror},
};

static const rf_library library = {.what = "PAPI",
                                   .sonames = {RF_PAPI_SONAMES},
                                   .symbols = symbols,
                                   .count = sizeof symbols / sizeof symbols[0]};

static const struct {
  const char *name;
  roof_dtype dtype;
} presets[] = {{"PAPI_DP_OPS", ROOF_FP64}, {"PAPI_SP_OPS", ROOF_FP32}};

_Static_assert(sizeof presets / sizeof presets[0] == RF_COUNTER_MAX, "one value per preset");

static int counted[RF_COUNTER_MAX]; /* indices of the presets this processor has */
static int codes[RF_COUNTER_MAX];
static int count;

static unsigned long thread_id(void) {
  return (unsigned long)pthread_self();
}

/** PAPI checks the version that its caller was written for: major and minor, one byte each, as in the name of the library;
 * 0 where none can be loaded. */
static int load(void) {
  rf_loaded loaded;
  int major = 0, minor = 0;
  if (rf_library_load(&library, &loaded)) {
    sscanf(loaded.soname, "libpapi.so.%d.%d", &major, &minor);
  }
  return major << 24 | minor << 16;
}

/** If the kernel offers no counters, PAPI finds none: report the kernel's reason. */
static const char *explain_none(void) {
  static char reason[256];
  char kernel[160];
  const char *why = rf_events_reason(kernel, sizeof kernel);
  snprintf(reason, sizeof reason, "PAPI counts neither PAPI_DP_OPS nor PAPI_SP_OPS%s%s",
           why != NULL ? ": " : " on this processor", why != NULL ? why : "");
  return reason;
}

const char *rf_counters_open(void) {
  int version = load();
  if (version == 0) {
    return "no libpapi.so of version 6 or 7 can be loaded";
  }
  int code = papi.library_init(version);
  if (code != version) {
    return code < 0 ? papi.strerror(code) : "the loaded libpapi is not the version that its name promises";
  }
  code = papi.thread_init(thread_id);
  if (code != PAPI_OK) {
    return papi.strerror(code);
  }
  for (int i = 0; i < RF_COUNTER_MAX; i++) {
    if (papi.event_name_to_code(presets[i].name, &codes[count]) == PAPI_OK &&
        papi.query_event(codes[count]) == PAPI_OK) {
      counted[count++] = i;
    }
  }
  return count > 0 ? NULL : explain_none();
}

int rf_counters_count(void) {
  return count;
}

const char *rf_counters_name(int index) {
  return presets[counted[index]].name;
}

roof_dtype rf_counters_dtype(int index) {
  return presets[counted[index]].dtype;
}

/** Adds what is counted and starts; `code` is how it went so far. */
static const char *start(rf_counters *counters, int code) {
  for (int i = 0; i < count && code == PAPI_OK; i++) {
    code = papi.add_event(counters->set, codes[i]);
  }
  code = code == PAPI_OK ? papi.start(counters->set) : code;
  counters->running = code == PAPI_OK;
  return code == PAPI_OK ? NULL : papi.strerror(code);
}

const char *rf_counters_start(rf_counters *counters) {
  *counters = (rf_counters){.set = PAPI_NULL};
  return start(counters, papi.create_eventset(&counters->set));
}

const char *rf_counters_attach(rf_counters *counters, pid_t process) {
  *counters = (rf_counters){.set = PAPI_NULL};
  int code = papi.create_eventset(&counters->set);
  papi_option option = {.inherit = {counters->set, PAPI_INHERIT_ALL}};
  code = code == PAPI_OK ? papi.assign_eventset_component(counters->set, CPU_COMPONENT) : code;
  code = code == PAPI_OK ? papi.set_opt(PAPI_INHERIT, &option) : code;
  code = code == PAPI_OK ? papi.attach(counters->set, (unsigned long)process) : code;
  return start(counters, code);
}

void rf_counters_stop(rf_counters *counters) {
  long long values[RF_COUNTER_MAX];
  if (counters->running) {
    papi.stop(counters->set, values);
    papi.cleanup_eventset(counters->set);
    papi.destroy_eventset(&counters->set);
    papi.unregister_thread();
  }
}

bool rf_counters_read(const rf_counters *counters, long long flops[RF_COUNTER_MAX]) {
  return counters->running && papi.read(counters->set, flops) == PAPI_OK;
}
