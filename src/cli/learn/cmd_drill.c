/* A random shape and machine; you answer intensity, regime and share of the peak; it grades. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cli/cli.h"
#include "roofline/drill.h"

static char *seed_text;
static int rounds = 5;

static const struct poptOption options[] = {
    {"seed", '\0', POPT_ARG_STRING, &seed_text, 0, "repeats the same questions", "N"},
    {"rounds", '\0', POPT_ARG_INT, &rounds, 0, "questions to ask (5)", "N"},
    POPT_TABLEEND};

/** A question is asked so often before a line that cannot be read counts as a wrong answer. */
enum { LINE = 256, ROUNDS_MAX = 1000, TRIES = 3 };

/** What was asked so far, from `state`, and the answers to it. */
typedef struct game {
  uint64_t state;
  roof_drill_round *rounds;
  int count;
} game;

static void write_question(const roof_drill_question *q, const roof_drill_solution *s, int round,
                           roof_text *out) {
  const roof_target *t = &s->target;
  const roof_peak *peak = s->prediction.peak;
  char rate[CLI_SHORT], bandwidth[CLI_SHORT];
  roof_text_addf(out, "%d. %s in fp16 on %s: %s of %s, %s of %s", round, q->text, t->machine->title,
                 cli_quantity(rate, peak->flops_per_second, "FLOP/s"), roof_unit_name(peak->unit),
                 cli_quantity(bandwidth, s->bytes_per_second, "B/s"), t->level[t->memory]->name);
  if (t->least_launch_seconds > 0) {
    roof_text_addf(out, "; a launch takes at least %.3g us", 1e6 * t->least_launch_seconds);
  }
  roof_text_addf(out, "; shorter than %.3g us is overhead\n",
                 1e6 * roof_prediction_cutoff(t, &s->prediction));
  roof_text_add(out, "   intensity in FLOP/B, regime, percent of the peak? ");
}

static void write_grade(const roof_drill_round *r, roof_text *out) {
  static const char *const words[] = {"wrong", "right"};
  roof_text_addf(out,
                 "\n   %s: intensity is %.4g FLOP/B (ridge %.4g)\n   %s: it is %s-bound\n"
                 "   %s: at best %.3g %% of the peak\n\n",
                 words[r->intensity_right], r->intensity, r->ridge, words[r->regime_right],
                 roof_regime_name(r->regime), words[r->percent_right], r->percent);
}

/** Shows what was written so far and empties it. */
static roof_status show(const cli_args *args, roof_text *out, roof_error *error) {
  roof_status status = args->json ? ROOF_OK : cli_print(out, error);
  roof_text_done(out);
  return status;
}

/** Reads a line that can be graded, or the last of several that cannot; *more is false at the end of input. */
static roof_status read_answers(const cli_args *args, char line[LINE], bool *more, roof_error *error) {
  roof_status status = ROOF_OK;
  roof_text out = {0};
  for (int i = 0; status == ROOF_OK; i++) {
    roof_error why;
    *more = fgets(line, LINE, stdin) != NULL;
    if (!*more || roof_drill_check(line, &why) == ROOF_OK || i + 1 == TRIES) {
      break;
    }
    roof_text_addf(&out, "\n   not read: %s\n   again? ", why.message);
    status = show(args, &out, error);
  }
  return status;
}

/** Asks, reads a line, grades it; *more is false when there are no more answers. */
static roof_status play_round(const cli_args *args, game *g, bool *more, roof_error *error) {
  roof_machine *machine = NULL;
  roof_drill_question question;
  roof_drill_solution solution;
  roof_text out = {0};
  char line[LINE];
  roof_drill_draw(&g->state, args->machines, &question);
  roof_status status = roof_catalog_load(question.machine, &machine, error);
  status = status == ROOF_OK ? roof_drill_solve(&question, machine, &solution, error) : status;
  if (status == ROOF_OK) {
    write_question(&question, &solution, g->count + 1, &out);
    status = show(args, &out, error);
  }
  *more = false;
  status = status == ROOF_OK ? read_answers(args, line, more, error) : status;
  if (status == ROOF_OK && *more) {
    roof_drill_round *round = &g->rounds[g->count++];
    roof_drill_grade(&question, &solution, line, round);
    write_grade(round, &out);
    status = show(args, &out, error);
  }
  roof_machine_free(machine);
  return status;
}

static roof_status print_score(const cli_args *args, uint64_t seed, const game *g, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->json) {
    status = roof_drill_write(seed, g->rounds, g->count, &out, error);
  } else {
    roof_text_addf(&out, "%sscore: %d of %d in %d round%s; --seed %" PRIu64 " asks the same again\n",
                   g->count < rounds ? "\n" : "", roof_drill_points(g->rounds, g->count), 3 * g->count,
                   g->count, g->count == 1 ? "" : "s", seed);
  }
  return cli_print_end(&out, status, error);
}

static roof_status read_seed(uint64_t *seed, roof_error *error) {
  double value = (double)(time(NULL) % 1000000);
  roof_status status = seed_text != NULL ? roof_quantity_parse(seed_text, &value, error) : ROOF_OK;
  if (status == ROOF_OK && !(value >= 0 && value < 0x1p53 && value == floor(value))) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--seed %s: a whole number from 0 on", seed_text);
  }
  if (status == ROOF_OK && (rounds < 1 || rounds > ROUNDS_MAX)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--rounds %d: from 1 to %d", rounds, ROUNDS_MAX);
  }
  *seed = status == ROOF_OK ? (uint64_t)value : 0;
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  uint64_t seed;
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? read_seed(&seed, error) : status;
  game g = {.state = status == ROOF_OK ? seed : 0};
  if (status == ROOF_OK) {
    g.rounds = calloc((size_t)rounds, sizeof *g.rounds);
    status = g.rounds != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "drill: out of memory");
  }
  for (bool more = true; status == ROOF_OK && more && g.count < rounds;) {
    status = play_round(args, &g, &more, error);
  }
  if (status == ROOF_OK && g.count == 0 && !args->json) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "drill: the input ended before the first answer");
  }
  status = status == ROOF_OK ? print_score(args, seed, &g, error) : status;
  free(g.rounds);
  free(seed_text);
  return status;
}

const cli_command cli_cmd_drill = {
    .name = "drill",
    .task = CLI_TASK_LOOK_UP,
    .arguments = "",
    .summary = "a random shape and machine: you answer, it grades",
    .examples = "  roofline drill\n"
                "  roofline drill --seed 7 --rounds 3\n"
                "  roofline drill --machine h100\n"
                "  printf '0.5 memory 0.2\\n' | roofline drill --seed 7 --rounds 1\n"
                "\n"
                "  Answer with three words per line: intensity (FLOP/B), regime (compute, memory, overhead), "
                "percent of the peak attainable at that intensity. Within a tenth counts as right. "
                "A line that is not three such words is asked for again.\n",
    .groups = CLI_ARGS_MACHINE,
    .options = options,
    .effects = cli_no_table,
    .run = run,
};
