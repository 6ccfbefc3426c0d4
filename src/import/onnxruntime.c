/* Profiles of ONNX Runtime: a list of Chrome events; those of category "Node" that end in "_kernel_time" are the calls of nodes:
 * onnxruntime/core/common/profiler.cc. A node with a graph inside (If, Loop) has the time of its own. */
#include <stdlib.h>
#include <string.h>

#include "import/_chrome.h"
#include "import/_nested.h"

enum { NAME = 4096 };

static int detect(const char *text, size_t size) {
  (void)size;
  bool list = text[strspn(text, " \t\r\n")] == '[';
  bool found = strstr(text, "_kernel_time\"") != NULL || strstr(text, "\"model_loading_") != NULL ||
               strstr(text, "\"session_initialization\"") != NULL;
  return list && found ? 95 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  roof_error *error;
  import_nesting calls;
} reading;

static bool wants(rf_span category) {
  return rf_scan_is(category, "Node");
}

/** The member of the arguments as text, "" where there is none. */
static void argument(const chrome_event *e, const char *name, char *text, size_t size) {
  rf_span key, value;
  const char *at = e->arguments.size > 0 ? e->arguments.at + 1 : "";
  text[0] = '\0';
  while (rf_scan_next(&at, &key, &value)) {
    if (rf_scan_is(key, name)) {
      rf_scan_text(value, text, size);
      return;
    }
  }
}

/** Kernels of accelerators run on after the node's time, which is that of the host. */
static void take_provider(reading *r, const chrome_event *e) {
  char provider[80];
  argument(e, "provider", provider, sizeof provider);
  if (provider[0] != '\0' && strcmp(provider, "CPUExecutionProvider") != 0) {
    rf_import_skip(r->profile, rf_import_textf(r->profile, "what nodes of %s do", provider),
                   "their times are the host's, which may go on before the device has done its work");
  }
}

static roof_status take_event(void *state, const chrome_event *e, roof_error *error) {
  static const char ending[] = "_kernel_time";
  reading *r = state;
  char name[NAME + 128], op[100];
  int64_t start = 0, length = 0, end = 0;
  (void)error;
  size_t size = e->name.at != NULL ? rf_scan_text(e->name, name, NAME) : 0, tail = sizeof ending - 1;
  if (!rf_scan_is(e->category, "Node") || size <= tail || strcmp(name + size - tail, ending) != 0) {
    return ROOF_OK;
  }
  size -= tail;
  name[size] = '\0';
  argument(e, "op_name", op, sizeof op);
  if (op[0] != '\0') {
    size += (size_t)snprintf(name + size, sizeof op + 8, " [%s]", op);
  }
  if (!rf_chrome_millionths(e->start, &start) || !rf_chrome_millionths(e->length, &length) || length < 0 ||
      __builtin_add_overflow(start, length, &end)) {
    rf_import_skip(r->profile, name, "its ts and dur are no times");
    return ROOF_OK;
  }
  take_provider(r, e);
  roof_record *record = rf_import_record(r->profile, name, size);
  uint32_t line = (uint32_t)rf_chrome_whole(e->thread, 0);
  return rf_import_nested_add(&r->calls, r->profile, record, line, (const int64_t[]){start, end}, r->error);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  const chrome_reader reader = {take_event, wants, NULL, &r};
  bool cut = false;
  roof_status status = rf_chrome_read(source, &reader, &cut, error);
  if (status == ROOF_OK && r.calls.count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s",
                             cut ? "it ends too early, before any node"
                                 : "no node of a model ran in this profile");
  }
  if (status == ROOF_OK) {
    status = rf_import_nest(&r.calls, profile, error);
  }
  if (status == ROOF_OK && cut) {
    rf_import_cut(profile, "the profile is not ended");
  }
  free(r.calls.list);
  return status;
}

const roof_format rf_format_onnxruntime = {
    .name = "onnxruntime",
    .title = "ONNX Runtime profile",
    .gives = "time of every node on the host",
    .detect = detect,
    .read = read,
};
