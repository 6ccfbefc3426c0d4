/* Is a claimed speed, bandwidth or time possible on a machine? */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/advise.h"

enum { SHORT = 48, NAME = 160, MATCHES_MAX = 8 };

/** Datasheets round: this much over a limit is the limit. */
static const double rounding = 5e-3;
/** A claim this near to another figure of the machine is taken for it. */
static const double same_figure = 1e-2;

typedef enum claim_kind { RATE, BANDWIDTH, TIME, INTENSITY, SHARE, KIND_COUNT } claim_kind;

static const struct {
  const char *key;
  const char *unit; /**< the base unit, as printed */
  const char *json;
} kinds[KIND_COUNT] = {
    [RATE] = {"rate", "FLOP/s", "flops_per_second"},
    [BANDWIDTH] = {"bandwidth", "B/s", "bytes_per_second"},
    [TIME] = {"time", "s", "seconds"},
    [INTENSITY] = {"intensity", "FLOP/B", "intensity"},
    [SHARE] = {"share", "%", "share_of_peak"},
};

/** How people write units; the longer of two that end alike first. */
static const struct {
  const char *text;
  claim_kind kind;
  double factor;
} units[] = {
    {"FLOP/s", RATE, 1},
    {"FLOPs/s", RATE, 1},
    {"FLOPS", RATE, 1},
    {"OP/s", RATE, 1},
    {"OPS", RATE, 1},
    {"B/s", BANDWIDTH, 1},
    {"bit/s", BANDWIDTH, 0.125},
    {"b/s", BANDWIDTH, 0.125},
    {"FLOP/B", INTENSITY, 1},
    {"FLOP/byte", INTENSITY, 1},
    {"s", TIME, 1},
    {"%", SHARE, 0.01},
};

/** What was typed: an operation with its shape, or none, and quantities (NaN where not claimed). */
typedef struct claim {
  double value[KIND_COUNT];
  const roof_op *op;
  roof_shape shape;
} claim;

typedef struct match {
  char name[NAME];
  double value;
} match;

/** A claim against its limit. `fraction` over 1 is impossible. */
typedef struct judgement {
  claim_kind kind;
  double claimed;
  double limit;
  double fraction;
  char limit_name[NAME];
  char source[ROOF_SOURCE_MAX + 64];
  match matches[MATCHES_MAX];
  int match_count;
  char sparse[NAME]; /**< what 2:4 sparsity would change, or "" */
  double values[ROOF_PARAM_MAX];
  roof_prediction prediction;
} judgement;

static const char *quantity(char buffer[SHORT], double value, claim_kind kind) {
  return roof_quantity_format(buffer, SHORT, value, kinds[kind].unit);
}

/** "172 %", "2.1 %". */
static const char *percent(char buffer[SHORT], double fraction) {
  rf_format(buffer, SHORT, fraction >= 0.0995 ? "%.0f %%" : "%.2g %%", 100 * fraction);
  return buffer;
}

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a > b && strcmp(text + a - b, end) == 0;
}

/** Reads `text` as a quantity of `kind` (KIND_COUNT: the unit says which; else a bare number has that
 * kind). */
static roof_status read_quantity(claim *c, claim_kind kind, const char *text, roof_error *error) {
  double value = 0, factor = 1;
  const char *unit = kind == KIND_COUNT ? NULL : kinds[kind].unit;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (ends_with(text, units[i].text) && (kind == KIND_COUNT || kind == units[i].kind)) {
      unit = units[i].text;
      factor = units[i].factor;
      kind = units[i].kind;
      break;
    }
  }
  if (unit == NULL) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "`%s`: which unit? FLOP/s, B/s, s, FLOP/B or %% with an optional prefix", text);
  }
  roof_status status = roof_quantity_parse_unit(text, unit, &value, error);
  if (status == ROOF_OK && !(value > 0)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: must be more than 0", text);
  }
  if (status == ROOF_OK && !isnan(c->value[kind])) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: a second %s", text, kinds[kind].key);
  }
  if (status == ROOF_OK) {
    c->value[kind] = value * factor;
  }
  return status;
}

/** The kind that a word `key=...` claims, or KIND_COUNT. */
static claim_kind keyed_kind(const char *word) {
  for (int k = 0; k < SHARE; k++) {
    size_t length = strlen(kinds[k].key);
    if (strncmp(word, kinds[k].key, length) == 0 && word[length] == '=') {
      return (claim_kind)k;
    }
  }
  return KIND_COUNT;
}

/** One operation, its shape, and one claim that makes sense with them. */
static roof_status check_claim(const claim *c, int shape_words, roof_error *error) {
  int claimed =
      !isnan(c->value[RATE]) + !isnan(c->value[BANDWIDTH]) + !isnan(c->value[TIME]) + !isnan(c->value[SHARE]);
  const char *why = NULL;
  if (claimed != 1) {
    why = claimed == 0
              ? "what is claimed? for instance `roofline claim 1700TFLOP/s --machine h100 --dtype fp16`"
              : "one speed, bandwidth or time at once";
  } else if (c->op == NULL && shape_words > 0) {
    why = "a shape needs an operation: `roofline claim gemm m=... 1ms`";
  } else if (c->op == NULL && !isnan(c->value[TIME])) {
    why = "a time needs an operation and its shape: `roofline claim gemm m=... 1ms`";
  } else if (!isnan(c->value[INTENSITY]) && (c->op != NULL || !isnan(c->value[BANDWIDTH]))) {
    why = "an intensity goes with a rate and no operation, whose shape gives its intensity";
  }
  return why == NULL ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "claim: %s", why);
}

static roof_status read_words(const cli_args *args, claim *c, roof_error *error) {
  const char **words = calloc((size_t)args->word_count + 1, sizeof *words);
  if (words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "claim: out of memory");
  }
  int count = 0;
  roof_status status = ROOF_OK;
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    const char *word = args->words[i];
    claim_kind kind = keyed_kind(word);
    if (kind != KIND_COUNT) {
      status = read_quantity(c, kind, word + strlen(kinds[kind].key) + 1, error);
    } else if (strchr(word, '=') != NULL) {
      words[count++] = word;
    } else if (isdigit((unsigned char)word[0]) || strchr(".+-", word[0]) != NULL) {
      status = read_quantity(c, KIND_COUNT, word, error);
    } else if (c->op != NULL) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: one word too many", word);
    } else {
      status = cli_select_op(args, word, &c->op, error);
    }
  }
  status = status == ROOF_OK ? check_claim(c, count, error) : status;
  if (status == ROOF_OK && c->op != NULL) {
    status = roof_shape_parse(&c->shape, c->op, words, count, NULL, error);
  }
  if (status == ROOF_OK && c->op != NULL && c->shape.points > 1) {
    roof_shape_done(&c->shape);
    status = roof_error_set(error, ROOF_E_ARGUMENT, "claim: one shape at a time");
  }
  free(words);
  return status;
}

static void name_peak(char name[NAME], const roof_peak *peak) {
  snprintf(name, NAME, "%s %s %s peak", peak->sparse ? "2:4 sparse" : "dense", roof_dtype_name(peak->dtype),
           roof_unit_name(peak->unit));
}

static void set_source(judgement *j, roof_provenance kind, const char *date, const char *source) {
  snprintf(j->source, sizeof j->source, "%s%s%s%s%s", roof_provenance_name(kind),
           date[0] != '\0' ? " of " : "", date, source[0] != '\0' ? ", " : "", source);
}

static void add_match(judgement *j, const char *name, double value) {
  for (int i = 0; i < j->match_count; i++) {
    if (strcmp(j->matches[i].name, name) == 0) {
      return;
    }
  }
  if (j->match_count < MATCHES_MAX) {
    match *m = &j->matches[j->match_count++];
    snprintf(m->name, sizeof m->name, "%s", name);
    m->value = value;
  }
}

static bool equals(double claimed, double figure) {
  return fabs(claimed / figure - 1) <= same_figure;
}

/** Other peaks of the machine that the claimed rate is. */
static void match_peaks(judgement *j, const roof_machine *machine, const roof_peak *own) {
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *peak = &machine->peaks[i];
    char name[NAME];
    if (peak->kind != ROOF_MEASURED && peak != own && equals(j->claimed, peak->flops_per_second)) {
      name_peak(name, peak);
      add_match(j, name, peak->flops_per_second);
    }
  }
}

/** Levels and links, one way and both, that the claimed bandwidth is. */
static void match_bandwidths(judgement *j, const roof_machine *machine) {
  char name[NAME];
  for (int i = 0; i < machine->link_count; i++) {
    const roof_link *link = &machine->links[i];
    if (equals(j->claimed, link->both_ways_bytes_per_second)) {
      char one_way[SHORT];
      snprintf(name, sizeof name, "%s both ways together (one way: %s)", link->name,
               quantity(one_way, link->bytes_per_second, BANDWIDTH));
      add_match(j, name, link->both_ways_bytes_per_second);
    } else if (equals(j->claimed, link->bytes_per_second)) {
      snprintf(name, sizeof name, "%s one way", link->name);
      add_match(j, name, link->bytes_per_second);
    }
  }
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *level = &machine->levels[i];
    double bandwidth = roof_level_bandwidth(level, 0, 0);
    if (equals(j->claimed, bandwidth) && strcmp(level->name, j->limit_name) != 0) {
      snprintf(name, sizeof name, "%s bandwidth (%s)", level->name, roof_provenance_name(level->kind));
      add_match(j, name, bandwidth);
    }
  }
}

/** What the sparse peak would make of an impossible rate. */
static void judge_sparse(judgement *j, const roof_target *target, const roof_peak *own) {
  const roof_peak *sparse = roof_machine_peak(target->machine, own->dtype, own->unit, true, ROOF_DATASHEET);
  double fraction = sparse != NULL && !own->sparse ? j->claimed / sparse->flops_per_second : NAN;
  if (fraction <= 1 + rounding) {
    char value[SHORT], share[SHORT];
    snprintf(j->sparse, sizeof j->sparse, "it is %s of the 2:4 sparse %s peak (%s): a sparse figure",
             percent(share, fraction), roof_dtype_name(own->dtype),
             quantity(value, sparse->flops_per_second, RATE));
  }
}

static roof_status judge_rate(judgement *j, const claim *c, const roof_target *target, roof_error *error) {
  roof_status status = roof_target_supports(target, ROOF_MATRIX, error);
  if (status != ROOF_OK) {
    return status;
  }
  const roof_peak *peak = target->peak[ROOF_MATRIX];
  j->kind = RATE;
  j->claimed = isnan(c->value[SHARE]) ? c->value[RATE] : c->value[SHARE] * peak->flops_per_second;
  j->limit = peak->flops_per_second;
  name_peak(j->limit_name, peak);
  set_source(j, peak->kind, peak->date, peak->source);
  const roof_level *level = target->level[target->memory];
  double roof = c->value[INTENSITY] / target->seconds_per_byte[target->memory][0];
  if (roof < j->limit) {
    j->limit = roof;
    rf_format(j->limit_name, sizeof j->limit_name, "%s roof at %g FLOP/B", level->name, c->value[INTENSITY]);
    set_source(j, level->kind, level->date, level->source);
  }
  j->fraction = j->claimed / j->limit;
  if (isnan(c->value[INTENSITY])) {
    match_peaks(j, target->machine, peak);
    if (j->fraction > 1 + rounding) {
      judge_sparse(j, target, peak);
    }
  }
  return ROOF_OK;
}

static roof_status judge_bandwidth(judgement *j, const claim *c, const roof_target *target,
                                   roof_error *error) {
  const roof_level *level = target->level[target->memory];
  const roof_link *link = target->options.link != NULL ? target->link : NULL;
  j->kind = BANDWIDTH;
  j->claimed = c->value[BANDWIDTH];
  if (link != NULL) {
    j->limit = link->bytes_per_second;
    snprintf(j->limit_name, sizeof j->limit_name, "%s bandwidth one way", link->name);
    set_source(j, link->kind, link->date, link->source);
  } else if (level != NULL) {
    j->limit = 1 / roof_costs_least(target->seconds_per_byte[target->memory]);
    snprintf(j->limit_name, sizeof j->limit_name, "%s bandwidth", level->name);
    set_source(j, level->kind, level->date, level->source);
  }
  if (!(j->limit > 0)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no memory bandwidth is known",
                          target->machine->name);
  }
  j->fraction = j->claimed / j->limit;
  match_bandwidths(j, target->machine);
  return ROOF_OK;
}

/** Would the 2:4 sparse peak make it possible? */
static void judge_sparse_operation(judgement *j, const claim *c, const roof_target *target, double seconds) {
  roof_options options = target->options;
  roof_target sparse;
  roof_prediction p;
  options.sparse = true;
  if (roof_target_init(&sparse, target->machine, &target->types, &options, NULL) != ROOF_OK) {
    return;
  }
  roof_predict(&sparse, c->op, j->values, &p);
  if (p.lower_seconds <= seconds * (1 + rounding)) {
    char share[SHORT];
    snprintf(j->sparse, sizeof j->sparse, "with 2:4 sparse weights it would be %s: a sparse figure",
             percent(share, p.lower_seconds / seconds));
  }
}

static roof_status judge_operation(judgement *j, const claim *c, const roof_target *target,
                                   roof_error *error) {
  roof_prediction *p = &j->prediction;
  roof_status status = roof_shape_point(&c->shape, 0, j->values, error);
  if (status == ROOF_OK) {
    roof_predict(target, c->op, j->values, p);
    status = p->work.flops > 0 ? roof_target_supports(target, p->work.unit, error) : ROOF_OK;
  }
  if (status == ROOF_OK && p->peak == NULL && !isnan(c->value[SHARE])) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: its peak for %s is not known",
                            target->machine->name, c->op->name);
  }
  if (status != ROOF_OK) {
    return status;
  }
  double rate = isnan(c->value[SHARE]) ? c->value[RATE] : c->value[SHARE] * p->peak->flops_per_second;
  double per_second = !isnan(rate) ? p->work.flops : p->bytes;
  j->kind = !isnan(c->value[TIME]) ? TIME : !isnan(rate) ? RATE : BANDWIDTH;
  if (j->kind != TIME && !(per_second > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "claim: %s has no %s to count", c->op->name,
                          j->kind == RATE ? "FLOP" : "bytes");
  }
  j->claimed = j->kind == TIME ? c->value[TIME] : j->kind == RATE ? rate : c->value[BANDWIDTH];
  j->limit = j->kind == TIME ? p->lower_seconds : per_second / p->lower_seconds;
  j->fraction = j->kind == TIME ? j->limit / j->claimed : j->claimed / j->limit;
  char binding[ROOF_NAME_MAX];
  roof_prediction bound = *p; /* the wall of the bound itself, whatever the cutoff */
  bound.regime = p->compute_seconds >= p->lower_seconds   ? ROOF_COMPUTE_BOUND
                 : p->memory_seconds >= p->lower_seconds  ? ROOF_MEMORY_BOUND
                 : p->network_seconds >= p->lower_seconds ? ROOF_NETWORK_BOUND
                                                          : ROOF_OVERHEAD_BOUND;
  snprintf(j->limit_name, sizeof j->limit_name, "%s-bound (%s)", roof_regime_name(bound.regime),
           roof_prediction_binding(&bound, binding, sizeof binding));
  if (bound.regime == ROOF_COMPUTE_BOUND) {
    set_source(j, p->peak->kind, p->peak->date, p->peak->source);
  } else if (bound.regime == ROOF_MEMORY_BOUND) {
    set_source(j, p->binding->kind, p->binding->date, p->binding->source);
  }
  if (j->fraction > 1 + rounding && p->work.flops > 0 && !target->options.sparse) {
    judge_sparse_operation(j, c, target, p->lower_seconds / j->fraction);
  }
  return ROOF_OK;
}

static bool is_possible(const judgement *j) {
  return j->fraction <= 1 + rounding;
}

static const roof_verdict *verdict_of(const judgement *j) {
  return roof_verdict_of(is_possible(j) ? fmin(j->fraction, 1) : j->fraction);
}

static void add_answer(roof_text *out, const claim *c, const roof_target *target, const judgement *j) {
  char share[SHORT], limit[SHORT];
  const char *title = roof_machine_title(target->machine);
  roof_text_addf(out, "%s: %s of ", is_possible(j) ? "possible" : "impossible", percent(share, j->fraction));
  quantity(limit, j->limit, j->kind);
  if (c->op == NULL) {
    roof_text_addf(out, "the %s (%s) of %s", j->limit_name, limit, title);
  } else if (j->kind == TIME) {
    roof_text_addf(out, "what %s can do: %s takes at least %s, %s", title, c->op->name, limit, j->limit_name);
  } else {
    roof_text_addf(out, "the %s %s can reach on %s, %s", limit, c->op->name, title, j->limit_name);
  }
  roof_text_addf(out, "%s%s", j->sparse[0] != '\0' ? "; " : "", j->sparse);
}

static void add_details(roof_text *out, const claim *c, const roof_target *target, const judgement *j) {
  char claimed[SHORT], limit[SHORT];
  roof_text_addf(out, "  claimed  %s", quantity(claimed, j->claimed, j->kind));
  if (c->op != NULL || j->kind == RATE) {
    roof_text_addf(out, " in %s", roof_dtype_name(target->types.compute));
  }
  roof_text_addf(out, "\n  limit    %s: %s\n", quantity(limit, j->limit, j->kind), j->limit_name);
  if (j->source[0] != '\0') {
    roof_text_addf(out, "  source   %s\n", j->source);
  }
  for (int i = 0; i < j->match_count; i++) {
    roof_text_addf(out, "  same as  %s: %s\n", j->matches[i].name,
                   quantity(limit, j->matches[i].value, j->kind));
  }
  if (is_possible(j)) {
    const roof_verdict *verdict = verdict_of(j);
    roof_text_addf(out, "  verdict  %s: %s\n", verdict->name, verdict->meaning);
  }
  if (c->op != NULL && j->prediction.regime == ROOF_CAPACITY_BOUND) {
    roof_text_add(out, "  note     the working set does not fit in its memory\n");
  }
}

static json_t *claim_json(const claim *c, const roof_target *target, const judgement *j) {
  json_t *claimed = json_object(), *limit = json_object(), *matches = json_array();
  for (int k = 0; k <= TIME; k++) {
    json_object_set_new(claimed, kinds[k].json, cli_json_number(k == (int)j->kind ? j->claimed : NAN));
    json_object_set_new(limit, kinds[k].json, cli_json_number(k == (int)j->kind ? j->limit : NAN));
  }
  json_object_set_new(claimed, "intensity", cli_json_number(c->value[INTENSITY]));
  json_object_set_new(limit, "name", json_string(j->limit_name));
  json_object_set_new(limit, "source", json_string(j->source));
  for (int i = 0; i < j->match_count; i++) {
    json_array_append_new(matches,
                          json_pack("{s:s, s:s, s:o}", "name", j->matches[i].name, "quantity",
                                    kinds[j->kind].json, "value", cli_json_number(j->matches[i].value)));
  }
  roof_text because = {0};
  add_answer(&because, c, target, j);
  json_t *object =
      json_pack("{s:s, s:s, s:s?, s:o, s:s, s:o, s:o, s:o, s:b, s:s, s:s, s:o}", "schema", "roofline.claim/1",
                "machine", target->machine->name, "op", c->op != NULL ? c->op->name : NULL, "parameters",
                c->op != NULL ? cli_json_parameters(c->op, j->values) : json_null(), "dtype",
                roof_dtype_name(target->types.compute), "claimed", claimed, "limit", limit, "fraction",
                cli_json_number(j->fraction), "possible", is_possible(j), "verdict", verdict_of(j)->name,
                "because", because.data != NULL ? because.data : "", "matches", matches);
  roof_text_done(&because);
  return object;
}

static roof_status print_judgement(const cli_args *args, const claim *c, const roof_target *target,
                                   const judgement *j, roof_error *error) {
  if (args->json || args->csv) {
    return cli_answer_print(args, claim_json(c, target, j), error);
  }
  roof_text out = {0};
  bool color = cli_use_color(args, stdout);
  roof_text_add(&out, color ? "\033[1m" : "");
  add_answer(&out, c, target, j);
  roof_text_add(&out, color ? "\033[0m\n" : "\n");
  if (!args->quiet) {
    roof_text_add(&out, "\n");
    add_details(&out, c, target, j);
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status judge(const cli_args *args, const claim *c, roof_error *error) {
  cli_targets machines;
  roof_status status = cli_select_targets(args, &machines, error);
  if (status != ROOF_OK) {
    return status;
  }
  judgement j = {.limit = NAN};
  const roof_target *target = &machines.targets[0];
  if (machines.count > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "claim: one machine at a time");
  } else if (c->op != NULL) {
    status = judge_operation(&j, c, target, error);
  } else if (!isnan(c->value[BANDWIDTH])) {
    status = judge_bandwidth(&j, c, target, error);
  } else {
    status = judge_rate(&j, c, target, error);
  }
  if (status == ROOF_OK) {
    status = print_judgement(args, c, target, &j, error);
  }
  cli_targets_done(&machines);
  return status == ROOF_OK && !is_possible(&j) ? ROOF_E_GATE : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  claim c = {.op = NULL};
  for (int k = 0; k < KIND_COUNT; k++) {
    c.value[k] = NAN;
  }
  roof_status status = read_words(args, &c, error);
  if (status == ROOF_OK) {
    status = judge(args, &c, error);
    roof_shape_done(&c.shape);
  }
  return status;
}

const cli_command cli_cmd_claim = {
    .name = "claim",
    .arguments = "[OP key=value ...] QUANTITY",
    .summary = "is a claimed speed, bandwidth or time possible on a machine? exit 1 when it is not",
    .examples =
        "  roofline claim 1700TFLOP/s --machine h100 --dtype fp16\n"
        "  roofline claim 3.0TB/s --machine h100\n"
        "  roofline claim 900GB/s --machine h100 --link 'NVLink 4'\n"
        "  roofline claim gemm m=8192 n=8192 k=8192 1ms --machine h100 --dtype fp16\n"
        "  roofline claim gemm m=8192 n=8192 k=8192 800TFLOP/s --machine h100 --dtype fp16\n"
        "  roofline claim 64FLOP/B 90% --machine h100 --dtype fp16\n"
        "\n"
        "  The unit says what is claimed: FLOP/s, B/s, bit/s, s, or % of the peak, with a prefix (T, M, u);\n"
        "  FLOP/B beside a rate is the intensity it is claimed at. The same with names: rate=, bandwidth=,\n"
        "  time=, intensity=.\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .run = run,
};
