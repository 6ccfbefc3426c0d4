/* Is a claimed speed, bandwidth or time possible on a machine? */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/claim.h"

enum { SHORT = 48 };

/** Keys of JSON, by what is claimed. */
static const char *const keys[] = {[ROOF_CLAIM_RATE] = "flops_per_second",
                                   [ROOF_CLAIM_BANDWIDTH] = "bytes_per_second",
                                   [ROOF_CLAIM_TIME] = "seconds"};

/** How people write units; the longer of two that end alike first. */
static const struct {
  const char *text;
  roof_claim_kind kind;
  double factor;
} units[] = {
    {"FLOP/s", ROOF_CLAIM_RATE, 1},
    {"FLOPs/s", ROOF_CLAIM_RATE, 1},
    {"FLOPS", ROOF_CLAIM_RATE, 1},
    {"OP/s", ROOF_CLAIM_RATE, 1},
    {"OPS", ROOF_CLAIM_RATE, 1},
    {"B/s", ROOF_CLAIM_BANDWIDTH, 1},
    {"bit/s", ROOF_CLAIM_BANDWIDTH, 0.125},
    {"b/s", ROOF_CLAIM_BANDWIDTH, 0.125},
    {"FLOP/B", ROOF_CLAIM_INTENSITY, 1},
    {"FLOP/byte", ROOF_CLAIM_INTENSITY, 1},
    {"s", ROOF_CLAIM_TIME, 1},
    {"%", ROOF_CLAIM_SHARE, 0.01},
};

/** What was typed. */
typedef struct typed {
  roof_claim claim;
  double values[ROOF_PARAM_MAX]; /**< of its operation */
} typed;

static const char *quantity(char buffer[SHORT], double value, roof_claim_kind kind) {
  return roof_quantity_format(buffer, SHORT, value, roof_claim_kind_unit(kind));
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

/** Reads `text` as a quantity of `kind` (ROOF_CLAIM_KIND_COUNT: the unit says which; else a bare number has
 * that kind). */
static roof_status read_quantity(roof_claim *c, roof_claim_kind kind, const char *text, roof_error *error) {
  double value = 0, factor = 1;
  const char *unit = kind == ROOF_CLAIM_KIND_COUNT ? NULL : roof_claim_kind_unit(kind);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (ends_with(text, units[i].text) && (kind == ROOF_CLAIM_KIND_COUNT || kind == units[i].kind)) {
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
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: a second %s", text, roof_claim_kind_name(kind));
  }
  if (status == ROOF_OK) {
    c->value[kind] = value * factor;
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

/** What only an operation has: a shape, a working set that may be warm, tiles. */
static roof_status check_machine_claim(const cli_args *args, int shape_words, roof_error *error) {
  const char *why = shape_words > 0 ? "a shape needs an operation: `roofline claim gemm m=... 1ms`"
                    : args->warm    ? "--warm goes with an operation, whose working set may be in a cache"
                    : args->tile != NULL ? "--tile goes with an operation, whose data are reused"
                                         : NULL;
  return why == NULL ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "claim: %s", why);
}

/** One shape of the operation. */
static roof_status read_shape(typed *t, const char *const *words, int count, roof_error *error) {
  roof_shape shape;
  roof_status status = roof_shape_parse(&shape, t->claim.op, words, count, NULL, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = shape.points == 1 ? roof_shape_point(&shape, 0, t->values, error)
                             : roof_error_set(error, ROOF_E_ARGUMENT, "claim: one shape at a time");
  t->claim.values = t->values;
  roof_shape_done(&shape);
  return status;
}

static roof_status read_words(const cli_args *args, typed *t, roof_error *error) {
  roof_claim *c = &t->claim;
  const char **words = calloc((size_t)args->word_count + 1, sizeof *words);
  if (words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "claim: out of memory");
  }
  int count = 0;
  roof_status status = ROOF_OK;
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    const char *word = args->words[i];
    roof_claim_kind kind = keyed_kind(word);
    if (kind != ROOF_CLAIM_KIND_COUNT) {
      status = read_quantity(c, kind, word + strlen(roof_claim_kind_name(kind)) + 1, error);
    } else if (strchr(word, '=') != NULL) {
      words[count++] = word;
    } else if (isdigit((unsigned char)word[0]) || strchr(".+-", word[0]) != NULL) {
      status = read_quantity(c, ROOF_CLAIM_KIND_COUNT, word, error);
    } else if (c->op != NULL) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "unexpected argument `%s`", word);
    } else {
      status = cli_select_op(args, word, &c->op, error);
    }
  }
  status = status == ROOF_OK ? roof_claim_check(c, error) : status;
  if (status == ROOF_OK) {
    status = c->op != NULL ? read_shape(t, words, count, error) : check_machine_claim(args, count, error);
  }
  free(words);
  return status;
}

/** What sparsity would make of an impossible claim. */
static void add_sparse(roof_text *out, const roof_target *target, const roof_claim_judged *j) {
  char share[SHORT], value[SHORT];
  if (isnan(j->sparse_share)) {
    return;
  }
  percent(share, j->sparse_share);
  if (isnan(j->sparse_limit)) {
    roof_text_addf(out, "; with 2:4 sparse weights it would be %s: a sparse figure", share);
  } else {
    roof_text_addf(out, "; it is %s of the 2:4 sparse %s peak (%s): a sparse figure", share,
                   roof_dtype_name(target->types.compute), quantity(value, j->sparse_limit, ROOF_CLAIM_RATE));
  }
}

static void add_answer(roof_text *out, const roof_claim *c, const roof_target *target,
                       const roof_claim_judged *j) {
  char share[SHORT], limit[SHORT];
  const char *title = roof_machine_title(target->machine);
  roof_text_addf(out, "%s: %s of ", j->possible ? "possible" : "impossible", percent(share, j->placed.share));
  quantity(limit, j->limit, j->kind);
  if (c->op == NULL) {
    roof_text_addf(out, "the %s (%s) of %s", j->limit_name, limit, title);
  } else if (j->kind == ROOF_CLAIM_TIME) {
    roof_text_addf(out, "what %s can do: %s takes at least %s, %s", title, c->op->name, limit, j->limit_name);
  } else {
    roof_text_addf(out, "the %s %s can reach on %s, %s", limit, c->op->name, title, j->limit_name);
  }
  add_sparse(out, target, j);
}

static void add_details(roof_text *out, const roof_claim *c, const roof_target *target,
                        const roof_claim_judged *j) {
  char claimed[SHORT], limit[SHORT];
  roof_text_addf(out, "  claimed  %s", quantity(claimed, j->claimed, j->kind));
  if (c->op != NULL || j->kind == ROOF_CLAIM_RATE) {
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
  if (j->possible) {
    const roof_verdict *verdict = j->placed.verdict;
    roof_text_addf(out, "  verdict  %s: %s\n", verdict->name, verdict->meaning);
  }
  if (!j->fits) {
    roof_text_add(out, "  note     the working set does not fit in its memory\n");
  }
}

static json_t *claim_json(const roof_claim *c, const roof_target *target, const roof_claim_judged *j) {
  json_t *claimed = json_object(), *limit = json_object(), *matches = json_array();
  for (int k = 0; k <= ROOF_CLAIM_TIME; k++) {
    json_object_set_new(claimed, keys[k], rf_json_number(k == (int)j->kind ? j->claimed : NAN));
    json_object_set_new(limit, keys[k], rf_json_number(k == (int)j->kind ? j->limit : NAN));
  }
  json_object_set_new(claimed, "intensity", rf_json_number(c->value[ROOF_CLAIM_INTENSITY]));
  json_object_set_new(limit, "name", json_string(j->limit_name));
  json_object_set_new(limit, "source", json_string(j->source));
  for (int i = 0; i < j->match_count; i++) {
    json_array_append_new(matches, json_pack("{s:s, s:s, s:o}", "name", j->matches[i].name, "quantity",
                                             keys[j->kind], "value", rf_json_number(j->matches[i].value)));
  }
  roof_text because = {0};
  add_answer(&because, c, target, j);
  json_t *object =
      json_pack("{s:s, s:s, s:s?, s:o, s:s, s:o, s:o, s:o, s:b, s:s, s:s, s:o}", "schema", "roofline.claim/1",
                "machine", target->machine->name, "op", c->op != NULL ? c->op->name : NULL, "parameters",
                c->op != NULL ? rf_parameters_json(c->op, c->values) : json_null(), "dtype",
                roof_dtype_name(target->types.compute), "claimed", claimed, "limit", limit, "fraction",
                rf_json_number(j->placed.share), "possible", j->possible, "verdict", j->placed.verdict->name,
                "because", because.data != NULL ? because.data : "", "matches", matches);
  roof_text_done(&because);
  return object;
}

static roof_status print_judgement(const cli_args *args, const roof_claim *c, const roof_target *target,
                                   const roof_claim_judged *j, roof_error *error) {
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

static roof_status judge(const cli_args *args, const roof_claim *c, roof_error *error) {
  cli_targets machines;
  roof_claim_judged j = {.possible = true};
  roof_status status = cli_select_targets(args, &machines, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = machines.count > 1 ? roof_error_set(error, ROOF_E_ARGUMENT, "claim: one machine at a time")
                              : roof_claim_judge(&machines.targets[0], c, &j, error);
  if (status == ROOF_OK) {
    status = print_judgement(args, c, &machines.targets[0], &j, error);
  }
  cli_targets_done(&machines);
  return status == ROOF_OK && !j.possible ? ROOF_E_GATE : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  typed t;
  roof_claim_init(&t.claim);
  roof_status status = read_words(args, &t, error);
  if (status == ROOF_OK) {
    status = judge(args, &t.claim, error);
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
        "  FLOP/B next to a rate is the intensity it is claimed at. The same with names: rate=, bandwidth=,\n"
        "  time=, intensity=.\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .run = run,
};
