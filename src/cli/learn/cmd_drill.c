/* A random shape and machine; you answer intensity, regime and share of the peak; it grades. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "core/letters.h"

static char *seed_text;
static int rounds = 5;

static const struct poptOption options[] = {
    {"seed", '\0', POPT_ARG_STRING, &seed_text, 0, "repeats the same questions", "N"},
    {"rounds", '\0', POPT_ARG_INT, &rounds, 0, "questions to ask (5)", "N"},
    POPT_TABLEEND};

enum { SHORT = 48, LINE = 256, ROUNDS_MAX = 1000 };

/** A kind of question: each {} of the shape takes one of the sizes. */
static const struct {
  const char *op;
  const char *shape;
  const double sizes[8];
} shapes[] = {
    {"gemm", "m={} n={} k={}", {128, 512, 1024, 2048, 4096, 8192}},
    {"gemm", "m=1 n={} k={}", {4096, 8192, 14336, 28672}},
    {"gemm", "m=32 n={} k={}", {2048, 4096, 8192, 28672}},
    {"gemv", "m={} n={}", {4096, 8192, 16384, 32768}},
    {"linear", "batch={} in=8192 out=8192", {1, 8, 64, 256, 512, 2048}},
    {"attention", "batch=1 heads=32 q_len={} kv_len=8192 head_dim=128", {1, 128, 1024, 8192}},
    {"softmax", "rows={} cols={}", {64, 4096, 16384}},
    {"add", "n={}", {4096, 1048576, 268435456}},
};

static const char *const machines[] = {"a100", "h100", "h200", "b200", "mi300x", "l40s"};

/** SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere. */
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static size_t pick(uint64_t *state, size_t count) {
  return (size_t)(next(state) % count);
}

/** What was asked, with the right answers. */
typedef struct question {
  roof_machine *machine;
  roof_target target;
  char text[LINE];
  roof_prediction prediction;
  double percent; /**< of the peak, at best */
} question;

typedef struct score {
  int rounds;
  int points; /**< of 3 a round */
} score;

/** "gemm m=128 n=512 k=4096" of a kind of question. */
static void write_shape(uint64_t *state, size_t kind, char *buffer, size_t size) {
  size_t sizes = 0;
  while (sizes < 8 && shapes[kind].sizes[sizes] > 0) {
    sizes++;
  }
  size_t used = (size_t)snprintf(buffer, size, "%s ", shapes[kind].op);
  for (const char *s = shapes[kind].shape; *s != '\0' && used + 24 < size; s++) {
    if (strncmp(s, "{}", 2) == 0) {
      used += (size_t)snprintf(buffer + used, size - used, "%.0f", shapes[kind].sizes[pick(state, sizes)]);
      s++;
    } else {
      buffer[used++] = *s;
      buffer[used] = '\0';
    }
  }
}

static roof_status predict(const char *text, question *q, roof_error *error) {
  const cli_args built_in = {0};
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_status status = cli_select_shape(&built_in, text, &op, values, error);
  if (status == ROOF_OK) {
    roof_predict(&q->target, op, values, &q->prediction);
    q->percent = 100 * q->prediction.attainable / q->prediction.peak->flops_per_second;
  }
  return status;
}

static roof_status ask(uint64_t *state, question *q, roof_error *error) {
  const char *name = machines[pick(state, sizeof machines / sizeof machines[0])];
  size_t kind = pick(state, sizeof shapes / sizeof shapes[0]);
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options o = roof_options_default();
  write_shape(state, kind, q->text, sizeof q->text);
  roof_status status = roof_catalog_load(name, &q->machine, error);
  if (status == ROOF_OK) {
    status = roof_target_init(&q->target, q->machine, &types, &o, error);
  }
  return status == ROOF_OK ? predict(q->text, q, error) : status;
}

static void write_question(const question *q, int round, roof_text *out) {
  const roof_target *t = &q->target;
  const roof_peak *peak = q->prediction.peak;
  char rate[SHORT], bandwidth[SHORT];
  roof_text_addf(out, "%d. %s in fp16 on %s: %s of %s, %s of %s; shorter than %.3g us is overhead\n", round,
                 q->text, q->machine->title,
                 roof_quantity_format(rate, SHORT, peak->flops_per_second, "FLOP/s"),
                 roof_unit_name(peak->unit),
                 roof_quantity_format(bandwidth, SHORT, 1 / t->seconds_per_byte[t->memory][0], "B/s"),
                 t->level[t->memory]->name, 1e6 * t->overhead_cutoff);
  roof_text_add(out, "   intensity in FLOP/B, regime, percent of the peak? ");
}

/** Within a tenth of the right number, or `least` of it. */
static bool is_near(const char *answer, double right, double least) {
  double value;
  char number[SHORT];
  snprintf(number, sizeof number, "%.*s", (int)strcspn(answer, "%"), answer);
  return roof_quantity_parse(number, &value, NULL) == ROOF_OK &&
         fabs(value - right) <= fmax(0.1 * right, least);
}

/** A point for each of the three; the line is "INTENSITY REGIME PERCENT". */
static void grade(const question *q, char *line, bool good[3]) {
  static const char blank[] = " \t,\r\n";
  char *rest = NULL;
  const char *regime = roof_regime_name(q->prediction.regime);
  const char *answers[3] = {strtok_r(line, blank, &rest), NULL, NULL};
  for (int i = 1; i < 3 && answers[i - 1] != NULL; i++) {
    answers[i] = strtok_r(NULL, blank, &rest);
  }
  good[0] = answers[0] != NULL && is_near(answers[0], q->prediction.intensity, 0);
  good[1] = answers[1] != NULL && rf_letters_compare_some(answers[1], regime, strlen(regime)) == 0;
  good[2] = answers[2] != NULL && is_near(answers[2], q->percent, 0.05);
}

static void write_grade(const question *q, const bool good[3], roof_text *out) {
  static const char *const words[] = {"wrong", "right"};
  const roof_prediction *p = &q->prediction;
  roof_text_addf(out,
                 "\n   %s: intensity is %.4g FLOP/B (ridge %.4g)\n   %s: it is %s-bound\n"
                 "   %s: at best %.3g %% of the peak\n\n",
                 words[good[0]], p->intensity, p->ridge, words[good[1]], roof_regime_name(p->regime),
                 words[good[2]], q->percent);
}

static json_t *round_json(const question *q, const bool good[3]) {
  const roof_prediction *p = &q->prediction;
  return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:{s:b, s:b, s:b}}", "question", q->text, "machine",
                   q->machine->name, "intensity", rf_json_number(p->intensity), "ridge",
                   rf_json_number(p->ridge), "regime", roof_regime_name(p->regime), "percent_of_peak",
                   rf_json_number(q->percent), "right", "intensity", good[0], "regime", good[1],
                   "percent_of_peak", good[2]);
}

/** Shows what was written so far and empties it. */
static roof_status show(const cli_args *args, roof_text *out, roof_error *error) {
  roof_status status = args->json ? ROOF_OK : cli_print(out, error);
  roof_text_done(out);
  return status;
}

/** Asks, reads a line, grades it; *more is false when there are no more answers. */
static roof_status play_round(const cli_args *args, uint64_t *state, score *s, json_t *played, bool *more,
                              roof_error *error) {
  question q = {.machine = NULL};
  roof_text out = {0};
  char line[LINE];
  bool good[3];
  roof_status status = ask(state, &q, error);
  if (status == ROOF_OK) {
    write_question(&q, s->rounds + 1, &out);
    status = show(args, &out, error);
  }
  *more = status == ROOF_OK && fgets(line, sizeof line, stdin) != NULL;
  if (*more) {
    grade(&q, line, good);
    s->rounds++;
    s->points += good[0] + good[1] + good[2];
    json_array_append_new(played, round_json(&q, good));
    write_grade(&q, good, &out);
    status = show(args, &out, error);
  }
  roof_machine_free(q.machine);
  return status;
}

static roof_status tell(const cli_args *args, uint64_t seed, const score *s, json_t *played,
                        roof_error *error) {
  if (args->json) {
    return cli_json_print(json_pack("{s:s, s:I, s:i, s:i, s:O}", "schema", "roofline.drill/1", "seed",
                                    (json_int_t)seed, "points", s->points, "of", 3 * s->rounds, "rounds",
                                    played),
                          error);
  }
  roof_text out = {0};
  roof_text_addf(&out, "%sscore: %d of %d in %d rounds; --seed %" PRIu64 " asks the same again\n",
                 s->rounds < rounds ? "\n" : "", s->points, 3 * s->rounds, s->rounds, seed);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
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
  score s = {0};
  json_t *played = json_array();
  roof_status status = args->csv ? cli_args_no_csv("drill", error) : cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? read_seed(&seed, error) : status;
  uint64_t state = status == ROOF_OK ? seed : 0;
  bool more = true;
  while (status == ROOF_OK && more && s.rounds < rounds) {
    status = play_round(args, &state, &s, played, &more, error);
  }
  if (status == ROOF_OK) {
    status = tell(args, seed, &s, played, error);
  }
  json_decref(played);
  free(seed_text);
  return status;
}

const cli_command cli_cmd_drill = {
    .name = "drill",
    .arguments = "",
    .summary = "a random shape and machine: you answer, it grades",
    .examples = "  roofline drill\n"
                "  roofline drill --seed 7 --rounds 3\n"
                "  printf '0.5 memory 0.2\\n' | roofline drill --seed 7 --rounds 1\n"
                "\n"
                "  Answer with three words per line: intensity (FLOP/B), regime (compute, memory, overhead), "
                "percent\n"
                "  of the peak attainable at that intensity. Within a tenth counts as right.\n",
    .options = options,
    .run = run,
};
