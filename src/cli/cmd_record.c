/* Measurements into the ledger: by hand, or from a program's file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "catalog/file.h"
#include "cli/seal.h"

static char *ledger_path;
static int unsealed;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to record; default " ROOF_DEFAULT_LEDGER,
     "FILE"},
    {"unsealed", '\0', POPT_ARG_NONE, &unsealed, 0,
     "take measurements without a prediction, or older than it, and mark them so for ever", NULL},
    POPT_TABLEEND};

typedef struct batch {
  roof_measurement *list;
  size_t count;
  double measured_time; /**< s since 1970, 0: now */
} batch;

static void batch_done(batch *b) {
  for (size_t i = 0; i < b->count; i++) {
    roof_measurement_done(&b->list[i]);
  }
  free(b->list);
}

static roof_status batch_init(batch *b, size_t count, roof_error *error) {
  *b = (batch){.list = calloc(count + 1, sizeof *b->list), .count = count};
  if (b->list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "record: out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    roof_measurement_init(&b->list[i]);
    b->list[i].dtype = ROOF_FP32;
  }
  return ROOF_OK;
}

/** The median where only samples are given. */
static roof_status settle(roof_measurement *m, roof_error *error) {
  if (m->sample_count == 0 || !isnan(m->seconds)) {
    return ROOF_OK;
  }
  double *sorted = malloc(m->sample_count * sizeof *sorted);
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "record: out of memory");
  }
  memcpy(sorted, m->samples, m->sample_count * sizeof *sorted);
  roof_status status = roof_stats_of(sorted, m->sample_count, &m->stats, error);
  m->seconds = status == ROOF_OK ? m->stats.median : NAN;
  free(sorted);
  return status;
}

static roof_status add_sample(roof_measurement *m, double seconds, roof_error *error) {
  double *more = realloc(m->samples, (m->sample_count + 1) * sizeof *more);
  if (more == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "record: out of memory");
  }
  m->samples = more;
  m->samples[m->sample_count++] = seconds;
  return ROOF_OK;
}

/* By hand: LABEL key=value ... */

static roof_status take_seconds(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "s", &m->seconds, error);
}

static roof_status take_samples(roof_measurement *m, char *text, roof_error *error) {
  char *rest = NULL;
  roof_status status = ROOF_OK;
  for (char *part = strtok_r(text, ",", &rest); part != NULL && status == ROOF_OK;
       part = strtok_r(NULL, ",", &rest)) {
    double seconds = NAN;
    status = roof_quantity_parse_unit(part, "s", &seconds, error);
    if (status == ROOF_OK) {
      status = add_sample(m, seconds, error);
    }
  }
  return status;
}

static roof_status take_flops(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "FLOP", &m->flops, error);
}

static roof_status take_bytes(roof_measurement *m, char *text, roof_error *error) {
  return roof_quantity_parse_unit(text, "B", &m->bytes, error);
}

static roof_status take_machine(roof_measurement *m, char *text, roof_error *error) {
  (void)error;
  snprintf(m->machine, sizeof m->machine, "%s", text);
  return ROOF_OK;
}

static roof_status take_dtype(roof_measurement *m, char *text, roof_error *error) {
  return roof_dtype_parse(text, &m->dtype, error);
}

static const struct {
  const char *key;
  roof_status (*take)(roof_measurement *m, char *text, roof_error *error);
} keys[] = {{"seconds", take_seconds}, {"samples", take_samples}, {"flops", take_flops},
            {"bytes", take_bytes},     {"machine", take_machine}, {"dtype", take_dtype}};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static roof_status take_pair(roof_measurement *m, const char *word, roof_error *error) {
  const char *names[KEY_COUNT + 1] = {NULL};
  char copy[4096];
  if (snprintf(copy, sizeof copy, "%s", word) >= (int)sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.40s...`: too long; record a file instead", word);
  }
  char *equals = strchr(copy, '=');
  if (equals == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: give key=value, for instance seconds=1.5ms", word);
  }
  *equals = '\0';
  for (int i = 0; i < KEY_COUNT; i++) {
    names[i] = keys[i].key;
    if (strcmp(copy, keys[i].key) == 0) {
      return keys[i].take(m, equals + 1, error);
    }
  }
  const char *near = roof_suggest(copy, names);
  return roof_error_set(error, ROOF_E_NAME, "`%s`: unknown; %s%s%s", copy,
                        near ? "did you mean `" : "use seconds, samples, flops, bytes, machine or dtype",
                        near ? near : "", near ? "`?" : "");
}

static roof_status read_words(const roof_args *args, batch *b, roof_error *error) {
  roof_status status = batch_init(b, 1, error);
  roof_measurement *m = b->list;
  if (status != ROOF_OK) {
    return status;
  }
  if (strlen(args->words[0]) >= sizeof m->label) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "label `%.40s...`: too long", args->words[0]);
  }
  snprintf(m->label, sizeof m->label, "%s", args->words[0]);
  snprintf(m->note, sizeof m->note, "by hand");
  for (int i = 1; i < args->word_count && status == ROOF_OK; i++) {
    status = take_pair(m, args->words[i], error);
  }
  if (status == ROOF_OK) {
    status = settle(m, error);
  }
  if (status == ROOF_OK && isnan(m->seconds)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: give seconds=..., or samples=...", m->label);
  }
  snprintf(m->counted, sizeof m->counted, "%s", isnan(m->bytes) ? "" : "by hand");
  return status;
}

/* From a file: roofline.measurements/1 */

static double number_of(json_t *value) {
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(json_t *value) {
  return json_is_string(value) ? json_string_value(value) : "";
}

/** FLOPs of all formats; the format is the one with most. */
static void read_flops(json_t *flops, roof_measurement *m) {
  const char *name;
  json_t *value;
  double most = 0;
  json_object_foreach(flops, name, value) {
    double count = number_of(value);
    m->flops = isnan(m->flops) ? count : m->flops + count;
    if (count > most && roof_dtype_parse(name, &m->dtype, NULL) == ROOF_OK) {
      most = count;
    }
  }
}

/** Bytes of the outermost level named. */
static void read_bytes(json_t *bytes, roof_measurement *m) {
  const char *name;
  json_t *value;
  int outermost = -1;
  json_object_foreach(bytes, name, value) {
    roof_level_kind kind;
    if (json_is_number(value) && roof_level_kind_parse(name, &kind, NULL) == ROOF_OK &&
        (int)kind > outermost) {
      outermost = (int)kind;
      m->bytes = json_number_value(value);
    }
  }
}

static roof_status read_kernel(json_t *kernel, const char *machine, roof_measurement *m, roof_error *error) {
  const char *name = text_of(json_object_get(kernel, "name"));
  json_t *counted = json_object_get(kernel, "counted"), *sample;
  size_t index;
  roof_status status = ROOF_OK;
  if (name[0] == '\0' || strlen(name) >= sizeof m->label) {
    return roof_error_set(error, ROOF_E_PARSE, "a kernel's `name` must have 1 to %zu bytes",
                          sizeof m->label - 1);
  }
  snprintf(m->label, sizeof m->label, "%s", name);
  snprintf(m->machine, sizeof m->machine, "%s", machine);
  snprintf(m->counted, sizeof m->counted, "%s", text_of(json_object_get(counted, "bytes")));
  snprintf(m->note, sizeof m->note, "%s", text_of(json_object_get(kernel, "note")));
  m->seconds = number_of(json_object_get(kernel, "seconds"));
  read_flops(json_object_get(kernel, "flops"), m);
  read_bytes(json_object_get(kernel, "bytes"), m);
  json_array_foreach(json_object_get(kernel, "samples"), index, sample) {
    status = status == ROOF_OK ? add_sample(m, number_of(sample), error) : status;
  }
  return status == ROOF_OK ? settle(m, error) : status;
}

static roof_status read_root(json_t *root, const char *file, batch *b, roof_error *error) {
  json_t *kernels = json_object_get(root, "kernels"), *kernel;
  const char *machine = text_of(json_object_get(root, "machine"));
  size_t index;
  if (strcmp(text_of(json_object_get(root, "schema")), "roofline.measurements/1") != 0 ||
      json_array_size(kernels) == 0) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "%s: is not roofline.measurements/1 with kernels, as `run --json` prints it", file);
  }
  roof_status status = batch_init(b, json_array_size(kernels), error);
  json_array_foreach(kernels, index, kernel) {
    status = status == ROOF_OK ? read_kernel(kernel, machine, &b->list[index], error) : status;
  }
  return status;
}

/** A regular file was measured when it was last written; a pipe ends now. */
static roof_status read_measurements(const char *file, batch *b, roof_error *error) {
  roof_text text = {0};
  json_error_t why;
  struct stat info;
  roof_status status = catalog_file_read(file, &text, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *root = json_loadb(text.data != NULL ? text.data : "", text.length, JSON_REJECT_DUPLICATES, &why);
  if (root == NULL) {
    roof_error_set(error, ROOF_E_PARSE, "%s", why.text);
    status = roof_error_at(error, file, why.line, why.column);
  } else {
    status = read_root(root, file, b, error);
  }
  if (stat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    b->measured_time = (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec;
  }
  json_decref(root);
  roof_text_done(&text);
  return status;
}

static roof_status print_answer(const roof_args *args, const char *ledger, const batch *b,
                                roof_error *error) {
  roof_text text = {0};
  char seconds[40];
  if (args->json) {
    json_t *labels = json_array();
    for (size_t i = 0; i < b->count; i++) {
      json_array_append_new(labels, json_string(b->list[i].label));
    }
    return roof_json_print(
        json_pack("{s:s, s:s, s:o}", "schema", "roofline.recorded/1", "ledger", ledger, "labels", labels),
        error);
  }
  for (size_t i = 0; i < b->count && !args->quiet; i++) {
    roof_text_addf(&text, "recorded `%s` in %s: %s\n", b->list[i].label, ledger,
                   roof_quantity_format(seconds, sizeof seconds, b->list[i].seconds, "s"));
  }
  roof_status status = roof_print(&text, error);
  roof_text_done(&text);
  return status;
}

static roof_status record(const roof_args *args, roof_error *error) {
  const char *ledger = ledger_path != NULL ? ledger_path : ROOF_DEFAULT_LEDGER;
  char commit[ROOF_DIGEST_MAX];
  batch b = {0};
  roof_status status =
      args->word_count > 1 ? read_words(args, &b, error) : read_measurements(args->words[0], &b, error);
  if (status == ROOF_OK) {
    roof_commit(commit, sizeof commit);
    roof_ledger_options how = {.commit = commit[0] != '\0' ? commit : NULL,
                               .unsealed = unsealed != 0,
                               .measured_time = b.measured_time};
    status = roof_ledger_record(ledger, b.list, b.count, &how, error);
  }
  if (status == ROOF_OK) {
    status = print_answer(args, ledger, &b, error);
  }
  batch_done(&b);
  return status;
}

static roof_status run(const roof_args *args, roof_error *error) {
  roof_status status = ROOF_OK;
  if (args->csv) {
    status = roof_args_no_csv("record", error);
  } else if (args->word_count == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "record: what? `record LABEL seconds=1.5ms`, or a file of `run --json`");
  } else {
    status = record(args, error);
  }
  free(ledger_path);
  return status;
}

const roof_command roof_cmd_record = {
    .name = "record",
    .arguments = "LABEL seconds=... [samples=...] [flops=...] [bytes=...] | FILE",
    .summary = "put measurements in the ledger, after their predictions",
    .examples = "  roofline record ffn seconds=5.1ms\n"
                "  roofline record ffn samples=5.1ms,5.3ms,5.0ms bytes=1.1GB\n"
                "  roofline run triad --json >run.json && roofline record run.json\n",
    .options = options,
    .run = run,
};
