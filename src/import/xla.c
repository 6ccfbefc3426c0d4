/* What jax.profiler and TensorFlow's profiler write for XLA, trace.json.gz: a Chrome trace with a process for each device.
 * Its threads are streams of a GPU ("Stream #13(Compute)"), or "XLA Ops" of a TPU; the others show the same time by module, step
 * or scope. An operation that contains others (a loop) has the time of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_chrome.h"
#include "import/_nested.h"

enum { NAME = 16384 };

static int detect(const char *text, size_t size) {
  (void)size;
  bool found = strstr(text, "\"traceEvents\"") != NULL && strstr(text, "\"process_name\"") != NULL &&
               (strstr(text, "\"/host:CPU\"") != NULL || strstr(text, "\"/device:GPU:") != NULL ||
                strstr(text, "\"/device:TPU:") != NULL);
  return found ? 95 : 0;
}

/** A thread of a device that operations ran on. */
typedef struct line {
  int64_t process, thread;
  const char *name; /* NULL: of the process itself */
  int device;       /* -1: not one that is counted */
} line;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  roof_error *error;
  line *lines;
  size_t line_count, line_room;
  import_nesting calls;
  bool device; /* there is one */
} reading;

static roof_status no_memory(const reading *r) {
  return roof_error_set(r->error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(r->source));
}

static line *new_line(reading *r) {
  if (r->line_count == r->line_room) {
    size_t room = 2 * r->line_room + 64;
    line *lines = realloc(r->lines, room * sizeof *lines);
    if (lines == NULL) {
      return NULL;
    }
    r->lines = lines;
    r->line_room = room;
  }
  return &r->lines[r->line_count++];
}

/** The member of the arguments, absent where there is none. */
static rf_span argument(const chrome_event *e, const char *name) {
  rf_span key, value;
  const char *at = e->arguments.size > 0 ? e->arguments.at + 1 : "";
  while (rf_scan_next(&at, &key, &value)) {
    if (rf_scan_is(key, name)) {
      return value;
    }
  }
  return (rf_span){0};
}

static double number_of(rf_span value) {
  char text[64] = "";
  if (value.at != NULL && value.size < sizeof text) {
    rf_scan_text(value, text, sizeof text);
  }
  return rf_import_number(text, NULL);
}

/** The line of a thread (-1: of the process), NULL: not named. */
static line *find_line(const reading *r, int64_t process, int64_t thread) {
  for (size_t i = 0; i < r->line_count; i++) {
    if (r->lines[i].process == process && r->lines[i].thread == thread) {
      return &r->lines[i];
    }
  }
  return NULL;
}

/** The number of "/device:GPU:0", -1: the host's process. */
static int device_of(const char *name) {
  bool found = strncmp(name, "/device:GPU:", 12) == 0 || strncmp(name, "/device:TPU:", 12) == 0;
  int64_t number =
      found ? rf_chrome_whole((rf_span){name + 12, strspn(name + 12, "0123456789"), false}, -1) : -1;
  return number >= 0 && number < 4096 ? (int)number : -1;
}

/** Names of processes and threads come before the events. */
static roof_status take_name(reading *r, const chrome_event *e, bool thread) {
  char text[256] = "";
  rf_scan_text(argument(e, "name"), text, sizeof text);
  line *named = new_line(r);
  if (named == NULL) {
    return no_memory(r);
  }
  named->process = rf_chrome_whole(e->process, -1);
  named->thread = thread ? rf_chrome_whole(e->thread, -1) : -1;
  named->name = thread ? roof_profile_text(r->profile, text) : NULL;
  const line *process = thread ? find_line(r, named->process, -1) : NULL;
  bool counted = strncmp(text, "Stream #", 8) == 0 || strcmp(text, "XLA Ops") == 0;
  named->device = !thread ? device_of(text) : counted && process != NULL ? process->device : -1;
  r->device |= named->device >= 0;
  return ROOF_OK;
}

static const struct {
  const char *name;
  roof_dtype dtype;
} formats[] = {{"bf16[", ROOF_BF16}, {"f32[", ROOF_FP32}, {"f16[", ROOF_FP16},
               {"f64[", ROOF_FP64},  {"s8[", ROOF_INT8},  {"f8e", ROOF_FP8}};

/** The format that a text begins with, ROOF_DTYPE_COUNT: none. */
static roof_dtype format_at(rf_span text) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    size_t length = strlen(formats[i].name);
    if (text.size > length && memcmp(text.at, formats[i].name, length) == 0) {
      return formats[i].dtype;
    }
  }
  return ROOF_DTYPE_COUNT;
}

/** What follows a shape, "bf16[64,128]{1,0:T(8,128)}" or several in parentheses, and the blank behind it. */
static rf_span after_shape(rf_span text) {
  int depth = 0;
  size_t i = 0;
  for (; i < text.size && (depth > 0 || text.at[i] != ' '); i++) {
    depth += strchr("([{", text.at[i]) != NULL ? 1 : strchr(")]}", text.at[i]) != NULL ? -1 : 0;
  }
  i += i < text.size;
  return (rf_span){text.at + i, text.size - i, false};
}

/** The narrowest format of the operands in "fusion(bf16[1024,4096]{1,0} %p0, f32[8192]{0} %p1), kind=...": others are sums. */
static roof_dtype operands_format(rf_span call) {
  roof_dtype narrowest = ROOF_DTYPE_COUNT;
  size_t i = 0;
  while (i < call.size && call.at[i] != '(') {
    i++;
  }
  for (int depth = 0; i < call.size && (depth != 1 || call.at[i] != ')'); i++) {
    depth += call.at[i] == '(' ? 1 : call.at[i] == ')' ? -1 : 0;
    bool begins = depth == 1 && (call.at[i] == '(' || call.at[i] == ' ');
    roof_dtype one =
        begins ? format_at((rf_span){call.at + i + 1, call.size - i - 1, false}) : ROOF_DTYPE_COUNT;
    bool narrower = one != ROOF_DTYPE_COUNT &&
                    (narrowest == ROOF_DTYPE_COUNT || roof_dtype_bytes(one) < roof_dtype_bytes(narrowest));
    narrowest = narrower ? one : narrowest;
  }
  return narrowest;
}

/** The format of the arithmetic by an operation's text, "%fusion.1 = bf16[64,128]{1,0} fusion(...)": of its result, and of a
 * product of what is multiplied, whose sums may be wider. ROOF_DTYPE_COUNT: not said. */
static roof_dtype format_of(rf_span text, const char *category) {
  const char *after = text.at != NULL ? memmem(text.at, text.size, " = ", 3) : NULL;
  if (after == NULL) {
    return ROOF_DTYPE_COUNT;
  }
  rf_span shape = {after + 3, (size_t)(text.at + text.size - after) - 3, false};
  rf_span call = after_shape(shape);
  bool product = strstr(category, "convolution") != NULL || strstr(category, "dot") != NULL ||
                 strcmp(category, "output fusion") == 0;
  roof_dtype multiplied = product ? operands_format(call) : ROOF_DTYPE_COUNT;
  return multiplied != ROOF_DTYPE_COUNT ? multiplied : format_at(shape);
}

static void add_work(roof_record *record, const chrome_event *e) {
  static const char source[] = "XLA's analysis of its cost";
  double flops = number_of(argument(e, "model_flops")), bytes = number_of(argument(e, "bytes_accessed"));
  char category[64] = "";
  rf_scan_text(argument(e, "hlo_category"), category, sizeof category);
  if (roof_activity_of(record->name) == ROOF_ACTIVITY_COMMUNICATION ||
      roof_activity_of(category) == ROOF_ACTIVITY_COMMUNICATION) {
    rf_import_missing(&record->link_bytes, "the trace does not say between how many devices");
    return;
  }
  roof_dtype dtype = format_of(argument(e, "long_name"), category);
  bool known = dtype != ROOF_DTYPE_COUNT;
  flops = isnan(flops) ? number_of(argument(e, "flops")) : flops;
  rf_import_add(&record->other_flops[known ? dtype : ROOF_FP32], known ? flops : NAN,
                isnan(flops) ? "the trace has no FLOPs of it"
                : known      ? source
                             : "the trace does not say its format",
                ROOF_QUALITY_ESTIMATED);
  rf_import_add(&record->bytes[ROOF_MEMORY], bytes, isnan(bytes) ? "the trace has no bytes of it" : source,
                ROOF_QUALITY_ESTIMATED);
}

static roof_status take_call(reading *r, const chrome_event *e) {
  const line *on = find_line(r, rf_chrome_whole(e->process, -1), rf_chrome_whole(e->thread, -1));
  int64_t start = 0, length = 0, end = 0;
  char name[NAME];
  if (on == NULL || on->device < 0 || on->name == NULL) {
    return ROOF_OK;
  }
  size_t size = rf_scan_text(e->name, name, sizeof name);
  if (!rf_chrome_millionths(e->start, &start) || !rf_chrome_millionths(e->length, &length) || length < 0 ||
      __builtin_add_overflow(start, length, &end)) {
    rf_import_skip(r->profile, name, "its ts and dur are no times");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, size);
  if (record != NULL) {
    add_work(record, e);
  }
  return rf_import_nested_add(&r->calls, r->profile, record, (uint32_t)(on - r->lines),
                              (const int64_t[]){start, end}, r->error);
}

static bool wants(rf_span category) {
  (void)category;
  return true;
}

static roof_status take_event(void *state, const chrome_event *e, roof_error *error) {
  reading *r = state;
  (void)error;
  if (rf_scan_is(e->phase, "M")) {
    bool process = rf_scan_is(e->name, "process_name");
    return process || rf_scan_is(e->name, "thread_name") ? take_name(r, e, !process) : ROOF_OK;
  }
  return rf_scan_is(e->phase, "X") && e->name.at != NULL ? take_call(r, e) : ROOF_OK;
}

/** When calls without others inside them were. */
static void add_times(reading *r) {
  for (size_t i = 0; i < r->calls.count; i++) {
    const import_nested *c = &r->calls.list[i];
    const line *on = &r->lines[c->line];
    char device[16];
    snprintf(device, sizeof device, "%d", on->device);
    if (!c->around) {
      rf_import_call_at(r->profile, &r->profile->records[c->record], c->start / 1000, (uint64_t)c->own,
                        device, on->name);
    }
  }
}

static roof_status finish(reading *r, bool cut) {
  if (r->calls.count == 0) {
    return rf_import_error(r->source, r->error, ROOF_E_PARSE, 0, 0, "%s",
                           cut ? "it ends too early, before any operation of a device"
                           : r->device
                               ? "a trace of XLA without an operation on its devices"
                               : "a trace of XLA without a device: what runs on the host alone is not read");
  }
  roof_status status = rf_import_nest(&r->calls, r->profile, r->error);
  if (status == ROOF_OK) {
    add_times(r);
  }
  if (cut) {
    rf_import_cut(r->profile, "the trace is not ended");
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  const chrome_reader reader = {take_event, wants, NULL, &r};
  bool cut = false;
  roof_status status = rf_chrome_read(source, &reader, &cut, error);
  if (status == ROOF_OK) {
    status = finish(&r, cut);
  }
  free(r.lines);
  free(r.calls.list);
  return status;
}

const roof_format rf_format_xla = {
    .name = "xla",
    .title = "JAX, TensorFlow profiler (XLA) Chrome trace",
    .gives = "time of every operation on a device, FLOPs and bytes where XLA's analysis has them, idle time",
    .detect = detect,
    .read = read,
};
