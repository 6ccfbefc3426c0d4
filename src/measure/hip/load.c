/* Finds AMD's HIP runtime and its compiler at run time. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/library.h"
#include "measure/hip/api.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* not a pthread_once_t: tests load it again */
static struct {
  bool tried;
  rf_loaded runtime, compiler;
  hip_api api;
  char reason[320]; /* "" when it works */
} hip;

#define COMMON_SYMBOL(member, cuda, hip_, parameters) {#hip_, &hip.api.common.member},
#define HIP_SYMBOL(type, member, symbol, parameters) {#symbol, &hip.api.member},
static const rf_symbol of_runtime[] = {RF_STREAMS_FUNCTIONS(COMMON_SYMBOL) HIP_FUNCTIONS(HIP_SYMBOL)};
static const rf_symbol of_compiler[] = {HIPRTC_FUNCTIONS(HIP_SYMBOL)};
#undef COMMON_SYMBOL
#undef HIP_SYMBOL

static const rf_library runtime = {
    .what = "libamdhip64.so",
    .folder = RF_HIP_FOLDER,
    .sonames = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
    .symbols = of_runtime,
    .count = sizeof of_runtime / sizeof of_runtime[0]};

/** Before 5.3 the runtime had the compiler in it. */
static const rf_library compiler = {
    .what = "libhiprtc.so",
    .folder = RF_HIP_FOLDER,
    .sonames = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", "libamdhip64.so.5"},
    .symbols = of_compiler,
    .count = sizeof of_compiler / sizeof of_compiler[0]};

static bool refuse(const char *why, const char *what) {
  snprintf(hip.reason, sizeof hip.reason, "%s%s", why, what);
  return false;
}

/** Why one of the two could not be loaded: it is not there, or lacks a function. */
static bool refuse_library(const rf_library *library, const rf_loaded *loaded) {
  const char *refusal = rf_library_refusal();
  if (loaded->soname == NULL || refusal != NULL) {
    snprintf(hip.reason, sizeof hip.reason, "no %s: %s", library->what,
             refusal != NULL ? refusal : "AMD's ROCm is not installed");
  } else {
    snprintf(hip.reason, sizeof hip.reason, "ROCm is too old: %s has no %s; 5.2 or later is needed",
             loaded->soname, loaded->missing);
  }
  return false;
}

/** The layout that the runtime fills in by the name of its function. */
static bool find_properties(void) {
  static const struct {
    rf_symbol symbol;
    size_t name_at;
  } layouts[] = {{{"hipGetDevicePropertiesR0600", &hip.api.properties}, HIP_NAME_AT_R0600},
                 {{"hipGetDeviceProperties", &hip.api.properties}, HIP_NAME_AT_R0000}};
  for (int i = 0; i < 2; i++) {
    if (rf_library_find(hip.runtime.handle, &layouts[i].symbol, 1, &hip.runtime.missing)) {
      hip.api.name_at = layouts[i].name_at;
      return true;
    }
  }
  return refuse_library(&runtime, &hip.runtime);
}

static void explain(int code, const char **name, const char **text) {
  *name = hip.api.error_name(code);
  *text = hip.api.error_text(code);
}

static bool start(void) {
  int count = 0;
  if (!rf_library_load(&runtime, &hip.runtime)) {
    return refuse_library(&runtime, &hip.runtime);
  }
  if (!rf_library_load(&compiler, &hip.compiler)) {
    return refuse_library(&compiler, &hip.compiler);
  }
  if (!find_properties()) {
    return false;
  }
  hip.api.common.explain = explain;
  int code = hip.api.common.init(0);
  bool none = code == HIP_NO_DEVICE || code == HIP_INVALID_DEVICE;
  if (none || (code == 0 && (hip.api.common.device_count(&count) != 0 || count == 0))) {
    return refuse("no device found by AMD's HIP runtime", "");
  }
  if (code != 0) {
    return refuse("AMD's HIP runtime does not start: hipInit returns ", hip.api.error_name(code));
  }
  return hip.api.common.driver_version(&hip.api.version) == 0 ||
         refuse("AMD's HIP runtime does not report its version", "");
}

const hip_api *rf_hip_load(const char **reason) {
  pthread_mutex_lock(&mutex);
  if (!hip.tried) {
    hip.tried = true;
    hip.reason[0] = '\0';
    start();
  }
  pthread_mutex_unlock(&mutex);
  if (reason != NULL) {
    *reason = hip.reason[0] != '\0' ? hip.reason : NULL;
  }
  return hip.reason[0] == '\0' ? &hip.api : NULL;
}

void rf_hip_forget(void) {
  rf_library_close(&hip.compiler);
  rf_library_close(&hip.runtime);
  memset(&hip, 0, sizeof hip);
}
