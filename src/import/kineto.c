/* PyTorch's profiler: a Chrome trace. A kernel's `correlation` names the runtime call that launched it; the
 * innermost operator around that call on its thread, of those with a formula, is what the kernel works for.
 * Kept are small rows of kernels, launches and operators; names and shapes are kept once each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_kineto.h"
#include "import/_ncu.h"

/** Room for one more row; new ones are zeros. */
static void *append(void *rows, size_t size) {
  KINETO_ROWS(char) *r = rows;
  if (r->count == r->room) {
    size_t room = r->room * 2 + 256;
    char *list = realloc(r->list, room * size);
    if (list == NULL) {
      return NULL;
    }
    r->list = list;
    r->room = room;
  }
  return memset(r->list + r->count++ * size, 0, size);
}

/* What an event carries */

/** Start and length in ns and ps. False when the event has none, which is counted. */
static bool when(const chrome_event *e, int64_t *start, uint64_t *picoseconds) {
  int64_t length;
  if (!rf_chrome_thousandths(e->start, start) || !rf_chrome_millionths(e->length, &length) || length < 0 ||
      *start < -IMPORT_FARTHEST || *start > IMPORT_FARTHEST) {
    return false;
  }
  *picoseconds = (uint64_t)length;
  return true;
}

static roof_status bad_time(kineto *t, const chrome_event *e) {
  char name[200];
  rf_scan_text(e->name, name, sizeof name);
  rf_import_skip(t->profile, name, "its ts and dur are no times");
  return ROOF_OK;
}

static uint32_t thread_of(kineto *t, const chrome_event *e) {
  t->key.length = 0;
  roof_text_add_bytes(&t->key, e->process.at != NULL ? e->process.at : "", e->process.size);
  roof_text_add(&t->key, "/");
  roof_text_add_bytes(&t->key, e->thread.at != NULL ? e->thread.at : "", e->thread.size);
  return rf_intern_add(&t->threads, t->key.data, t->key.length);
}

static bool contains(rf_span text, const char *part) {
  return memmem(text.at, text.size, part, strlen(part)) != NULL;
}

static import_way way_of(rf_span name) {
  char text[80];
  rf_scan_text(name, text, sizeof text);
  return rf_import_way_of(text);
}

/** The number of a name; what it says is found when it is new. */
static uint32_t name_of(kineto *t, rf_span name) {
  uint32_t number = rf_intern_add(&t->names, name.at, name.size);
  if (number == t->said.count) {
    kineto_name *said = append(&t->said, sizeof *said);
    if (said == NULL) {
      return INTERN_FAILED;
    }
    said->formula = rf_torch_has_formula(name, &said->values);
    said->says = rf_kernel_name_says(name);
    said->width = rf_torch_type_in(name, &said->dtype);
    said->way = way_of(name);
    said->graph = contains(name, "GraphLaunch");
    said->wait = contains(name, "Synchronize");
  }
  return number;
}

/** The number of the operator with these shapes; its work is found when it is new. */
static uint32_t shape_of(kineto *t, const chrome_event *e) {
  uint32_t name = name_of(t, e->name);
  if (name == INTERN_FAILED) {
    return INTERN_FAILED;
  }
  const kineto_name *said = &t->said.list[name];
  const rf_span parts[] = {e->shapes, e->types, said->values ? e->values : (rf_span){0}};
  t->key.length = 0;
  roof_text_add_bytes(&t->key, (const char *)&name, sizeof name);
  for (size_t i = 0; i < 3 && said->formula; i++) {
    roof_text_add_bytes(&t->key, "\n", 1);
    roof_text_add_bytes(&t->key, parts[i].at != NULL ? parts[i].at : "", parts[i].size);
  }
  uint32_t number = t->key.failed ? INTERN_FAILED : rf_intern_add(&t->shapes, t->key.data, t->key.length);
  if (number == t->calls.count) {
    kineto_shape *call = append(&t->calls, sizeof *call);
    if (call == NULL) {
      return INTERN_FAILED;
    }
    call->work = rf_torch_work_of(&(torch_call){e->name, e->shapes, e->types, parts[2]});
    call->name = name;
  }
  return number;
}

static roof_status take_op(kineto *t, const chrome_event *e) {
  int64_t start;
  uint64_t length;
  if (!when(e, &start, &length)) {
    return bad_time(t, e);
  }
  kineto_op *op = append(&t->ops, sizeof *op);
  uint32_t thread = thread_of(t, e), shape = shape_of(t, e);
  if (op == NULL || thread == INTERN_FAILED || shape == INTERN_FAILED) {
    return rf_kineto_no_memory(t);
  }
  *op = (kineto_op){.start = start,
                    .end = start + (int64_t)(length / 1000),
                    .external = (uint32_t)rf_chrome_whole(e->external, 0),
                    .thread = thread,
                    .shape = shape,
                    .parent = KINETO_NONE};
  return ROOF_OK;
}

static roof_status take_wait(kineto *t, int64_t start, uint64_t length) {
  kineto_wait *wait = append(&t->waits, sizeof *wait);
  if (wait == NULL) {
    return rf_kineto_no_memory(t);
  }
  *wait = (kineto_wait){start, start + (int64_t)(length / 1000)};
  return ROOF_OK;
}

/** A call of the runtime or the driver: a launch, or a wait for the device. */
static roof_status take_launch(kineto *t, const chrome_event *e) {
  int64_t start;
  uint64_t length;
  uint32_t name = name_of(t, e->name);
  if (name == INTERN_FAILED) {
    return rf_kineto_no_memory(t);
  }
  if (e->correlation.at == NULL && !t->said.list[name].wait) {
    return ROOF_OK;
  }
  if (!when(e, &start, &length)) {
    return bad_time(t, e);
  }
  if (t->said.list[name].wait) {
    return take_wait(t, start, length);
  }
  kineto_launch *launch = append(&t->launches, sizeof *launch);
  uint32_t thread = thread_of(t, e);
  if (launch == NULL || thread == INTERN_FAILED) {
    return rf_kineto_no_memory(t);
  }
  *launch = (kineto_launch){.start = start,
                            .correlation = (uint64_t)rf_chrome_whole(e->correlation, 0),
                            .thread = thread,
                            .op = KINETO_NONE,
                            .graph = t->said.list[name].graph};
  return ROOF_OK;
}

/** FNV-1a. */
static uint32_t hash_of(rf_span text, uint32_t hash) {
  for (size_t i = 0; i < text.size; i++) {
    hash = (hash ^ (unsigned char)text.at[i]) * 16777619u;
  }
  return hash;
}

/** Takes the group of a collective and its number there. The ranks come first: a group's name may differ between its ranks. */
static bool take_group(kineto *t, const chrome_event *e, kineto_kernel *k) {
  if (e->group.at == NULL && e->members.at == NULL) {
    return true;
  }
  bool ranks = e->members.size > 0;
  t->key.length = 0;
  roof_text_add_bytes(&t->key, ranks ? e->members.at : e->group.at, ranks ? e->members.size : e->group.size);
  uint32_t number = t->key.failed ? INTERN_FAILED : rf_intern_add(&t->groups, t->key.data, t->key.length);
  int64_t sequence = rf_chrome_whole(e->sequence, -1);
  k->group = number + 1;
  k->sequence = sequence >= 0 && sequence < UINT32_MAX ? (uint32_t)sequence + 1 : 0;
  return number != INTERN_FAILED;
}

static roof_status add_kernel(kineto *t, const chrome_event *e, kineto_activity kind) {
  int64_t start;
  uint64_t length;
  if (!when(e, &start, &length)) {
    return bad_time(t, e);
  }
  kineto_kernel *k = append(&t->kernels, sizeof *k);
  uint32_t name = name_of(t, e->name), stream = thread_of(t, e);
  if (k == NULL || name == INTERN_FAILED || stream == INTERN_FAILED) {
    return rf_kineto_no_memory(t);
  }
  bool collective = kind == KERNEL && e->collective.at != NULL;
  double bytes = e->bytes.at != NULL ? (double)rf_chrome_whole(e->bytes, -1) : NAN;
  int64_t percent = rf_chrome_whole(e->occupancy, -1);
  *k = (kineto_kernel){.start = start,
                       .picoseconds = length,
                       .correlation = (uint64_t)rf_chrome_whole(e->correlation, -1),
                       .amount = bytes >= 0 ? bytes : NAN,
                       .name = name,
                       .external = (uint32_t)rf_chrome_whole(e->external, 0),
                       .op = KINETO_NONE,
                       .stream = stream,
                       .occupancy = percent > 0 && percent <= 100 ? (float)percent / 100 : NAN,
                       .device = (int16_t)rf_chrome_whole(e->device.at != NULL ? e->device : e->process, 0),
                       .activity = (uint8_t)(collective ? COLLECTIVE : kind),
                       .says = t->said.list[name].says,
                       .grid = e->grid.at != NULL ? hash_of(e->block, hash_of(e->grid, 2166136261u)) | 1 : 0};
  if (collective) {
    k->ranks = (uint32_t)rf_chrome_whole(e->ranks, 0);
    k->amount = rf_torch_collective_bytes(e->collective, e->dtype, (double)rf_chrome_whole(e->in, 0),
                                          (double)rf_chrome_whole(e->out, 0), k->ranks);
    if (!take_group(t, e, k)) {
      return rf_kineto_no_memory(t);
    }
  }
  t->first = t->kernels.count == 1 || start < t->first ? start : t->first;
  return ROOF_OK;
}

static roof_status take_kernel(kineto *t, const chrome_event *e) {
  return add_kernel(t, e, KERNEL);
}

static roof_status take_copy(kineto *t, const chrome_event *e) {
  return add_kernel(t, e, COPY);
}

static roof_status take_set(kineto *t, const chrome_event *e) {
  return add_kernel(t, e, SET);
}

/** A range that CUPTI counted metrics of a kernel in. Ranges are laid over the trace evenly: their time is
 * not the kernel's. */
static roof_status take_range(kineto *t, const chrome_event *e) {
  rf_span key, value;
  ncu_launch launch;
  char name[KINETO_NAME], metric[160], number[64];
  roof_status status = t->ranges.store == NULL ? roof_profile_init(&t->ranges, t->error) : ROOF_OK;
  rf_ncu_launch_init(&launch);
  const char *at = e->arguments.size > 0 ? e->arguments.at + 1 : NULL;
  while (at != NULL && rf_scan_next(&at, &key, &value)) {
    rf_scan_text(key, metric, sizeof metric);
    if (value.size < sizeof number && strstr(metric, "__time_duration") == NULL) {
      rf_scan_text(value, number, sizeof number);
      rf_ncu_launch_set(&launch, metric, rf_import_number(number, NULL));
    }
  }
  size_t length = rf_scan_text(e->name, name, sizeof name);
  bool missing = strcmp(name, "__missing__") == 0;
  return status != ROOF_OK ? status
         : missing         ? rf_ncu_launch_add(&t->ranges, &launch, "unnamed range", 13, t->error)
                           : rf_ncu_launch_add(&t->ranges, &launch, name, length, t->error);
}

static roof_status add_mark(kineto *t, const chrome_event *e, bool annotation) {
  int64_t start;
  uint64_t length;
  if (!rf_kineto_marks(t, e->name, annotation) || !when(e, &start, &length)) {
    return ROOF_OK;
  }
  import_mark *mark = append(&t->marks, sizeof *mark);
  uint32_t thread = t->profile->by == ROOF_BY_STEP ? 0 : thread_of(t, e), name = name_of(t, e->name);
  if (mark == NULL || thread == INTERN_FAILED || name == INTERN_FAILED) {
    return rf_kineto_no_memory(t);
  }
  *mark = (import_mark){start, start + (int64_t)(length / 1000), thread, name, MARK_NONE};
  return ROOF_OK;
}

static roof_status take_annotation(kineto *t, const chrome_event *e) {
  return add_mark(t, e, true);
}

static roof_status take_function(kineto *t, const chrome_event *e) {
  return add_mark(t, e, false);
}

/** Categories by name; `take` NULL: neither a kernel nor anything about one. */
static const struct {
  const char *name;
  size_t size;
  roof_status (*take)(kineto *t, const chrome_event *e);
} categories[] = {
#define CATEGORY(name, take)                                                                                 \
  { name, sizeof name - 1, take }
    CATEGORY("cpu_op", take_op),
    CATEGORY("kernel", take_kernel),
    CATEGORY("cuda_runtime", take_launch),
    CATEGORY("cuda_driver", take_launch),
    CATEGORY("gpu_memcpy", take_copy),
    CATEGORY("gpu_memset", take_set),
    CATEGORY("cuda_profiler_range", take_range),
    CATEGORY("Operator", take_op),
    CATEGORY("Kernel", take_kernel),
    CATEGORY("Runtime", take_launch),
    CATEGORY("Memcpy", take_copy),
    CATEGORY("Memset", take_set),
    CATEGORY("mtia_ccp_events", take_kernel),
    CATEGORY("mtia_runtime", take_launch),
    CATEGORY("xpu_runtime", take_launch),
    CATEGORY("xpu_driver", take_launch),
    CATEGORY("python_function", take_function),
    CATEGORY("user_annotation", take_annotation),
    CATEGORY("ac2g", NULL),
    CATEGORY("gpu_user_annotation", take_annotation),
    CATEGORY("fwdbwd", NULL),
    CATEGORY("cuda_sync", NULL),
    CATEGORY("overhead", NULL),
    CATEGORY("Trace", NULL),
    CATEGORY("cpu_instant_event", NULL),
    CATEGORY("async_cpu_to_gpu", NULL),
    CATEGORY("forward_backward", NULL),
#undef CATEGORY
};

enum { CATEGORIES = sizeof categories / sizeof categories[0] };

/** The row of a category, or -1. */
static int category_of(rf_span name) {
  for (int i = 0; i < CATEGORIES; i++) {
    if (name.size == categories[i].size && memcmp(name.at, categories[i].name, name.size) == 0) {
      return i;
    }
  }
  return -1;
}

static bool wants(rf_span category) {
  int row = category_of(category);
  return row >= 0 && categories[row].take != NULL && categories[row].take != take_function &&
         categories[row].take != take_annotation;
}

static roof_status take_event(void *state, const chrome_event *e, roof_error *error) {
  kineto *t = state;
  (void)error;
  if (!rf_scan_is(e->phase, "X") || e->category.at == NULL || e->name.at == NULL) {
    return ROOF_OK;
  }
  int row = category_of(e->category);
  if (row >= 0) {
    return categories[row].take != NULL ? categories[row].take(t, e) : ROOF_OK;
  }
  char text[80] = "events of category ";
  rf_scan_text(e->category, text + strlen(text), 50);
  rf_import_skip(t->profile, text, "not a category with kernels that is known");
  return ROOF_OK;
}

static void take_devices(kineto *t, rf_span list) {
  const char *at = list.at + 1;
  rf_span key, device, value;
  while (*list.at == '[' && rf_scan_next(&at, &key, &device)) {
    const char *member = device.at + 1;
    int64_t id = -1;
    char name[200] = "";
    while (*device.at == '{' && rf_scan_next(&member, &key, &value)) {
      if (rf_scan_is(key, "id")) {
        id = rf_chrome_whole(value, -1);
      } else if (rf_scan_is(key, "name")) {
        rf_scan_text(value, name, sizeof name);
      }
    }
    if (id >= 0 && id < KINETO_DEVICES) {
      t->devices[id] = roof_profile_text(t->profile, name);
    }
  }
}

/** The rank of `distributedInfo`, -1: none. */
static int rank_of(rf_span group) {
  const char *at = group.at + 1;
  rf_span key, value;
  int64_t rank = -1;
  while (*group.at == '{' && rf_scan_next(&at, &key, &value)) {
    rank = rf_scan_is(key, "rank") ? rf_chrome_whole(value, -1) : rank;
  }
  return rank >= 0 && rank < INT32_MAX ? (int)rank : -1;
}

static roof_status take_member(void *state, rf_span key, rf_span value, roof_error *error) {
  kineto *t = state;
  if (rf_scan_is(key, "deviceProperties")) {
    take_devices(t, value);
  } else if (rf_scan_is(key, "distributedInfo")) {
    t->rank = rank_of(value);
  } else if (rf_scan_is(key, "baseTimeNanoseconds")) {
    t->base = rf_chrome_whole(value, 0);
  } else if (rf_scan_is(key, "nodes")) {
    return rf_import_error(
        t->source, error, ROOF_E_PARSE, 1, 0,
        "a PyTorch execution trace: it has the operators but no times; give the trace that "
        "prof.export_chrome_trace() or tensorboard_trace_handler() writes");
  }
  return ROOF_OK;
}

static roof_status finish(kineto *t, bool cut) {
  if (t->kernels.count == 0 && t->ranges.count == 0) {
    if (!cut && t->ops.count > 0 && t->launches.count == 0) {
      return rf_kineto_cpu(t);
    }
    return rf_import_error(
        t->source, t->error, ROOF_E_PARSE, 0, 0, "%s",
        cut ? "it ends too early, before any GPU kernel"
        : t->launches.count > 0
            ? "no GPU kernel in this trace, only launches (PyTorch: profile with ProfilerActivity.CUDA)"
            : "no kernel and no operator in this trace");
  }
  if (cut) {
    rf_import_cut(t->profile, "the trace is not ended");
  }
  roof_status status = t->kernels.count > 0 ? rf_kineto_join(t) : ROOF_OK;
  status = status == ROOF_OK && t->kernels.count > 0 ? rf_kineto_graphs(t) : status;
  if (status == ROOF_OK && t->kernels.count > 0) {
    status = rf_kineto_report(t);
  }
  if (status == ROOF_OK && t->ranges.count > 0) {
    rf_import_skips(t->profile, "times of ranges",
                    "ranges are laid over the trace evenly, whatever their kernel takes", t->ranges.count);
    status = roof_profile_join(t->profile, &t->ranges, false, t->error);
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  kineto t = {.source = source, .profile = profile, .error = error, .rank = -1};
  const chrome_reader reader = {take_event, wants, take_member, &t};
  bool cut = false;
  roof_status status = rf_chrome_read(source, &reader, &cut, error);
  if (status == ROOF_OK) {
    status = finish(&t, cut);
  }
  free(t.ops.list);
  free(t.launches.list);
  free(t.kernels.list);
  free(t.waits.list);
  free(t.marks.list);
  free(t.said.list);
  free(t.calls.list);
  rf_intern_done(&t.names);
  rf_intern_done(&t.threads);
  rf_intern_done(&t.shapes);
  rf_intern_done(&t.groups);
  roof_text_done(&t.key);
  roof_profile_done(&t.ranges);
  return status;
}

static int detect(const char *text, size_t size) {
  (void)size;
  text += strspn(text, " \t\r\n");
  if (*text == '[') {
    return strstr(text, "\"ph\"") != NULL && strstr(text, "\"ts\"") != NULL ? 80 : 0;
  }
  if (*text != '{') {
    return 0;
  }
  bool execution = strstr(text, "\"schema\"") != NULL && strstr(text, "\"nodes\"") != NULL;
  bool begins = strstr(text, "\"schemaVersion\"") != NULL &&
                (strstr(text, "\"deviceProperties\"") != NULL || strstr(text, "\"distributedInfo\"") != NULL);
  return strstr(text, "\"traceEvents\"") != NULL || begins ? 90 : execution ? 70 : 0;
}

const roof_format rf_format_kineto = {
    .name = "kineto",
    .title = "PyTorch profiler (Kineto) Chrome trace",
    .gives = "time of every call, FLOPs and bytes from shapes, link bytes, idle time and launch gaps",
    .detect = detect,
    .read = read,
};
