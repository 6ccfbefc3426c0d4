/* llama-bench: JSON, JSON lines, CSV and the Markdown table. What a test moves follows from the model's size:
 * every token (decoding) or batch (prompt) reads the weights once. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "documents/json.h"
#include "import/_json.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool data = strstr(text, "model_n_params") != NULL && strstr(text, "avg_ts") != NULL;
  bool table = strstr(text, " t/s |") != NULL && strstr(text, "| model") != NULL;
  bool crash = strstr(text, "llama-bench()") != NULL || strstr(text, "llama-bench:") != NULL;
  return data || table ? 95 : crash ? 60 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  json_t *tests;
  import_row header, row;
} reading;

/** What distinguishes tests of one model and size, where it differs between them. */
static const struct {
  const char *key, *label;
} settings[] = {{"backends", ""},      {"n_gpu_layers", "ngl "}, {"n_threads", "threads "},
                {"n_batch", "batch "}, {"n_ubatch", "ubatch "},  {"flash_attn", "fa "},
                {"type_k", "k "},      {"type_v", "v "},         {"use_mmap", "mmap "},
                {"split_mode", "sm "}, {"n_cpu_moe", "ncmoe "},  {"gpu_info", ""}};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void add_setting(roof_text *name, const json_t *test, int i) {
  const json_t *value = json_object_get(test, settings[i].key);
  if (json_is_string(value)) {
    roof_text_addf(name, ", %s%s", settings[i].label, json_string_value(value));
  } else if (json_is_boolean(value)) {
    roof_text_addf(name, ", %s%d", settings[i].label, json_is_true(value));
  } else if (json_is_number(value)) {
    roof_text_addf(name, ", %s%g", settings[i].label, json_number_value(value));
  }
}

/** True when the tests that have the setting differ in it. */
static bool varies(const json_t *tests, int i) {
  const json_t *first = NULL, *test;
  size_t k;
  json_array_foreach(tests, k, test) {
    const json_t *value = json_object_get(test, settings[i].key);
    if (first != NULL && value != NULL && !json_equal(value, first)) {
      return true;
    }
    first = first != NULL ? first : value;
  }
  return false;
}

/** "llama 7B Q4_0 pp512+tg128 @ d4096, fa 1". */
static const char *name_of(reading *r, const json_t *test, double prompt, double generated) {
  roof_text name = {0};
  double depth = rf_import_member(test, "n_depth");
  roof_text_addf(&name, "%s ", rf_import_member_text(test, "model_type"));
  if (prompt > 0) {
    roof_text_addf(&name, "pp%.0f%s", prompt, generated > 0 ? "+" : "");
  }
  if (generated > 0) {
    roof_text_addf(&name, "tg%.0f", generated);
  }
  if (depth > 0) {
    roof_text_addf(&name, " @ d%.0f", depth);
  }
  for (int i = 0; i < SETTINGS; i++) {
    if (varies(r->tests, i)) {
      add_setting(&name, test, i);
    }
  }
  const char *kept = roof_profile_text(r->profile, name.data != NULL ? name.data : "");
  roof_text_done(&name);
  return kept;
}

/** What the types of mixtures begin with that say it nowhere else (names of architectures in llama.cpp,
 *  src/llama-arch.cpp). Of granitehybrid and jamba some are dense. */
static const char *const mixtures[] = {
    "arctic", "dbrx",       "deepseek", "dots1",       "glm-dsa", "gpt-oss",      "granitehybrid",
    "grok",   "hy_v3",      "jamba",    "kimi-linear", "laguna",  "llama4",       "mellum",
    "mimo2",  "minimax-m2", "mistral4", "qwen3next",   "rnd1",    "smallthinker", "step35"};

/** "8x7B" or "17Bx16E": so many experts. */
static bool has_experts(const char *type) {
  for (const char *x = strchr(type, 'x'); x != NULL; x = strchr(x + 1, 'x')) {
    const char *before = x > type && x[-1] == 'B' ? x - 1 : x;
    if (before > type && isdigit((unsigned char)before[-1]) && isdigit((unsigned char)x[1])) {
      return true;
    }
  }
  return false;
}

/** "qwen3moe 30B.A3B", "llama 8x7B": only some of the weights are read for a token. */
static bool is_mixture(const char *type) {
  const char *active = strstr(type, ".A");
  for (size_t i = 0; i < sizeof mixtures / sizeof mixtures[0]; i++) {
    if (strncmp(type, mixtures[i], strlen(mixtures[i])) == 0) {
      return true;
    }
  }
  return rf_letters_find(type, "moe") != NULL || has_experts(type) ||
         (active != NULL && isdigit((unsigned char)active[2]));
}

static bool on_graphics(const json_t *test) {
  const char *backends = rf_import_member_text(test, "backends");
  bool cpu = backends[0] != '\0' ? strcmp(backends, "CPU") == 0 || strcmp(backends, "BLAS") == 0 ||
                                       strcmp(backends, "BLAS,CPU") == 0
                                 : rf_import_member_text(test, "gpu_info")[0] == '\0';
  return !cpu && rf_import_member(test, "n_gpu_layers") != 0;
}

/** FLOPs and bytes of all calls, from the model's size. */
static void add_work(roof_record *record, const json_t *test, double prompt, double generated, double calls) {
  double size = rf_import_member(test, "model_size"), parameters = rf_import_member(test, "model_n_params");
  double batch = rf_import_member(test, "n_ubatch");
  double batches = prompt > 0 ? ceil(prompt / (batch > 0 ? batch : 512)) : 0;
  bool graphics = on_graphics(test);
  roof_count *flops = &record->flops[graphics ? ROOF_FP16 : ROOF_FP32][graphics ? ROOF_MATRIX : ROOF_VECTOR];
  roof_count *bytes = &record->bytes[ROOF_MEMORY];
  if (is_mixture(rf_import_member_text(test, "model_type"))) {
    rf_import_missing(flops, "a mixture of experts: the file does not give the active parameters");
    rf_import_missing(bytes, "a mixture of experts: the file does not give the active parameters");
    return;
  }
  double work = 2 * parameters * (prompt + generated) * calls;
  double moved = size * (generated + batches) * calls;
  rf_import_add(flops, work,
                isnan(work) ? "the file does not give the parameters"
                            : "2 x parameters x tokens, without attention",
                ROOF_QUALITY_ESTIMATED);
  rf_import_add(bytes, moved,
                isnan(moved) ? "the file does not give the model's size"
                             : "weights once per token (prompt: once per batch), without the KV cache",
                ROOF_QUALITY_ESTIMATED);
  if (rf_import_member(test, "n_depth") > 0) {
    record->uncounted = "KV cache";
  }
}

/** The calls with their times; 0 when there is none. */
static uint64_t add_times(reading *r, roof_record *record, const json_t *test, double tokens) {
  json_t *samples = json_object_get(test, "samples_ns"), *sample;
  uint64_t picoseconds, calls = 0;
  size_t i;
  json_array_foreach(samples, i, sample) {
    if (rf_import_picoseconds(rf_import_number_of(sample) * 1e-9, &picoseconds)) {
      rf_import_call(r->profile, record, picoseconds);
      calls++;
    }
  }
  double average = rf_import_member(test, "avg_ns") * 1e-9;
  average = isnan(average) ? tokens / rf_import_member(test, "avg_ts") : average;
  if (calls == 0 && rf_import_picoseconds(average, &picoseconds)) {
    rf_import_call(r->profile, record, picoseconds);
    calls = 1;
  }
  return calls;
}

static roof_status take_test(reading *r, const json_t *test, roof_error *error) {
  double prompt = rf_import_member(test, "n_prompt"), generated = rf_import_member(test, "n_gen");
  prompt = prompt > 0 ? prompt : 0;
  generated = generated > 0 ? generated : 0;
  double tokens = prompt + generated;
  const char *name = name_of(r, test, prompt, generated);
  double average = rf_import_member(test, "avg_ns"), rate = rf_import_member(test, "avg_ts");
  if (!(tokens > 0) || (isnan(average) && !(rate > 0))) {
    rf_import_skip(r->profile, name, "no tokens or no time");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  uint64_t calls = add_times(r, record, test, tokens);
  rf_import_add(&record->items, tokens * (double)calls, "tokens", ROOF_QUALITY_MEASURED);
  rf_import_counter(r->profile, record, "tokens_per_second", rate, 1);
  add_work(record, test, prompt, generated, (double)calls);
  rf_import_date(r->profile, rf_import_member_text(test, "test_time"), 0);
  const char *device = rf_import_member_text(test, on_graphics(test) ? "gpu_info" : "cpu_info");
  if (device[0] != '\0') {
    rf_import_device(r->profile, device);
  }
  return ROOF_OK;
}

static void set_number(json_t *test, const char *key, double value) {
  if (!isnan(value)) {
    rf_json_set(test, key, json_real(value));
  }
}

/** "3.56 GiB" and "6.74 B" (10^9), "669.7 M". */
static double quantity(const char *text) {
  char number[32];
  size_t length = strcspn(text, " ");
  snprintf(number, sizeof number, "%.*s", (int)length, text);
  const char *unit = text + length + strspn(text + length, " ");
  double bytes = strchr(unit, 'i') != NULL ? rf_import_unit(unit, 1024) : NAN;
  double many = strcmp(unit, "B") == 0   ? 1e9
                : strcmp(unit, "M") == 0 ? 1e6
                : strcmp(unit, "T") == 0 ? 1e12
                                         : NAN;
  return rf_import_number(number, NULL) * (isnan(bytes) ? many : bytes);
}

/** "pp512", "tg128", "pp512+tg128", each with " @ d4096". */
static void set_shape(json_t *test, const char *text) {
  static const struct {
    const char *mark, *key;
  } parts[] = {{"pp", "n_prompt"}, {"tg", "n_gen"}, {"@ d", "n_depth"}};
  for (size_t i = 0; i < 3; i++) {
    const char *at = strstr(text, parts[i].mark);
    double number = 0;
    if (at != NULL) {
      rf_numbers_read(at + strlen(parts[i].mark), &number, 1);
    }
    rf_json_set(test, parts[i].key, json_real(number));
  }
}

static void set_column(json_t *test, const char *name, const char *text) {
  static const struct {
    const char *column, *key;
  } plain[] = {{"backend", "backends"}, {"ngl", "n_gpu_layers"},  {"threads", "n_threads"},
               {"n_batch", "n_batch"},  {"n_ubatch", "n_ubatch"}, {"fa", "flash_attn"},
               {"type_k", "type_k"},    {"type_v", "type_v"},     {"mmap", "use_mmap"},
               {"model", "model_type"}, {"sm", "split_mode"},     {"dev", "gpu_info"}};
  char number[32];
  if (strcmp(name, "size") == 0) {
    set_number(test, "model_size", quantity(text));
  } else if (strcmp(name, "params") == 0) {
    set_number(test, "model_n_params", quantity(text));
  } else if (strcmp(name, "test") == 0) {
    set_shape(test, text);
  } else if (strcmp(name, "t/s") == 0) {
    snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " "), text);
    set_number(test, "avg_ts", rf_import_number(number, NULL));
  }
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    if (strcmp(name, plain[i].column) == 0) {
      rf_json_set(test, plain[i].key, json_string(text));
    }
  }
}

static char *trim(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) {
    text[--length] = '\0';
  }
  return text;
}

/** One line of the Markdown table. */
static roof_status take_table_line(reading *r, const char *line, roof_error *error) {
  if (strstr(line, " t/s |") != NULL && strstr(line, "| model") != NULL) {
    return rf_import_csv_split(line, '|', &r->header, error);
  }
  roof_status status = r->header.count > 0 ? rf_import_csv_split(line, '|', &r->row, error) : ROOF_OK;
  if (status != ROOF_OK || r->header.count == 0 || r->row.count != r->header.count ||
      strstr(line, "---") != NULL) {
    return status;
  }
  json_t *test = json_object();
  for (size_t i = 0; i < r->row.count; i++) {
    set_column(test, trim(r->header.fields[i]), trim(r->row.fields[i]));
  }
  rf_json_append(r->tests, test);
  return ROOF_OK;
}

/** One line of CSV, its fields under the header's names. */
static roof_status take_csv_line(reading *r, const char *line, roof_error *error) {
  if (strncmp(line, "build_commit,", 13) == 0) {
    return rf_import_csv_split(line, ',', &r->header, error);
  }
  roof_status status = rf_import_csv_split(line, ',', &r->row, error);
  if (status == ROOF_OK && r->row.count < r->header.count && rf_import_unended(r->source)) {
    rf_import_cut_record(r->source);
    return ROOF_OK;
  }
  if (status == ROOF_OK && r->row.count != r->header.count) {
    status = rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "%zu fields under %zu names", r->row.count,
                             r->header.count);
  }
  if (status == ROOF_OK) {
    json_t *test = json_object();
    for (size_t i = 0; i < r->row.count; i++) {
      rf_json_set(test, r->header.fields[i], json_string(r->row.fields[i]));
    }
    rf_json_append(r->tests, test);
  }
  return status;
}

/** The next name or quoted value of a list of SQL, cut off in place; NULL at its end. */
static char *next_of_list(char **at) {
  char *p = *at + strspn(*at, " ,");
  if (*p == ')' || *p == '\0') {
    return NULL;
  }
  bool quoted = *p == '\'';
  char *begin = p + quoted, *to = begin;
  for (p = begin; *p != '\0' && (quoted ? *p != '\'' || p[1] == '\'' : strchr(",) ", *p) == NULL); p++) {
    p += quoted && *p == '\''; /* two quotes are one */
    *to++ = *p;
  }
  *at = *p == '\'' || *p == ',' ? p + 1 : p;
  *to = '\0';
  return begin;
}

/** "INSERT INTO test (names) VALUES ('values');" as `-o sql` writes it. */
static roof_status take_sql_line(reading *r, char *line, roof_error *error) {
  char *names = strchr(line, '('), *values = strstr(line, ") VALUES (");
  if (names == NULL || values == NULL || values < names) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "no names and values in it");
  }
  *values = '\0';
  names++;
  values += strlen(") VALUES (");
  json_t *test = json_object();
  for (char *name; (name = next_of_list(&names)) != NULL;) {
    char *value = next_of_list(&values);
    rf_json_set(test, name, json_string(value != NULL ? value : ""));
  }
  rf_json_append(r->tests, test);
  return ROOF_OK;
}

static roof_status take_json_line(reading *r, char *line, size_t length, roof_error *error) {
  json_t *test = NULL;
  roof_status status = rf_import_json_line(r->source, line, length, &test, error);
  if (test != NULL) {
    rf_json_append(r->tests, test);
  }
  return status;
}

static roof_status read_lines(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  size_t length = 0;
  bool csv = false;
  r->tests = json_array();
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    csv = csv || strncmp(line, "build_commit,", 13) == 0;
    if (line[0] == '{') {
      status = take_json_line(r, line, length, error);
    } else if (line[0] == '|') {
      status = take_table_line(r, line, error);
    } else if (strncmp(line, "INSERT INTO test (", 18) == 0) {
      status = take_sql_line(r, line, error);
    } else if (csv && line[0] != '\0') {
      status = take_csv_line(r, line, error);
    }
  }
  return status == ROOF_OK ? rf_import_failed(r->source, error) : status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  size_t size = 0, i;
  const char *head = rf_import_head(source, &size);
  const json_t *test;
  roof_status status = head[strspn(head, " \t\r\n")] == '[' ? rf_import_document(source, &r.tests, error)
                                                            : read_lines(&r, error);
  if (status == ROOF_OK) {
    json_array_foreach(r.tests, i, test) {
      status = status == ROOF_OK ? take_test(&r, test, error) : status;
    }
  }
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 1, 0,
                             "no test in it: did llama-bench end before its table?");
  }
  json_decref(r.tests);
  rf_import_row_done(&r.header);
  rf_import_row_done(&r.row);
  return status;
}

const roof_format rf_format_llama_bench = {
    .name = "llama-bench",
    .title = "llama-bench JSON, JSON lines, CSV, Markdown, SQL",
    .gives = "time and tokens of every test; FLOPs and weights read, estimated from the model's size",
    .detect = detect,
    .read = read,
};
