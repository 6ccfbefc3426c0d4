/* Is a claimed speed, bandwidth or time possible on a machine? */
#include <math.h>
#include <string.h>

#include "cli/claim/claim.h"
#include "cli/columns.h"
#include "cli/whole/whole.h"
#include "roofline/claim.h"

static int scan, github, sp;

static const struct poptOption options[] = {
    {"scan", '\0', POPT_ARG_NONE, &scan, 0, "judge what Markdown or text claims: FILE ... instead of a claim",
     NULL},
    {"github", '\0', POPT_ARG_NONE, &github, 0, "with --scan: also print GitHub annotations", NULL},
    {"sp", '\0', POPT_ARG_NONE, &sp, 0, "of a model: sequence parallelism, as the word `sp` says it", NULL},
    POPT_TABLEEND};

/** A claim that was judged. */
typedef struct answer {
  const char *machine, *op;
  roof_claim claim;
  roof_claim_judged judged;
  char matches[ROOF_CLAIM_MATCHES * ROOF_CLAIM_NAME]; /**< the names of what it equals */
} answer;

static void add_text(roof_text *out, const cli_args *args, const answer *a) {
  const char *mark = rf_screen_verdict(a->judged.because);
  roof_text_addf(out, RF_MARK_BOLD "%s%s" RF_MARK_END "\n", mark, a->judged.because);
  if (!args->quiet) {
    roof_text_add(out, "\n");
    roof_claim_details(&a->judged, a->machine, a->op != NULL, out);
  }
}

CLI_WORD(dtype_of, answer, roof_dtype_name(r->judged.dtype))
CLI_WORD(verdict_of, answer, r->judged.placed.verdict->name)

/** Its limit is assumed, and may be wrong. */
static bool is_doubtful(const answer *a) {
  return a->judged.placed.state == ROOF_PLACE_UNKNOWN;
}

/** NaN where the claim is of another kind. */
static double of_kind(const answer *a, roof_claim_kind kind, double figure) {
  return a->judged.kind == kind ? figure : (double)NAN;
}

CLI_VALUE(possible_of, answer, is_doubtful(r) ? (double)NAN : (double)r->judged.possible)
CLI_VALUE(claimed_rate, answer, of_kind(r, ROOF_CLAIM_RATE, r->judged.claimed))
CLI_VALUE(claimed_bandwidth, answer, of_kind(r, ROOF_CLAIM_BANDWIDTH, r->judged.claimed))
CLI_VALUE(claimed_time, answer, of_kind(r, ROOF_CLAIM_TIME, r->judged.claimed))
CLI_VALUE(limit_rate, answer, of_kind(r, ROOF_CLAIM_RATE, r->judged.limit))
CLI_VALUE(limit_bandwidth, answer, of_kind(r, ROOF_CLAIM_BANDWIDTH, r->judged.limit))
CLI_VALUE(limit_time, answer, of_kind(r, ROOF_CLAIM_TIME, r->judged.limit))

static const cli_column columns[] = {{.key = "machine", CLI_FIELD(TEXT, answer, machine)},
                                     {.key = "op", CLI_FIELD(TEXT, answer, op)},
                                     {.key = "dtype", .text = dtype_of},
                                     {.key = "claimed_flops_per_second", .number = claimed_rate},
                                     {.key = "claimed_bytes_per_second", .number = claimed_bandwidth},
                                     {.key = "claimed_seconds", .number = claimed_time},
                                     {.key = "limit_flops_per_second", .number = limit_rate},
                                     {.key = "limit_bytes_per_second", .number = limit_bandwidth},
                                     {.key = "limit_seconds", .number = limit_time},
                                     {.key = "limit", CLI_FIELD(NAME, answer, judged.limit_name)},
                                     {.key = "limit_source", CLI_FIELD(NAME, answer, judged.source)},
                                     {.key = "fraction", CLI_FIELD(NUMBER, answer, judged.placed.share)},
                                     {.key = "possible", .kind = CLI_COLUMN_FLAG, .number = possible_of},
                                     {.key = "verdict", .text = verdict_of},
                                     {.key = "because", CLI_FIELD(NAME, answer, judged.because)},
                                     {.key = "matches", CLI_FIELD(NAME, answer, matches)},
                                     {0}};

static roof_status print_answer(const cli_args *args, const roof_target *target, const answer *a,
                                roof_error *error) {
  if (args->csv) {
    return cli_columns_print_csv(CLI_ROWS(columns, a, 1), error);
  }
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->json) {
    status = roof_claim_write(target, &a->claim, &a->judged, &out, error);
  } else {
    add_text(&out, args, a);
  }
  return cli_print_end(&out, status, error);
}

static void join_matches(answer *a) {
  size_t length = 0;
  for (int i = 0; i < a->judged.match_count; i++) {
    length += (size_t)snprintf(a->matches + length, sizeof a->matches - length, "%s%s", i > 0 ? ";" : "",
                               a->judged.matches[i].name);
  }
}

/** Refuses what has no effect on the operation claimed. */
static roof_status check_typed(const roof_targets *t, const roof_claim *claim, roof_error *error) {
  const roof_op *op = claim->op;
  unsigned used = op != NULL ? roof_typed_used(t->typed, t->targets, op, claim->values) : t->typed;
  return op != NULL ? roof_typed_refuse(t->typed & ~used, op->name, error) : ROOF_OK;
}

static roof_status judge(const cli_args *args, answer *a, roof_error *error) {
  roof_targets machines;
  roof_status status = cli_select_target(args, "claim", &machines, error);
  if (status != ROOF_OK) {
    return status;
  }
  const roof_target *target = &machines.targets[0];
  a->machine = target->machine->name;
  status = check_typed(&machines, &a->claim, error);
  status = status == ROOF_OK ? roof_claim_judge(target, &a->claim, &a->judged, error) : status;
  if (status == ROOF_OK) {
    join_matches(a);
    status = print_answer(args, target, a, error);
  }
  roof_targets_done(&machines);
  return status == ROOF_OK && !a->judged.possible && !is_doubtful(a) ? ROOF_E_GATE : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  answer a = {.machine = NULL};
  const roof_op *op = NULL;
  if (scan) {
    return cli_claim_scan(args, github, error);
  }
  if (cli_whole_is(args)) {
    return cli_whole_claim(args, sp != 0, error);
  }
  if (sp) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--sp: of a model, whose name comes first");
  }
  a.op = roof_claim_operation(args->words, args->word_count);
  roof_status status = a.op != NULL ? cli_select_op(args, a.op, &op, error) : ROOF_OK;
  if (status != ROOF_OK && roof_model_is(a.op)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "`%s` is a whole model: its name comes first", a.op);
  }
  if (status == ROOF_OK) {
    a.op = op != NULL ? op->name : NULL;
    status = roof_claim_parse(&a.claim, op, args->words, args->word_count, error);
  }
  return status == ROOF_OK ? judge(args, &a, error) : status;
}

static const cli_effect effects[] = {
    {.options = "*", .with = "scan", .except = "scan github machine dtype"},
    {.options = "github", .without = "scan"},
    {.options = "github", .with = "json"},
    {.options = "github", .with = "csv"},
    {.options = "efficiency overlap accumulate"},
    {.options = "overhead launch weights group output kv", .without = "key=value"},
    {0}};

const cli_command cli_cmd_claim = {
    .name = "claim",
    .task = CLI_TASK_ASK,
    .arguments = "[OP|MODEL key=value ...] QUANTITY | --scan FILE ...",
    .summary = "is a claimed speed, bandwidth or time possible on a machine? exit 1 when it is not",
    .examples =
        "  roofline claim 1700TFLOP/s --machine h100 --dtype fp16\n"
        "  roofline claim 3.0TB/s --machine h100\n"
        "  roofline claim 900GB/s --machine h100 --link 'NVLink 4'\n"
        "  roofline claim gemm m=8192 n=8192 k=8192 1ms --machine h100 --dtype fp16\n"
        "  roofline claim gemm m=8192 n=8192 k=8192 800TFLOP/s --machine h100 --dtype fp16\n"
        "  roofline claim 64FLOP/B 90% --machine h100 --dtype fp16\n"
        "  roofline claim llama-3.1-70b tp=4 batch=16 tpot=18ms --weights fp8 --machine h100\n"
        "  roofline claim llama-3.1-70b train batch=512 tp=8 dp=8 zero=1 mfu=55% --machine h100\n"
        "  roofline claim --scan README.md\n"
        "\n"
        "  The unit says what is claimed: FLOP/s, B/s, bit/s, s, or % of the peak, with a prefix (T, M, u); "
        "FLOP/B next to a rate is the intensity it is claimed at. The same with names: rate=, bandwidth=, "
        "time=, intensity=. Of a model: ttft=, tpot=, rate= (tokens/s), and with `train` step=; mfu=. "
        "Of a training step, what is not said of microbatches=, recompute= and sp is what favours the claim "
        "most.\n"
        "\n"
        "  --scan reads Markdown (.txt, .rst: plain text) for speeds of a machine that the sentence names, "
        "and tokens/s of a model on one; --machine and --dtype are of what names none. "
        "<!-- roofline off --> to <!-- roofline on --> is left out.\n",
    .writes = "txt json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .options = options,
    .effects = effects,
    .run = run,
};
