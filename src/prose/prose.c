/* Which numbers of a text are claims, and of what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "prose/judge.h"
#include "prose/names.h"
#include "prose/quantity.h"
#include "roofline/prose.h"

static const char *const states[] = {[ROOF_PROSE_POSSIBLE] = "possible",
                                     [ROOF_PROSE_IMPOSSIBLE] = "impossible",
                                     [ROOF_PROSE_UNKNOWN] = "unknown"};

static const struct {
  const char *name, *unit;
} kinds[] = {
#define KIND(symbol, name, unit) [symbol] = {name, unit},
    ROOF_PROSE_MAP(KIND)
#undef KIND
};

const char *roof_prose_state_name(roof_prose_state state) {
  return (unsigned)state < sizeof states / sizeof states[0] ? states[state] : "?";
}

const char *roof_prose_kind_name(roof_prose_kind kind) {
  return (unsigned)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind].name : "?";
}

const char *roof_prose_kind_unit(roof_prose_kind kind) {
  return (unsigned)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind].unit : "?";
}

/** Words that make a number no claim about what a machine does. */
static const char
    denials
        [] = "cannot impossible impossibly wrong incorrect incorrectly myth never would",
 denials_before[] = "not no nor without unlike",
 links[] =
     "nvlink nvlinks nvswitch pcie pci infiniband ethernet network networks nic nics interconnect link links "
     "xgmi fabric ici efa rdma roce ib ssd ssds nvme disk disks storage l0 l1 l2 l3 cache caches cached sram "
     "smem "
     "shared register registers lds tmem bidirectional bisection allreduce all-reduce all-gather "
     "reduce-scatter all-to-all collective nccl busbw bus-bandwidth algbw c2c",
 not_decoding[] =
     "prefill prefilling prompt prompts input ingest* train* pretrain* tokenizer tokeniz* embedding",
 together[] = "cluster clusters node nodes pod pods rack racks dgx hgx superpod supercomputer aggregate "
              "aggregated total "
              "combined together system systems server servers nvl72 fleet",
 several[] = "nodes racks pods clusters systems servers", sparsity[] = "sparse sparsity structured sparsely";

/** A text as it is searched. */
typedef struct scanner {
  const roof_prose_options *options;
  rf_names names;
  rf_prose_page page;
  rf_judge *judge;
  const char *text, *file; /**< as given */
  int line;                /**< of `line_start` */
  size_t line_start;
} scanner;

/** What the place of a quantity names. */
typedef struct context {
  const rf_prose_place *place;
  rf_mention mentions[RF_MENTIONS];
  int count;
  rf_quantity quantity;
} context;

/** Whether one of `words` stands in the span outside what is named there. */
static bool has(const scanner *s, const context *c, rf_prose_span span, const char *words) {
  size_t from = span.from;
  for (int i = 0; i < c->count; i++) {
    rf_prose_span name = c->mentions[i].span;
    if (name.from >= from && name.to <= span.to) {
      if (rf_names_has(&s->page, (rf_prose_span){from, name.from}, words)) {
        return true;
      }
      from = name.to;
    }
  }
  return rf_names_has(&s->page, (rf_prose_span){from, span.to}, words);
}

static bool has_around(const scanner *s, const context *c, const char *words) {
  return has(s, c, c->place->own, words) || rf_names_has(&s->page, c->place->column, words) ||
         rf_names_has(&s->page, c->place->first, words);
}

/** From the last sign that divides a sentence to the quantity. */
static rf_prose_span clause_before(const scanner *s, const context *c) {
  size_t from = c->quantity.span.from;
  while (from > c->place->own.from && strchr(",:(", s->page.text[from - 1]) == NULL) {
    from--;
  }
  return (rf_prose_span){from, c->quantity.span.from};
}

static bool is_denied(const scanner *s, const context *c) {
  rf_prose_span own = c->place->own;
  return has(s, c, own, denials) || has(s, c, clause_before(s, c), denials_before) ||
         memmem(s->page.text + own.from, own.to - own.from, "n't", 3) != NULL;
}

static bool is_claim(const scanner *s, const context *c) {
  return !is_denied(s, c) && !(c->quantity.kind == ROOF_PROSE_BANDWIDTH && has_around(s, c, links)) &&
         !(c->quantity.kind == ROOF_PROSE_TOKENS && has_around(s, c, not_decoding)) &&
         (c->quantity.per != RF_PER_USER || c->quantity.kind == ROOF_PROSE_TOKENS);
}

/* Which machine */

/** Whether the mention is what the quantity is said of: "1.7 PFLOP/s on a single H100", "(H100)". */
static bool is_subject(const scanner *s, const context *c, const rf_mention *m) {
  rf_prose_span between = {c->quantity.span.to, m->span.from};
  rf_quantity other;
  return m->span.from >= c->quantity.span.to && between.to - between.from < 80 &&
         !rf_quantity_next(&s->page, between, &other) &&
         memchr(s->page.text + between.from, ',', between.to - between.from) == NULL &&
         (rf_names_has(&s->page, between, "on of for with from using in per via at") ||
          memchr(s->page.text + between.from, '(', between.to - between.from) != NULL);
}

static size_t distance(const context *c, const rf_mention *m) {
  return m->span.to <= c->quantity.span.from ? c->quantity.span.from - m->span.to
                                             : m->span.from - c->quantity.span.from;
}

/** The mention of `naming` that the quantity is said of; NULL: not sure, or none. */
static const rf_mention *subject_of(const scanner *s, const context *c, rf_naming naming) {
  for (int i = 0; i < c->count; i++) {
    if (c->mentions[i].name->naming == naming && is_subject(s, c, &c->mentions[i])) {
      return &c->mentions[i];
    }
  }
  return NULL;
}

/** The nearest mention of `naming`; NULL: none. */
static const rf_mention *nearest(const context *c, rf_naming naming) {
  const rf_mention *best = NULL;
  for (int i = 0; i < c->count; i++) {
    const rf_mention *m = &c->mentions[i];
    if (m->name->naming == naming && (best == NULL || distance(c, m) < distance(c, best))) {
      best = m;
    }
  }
  return best;
}

static void add_reading(const char *list[RF_READINGS], int *count, const char *name) {
  for (int i = 0; i < *count; i++) {
    if (strcmp(list[i], name) == 0) {
      return;
    }
  }
  if (*count < RF_READINGS) {
    list[(*count)++] = name;
  }
}

/** Adds what is named of `naming`: what the quantity is said of, else all, the nearest first. */
static void add_readings(const scanner *s, const context *c, rf_naming naming, const char *list[RF_READINGS],
                         int *count) {
  const rf_mention *only = naming == RF_NAMES_MACHINE ? subject_of(s, c, naming) : NULL,
                   *near = nearest(c, naming);
  if (near != NULL) {
    add_reading(list, count, (only != NULL ? only : near)->name->name);
  }
  for (int i = 0; only == NULL && i < c->count; i++) {
    if (c->mentions[i].name->naming == naming) {
      add_reading(list, count, c->mentions[i].name->name);
    }
  }
}

/** How many devices the claim is of, and whether the text says so. */
static double count_devices(const scanner *s, const context *c, rf_readings *r) {
  const rf_mention *m = subject_of(s, c, RF_NAMES_MACHINE);
  m = m != NULL ? m : nearest(c, RF_NAMES_MACHINE);
  double said = m != NULL ? m->devices : 0;
  bool each = c->quantity.per == RF_PER_DEVICE;
  r->unsure = !each && ((said == 0 && ((m != NULL && m->plural) || has_around(s, c, together))) ||
                        (said > 1 && has_around(s, c, several)));
  return said > 0 ? said : 1;
}

/** The sequences at once that the sentence names: "batch size 16", "batch=16"; 0: none. */
static double find_batch(const scanner *s, const context *c) {
  static const char *const between[] = {"size", "of", "=", ":", "-", " ", "\n"};
  const char *text = s->page.text, *end = text + c->place->own.to;
  const char *at = rf_letters_find(text + c->place->own.from, "batch");
  double value = 0;
  if (at != NULL && at < end) {
    at += strlen("batch");
    for (size_t i = 0; i < sizeof between / sizeof between[0]; i++) {
      size_t length = strlen(between[i]);
      if (rf_letters_compare_some(at, between[i], length) == 0) {
        at += length;
        i = (size_t)-1; /* from the first again */
      }
    }
    rf_quantity_number(text, (size_t)(at - text), c->place->own.to, &value);
  }
  bool alone = c->quantity.per == RF_PER_USER || (rf_names_has(&s->page, c->place->own, "single") &&
                                                  rf_names_has(&s->page, c->place->own, "stream user"));
  return value >= 1 && value <= 1e6 ? value : alone ? 1 : 0;
}

/** Looks where the place itself names nothing of `naming`: above it in a table, at the row's begin. */
static void look_around(const scanner *s, context *c, rf_naming naming) {
  const rf_prose_span around[] = {c->place->column, c->place->first, c->place->heading};
  int count = naming == RF_NAMES_FORMAT ? 3 : 2; /* a heading names no machine for all that follows */
  for (int i = 0; i < count && nearest(c, naming) == NULL; i++) {
    rf_mention found[RF_MENTIONS];
    int n = rf_names_find(&s->names, &s->page, around[i], found);
    for (int k = 0; k < n && c->count < RF_MENTIONS; k++) {
      if (found[k].name->naming == naming) {
        c->mentions[c->count++] = found[k];
      }
    }
  }
}

/* Claims */

static roof_prose_claim *append(roof_prose *prose) {
  if (prose->count == prose->capacity) {
    size_t capacity = prose->capacity * 2 + 16;
    roof_prose_claim *claims = realloc(prose->claims, capacity * sizeof *claims);
    if (claims == NULL) {
      return NULL;
    }
    prose->claims = claims;
    prose->capacity = capacity;
  }
  prose->claims[prose->count] = (roof_prose_claim){.devices = 1};
  return &prose->claims[prose->count];
}

/** Where the quantity stands; places come in the order of the text but for cells, whose line is the same. */
static void locate(scanner *s, size_t at, roof_prose_claim *claim) {
  const char *text = s->text;
  for (const char *end; (end = memchr(text + s->line_start, '\n', at - s->line_start)) != NULL;) {
    s->line_start = (size_t)(end - text) + 1;
    s->line++;
  }
  claim->line = s->line;
  claim->column = 1;
  for (size_t i = s->line_start; i < at; i++) {
    claim->column += ((unsigned char)text[i] & 0xC0) != 0x80;
  }
}

/** The quantity as written, on one line. */
static void quote(const scanner *s, rf_prose_span span, roof_prose_claim *claim) {
  size_t used = 0;
  for (size_t i = span.from; i < span.to && used + 1 < sizeof claim->text; i++) {
    char c = s->page.text[i];
    bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank || (used > 0 && claim->text[used - 1] != ' ')) {
      claim->text[used++] = blank ? ' ' : c;
    }
  }
}

/** What the readings of the place are; false: nothing is claimed of a machine. */
static bool read_context(const scanner *s, context *c, rf_readings *r, roof_prose_claim *claim) {
  look_around(s, c, RF_NAMES_MACHINE);
  look_around(s, c, RF_NAMES_MODEL);
  look_around(s, c, RF_NAMES_FORMAT);
  add_readings(s, c, RF_NAMES_MACHINE, r->machines, &r->machine_count);
  add_readings(s, c, RF_NAMES_FORMAT, r->formats, &r->format_count);
  if (r->machine_count == 0 && s->options->machine != NULL) {
    add_reading(r->machines, &r->machine_count, s->options->machine);
  }
  if (r->format_count == 0 && s->options->dtype != NULL) {
    add_reading(r->formats, &r->format_count, s->options->dtype);
  }
  const rf_mention *model = nearest(c, RF_NAMES_MODEL);
  bool tokens = c->quantity.kind == ROOF_PROSE_TOKENS;
  if (r->machine_count == 0 || (tokens && model == NULL)) {
    return false;
  }
  r->sparse = has_around(s, c, sparsity) || rf_names_has(&s->page, c->place->heading, sparsity);
  r->model = tokens ? model->name->name : NULL;
  r->batch = tokens ? find_batch(s, c) : 0;
  claim->devices = count_devices(s, c, r);
  return true;
}

static roof_status add_claim(scanner *s, context *c, roof_prose *prose, roof_error *error) {
  rf_readings readings = {.machine_count = 0};
  roof_prose_claim *claim = append(prose);
  if (claim == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "claim: out of memory");
  }
  if (!read_context(s, c, &readings, claim)) {
    return ROOF_OK;
  }
  bool each = c->quantity.per == RF_PER_DEVICE, tokens = readings.model != NULL;
  claim->kind = c->quantity.kind;
  claim->per_user = c->quantity.per == RF_PER_USER;
  claim->claimed =
      c->quantity.value * (each && tokens ? claim->devices : 1) / (each || tokens ? 1 : claim->devices);
  snprintf(claim->file, sizeof claim->file, "%s", s->file);
  snprintf(claim->model, sizeof claim->model, "%s", tokens ? readings.model : "");
  locate(s, c->quantity.span.from, claim);
  quote(s, c->quantity.span, claim);
  roof_status status = rf_judge_claim(s->judge, &readings, claim, error);
  if (status == ROOF_OK) {
    prose->count++;
    prose->impossible += claim->state == ROOF_PROSE_IMPOSSIBLE;
    prose->unknown += claim->state == ROOF_PROSE_UNKNOWN;
  }
  return status;
}

/** The claims of one sentence or cell. */
static roof_status scan_place(scanner *s, const rf_prose_place *place, roof_prose *prose, roof_error *error) {
  context c = {.place = place};
  rf_prose_span rest = place->own;
  roof_status status = ROOF_OK;
  while (status == ROOF_OK && rf_quantity_next(&s->page, rest, &c.quantity)) {
    c.count = rf_names_find(&s->names, &s->page, place->own, c.mentions);
    if (is_claim(s, &c)) {
      status = add_claim(s, &c, prose, error);
    }
    rest.from = c.quantity.span.to;
  }
  return status;
}

/** Refuses options that name nothing before a text is read. */
static roof_status check_options(const roof_prose_options *options, roof_error *error) {
  roof_machine *machine = NULL;
  roof_dtype dtype;
  roof_status status = options->dtype != NULL ? roof_dtype_parse(options->dtype, &dtype, error) : ROOF_OK;
  if (status == ROOF_OK && options->machine != NULL) {
    status = roof_catalog_load(options->machine, &machine, error);
  }
  roof_machine_free(machine);
  return status;
}

roof_status roof_prose_read(const char *text, size_t length, const char *file,
                            const roof_prose_options *options, roof_prose *prose, roof_error *error) {
  scanner s = {.options = options, .text = text, .file = file, .line = 1, .judge = rf_judge_new()};
  bool plain = roof_text_ends_with(file, ".txt") || roof_text_ends_with(file, ".rst");
  roof_status status = check_options(options, error);
  status = status == ROOF_OK ? rf_names_init(&s.names, error) : status;
  if (status == ROOF_OK && (!rf_prose_page_read(&s.page, text, length, !plain) || s.judge == NULL)) {
    status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  }
  for (size_t i = 0; status == ROOF_OK && i < s.page.count; i++) {
    status = scan_place(&s, &s.page.places[i], prose, error);
  }
  rf_prose_page_done(&s.page);
  rf_names_done(&s.names);
  rf_judge_free(s.judge);
  return status;
}

void roof_prose_done(roof_prose *prose) {
  free(prose->claims);
  *prose = (roof_prose){0};
}
