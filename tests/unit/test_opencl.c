/* The OpenCL backend on whatever device is here (PoCL makes the processor one): every kernel of accelerators
 * in every format against the scalar reference. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/device/_device.h"
#include "measure/opencl/api.h"
#include "owned.h"

/* Sizes that are no multiple of a tile or a group. Rows of the second begin at multiples of 16 bytes, where
 * kernels go by packs. */
enum { SIZES = 3 };
static const struct {
  const char *op;
  const char *sizes[SIZES];
} small[] = {
    {"attention",
     {"batch=2 heads=6 q_len=7 kv_len=71 head_dim=5 kv_heads=2",
      "batch=1 heads=2 q_len=37 kv_len=37 head_dim=67 causal=1"}},
    {"gemm", {"m=1 n=1 k=1", "m=137 n=149 k=67"}},
    {"gemv", {"m=1 n=128", "m=37 n=384", "m=6 n=777"}},
    {"linear", {"batch=1 in=1 out=1", "batch=130 in=67 out=133"}},
    {"rmsnorm", {"rows=3 cols=17001", "rows=5 cols=1000", "rows=300 cols=1"}},
    {"softmax", {"rows=3 cols=17001", "rows=5 cols=1000", "rows=300 cols=1"}},
    {"transpose", {"rows=5 cols=67", "rows=136 cols=72"}},
};

static const char *const vectors[SIZES] = {"n=1", "n=10007"};

static const char *small_sizes(const roof_kernel *kernel, int which) {
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    if (strcmp(small[i].op, kernel->op) == 0) {
      return small[i].sizes[which];
    }
  }
  return vectors[which];
}

static const roof_backend *backend;

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const char *sizes, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  char shape[256];
  const char *algorithm = strstr(kernel->sizes, "algorithm=");
  roof_measure_options o = roof_measure_options_default();
  roof_measurement m;
  o.seconds_per_item = 1e-6;
  snprintf(shape, sizeof shape, "%s %s", sizes, algorithm != NULL ? algorithm : "");
  roof_status status = roof_kernel_values(kernel, shape, values, error);
  if (status == ROOF_OK) {
    status = backend->run(kernel, dtype, values, &o, &m, error);
  }
  if (status == ROOF_OK) {
    assert_true(m.seconds > 0 && m.sample_count > 0);
    assert_string_equal(m.machine, "host-gpu0");
    roof_measurement_done(&m);
  }
  return status;
}

/* Building takes time. In fp32 every kernel; each program in one format more, between them all formats, and
 * the one with the most ways to load in all. */
static const struct {
  const char *kernel;
  unsigned formats;
} others[] = {
    {"device-triad", 1u << ROOF_FP16},
    {"device-reduce", 1u << ROOF_FP64},
    {"device-softmax", 1u << ROOF_BF16},
    {"device-rmsnorm", 1u << ROOF_BF16},
    {"device-transpose", 1u << ROOF_BF16},
    {"device-gemv", 1u << ROOF_FP64},
    {"device-gemv-int8", 1u << ROOF_INT8 | 1u << ROOF_FP16},
    {"device-gemv-int4", 1u << ROOF_INT4 | 1u << ROOF_FP16},
    {"device-attention-flash", 1u << ROOF_FP16},
    {"device-rmsnorm-linear", 1u << ROOF_FP16},
    {"device-gemm-double-buffered", 1u << ROOF_FP64 | 1u << ROOF_FP16 | 1u << ROOF_BF16},
};

static bool is_listed(const roof_kernel *kernel, roof_dtype dtype) {
  bool named = dtype == ROOF_FP32;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    named = named || (strcmp(kernel->name, others[i].kernel) == 0 && (others[i].formats >> dtype & 1u) != 0);
  }
  return named;
}

/** Weights in groups go with whole groups alone. */
static bool refused(const roof_kernel *kernel, const char *sizes) {
  return kernel->types != NULL && kernel->types->group > 0 && strcmp(sizes, "m=6 n=777") == 0;
}

static void check(const roof_kernel *kernel, roof_dtype dtype, const char *sizes) {
  roof_error error = {0};
  if (run(kernel, dtype, sizes, &error) != ROOF_OK) {
    fail_msg("%s %s: %s", kernel->name, sizes, error.message);
  }
}

static void every_kernel_agrees_with_its_reference(void **state) {
  (void)state;
  int done = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    for (int which = 0; which < SIZES * ROOF_DTYPE_COUNT && roof_kernel_runs_on(kernel, "opencl"); which++) {
      roof_dtype dtype = (roof_dtype)(which / SIZES);
      const char *sizes = small_sizes(kernel, which % SIZES);
      bool wanted = sizes != NULL && (dtype == ROOF_FP32 || which % SIZES == 1);
      if (wanted && kernel->supports(dtype) && is_listed(kernel, dtype) && !refused(kernel, sizes)) {
        check(kernel, dtype, sizes);
        done++;
      }
    }
  }
  assert_true(done > 0);
}

/** A figure, or a note of why it could not be true: on a loaded machine twice the work may not take longer. */
static void assert_peak_or_reason(const roof_machine *m, roof_dtype dtype, const char *reason) {
  bool said = false;
  for (int i = 0; i < m->note_count; i++) {
    said = said || strncmp(m->notes[i], reason, strlen(reason)) == 0;
  }
  assert_true(said != (roof_machine_peak(m, dtype, ROOF_VECTOR, false, ROOF_MEASURED) != NULL));
}

/** The whole measurement, as quick as it gets: every figure is there and is possible. */
static void ceilings_are_measured(void **state) {
  (void)state;
  roof_measure_options o = roof_measure_options_default();
  owned roof_machine *m = NULL;
  roof_error error = {0};
  o.quick = true;
  o.seconds_per_item = 1e-3;
  if (backend->measure(&o, &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(m->name, "host-gpu0");
  const roof_level *memory = roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED);
  assert_non_null(memory);
  assert_true(memory->read_bytes_per_second > 0 && memory->write_bytes_per_second > 0 &&
              memory->copy_bytes_per_second > 0 && memory->triad_bytes_per_second > 0);
  assert_true(memory->latency_seconds > 0);
  assert_peak_or_reason(m, ROOF_FP32, "fp32 vector: not measured");
  assert_peak_or_reason(m, ROOF_INT8, "int8 vector: not measured");
  assert_true(m->link_count >= 3 && m->links[0].bytes_per_second > 0 && m->links[0].latency_seconds > 0);
  assert_true(m->report->cost_count >= 3 && m->launch_seconds > 0);
  assert_true(m->report->curve_count > 2);
}

/** A row's text has to be there, in each format that the row supports. */
static void every_kernel_has_its_text(void **state) {
  (void)state;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (!roof_kernel_runs_on(kernel, "opencl")) {
      continue;
    }
    const rf_device_kernel *detail = rf_device_kernel_of(kernel);
    const rf_device_text *text = rf_device_text_find(detail->program);
    const roof_kernel *reference = NULL;
    assert_non_null(text);
    assert_true(detail->reference[0] == '\0' ||
                roof_kernel_find(detail->reference, &reference, NULL) == ROOF_OK);
    for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
      assert_true(!kernel->supports((roof_dtype)d) || (text->formats >> d & 1u) != 0);
    }
  }
}

/** Shapes for a GPU would take a processor minutes. */
static void a_processor_takes_smaller_shapes(void **state) {
  (void)state;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    double values[ROOF_PARAM_MAX];
    if (!roof_kernel_runs_on(kernel, "opencl")) {
      continue;
    }
    assert_non_null(kernel->processor_sizes);
    assert_int_equal(roof_kernel_values(kernel, kernel->processor_sizes, values, NULL), ROOF_OK);
    const char *sizes = roof_backend_sizes(backend, kernel, false);
    assert_string_equal(sizes, backend->on_processor() ? kernel->processor_sizes : kernel->sizes);
    assert_string_equal(roof_backend_sizes(backend, kernel, true), kernel->quick_sizes);
  }
}

/* The library's functions behind functions that count what is held and fail on demand. */
static rf_opencl_api real;
static struct { int calls, fail_at, held; } watch;

static bool fails(void) {
  return ++watch.calls == watch.fail_at;
}

#define CREATES(name, type, code, parameters, arguments)                                                     \
  static type CL_API_CALL watched_##name parameters {                                                        \
    type made = NULL;                                                                                        \
    if (fails()) {                                                                                           \
      *error = code;                                                                                         \
    } else {                                                                                                 \
      made = real.name arguments;                                                                            \
      watch.held += made != NULL;                                                                            \
    }                                                                                                        \
    return made;                                                                                             \
  }
CREATES(CreateContext, cl_context, CL_DEVICE_NOT_AVAILABLE,
        (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
         void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *error),
        (p, n, d, f, u, error))
CREATES(CreateCommandQueue, cl_command_queue, CL_OUT_OF_HOST_MEMORY,
        (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *error), (c, d, p, error))
CREATES(CreateBuffer, cl_mem, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *error), (c, f, s, h, error))
CREATES(CreateProgramWithSource, cl_program, CL_OUT_OF_RESOURCES,
        (cl_context c, cl_uint n, const char **t, const size_t *l, cl_int *error), (c, n, t, l, error))
CREATES(CreateKernel, cl_kernel, CL_INVALID_KERNEL_NAME, (cl_program p, const char *n, cl_int *error),
        (p, n, error))

#define RELEASES(name, type)                                                                                 \
  static cl_int CL_API_CALL watched_##name(type object) {                                                    \
    watch.held--;                                                                                            \
    return real.name(object);                                                                                \
  }
RELEASES(ReleaseContext, cl_context)
RELEASES(ReleaseCommandQueue, cl_command_queue)
RELEASES(ReleaseMemObject, cl_mem)
RELEASES(ReleaseProgram, cl_program)
RELEASES(ReleaseKernel, cl_kernel)

static cl_int CL_API_CALL watched_BuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *o,
                                               void(CL_CALLBACK *f)(cl_program, void *), void *u) {
  return fails() ? CL_BUILD_PROGRAM_FAILURE : real.BuildProgram(p, n, d, o, f, u);
}

static cl_int CL_API_CALL watched_SetKernelArg(cl_kernel k, cl_uint i, size_t s, const void *v) {
  return fails() ? CL_INVALID_ARG_SIZE : real.SetKernelArg(k, i, s, v);
}

static cl_int CL_API_CALL watched_EnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint d,
                                                       const size_t *o, const size_t *g, const size_t *l,
                                                       cl_uint n, const cl_event *w, cl_event *e) {
  return fails() ? CL_INVALID_WORK_GROUP_SIZE : real.EnqueueNDRangeKernel(q, k, d, o, g, l, n, w, e);
}

static cl_int CL_API_CALL watched_Finish(cl_command_queue q) {
  cl_int code = real.Finish(q);
  return fails() ? CL_OUT_OF_RESOURCES : code;
}

static void watch_library(rf_opencl_api *api) {
  real = *api;
#define WATCH(name) api->name = watched_##name
  WATCH(CreateContext);
  WATCH(CreateCommandQueue);
  WATCH(CreateBuffer);
  WATCH(CreateProgramWithSource);
  WATCH(CreateKernel);
  WATCH(ReleaseContext);
  WATCH(ReleaseCommandQueue);
  WATCH(ReleaseMemObject);
  WATCH(ReleaseProgram);
  WATCH(ReleaseKernel);
  WATCH(BuildProgram);
  WATCH(SetKernelArg);
  WATCH(EnqueueNDRangeKernel);
  WATCH(Finish);
#undef WATCH
}

/** Each call in turn: one line that names it, and everything given back. */
static void a_call_that_fails_leaves_nothing_behind(void **state) {
  (void)state;
  enum { CALLS = 16 };
  const roof_kernel *kernel = NULL;
  rf_opencl_api *api = (rf_opencl_api *)(uintptr_t)&rf_opencl_library()->api;
  assert_int_equal(roof_kernel_find("device-copy", &kernel, NULL), ROOF_OK);
  watch_library(api);
  for (int n = 1; n <= CALLS; n++) {
    roof_error error = {0};
    watch.calls = 0;
    watch.fail_at = n;
    assert_int_equal(run(kernel, ROOF_FP32, "n=1000", &error), ROOF_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "opencl: "));
    assert_true(strstr(error.message, "CL_") != NULL || strstr(error.message, "does not build") != NULL);
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(watch.held, 0);
  }
  watch.fail_at = 0;
  assert_int_equal(run(kernel, ROOF_FP32, "n=1000", NULL), ROOF_OK);
  assert_int_equal(watch.held, 0);
  *api = real;
}

static void a_program_that_does_not_build_shows_its_log(void **state) {
  (void)state;
  static const char text[] = "KERNEL(broken)(int n) { int x = undeclared; }\n";
  const rf_device_text broken = {"broken", text, text + sizeof text - 1, 1u << ROOF_FP32};
  rf_device *device = NULL;
  void *program = NULL;
  roof_error error = {0};
  assert_int_equal(rf_opencl_driver.open(0, &device, NULL), ROOF_OK);
  assert_int_equal(rf_opencl_driver.build(device, &broken, ROOF_FP32, &program, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "opencl: program broken does not build: "));
  assert_non_null(strstr(error.message, "undeclared"));
  assert_null(strchr(error.message, '\n'));
  rf_opencl_driver.close(device);
}

static void what_cannot_run_is_refused(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  roof_error error = {0};
  assert_int_equal(roof_kernel_find("triad", &kernel, NULL), ROOF_OK);
  assert_int_equal(run(kernel, ROOF_FP32, "n=10", &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "triad: not a kernel of the backend opencl");
}

/** The compiler inside the driver keeps memory to itself until the end. What the backend holds is counted by
 * test_device.c. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

int main(void) {
  assert_int_equal(roof_backend_find("opencl", &backend, NULL), ROOF_OK);
  const char *reason = backend->disabled_reason();
  if (reason != NULL) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kernel_has_its_text),
      cmocka_unit_test(a_processor_takes_smaller_shapes),
      cmocka_unit_test(every_kernel_agrees_with_its_reference),
      cmocka_unit_test(ceilings_are_measured),
      cmocka_unit_test(a_call_that_fails_leaves_nothing_behind),
      cmocka_unit_test(a_program_that_does_not_build_shows_its_log),
      cmocka_unit_test(what_cannot_run_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
