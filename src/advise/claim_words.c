/* A claim read from words as people write it, and judged in words. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/claim.h"
#include "core/figures.h"
#include "core/number.h"
#include "roofline/shape.h"
#include "roofline/units.h"
#include "roofline/whole.h"

enum { SHORT = 48 };

/** The units of claims. */
static const struct {
  const char *text;
  roof_claim_kind kind;
  double factor;
} units[] = {
    {"FLOP/s", ROOF_CLAIM_RATE, 1},
    {"FLOP", ROOF_CLAIM_RATE, 1},
    {"B/s", ROOF_CLAIM_BANDWIDTH, 1},
    {"bit/s", ROOF_CLAIM_BANDWIDTH, 0.125},
    {"b/s", ROOF_CLAIM_BANDWIDTH, 0.125},
    {"FLOP/B", ROOF_CLAIM_INTENSITY, 1},
    {"FLOP/byte", ROOF_CLAIM_INTENSITY, 1},
    {"s", ROOF_CLAIM_TIME, 1},
    {"%", ROOF_CLAIM_SHARE, 1},
};

static const struct {
  const char *name, *unit;
} kinds[ROOF_CLAIM_KIND_COUNT] = {
#define KIND(symbol, name, unit) [symbol] = {name, unit},
    ROOF_CLAIM_MAP(KIND)
#undef KIND
};

const char *roof_claim_kind_name(roof_claim_kind kind) {
  return (unsigned)kind < ROOF_CLAIM_KIND_COUNT ? kinds[kind].name : "?";
}

const char *roof_claim_kind_unit(roof_claim_kind kind) {
  return (unsigned)kind < ROOF_CLAIM_KIND_COUNT ? kinds[kind].unit : "?";
}

void roof_claim_init(roof_claim *claim) {
  *claim = (roof_claim){.op = NULL};
  for (int k = 0; k < ROOF_CLAIM_KIND_COUNT; k++) {
    claim->value[k] = NAN;
  }
}

roof_status roof_claim_check(const roof_claim *c, roof_error *error) {
  const double *value = c->value;
  int claimed = !isnan(value[ROOF_CLAIM_RATE]) + !isnan(value[ROOF_CLAIM_BANDWIDTH]) +
                !isnan(value[ROOF_CLAIM_TIME]) + !isnan(value[ROOF_CLAIM_SHARE]);
  const char *why = NULL;
  if (claimed != 1) {
    why = claimed == 0
              ? "what is claimed? for instance `roofline claim 1700TFLOP/s --machine h100 --dtype fp16`"
              : "one speed, bandwidth or time at once";
  } else if (c->op == NULL && !isnan(value[ROOF_CLAIM_TIME])) {
    why = "a time needs an operation and its shape: `roofline claim gemm m=... 1ms`";
  } else if (!isnan(value[ROOF_CLAIM_INTENSITY]) && (c->op != NULL || !isnan(value[ROOF_CLAIM_BANDWIDTH]))) {
    why = "an intensity goes with a rate and no operation, whose shape gives its intensity";
  }
  return why == NULL ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "claim: %s", why);
}

/** The row of the unit that `text` has, of `kind` (ROOF_CLAIM_KIND_COUNT: of any); -1: none, or a bare number. */
static int unit_of(const char *text, roof_claim_kind kind) {
  double value;
  bool bare = roof_quantity_parse(text, &value, NULL) == ROOF_OK;
  for (size_t i = 0; i < sizeof units / sizeof units[0] && !bare; i++) {
    if ((kind == ROOF_CLAIM_KIND_COUNT || kind == units[i].kind) &&
        roof_quantity_parse_unit(text, units[i].text, &value, NULL) == ROOF_OK) {
      return (int)i;
    }
  }
  return -1;
}

/** The row that `text` ends with although it is no quantity of it: its prefix or its number is wrong. What is per second
 * is no time. */
static int unit_meant(const char *text) {
  int last = sizeof units / sizeof units[0] - 1, row = 0;
  bool rate = roof_text_ends_with(text, "/s");
  while (row <= last &&
         (!roof_text_ends_with(text, units[row].text) || (rate && units[row].kind == ROOF_CLAIM_TIME))) {
    row++;
  }
  return row <= last ? row : -1;
}

/** Reads `text` as a quantity of `kind` (ROOF_CLAIM_KIND_COUNT: the unit says which; else a bare number has
 *  that kind). */
static roof_status read_quantity(roof_claim *c, roof_claim_kind kind, const char *text, roof_error *error) {
  double value = 0;
  int row = unit_of(text, kind);
  row = row < 0 && kind == ROOF_CLAIM_KIND_COUNT ? unit_meant(text) : row;
  kind = row >= 0 ? units[row].kind : kind;
  if (kind == ROOF_CLAIM_KIND_COUNT) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "`%s`: which unit? FLOP/s, B/s, s, FLOP/B or %% with an optional prefix", text);
  }
  const char *unit = row >= 0 ? units[row].text : roof_claim_kind_unit(kind);
  roof_status status = roof_quantity_parse_unit(text, unit, &value, error);
  if (status == ROOF_OK && !(value > 0)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: must be more than 0", text);
  }
  if (status == ROOF_OK && !isnan(c->value[kind])) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: a second %s", text, roof_claim_kind_name(kind));
  }
  if (status == ROOF_OK) {
    c->value[kind] = value * (row >= 0 ? units[row].factor : 1);
  }
  return status;
}

/** The kind that a word `key=...` claims, or ROOF_CLAIM_KIND_COUNT. */
static roof_claim_kind keyed_kind(const char *word) {
  for (int k = 0; k < ROOF_CLAIM_SHARE; k++) {
    const char *name = roof_claim_kind_name((roof_claim_kind)k);
    size_t length = strlen(name);
    if (strncmp(word, name, length) == 0 && word[length] == '=') {
      return (roof_claim_kind)k;
    }
  }
  return ROOF_CLAIM_KIND_COUNT;
}

static bool is_quantity(const char *word) {
  return isdigit((unsigned char)word[0]) || strchr(".+-", word[0]) != NULL;
}

/** True for a word that is a unit with its prefix alone: "TFLOP/s", "us". */
static bool is_unit(const char *word) {
  char one[32];
  return !is_quantity(word) && snprintf(one, sizeof one, "1%s", word) < (int)sizeof one &&
         unit_of(one, ROOF_CLAIM_KIND_COUNT) >= 0;
}

const char *roof_claim_operation(const char *const *words, int count) {
  for (int i = 0; i < count; i++) {
    bool unit = i > 0 && is_quantity(words[i - 1]) && is_unit(words[i]);
    if (strchr(words[i], '=') == NULL && !is_quantity(words[i]) && !unit) {
      return words[i];
    }
  }
  return NULL;
}

/** One shape of the operation, from the words that are of it. */
static roof_status read_shape(roof_claim *c, const char *const *words, int count, roof_error *error) {
  roof_shape shape;
  if (c->op == NULL) {
    return count == 0 ? ROOF_OK
                      : roof_error_set(error, ROOF_E_ARGUMENT,
                                       "claim: a shape needs an operation: `roofline claim gemm m=... 1ms`");
  }
  roof_status status = roof_shape_parse(&shape, c->op, words, count, NULL, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = shape.points == 1 ? roof_shape_point(&shape, 0, c->values, error)
                             : roof_error_set(error, ROOF_E_ARGUMENT, "claim: one shape at a time");
  roof_shape_done(&shape);
  return status;
}

/** The quantity at `words[*i]`, together with the next word where that is its unit: "260 us". */
static roof_status read_measure(roof_claim *c, const char *const *words, int count, int *i,
                                roof_error *error) {
  char both[80];
  const char *word = words[*i], *last = word + strlen(word) - 1;
  if (*i + 1 < count && isdigit((unsigned char)*last) && is_unit(words[*i + 1])) {
    snprintf(both, sizeof both, "%.40s%.20s", word, words[++*i]);
    return read_quantity(c, ROOF_CLAIM_KIND_COUNT, both, error);
  }
  return read_quantity(c, ROOF_CLAIM_KIND_COUNT, word, error);
}

/** Reads the quantities among the words and leaves the `left` that are of the shape in `shape_words`. */
static roof_status read_words(roof_claim *c, const char *const *words, int count, const char **shape_words,
                              int *left, roof_error *error) {
  const char *operation = roof_claim_operation(words, count);
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    const char *word = words[i];
    roof_claim_kind kind = keyed_kind(word);
    if (kind != ROOF_CLAIM_KIND_COUNT) {
      status = read_quantity(c, kind, word + strlen(roof_claim_kind_name(kind)) + 1, error);
    } else if (strchr(word, '=') != NULL) {
      shape_words[(*left)++] = word;
    } else if (roof_shape_is_sizes(word)) {
      shape_words[(*left)++] = word;
    } else if (is_quantity(word)) {
      status = read_measure(c, words, count, &i, error);
    } else if (word != operation || c->op == NULL) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "unexpected argument `%s`", word);
    }
  }
  return status;
}

/** Refuses what is claimed of a model where no model is named. */
static roof_status refuse_models(const roof_op *op, const char *const *words, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && op == NULL && status == ROOF_OK; i++) {
    roof_model_claim claim;
    bool read = false;
    bool keyed = strchr(words[i], '=') != NULL;
    bool own = keyed ? keyed_kind(words[i]) != ROOF_CLAIM_KIND_COUNT : roof_text_ends_with(words[i], "%");
    if (!own && roof_model_claim_read(words[i], &claim, &read, NULL) == ROOF_OK && read) {
      status =
          roof_error_set(error, ROOF_E_ARGUMENT,
                         "`%.40s` is of a whole model, whose name comes first: `roofline claim llama-3.1-70b "
                         "%.40s`",
                         words[i], words[i]);
    }
  }
  return status;
}

roof_status roof_claim_parse(roof_claim *claim, const roof_op *op, const char *const *words, int count,
                             roof_error *error) {
  roof_claim c;
  int left = 0;
  const char **shape_words = calloc((size_t)count + 1, sizeof *shape_words);
  if (shape_words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "claim: out of memory");
  }
  roof_claim_init(&c);
  c.op = op;
  roof_status status = refuse_models(op, words, count, error);
  status = status == ROOF_OK ? read_words(&c, words, count, shape_words, &left, error) : status;
  status = status == ROOF_OK ? roof_claim_check(&c, error) : status;
  status = status == ROOF_OK ? read_shape(&c, shape_words, left, error) : status;
  free(shape_words);
  if (status == ROOF_OK) {
    *claim = c;
  }
  return status;
}

/** "172 %", "2.1 %", "12.5 times", "over 10000 times". */
static const char *percent(char buffer[SHORT], double fraction) {
  if (fraction >= 10) {
    rf_format(buffer, SHORT, fraction >= 1e4 ? "over %.0f times" : "%.3g times",
              fraction >= 1e4 ? 10000.0 : fraction);
    return buffer;
  }
  rf_format(buffer, SHORT, fraction >= 0.0995 ? "%.0f %%" : "%.2g %%", 100 * fraction);
  return buffer;
}

/** What sparsity would make of an impossible claim, "" where nothing. */
static void explain_sparse(const roof_claim_judged *j, char *out, size_t size) {
  char share[SHORT], value[SHORT];
  out[0] = '\0';
  percent(share, j->sparse_share);
  if (isnan(j->sparse_share)) {
    return;
  }
  if (isnan(j->sparse_limit)) {
    snprintf(out, size, "; with %s weights it would be %s: a sparse figure", j->sparse_name, share);
  } else {
    snprintf(out, size, "; it is %s of the %s %s peak (%s): a sparse figure", share, j->sparse_name,
             roof_dtype_name(j->dtype), roof_quantity_format(value, SHORT, j->sparse_limit, "FLOP/s"));
  }
}

/** What fp16 sums would make of a claim, "" where nothing. */
static void explain_sums(const roof_claim_judged *j, char *out, size_t size) {
  char share[SHORT], value[SHORT];
  out[0] = '\0';
  if (!isnan(j->sums_share)) {
    snprintf(out, size, "; with fp16 sums, whose peak is %s, it would be %s",
             roof_quantity_format(value, SHORT, j->sums_limit, "FLOP/s"), percent(share, j->sums_share));
  }
}

/** The clock that a claim above a nominal peak takes, "" where that is no cause. */
static void explain_clock(const roof_claim_judged *j, const roof_machine *machine, char *out, size_t size) {
  char nominal[SHORT], needed[SHORT];
  out[0] = '\0';
  if (!isnan(j->clock_hz)) {
    snprintf(out, size, "; the peak is at a nominal %s%s: this takes %s",
             roof_quantity_format(nominal, SHORT, j->clock_hz, "Hz"),
             rf_exceeds_nominal(machine) ? ", above which it was measured" : "",
             roof_quantity_format(needed, SHORT, j->needed_hz, "Hz"));
  }
}

/** The algorithm that an impossible claim may mean, "" where there is none. */
static void explain_algorithm(const roof_claim_judged *j, char *out, size_t size) {
  char share[SHORT];
  out[0] = '\0';
  if (!j->possible && j->algorithm != NULL) {
    snprintf(out, size, "; with %s it would be %s", j->algorithm,
             percent(share, j->algorithm_seconds / j->placed.seconds));
  }
}

void rf_claim_explain(roof_claim_judged *j, const roof_claim *claim, const roof_machine *machine) {
  char share[SHORT], limit[SHORT], held[384], sparse[128], clock[128], sums[128], other[128];
  const char *title = roof_machine_title(machine);
  const char *assumed = j->source[0] != '\0' && j->source_kind == ROOF_ASSUMED ? ", assumed" : "";
  roof_quantity_format(limit, SHORT, j->limit, roof_claim_kind_unit(j->kind));
  if (claim->op == NULL) {
    snprintf(held, sizeof held, "the %s (%s%s) of %s", j->limit_name, limit, assumed, title);
  } else if (j->kind == ROOF_CLAIM_TIME) {
    snprintf(held, sizeof held, "what %s can do: %s takes at least %s, %s%s", title, claim->op->name, limit,
             j->limit_name, assumed);
  } else {
    snprintf(held, sizeof held, "the %s %s can reach on %s, %s%s", limit, claim->op->name, title,
             j->limit_name, assumed);
  }
  explain_sparse(j, sparse, sizeof sparse);
  explain_clock(j, machine, clock, sizeof clock);
  explain_sums(j, sums, sizeof sums);
  explain_algorithm(j, other, sizeof other);
  const char *of = j->placed.share >= 10 ? "" : "of ", *only = j->possible ? j->algorithm : NULL;
  const char *state = roof_place_state_name(j->possible ? ROOF_PLACE_POSSIBLE : j->placed.state);
  snprintf(j->because, sizeof j->because, "%s%s%s: %s %s%s%s%s%s%s%s%s", state, only != NULL ? " with " : "",
           only != NULL ? only : "", percent(share, j->placed.share), of, held,
           only != NULL ? ", without it" : "", clock, sums, sparse, other,
           j->fits ? "" : "; its data do not fit in the memory");
}

static const char *claim_quantity(char buffer[SHORT], double value, roof_claim_kind kind) {
  return roof_quantity_format(buffer, SHORT, value, roof_claim_kind_unit(kind));
}

void roof_claim_details(const roof_claim_judged *j, const char *machine, bool of_op, roof_text *out) {
  char claimed[SHORT], limit[SHORT];
  roof_text_addf(out, "  claimed  %s", claim_quantity(claimed, j->claimed, j->kind));
  if (of_op || j->kind == ROOF_CLAIM_RATE) {
    roof_text_addf(out, " in %s", roof_dtype_name(j->dtype));
  }
  roof_text_addf(out, "\n  limit    %s: %s\n", claim_quantity(limit, j->limit, j->kind), j->limit_name);
  bool doubtful = j->placed.state == ROOF_PLACE_UNKNOWN;
  if (doubtful) {
    roof_text_addf(out, "  source   %s\n", j->source);
  } else if (j->source[0] != '\0') { /* its whole trail is in `machine show` and in JSON */
    roof_text_addf(out, "  source   %.*s; `roofline machine show %s`\n", (int)strcspn(j->source, ","),
                   j->source, machine);
  }
  for (int i = 0; i < j->match_count; i++) {
    roof_text_addf(out, "  same as  %s: %s\n", j->matches[i].name,
                   claim_quantity(limit, j->matches[i].value, j->kind));
  }
  if (j->possible && j->algorithm != NULL) {
    roof_text_addf(out, "  needs    %s", j->algorithm);
    if (j->algorithm_seconds > 0) {
      roof_text_addf(out, ", which takes at least %s",
                     roof_quantity_format(limit, SHORT, j->algorithm_seconds, "s"));
    }
    roof_text_add(out, "\n");
  } else if (j->possible || doubtful) {
    roof_text_addf(out, "  verdict  %s: %s\n", j->placed.verdict->name, j->placed.verdict->meaning);
  }
}
