/* rocprofv3 --output-format json: a document of all processes. Names of kernels, counters and processors stand apart from
 * the dispatches, which have their numbers: rocprofiler-sdk, lib/output/generateJSON.cpp. Read in place: a real run has more
 * objects than a tree of them would fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_chrome.h"
#include "import/_rocprof.h"

enum { LARGEST = 1 << 30, NAME = 16384 };

static int detect(const char *text, size_t size) {
  (void)size;
  return text[strspn(text, " \t\r\n")] == '{' && strstr(text, "\"rocprofiler-sdk-tool\"") != NULL ? 95 : 0;
}

/** What a number stands for. */
typedef struct entry {
  rf_span id;
  const char *name;
  int64_t number; /* of a processor among those of its kind */
  size_t order;   /* in the file */
} entry;

typedef struct entries {
  entry *list;
  size_t count, room;
} entries;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  roof_error *error;
  entries kernels, counters, devices;
  rocprof_bags bags;
  size_t time_count; /* of kernels */
} reading;

static roof_status no_memory(const reading *r) {
  return roof_error_set(r->error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(r->source));
}

/** The member of an object; absent where it has none. */
static rf_span member(rf_span object, const char *name) {
  rf_span key, value;
  const char *at = object.at != NULL && *object.at == '{' ? object.at + 1 : "";
  while (rf_scan_next(&at, &key, &value)) {
    if (rf_scan_is(key, name)) {
      return value;
    }
  }
  return (rf_span){0};
}

/** The member of a member. */
static rf_span inner(rf_span object, const char *outer, const char *name) {
  return member(member(object, outer), name);
}

/** The elements of a list, one after the other; false at the end. Start with *at NULL. */
static bool next(rf_span list, const char **at, rf_span *element) {
  rf_span key;
  if (*at == NULL) {
    *at = list.at != NULL && (*list.at == '[' || *list.at == '{') ? list.at + 1 : "";
  }
  return rf_scan_next(at, &key, element);
}

static int compare_spans(rf_span a, rf_span b) {
  return a.size != b.size ? (a.size < b.size ? -1 : 1) : a.size > 0 ? memcmp(a.at, b.at, a.size) : 0;
}

static int compare(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = compare_spans(x->id, y->id);
  return order != 0 ? order : x->order < y->order ? -1 : x->order > y->order;
}

/** What a number stands for, or NULL. */
static const entry *find(const entries *all, rf_span id) {
  size_t low = 0, high = all->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_spans(all->list[middle].id, id);
    if (order == 0) {
      return &all->list[middle];
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return NULL;
}

static bool add_entry(reading *r, entries *all, rf_span id, rf_span name, int64_t number) {
  char text[NAME];
  if (all->count == all->room) {
    size_t room = 2 * all->room + 64;
    entry *more = realloc(all->list, room * sizeof *more);
    if (more == NULL) {
      return false;
    }
    all->list = more;
    all->room = room;
  }
  rf_scan_text(name, text, sizeof text);
  all->list[all->count] = (entry){id, roof_profile_text(r->profile, text), number, all->count};
  all->count++;
  return true;
}

/** The first of two members that is a text with something in it. */
static rf_span either(rf_span object, const char *a, const char *b) {
  rf_span first = member(object, a);
  return first.size > 0 ? first : member(object, b);
}

/** Numbers and names of kernels, counters and processors of one process. */
static roof_status take_names(reading *r, rf_span process) {
  const struct {
    entries *to;
    const char *list, *id, *handle, *name, *otherwise;
  } kinds[] = {
      {&r->kernels, "kernel_symbols", "kernel_id", NULL, "formatted_kernel_name", "kernel_name"},
      {&r->counters, "counters", "id", "handle", "name", "name"},
      {&r->devices, "agents", "id", "handle", "product_name", "name"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    rf_span list = member(process, kinds[i].list), one;
    const char *at = NULL;
    kinds[i].to->count = 0;
    while (next(list, &at, &one)) {
      rf_span id = member(one, kinds[i].id), name = either(one, kinds[i].name, kinds[i].otherwise);
      id = kinds[i].handle != NULL ? member(id, kinds[i].handle) : id;
      if (id.size > 0 && name.at != NULL &&
          !add_entry(r, kinds[i].to, id, name, rf_chrome_whole(member(one, "logical_node_type_id"), 0))) {
        return no_memory(r);
      }
    }
    if (kinds[i].to->count > 0) {
      qsort(kinds[i].to->list, kinds[i].to->count, sizeof(entry), compare);
    }
  }
  return ROOF_OK;
}

/** Where a call was. */
typedef struct place {
  rf_span agent, stream;
} place;

/** One call of a record: its time, its processor and its stream. */
static roof_status take_call(reading *r, roof_record *record, rf_span call, place at, bool kernel) {
  const entry *device = find(&r->devices, at.agent);
  char stream[32] = "", name[160] = "";
  int64_t start = rf_chrome_whole(member(call, "start_timestamp"), -1), length;
  int64_t end = rf_chrome_whole(member(call, "end_timestamp"), -1);
  if (start < 0 || __builtin_sub_overflow(end, start, &length) || length < 0 || length > INT64_MAX / 1000) {
    rf_import_skip(r->profile, record->name, "its start and end are no times");
    record->calls++;
    return ROOF_OK;
  }
  if (device != NULL) {
    snprintf(name, sizeof name, "%.120s (%lld)", device->name, (long long)device->number);
  }
  rf_scan_text(at.stream, stream, sizeof stream);
  rf_import_call(r->profile, record, (uint64_t)length * 1000);
  rf_import_call_at(r->profile, record, start, (uint64_t)length * 1000, name, stream);
  if (kernel && device != NULL) {
    rf_import_device(r->profile, device->name);
  }
  r->time_count += kernel;
  return ROOF_OK;
}

/** The device or the stream of a place where the profile is rolled up by these. */
static const char *part_of(reading *r, place at) {
  const entry *device = find(&r->devices, at.agent);
  char stream[32] = "";
  rf_scan_text(at.stream, stream, sizeof stream);
  return device != NULL ? rf_import_place(r->profile, (int)device->number, stream) : NULL;
}

static place place_of(rf_span dispatch, rf_span call) {
  place at = {inner(member(dispatch, "dispatch_info"), "agent_id", "handle"),
              inner(call, "stream_id", "handle")};
  if (at.stream.at == NULL) {
    at.stream = inner(member(dispatch, "dispatch_info"), "queue_id", "handle");
  }
  return at;
}

static roof_record *record_of(reading *r, rf_span dispatch, place at) {
  const entry *kernel = find(&r->kernels, inner(dispatch, "dispatch_info", "kernel_id"));
  const char *name = kernel != NULL ? kernel->name : "unnamed";
  return rf_import_part(r->profile, part_of(r, at), name, rf_rocprof_name(name));
}

static roof_status take_dispatch(reading *r, rf_span dispatch, rf_span call) {
  place at = place_of(dispatch, call);
  roof_record *record = record_of(r, dispatch, at);
  return record != NULL ? take_call(r, record, dispatch, at, true) : rf_import_settled(r->profile, r->error);
}

/** By rocprofiler_memory_copy_operation_t. */
static const char *const copies[] = {"[copy]", "[copy host to host]", "[copy host to device]",
                                     "[copy device to host]", "[copy device to device]"};

static roof_status take_copy(reading *r, rf_span copy) {
  int64_t way = rf_chrome_whole(member(copy, "operation"), 0);
  way = way > 0 && way < (int64_t)(sizeof copies / sizeof copies[0]) ? way : 0;
  place at = {inner(copy, way == 3 ? "src_agent_id" : "dst_agent_id", "handle"),
              inner(copy, "stream_id", "handle")};
  roof_record *record = rf_import_part(r->profile, part_of(r, at), copies[way], strlen(copies[way]));
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  int64_t bytes = rf_chrome_whole(member(copy, "bytes"), -1);
  if (bytes >= 0) {
    rf_import_add(&record->link_bytes, (double)bytes, "bytes of the copy", ROOF_QUALITY_MEASURED);
    record->link = strstr(copies[way], "device to device") == NULL ? "PCIe" : record->link;
  }
  return take_call(r, record, copy, at, false);
}

/** The counters of one dispatch, a value for each instance of each. */
static roof_status take_counters(reading *r, rf_span counted, bool timed) {
  rf_span dispatch = member(counted, "dispatch_data"), records = member(counted, "records"), one;
  const char *at = NULL;
  roof_status status = timed ? ROOF_OK : take_dispatch(r, dispatch, counted);
  roof_record *record = status == ROOF_OK ? record_of(r, dispatch, place_of(dispatch, counted)) : NULL;
  rocprof_bag *bag = record != NULL ? rf_rocprof_bag(&r->bags, r->profile, record) : NULL;
  if (bag == NULL) {
    return status == ROOF_OK ? no_memory(r) : status;
  }
  while (next(records, &at, &one)) {
    const entry *counter = find(&r->counters, inner(one, "counter_id", "handle"));
    int which = counter != NULL ? rf_rocprof_counter(counter->name) : -1;
    char number[64] = "";
    rf_scan_text(member(one, "value"), number, sizeof number);
    if (which >= 0) {
      rf_rocprof_add(bag, which, rf_import_number(number, NULL));
    }
  }
  return status;
}

static roof_status take_process(reading *r, rf_span process) {
  rf_span buffers = member(process, "buffer_records"), one;
  rf_span dispatches = member(buffers, "kernel_dispatch"), moved = member(buffers, "memory_copy");
  rf_span counted = inner(process, "callback_records", "counter_collection");
  const char *at = NULL;
  size_t before = r->time_count;
  roof_status status = take_names(r, process);
  while (status == ROOF_OK && next(dispatches, &at, &one)) {
    status = take_dispatch(r, one, one);
  }
  bool timed = r->time_count > before;
  for (at = NULL; status == ROOF_OK && next(counted, &at, &one);) {
    status = take_counters(r, one, timed);
  }
  for (at = NULL; status == ROOF_OK && next(moved, &at, &one);) {
    status = take_copy(r, one);
  }
  return status;
}

/** Why and where the text is no complete JSON. */
static roof_status malformed(const reading *r, const char *text, const rf_scan *scan) {
  int line = 1;
  const char *begin = text;
  for (const char *p = text; p < scan->stopped; p++) {
    line += *p == '\n';
    begin = *p == '\n' ? p + 1 : begin;
  }
  return rf_import_error(r->source, r->error, ROOF_E_PARSE, line, (int)(scan->stopped - begin) + 1, "%s",
                         scan->stopped == scan->end ? "the file ends inside its document" : "malformed JSON");
}

/** A list of processes, or one alone. */
static roof_status take_document(reading *r, rf_span document) {
  rf_span tool = member(document, "rocprofiler-sdk-tool"), process;
  const char *at = NULL;
  if (tool.at != NULL && *tool.at == '{') {
    return take_process(r, tool);
  }
  roof_status status = ROOF_OK;
  while (status == ROOF_OK && next(tool, &at, &process)) {
    status = take_process(r, process);
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  char *text = NULL;
  size_t size = 0;
  rf_span document;
  roof_status status = rf_import_all(source, LARGEST, &text, &size, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_scan scan = {.end = text + size};
  if (rf_scan_value(&scan, rf_scan_blank(text), &document) == NULL) {
    return malformed(&r, text, &scan);
  }
  status = take_document(&r, document);
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                             "no kernel in it: rocprofv3 records them with --kernel-trace");
  }
  rf_rocprof_settle(&r.bags, profile);
  free(r.bags.list);
  free(r.kernels.list);
  free(r.counters.list);
  free(r.devices.list);
  return status;
}

const roof_format rf_format_rocprof_json = {
    .name = "rocprof-json",
    .title = "rocprofv3 JSON",
    .gives = "as rocpd",
    .detect = detect,
    .read = read,
};
