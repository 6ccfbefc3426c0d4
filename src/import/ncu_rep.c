/* Nsight Compute's own report: blocks of protocol buffers, the metrics in base units. The structure is
 * documented in its Customization Guide, "Report File Format". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/proto.h"
#include "import/_ncu.h"
#include "import/_ncu_lines.h"

enum {
  LARGEST = 1 << 30,
  /* fields of BlockHeader */
  BLOCK_SOURCES = 1,
  BLOCK_RESULTS = 2,
  BLOCK_STRINGS = 4,
  BLOCK_PAYLOAD = 5,
  BLOCK_RANGES = 7,
  /* of ProfileResult */
  RESULT_MANGLED = 5,
  RESULT_FUNCTION = 6,
  RESULT_DEMANGLED = 7,
  RESULT_METRIC = 13,
  RESULT_SOURCE = 15,
  RESULT_RULE = 19,
  /* of RuleResult, its body, an item of that and the item's message */
  RULE_NAME = 1,
  RULE_BODY = 3,
  BODY_ITEM = 1,
  ITEM_MESSAGE = 1,
  MESSAGE_TEXT = 1,
  MESSAGE_TYPE = 2,
  ITEM_BEHIND =
      10, /* what it would bring is in a field behind the metrics it looked at and the table of lines */
  /* of a ProfileResult's source */
  RESULT_SOURCE_ID = 1,
  /* of MetricResults and MetricValue */
  METRIC_NAME = 1,
  METRIC_VALUE = 2,
  VALUE_STRING = 1,
  VALUE_FLOAT = 2,
  VALUE_DOUBLE = 3,
  VALUE_U32 = 4,
  VALUE_U64 = 5
};

typedef struct report {
  roof_source *source;
  roof_profile *profile;
  ncu_device device;
  proto rest;     /* of the file */
  proto *strings; /* of all blocks so far */
  ncu_sources sources;
  ncu_instances instances; /* of the launch at hand */
  size_t string_count, string_room;
  size_t launches;
} report;

static int detect(const char *text, size_t size) {
  return size >= 8 && memcmp(text, "NVR\0", 4) == 0 ? 100 : 0;
}

/** A size in four bytes, and that many bytes behind it. */
static bool take_sized(proto *from, proto *message) {
  if (from->end - from->at < 4) {
    return false;
  }
  const unsigned char *p = from->at;
  size_t size = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
  if (size > (size_t)(from->end - p) - 4) {
    return false;
  }
  *message = (proto){p + 4, p + 4 + size};
  from->at = p + 4 + size;
  return true;
}

static roof_status broken(const report *r, roof_error *error) {
  return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0,
                         "the report ends too early or is damaged, after %zu kernels", r->launches);
}

static roof_status add_strings(report *r, proto table, roof_error *error) {
  bool bad = false;
  for (proto_field f; rf_proto_next(&table, &f, &bad);) {
    if (r->string_count == r->string_room) {
      size_t room = r->string_room * 2 + 256;
      proto *more = realloc(r->strings, room * sizeof *more);
      if (more == NULL) {
        return roof_error_set(error, ROOF_E_MEMORY, "ncu-rep: out of memory");
      }
      r->strings = more;
      r->string_room = room;
    }
    r->strings[r->string_count++] = f.bytes;
  }
  return bad ? broken(r, error) : ROOF_OK;
}

static double number_of(proto value) {
  proto_field f;
  if (rf_proto_find(value, VALUE_DOUBLE, &f) || rf_proto_find(value, VALUE_FLOAT, &f)) {
    return rf_proto_double(&f);
  }
  return rf_proto_find(value, VALUE_U64, &f) || rf_proto_find(value, VALUE_U32, &f) ? (double)f.number : NAN;
}

static void copy(char *to, size_t size, proto text) {
  size_t length = (size_t)(text.end - text.at);
  length = length < size ? length : size - 1;
  if (length > 0) {
    memcpy(to, text.at, length);
  }
  to[length] = '\0';
}

/** A time in nanoseconds as seconds, a share in hundredths as it is: what the metric's form says. */
static double in_si(const char *metric, double value) {
  bool nanoseconds = strstr(metric, "__time_duration") != NULL;
  bool percent = strstr(metric, ".pct") != NULL;
  return nanoseconds ? value * 1e-9 : percent ? value * 1e-2 : value;
}

static void take_metric(report *r, ncu_launch *launch, proto metric) {
  proto_field name, value, text;
  char metric_name[160], words[256];
  if (!rf_proto_find(metric, METRIC_NAME, &name) || !rf_proto_find(metric, METRIC_VALUE, &value) ||
      name.number >= r->string_count) {
    return;
  }
  copy(metric_name, sizeof metric_name, r->strings[name.number]);
  if (!rf_ncu_instances_add(&r->instances, metric_name, metric)) {
    rf_import_starved(r->profile);
  }
  if (rf_proto_find(value.bytes, VALUE_STRING, &text)) {
    copy(words, sizeof words, text.bytes);
    rf_ncu_device_set(&r->device, metric_name, words, NAN);
  }
  double number = in_si(metric_name, number_of(value.bytes));
  rf_ncu_device_set(&r->device, metric_name, "", number);
  if (isfinite(number)) {
    rf_ncu_launch_set(launch, metric_name, number);
  }
}

/** A text without its links: of "@section:Target:Label@" and "@url:Label:https://...@" the label is left. */
static void plain_text(char *text) {
  char *to = text;
  for (const char *p = text; *p != '\0';) {
    bool section = strncmp(p, "@section:", 9) == 0, url = strncmp(p, "@url:", 5) == 0;
    const char *first = section || url ? strchr(p, ':') + 1 : NULL,
               *colon = first != NULL ? strchr(first, ':') : NULL;
    const char *label = url ? first : colon != NULL ? colon + 1 : NULL;
    const char *last = colon != NULL ? strchr(colon, '@') : NULL, *end = url ? colon : last;
    if (last != NULL) {
      memmove(to, label, (size_t)(end - label));
      to += end - label;
      p = last + 1;
    } else {
      *to++ = *p++;
    }
  }
  *to = '\0';
}

/** What a rule would bring: its field is not documented, but it alone is a small number, of the kernel or of one resource,
 * and a percentage. NaN: it does not say. */
static double speedup_of(proto item) {
  bool bad = false;
  for (proto_field f; rf_proto_next(&item, &f, &bad);) {
    proto_field in, percent = {.wire = 0};
    proto left = f.bytes;
    int other = 0;
    while (f.id >= ITEM_BEHIND && f.wire == 2 && rf_proto_next(&left, &in, &bad)) {
      percent = in.wire == 1 ? in : percent;
      other += in.wire != 1 && !(in.wire == 0 && in.number <= 2);
    }
    double value = percent.wire == 1 && other == 0 && !bad ? rf_proto_double(&percent) : NAN;
    if (value >= 0 && value <= 100) {
      return value / 100;
    }
  }
  return NAN;
}

/** The messages of a rule, and what following the first advice would bring. */
static void take_rule(const report *r, roof_record *record, proto rule) {
  static const char *const types[] = {"", "INF", "WRN", "ERR", "OPT"};
  proto_field name, body, message, text, type;
  char id[64], words[1024];
  bool bad = false, kept = false;
  if (!rf_proto_find(rule, RULE_NAME, &name) || !rf_proto_find(rule, RULE_BODY, &body)) {
    return;
  }
  proto items = body.bytes;
  double speedup = NAN;
  for (proto_field f; rf_proto_next(&items, &f, &bad);) {
    speedup = f.id == BODY_ITEM && f.wire == 2 && isnan(speedup) ? speedup_of(f.bytes) : speedup;
  }
  for (proto_field f; !kept && rf_proto_next(&body.bytes, &f, &bad);) {
    kept = f.id == BODY_ITEM && f.wire == 2 && rf_proto_find(f.bytes, ITEM_MESSAGE, &message) &&
           rf_proto_find(message.bytes, MESSAGE_TEXT, &text) &&
           rf_proto_find(message.bytes, MESSAGE_TYPE, &type);
  }
  if (kept) {
    copy(id, sizeof id, name.bytes);
    copy(words, sizeof words, text.bytes);
    plain_text(words);
    rf_import_rule(
        r->profile, record,
        &(roof_rule){.name = id,
                     .text = words,
                     .type = type.number < sizeof types / sizeof types[0] ? types[type.number] : "",
                     .speedup = speedup,
                     .scope = ""});
  }
}

static roof_status take_rules(const report *r, proto result, const char *kernel, size_t length,
                              roof_error *error) {
  bool bad = false;
  roof_record *record = rf_import_record(r->profile, kernel, length);
  for (proto_field f; record != NULL && rf_proto_next(&result, &f, &bad);) {
    if (f.id == RESULT_RULE && f.wire == 2) {
      take_rule(r, record, f.bytes);
    }
  }
  return rf_import_settled(r->profile, error);
}

/** Adds what the instructions of the launch cost to the lines of its kernel. */
static roof_status take_lines(report *r, proto result, const char *kernel, size_t length, roof_error *error) {
  proto_field mangled, function, source, id = {0};
  char name[512] = "";
  roof_record *record = r->instances.count > 0 ? rf_import_record(r->profile, kernel, length) : NULL;
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  if (rf_proto_find(result, RESULT_MANGLED, &mangled) && mangled.wire == 2) {
    copy(name, sizeof name, mangled.bytes);
  } else if (rf_proto_find(result, RESULT_FUNCTION, &function) && function.wire == 2) {
    copy(name, sizeof name, function.bytes);
  }
  bool known = rf_proto_find(result, RESULT_SOURCE, &source) && source.wire == 2 &&
               rf_proto_find(source.bytes, RESULT_SOURCE_ID, &id);
  roof_status status =
      rf_ncu_lines_add(r->profile, record, &r->instances, &r->sources, known ? id.number : 0, name, error);
  r->instances.count = 0;
  return status;
}

static roof_status take_result(report *r, proto result, roof_error *error) {
  const proto whole = result;
  ncu_launch launch;
  proto function = {NULL, NULL}, demangled = {NULL, NULL};
  bool bad = false;
  rf_ncu_launch_init(&launch);
  for (proto_field f; rf_proto_next(&result, &f, &bad);) {
    if (f.id == RESULT_METRIC && f.wire == 2) {
      take_metric(r, &launch, f.bytes);
    }
    function = f.id == RESULT_FUNCTION && f.wire == 2 ? f.bytes : function;
    demangled = f.id == RESULT_DEMANGLED && f.wire == 2 ? f.bytes : demangled;
  }
  if (bad) {
    return broken(r, error);
  }
  launch.capability = r->device.major * 10 + r->device.minor;
  proto name = demangled.end > demangled.at ? demangled : function;
  r->launches++;
  const char *kernel = name.end > name.at ? (const char *)name.at : "unnamed";
  size_t length = name.end > name.at ? (size_t)(name.end - name.at) : strlen(kernel);
  roof_status status = rf_ncu_launch_add(r->profile, &launch, kernel, length, error);
  status = status == ROOF_OK ? take_rules(r, whole, kernel, length, error) : status;
  return status == ROOF_OK ? take_lines(r, whole, kernel, length, error) : status;
}

/** The entries of a block: sources, then results. */
static roof_status take_payload(report *r, proto payload, uint64_t sources, uint64_t results,
                                roof_error *error) {
  proto entry;
  roof_status status = ROOF_OK;
  for (uint64_t i = 0; i < sources; i++) {
    if (!take_sized(&payload, &entry)) {
      return broken(r, error);
    }
    if (!rf_ncu_source_add(&r->sources, entry)) {
      return roof_error_set(error, ROOF_E_MEMORY, "ncu-rep: out of memory");
    }
  }
  for (uint64_t i = 0; i < results && status == ROOF_OK; i++) {
    status = take_sized(&payload, &entry) ? take_result(r, entry, error) : broken(r, error);
  }
  return status;
}

static roof_status take_block(report *r, roof_error *error) {
  proto header;
  proto_field f;
  if (!take_sized(&r->rest, &header)) {
    return broken(r, error);
  }
  uint64_t sources = rf_proto_find(header, BLOCK_SOURCES, &f) ? f.number : 0;
  uint64_t results = rf_proto_find(header, BLOCK_RESULTS, &f) ? f.number : 0;
  uint64_t size = rf_proto_find(header, BLOCK_PAYLOAD, &f) ? f.number : 0;
  if (rf_proto_find(header, BLOCK_RANGES, &f) && f.number > 0) {
    rf_import_skip(r->profile, "range results", "a range replays several kernels at once; profile kernels");
  }
  roof_status status = ROOF_OK;
  if (rf_proto_find(header, BLOCK_STRINGS, &f) && f.wire == 2) {
    status = add_strings(r, f.bytes, error);
  }
  if (status == ROOF_OK && size > (uint64_t)(r->rest.end - r->rest.at)) {
    status = broken(r, error);
  }
  if (status == ROOF_OK) {
    status = take_payload(r, (proto){r->rest.at, r->rest.at + size}, sources, results, error);
    r->rest.at += size;
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  report r = {.source = source, .profile = profile};
  proto header;
  char *data = NULL;
  size_t size = 0;
  roof_status status = rf_import_all(source, LARGEST, &data, &size, error);
  if (status != ROOF_OK) {
    return status;
  }
  r.rest = (proto){(const unsigned char *)data + (size < 4 ? size : 4), (const unsigned char *)data + size};
  if (size < 8 || memcmp(data, "NVR\0", 4) != 0 || !take_sized(&r.rest, &header)) {
    return rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                           "it does not begin as a report of Nsight Compute");
  }
  while (status == ROOF_OK && r.rest.at < r.rest.end) {
    status = take_block(&r, error);
  }
  if (status == ROOF_OK && r.launches == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no kernel in the report");
  }
  if (status == ROOF_OK) {
    rf_ncu_device_add(profile, &r.device);
  }
  free(r.strings);
  rf_ncu_sources_done(&r.sources);
  rf_ncu_instances_done(&r.instances);
  return status;
}

const roof_format rf_format_ncu_rep = {
    .name = "ncu-rep",
    .title = "Nsight Compute report (.ncu-rep)",
    .gives = "as Nsight Compute CSV; what each line of source cost, or each instruction",
    .detect = detect,
    .read = read,
};
