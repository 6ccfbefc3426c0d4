/** What the files of the emulated device share: README.md says what it is. */
#ifndef TESTS_FAKE_FAKE_H
#define TESTS_FAKE_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "entry.h"

#define API __attribute__((visibility("default")))

/** Begins the definition of a function of the driver: those who call it find it by its name, so no header
 *  declares it. */
#define ENTRY(type, name, ...)                                                                               \
  API type name(__VA_ARGS__);                                                                                \
  type name(__VA_ARGS__)

typedef unsigned long long pointer;

/* CUresult */
enum {
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALISED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NO_BINARY = 209,
  PEER_ENABLED = 704,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
  LAUNCH_TIMEOUT = 702,
  LAUNCH_FAILED = 719,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  INVALID_CLUSTER = 912,
};

/** What was handed out and not given back; the tests read it. */
API extern int fake_cuda_live;
/** Launches asked for, those whose kernel really ran, and those that might begin early. */
API extern int fake_cuda_launches, fake_cuda_executed, fake_cuda_early;

/** Whether a sanitizer watches over what kernels reach. */
API extern int fake_cuda_sanitized;

/* script.c */

/** The number behind `key` in FAKE_CUDA. */
int fake_number(const char *key, int otherwise);
/** Whether the word behind `key` in FAKE_CUDA is `word`. */
bool fake_says(const char *key, const char *word);
/** The word behind `key` in FAKE_CUDA, or another. */
void fake_word(const char *key, const char *otherwise, char *word, size_t size);
/** The code that `call` fails with now by the script, or 0. */
int fake_failing(const char *call);

/* device.c */

enum { DEVICES_MAX = 8 };

typedef struct context {
  int device, retained, fault; /* what all calls fail with after a kernel's fault */
  bool peers[DEVICES_MAX];
  bool uncounted; /* among what was handed out: HIP's are never given back */
} context;

/** Of this thread, or NULL. */
context *fake_context(void);
/** What every call begins with: 0 when it may go on. A fault that the script names stays. */
int fake_enter(const char *call);
/** The code that `call` fails with now; a fault stays. */
int fake_scripted(const char *call);
void fake_fault(int code);
bool fake_started(void);
/** As 75 and 76 of cuDeviceGetAttribute. */
int fake_attribute(int which);

#define ENTER(call)                                                                                          \
  do {                                                                                                       \
    int code_ = fake_enter(#call);                                                                           \
    if (code_ != 0) {                                                                                        \
      return code_;                                                                                          \
    }                                                                                                        \
  } while (0)

/* memory.c */

int fake_give(void **handle, size_t bytes);
int fake_take(void *handle);
/** Whether all of it lies in one allocation of the device. */
bool fake_inside(pointer at, size_t bytes);
/** Whether nothing was written behind an allocation's end. */
bool fake_fences_stand(void);

/* clock.c: seconds of a simulated clock. */

typedef struct stream {
  context *of;
  double busy_until;
  struct graph *recording;
  bool broken; /* recording failed */
} stream;

/** Work of so many seconds in a stream. */
void fake_work(stream *in, double seconds);
/** The processor has come to what the stream has done. */
void fake_wait(const stream *in);
/** The host spends time on a call, really. */
void fake_spend(double seconds);
double fake_now(void);

/* peaks.c: in the place of a program that has no kernels for the processor */
const emulated_module *fake_peaks(void);

/* rtc.c */

/** The program that an image is which hiprtc has made, or NULL. */
const struct fake_program *fake_compiled(const void *image);

/* launch.c */

typedef struct launch {
  const struct function *function;
  emulated_shape shape;
  unsigned char arguments[2048];
} launch;

/** Executes it, or only lets its time pass. */
int fake_execute(const launch *l, stream *in);
/** What the device's memory holds was changed from outside: launches seen before are to be executed again. */
void fake_changed(void);
/** How often that has been so. */
unsigned fake_changes(void);
/** Adds a launch to a graph that is recorded. */
int fake_record(struct graph *graph, const launch *l);

#endif
