/* Finds NVIDIA's driver at run time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cublas.h"
#include "host/library.h"
#include "measure/cuda/api.h"

/* The oldest that has tensor maps. */
enum { OLDEST = 12000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* not a pthread_once_t: tests load it again */
static struct {
  bool tried;
  rf_loaded loaded;
  cuda_api api;
  char reason[256]; /* "" when it works */
  uint64_t kept;    /* a bit for each device whose context is */
} driver;

static bool refuse(const char *why, const char *what, const char *then) {
  snprintf(driver.reason, sizeof driver.reason, "%s%s%s", why, what, then);
  return false;
}

#define COMMON_SYMBOL(member, cuda, hip, parameters) {#cuda, &driver.api.common.member},
#define CUDA_SYMBOL(member, symbol, parameters) {#symbol, &driver.api.member},
static const rf_symbol symbols[] = {RF_STREAMS_FUNCTIONS(COMMON_SYMBOL) CUDA_FUNCTIONS(CUDA_SYMBOL)};
#undef COMMON_SYMBOL
#undef CUDA_SYMBOL

static const rf_library library = {.what = "CUDA",
                                   .folder = RF_CUDA_FOLDER,
                                   .sonames = {"libcuda.so.1"},
                                   .symbols = symbols,
                                   .count = sizeof symbols / sizeof symbols[0]};

/** "13.0" of 13000. */
static const char *version_text(int version, char text[16]) {
  snprintf(text, 16, "%d.%d", version / 1000, version % 1000 / 10);
  return text;
}

/** A driver is too old if its major version is older than the kernels': within a major version, older drivers
 * run newer code. */
static bool check_version(void) {
  static const char other[] = "; built with nvcc of CUDA 12, roofline runs on driver 525 or later";
  char has[16], needs[16], both[128];
  int wanted = rf_cuda_images_version / 1000 * 1000 > OLDEST ? rf_cuda_images_version / 1000 * 1000 : OLDEST;
  if (driver.api.common.driver_version(&driver.api.version) != 0) {
    return refuse("the driver does not report its version", "", "");
  }
  snprintf(both, sizeof both, "%s, the kernels need %s (%s)", version_text(driver.api.version, has),
           version_text(wanted, needs), rf_cuda_images_driver);
  return driver.api.version >= wanted ||
         refuse("the driver is too old: it supports CUDA ", both, wanted > OLDEST ? other : "");
}

static void explain(cuda_code code, const char **name, const char **text) {
  driver.api.error_name(code, name);
  driver.api.error_text(code, text);
}

static bool start(void) {
  const char *name = "?";
  bool complete = rf_library_load(&library, &driver.loaded);
  if (driver.loaded.soname == NULL) {
    const char *refusal = rf_library_refusal();
    return refuse("no libcuda.so.1: ", refusal != NULL ? refusal : "NVIDIA's driver is not installed", "");
  }
  if (!complete) {
    char then[64];
    snprintf(then, sizeof then, "; install %s", rf_cuda_images_driver);
    return refuse("the driver is too old: libcuda.so.1 has no ", driver.loaded.missing, then);
  }
  if (!check_version()) {
    return false;
  }
  driver.api.common.explain = explain;
  cuda_code code = driver.api.common.init(0);
  int count = 0;
  if (code == CUDA_NO_DEVICE || (code == 0 && driver.api.common.device_count(&count) == 0 && count == 0)) {
    return refuse("no device found by NVIDIA's driver", "", "");
  }
  driver.api.error_name(code, &name);
  return code == 0 ||
         refuse("NVIDIA's driver does not start: cuInit returns ", name != NULL ? name : "?", "");
}

const cuda_api *rf_cuda_load_driver(const char **reason) {
  pthread_mutex_lock(&mutex);
  if (!driver.tried) {
    driver.tried = true;
    driver.reason[0] = '\0';
    start();
  }
  pthread_mutex_unlock(&mutex);
  if (reason != NULL) {
    *reason = driver.reason[0] != '\0' ? driver.reason : NULL;
  }
  return driver.reason[0] == '\0' ? &driver.api : NULL;
}

const cuda_api *rf_cuda_load(const char **reason) {
  static const char kernels[] =
      "this roofline was built without nvcc; install CUDA 12 or later and build again";
  const cuda_api *api = rf_cuda_load_driver(reason);
  if (api != NULL && rf_cuda_images_version == 0) {
    if (reason != NULL) {
      *reason = kernels;
    }
    return NULL;
  }
  return api;
}

void rf_cuda_keep(int device, bool keep) {
  uint64_t bit = device < 64 ? (uint64_t)1 << device : 0;
  bool kept = driver.kept & bit;
  cuda_context context;
  if (keep != kept && (keep ? driver.api.retain(&context, device) : driver.api.let_go(device)) == 0) {
    driver.kept ^= bit;
  }
}

void rf_cuda_forget(void) {
  for (int device = 0; device < 64; device++) {
    rf_cuda_keep(device, false);
  }
  rf_library_close(&driver.loaded);
  memset(&driver, 0, sizeof driver);
}

static const cuda_image *find_image(const char *name, const char *format, bool any) {
  for (const cuda_image *image = rf_cuda_images; image->name != NULL; image++) {
    if (strcmp(image->name, name) == 0 &&
        ((any && image->format[0] == '\0') || strcmp(image->format, format) == 0)) {
      return image;
    }
  }
  return NULL;
}

const cuda_image *rf_cuda_image_find(const char *name, const char *format) {
  const char *bounded = secure_getenv("ROOFLINE_CUDA_BOUNDED");
  const cuda_image *image = bounded != NULL && bounded[0] != '\0' ? find_image(name, "bounded", false) : NULL;
  return image != NULL ? image : find_image(name, format, true);
}
