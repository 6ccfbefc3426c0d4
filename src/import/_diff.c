/* What became of the kernels of one profile in another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "import/import.h"
#include "roofline/stats.h"
#include "roofline/units.h"

/** Two runs on a quiet machine agree within this share, and a difference that chance brings this often is none. */
#define REPEATABLE 0.03
#define SIGNIFICANT 0.05

const char *roof_diff_kind_name(roof_diff_kind kind) {
  static const char *const names[] = {
#define NAME(symbol, name) name,
      ROOF_DIFF_MAP(NAME)
#undef NAME
  };
  return (unsigned)kind < ROOF_DIFF_COUNT ? names[kind] : "?";
}

/** A kernel of one side, and what it has in common with one of the other. */
typedef struct item {
  const roof_record *record;
  bool now;
  const char *matched; /* NULL: nothing was found yet */
  char *key;
} item;

/* What kernels have in common: NULL where a record does not have it, or memory is short */

static char *key_name(const roof_record *record) {
  return strdup(record->name);
}

static char *key_operation(const roof_record *record) {
  char label[ROOF_LABEL_MAX];
  if (record->ran == NULL) {
    return NULL;
  }
  const roof_ran *ran = record->ran;
  roof_op_label(ran->op, ran->op->name, ran->types.compute, ran->values, label, sizeof label);
  return strdup(label);
}

static char *key_operator(const roof_record *record) {
  bool known = record->part != NULL && strncmp(record->part, "outside ", 8) != 0;
  return known ? strdup(record->part) : NULL;
}

static char *key_base(const roof_record *record) {
  const char *start;
  size_t length = rf_import_base_name(record->name, &start);
  return strndup(start, length);
}

static const struct {
  const char *matched;
  char *(*key)(const roof_record *record);
} ways[] = {
    {"name", key_name}, {"operation", key_operation}, {"operator", key_operator}, {"base name", key_base}};

/** Items with a key together, by it; those without last. */
static int by_key(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->matched != y->matched) {
    return x->matched == NULL ? -1 : y->matched == NULL ? 1 : strcmp(x->matched, y->matched);
  }
  return x->key == NULL || y->key == NULL ? (x->key == NULL) - (y->key == NULL) : strcmp(x->key, y->key);
}

/** The end of the items that have the key of the first. */
static size_t run_of(const item *items, size_t from, size_t count) {
  size_t to = from + 1;
  while (to < count && by_key(&items[from], &items[to]) == 0 && items[to].key != NULL) {
    to++;
  }
  return to;
}

static void give_keys(item *items, size_t count, char *(*key)(const roof_record *record)) {
  for (size_t i = 0; i < count; i++) {
    if (items[i].matched == NULL) {
      free(items[i].key);
      items[i].key = key(items[i].record);
    }
  }
  qsort(items, count, sizeof *items, by_key);
}

/** Matches the items of both sides that have the same key. */
static void match(item *items, size_t count, const char *matched, char *(*key)(const roof_record *record)) {
  give_keys(items, count, key);
  for (size_t from = 0, to; from < count && items[from].matched == NULL; from = to) {
    bool sides[2] = {false, false};
    to = run_of(items, from, count);
    for (size_t i = from; i < to; i++) {
      sides[items[i].now] = true;
    }
    for (size_t i = from; i < to && sides[0] && sides[1] && items[from].key != NULL; i++) {
      items[i].matched = matched;
    }
  }
}

static void add_side(roof_diff_side *side, double *longest, const roof_record *record) {
  double seconds = record->timed ? roof_record_seconds(record) : 0;
  if (side->name == NULL || seconds > *longest) {
    side->name = record->name;
    *longest = seconds;
  }
  side->kernels++;
  side->calls += record->calls;
  side->seconds += seconds;
}

/** Samples of the items of one side, NULL where there are none; `*count` of them. */
static double *samples_of(const item *items, size_t item_count, bool now, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < item_count; i++) {
    *count += items[i].now == now ? items[i].record->sample_count : 0;
  }
  double *samples = *count > 0 ? malloc(*count * sizeof *samples) : NULL;
  size_t at = 0;
  for (size_t i = 0; i < item_count && samples != NULL; i++) {
    const roof_record *r = items[i].record;
    for (size_t k = 0; k < r->sample_count && items[i].now == now; k++) {
      samples[at++] = r->samples[k];
    }
  }
  return samples;
}

/** Whether samples differ by more than they vary: too few for a test do where none of one side is among the other's. */
static bool differ(double *a, size_t n, double *b, size_t m, double *p) {
  roof_rank_test test;
  if (roof_stats_mann_whitney(a, n, b, m, &test, NULL) != ROOF_OK) {
    return true;
  }
  bool few = 2 * test.least > SIGNIFICANT;
  *p = few ? NAN : test.p;
  return few ? test.u <= 0 || test.u >= (double)n * (double)m : test.p <= SIGNIFICANT;
}

/** The kind of a row that both sides have. */
static void judge(const item *items, size_t count, roof_diff_row *row) {
  bool whole = strcmp(row->matched, "operator") == 0; /* as many kernels as there are may do its work */
  double before = row->before.seconds / (whole ? 1 : (double)row->before.calls);
  double now = row->now.seconds / (whole ? 1 : (double)row->now.calls);
  size_t n = 0, m = 0;
  row->change = now / before - 1;
  row->kind = !(fabs(row->change) > REPEATABLE) ? ROOF_DIFF_SAME
              : row->change < 0                 ? ROOF_DIFF_FASTER
                                                : ROOF_DIFF_SLOWER;
  double *a = samples_of(items, count, true, &n), *b = samples_of(items, count, false, &m);
  if (a != NULL && b != NULL && !whole && !differ(a, n, b, m, &row->p)) {
    row->kind = ROOF_DIFF_SAME;
  }
  free(a);
  free(b);
}

static void add_row(roof_diff *diff, const item *items, size_t count) {
  roof_diff_row *row = &diff->rows[diff->count++];
  double longest[2] = {0, 0};
  *row =
      (roof_diff_row){.matched = items[0].matched != NULL ? items[0].matched : "", .change = NAN, .p = NAN};
  for (size_t i = 0; i < count; i++) {
    add_side(items[i].now ? &row->now : &row->before, &longest[items[i].now], items[i].record);
  }
  row->difference = row->now.seconds - row->before.seconds;
  diff->before_seconds += row->before.seconds;
  diff->now_seconds += row->now.seconds;
  if (row->before.name != NULL && row->now.name != NULL) {
    judge(items, count, row);
  } else {
    row->kind = row->now.name != NULL ? ROOF_DIFF_NEW : ROOF_DIFF_GONE;
  }
  diff->counts[row->kind]++;
}

static int by_difference(const void *a, const void *b) {
  const roof_diff_row *x = a, *y = b;
  double u = fabs(x->difference), v = fabs(y->difference);
  const char *p = x->now.name != NULL ? x->now.name : x->before.name;
  const char *q = y->now.name != NULL ? y->now.name : y->before.name;
  return u != v ? (u > v ? -1 : 1) : strcmp(p, q);
}

static bool make_rows(item *items, size_t count, roof_diff *diff) {
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    match(items, count, ways[i].matched, ways[i].key);
  }
  give_keys(items, count, key_name);
  for (size_t from = 0, to; from < count; from = to) {
    if (items[from].key == NULL) {
      return false;
    }
    to = run_of(items, from, count);
    add_row(diff, items + from, to - from);
  }
  qsort(diff->rows, diff->count, sizeof *diff->rows, by_difference);
  return true;
}

roof_status roof_profile_diff(const roof_profile *before, const roof_profile *now, roof_diff *diff,
                              roof_error *error) {
  size_t count = before->count + now->count;
  item *items = calloc(count + 1, sizeof *items);
  roof_diff made = {.rows = calloc(count + 1, sizeof *made.rows),
                    .before_device = before->device,
                    .now_device = now->device};
  for (size_t i = 0; i < count && items != NULL; i++) {
    bool old = i < before->count;
    items[i] = (item){.record = old ? &before->records[i] : &now->records[i - before->count], .now = !old};
  }
  bool done = items != NULL && made.rows != NULL && make_rows(items, count, &made);
  for (size_t i = 0; i < count && items != NULL; i++) {
    free(items[i].key);
  }
  free(items);
  if (!done) {
    roof_diff_done(&made);
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  *diff = made;
  return ROOF_OK;
}

void roof_diff_done(roof_diff *diff) {
  free(diff->rows);
  *diff = (roof_diff){0};
}

void roof_diff_sentence(const roof_diff *d, roof_text *out) {
  char before[48], now[48], by[48], name[ROOF_KERNEL_SHOWN + 1];
  double change = d->now_seconds - d->before_seconds;
  roof_text_addf(out, "%s now, %s before: ", roof_quantity_format(now, sizeof now, d->now_seconds, "s"),
                 roof_quantity_format(before, sizeof before, d->before_seconds, "s"));
  if (fabs(change) < 1e-9 * d->before_seconds) {
    roof_text_add(out, "no more and no less");
  } else {
    roof_text_addf(out, "%s (%.1f %%) %s", roof_quantity_format(by, sizeof by, fabs(change), "s"),
                   100 * fabs(change) / d->before_seconds, change > 0 ? "more" : "less");
  }
  if (d->count > 0 && d->rows[0].difference != 0) {
    const roof_diff_row *most = &d->rows[0];
    roof_text_addf(
        out, ", most of all %s%s in %s", most->difference > 0 ? "+" : "-",
        roof_quantity_format(by, sizeof by, fabs(most->difference), "s"),
        roof_kernel_shorten(most->now.name != NULL ? most->now.name : most->before.name, name, sizeof name));
  }
  roof_text_add(out, "\n");
  for (int kind = 0; kind < ROOF_DIFF_COUNT; kind++) {
    roof_text_addf(out, "%s%zu %s", kind > 0 ? ", " : "", d->counts[kind],
                   roof_diff_kind_name((roof_diff_kind)kind));
  }
  roof_text_add(out, "\n");
}

static json_t *side_json(const roof_diff_side *side) {
  return json_pack("{s:s?, s:I, s:I, s:o}", "name", side->name, "kernels", (json_int_t)side->kernels, "calls",
                   (json_int_t)side->calls, "seconds", rf_json_number(side->seconds));
}

static json_t *row_json(const roof_diff_row *row) {
  return json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o, s:o}", "kind", roof_diff_kind_name(row->kind), "matched",
                   row->matched[0] != '\0' ? row->matched : NULL, "before", side_json(&row->before), "now",
                   side_json(&row->now), "difference_seconds", rf_json_number(row->difference), "change",
                   rf_json_number(row->change), "p", rf_json_number(row->p));
}

roof_status roof_diff_write(const roof_diff *d, roof_text *out, roof_error *error) {
  json_t *rows = json_array(), *counts = json_object();
  for (int kind = 0; kind < ROOF_DIFF_COUNT; kind++) {
    rf_json_set(counts, roof_diff_kind_name((roof_diff_kind)kind), json_integer((json_int_t)d->counts[kind]));
  }
  for (size_t i = 0; i < d->count; i++) {
    rf_json_append(rows, row_json(&d->rows[i]));
  }
  return rf_json_write(json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "schema",
                                 "roofline.import_diff/1", "before_device", d->before_device, "now_device",
                                 d->now_device, "before_seconds", rf_json_number(d->before_seconds),
                                 "now_seconds", rf_json_number(d->now_seconds), "difference_seconds",
                                 rf_json_number(d->now_seconds - d->before_seconds), "counts", counts,
                                 "kernels", rows),
                       "import", out, error);
}
