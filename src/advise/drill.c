/* Questions drawn from a seed, and the grading of their answers. */
#include "roofline/drill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "roofline/ops.h"
#include "roofline/shape.h"
#include "roofline/units.h"

enum { SIZES = 8, ANSWERS = 3, WORD = 48 };

/** Right is what differs by no more than this share. */
static const double near = 0.1;
/** Percent of the peak that may be rounded away. */
static const double least_percent = 0.05;

/** A kind of question: each {} of the shape takes one of the sizes. */
static const struct {
  const char *op;
  const char *shape;
  const double sizes[SIZES];
} kinds[] = {
    {"gemm", "m={} n={} k={}", {128, 512, 1024, 2048, 4096, 8192}},
    {"gemm", "m=1 n={} k={}", {4096, 8192, 14336, 28672}},
    {"gemm", "m=32 n={} k={}", {2048, 4096, 8192, 28672}},
    {"gemv", "m={} n={}", {4096, 8192, 16384, 32768}},
    {"linear", "batch={} in=8192 out=8192", {1, 8, 64, 256, 512, 2048}},
    {"attention", "batch=1 heads=32 q_len={} kv_len=8192 head_dim=128", {1, 128, 1024, 8192}},
    {"softmax", "rows={} cols={}", {64, 4096, 16384}},
    {"add", "n={}", {4096, 1048576, 268435456}},
};

static const char *const well_known[] = {"a100", "h100", "h200", "b200", "mi300x", "l40s", NULL};

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

void roof_drill_draw(uint64_t *state, const char *const *machines, roof_drill_question *question) {
  const char *const *from = machines != NULL && machines[0] != NULL ? machines : well_known;
  size_t known = 0;
  while (from[known] != NULL) {
    known++;
  }
  const char *machine = from[pick(state, known)];
  size_t kind = pick(state, sizeof kinds / sizeof kinds[0]), sizes = 1;
  *question = (roof_drill_question){.machine = machine, .op = kinds[kind].op};
  while (sizes < SIZES && kinds[kind].sizes[sizes] > 0) {
    sizes++;
  }
  char *text = question->text;
  size_t size = sizeof question->text, used = (size_t)snprintf(text, size, "%s ", kinds[kind].op);
  for (const char *s = kinds[kind].shape; *s != '\0'; s++) {
    if (*s == '{') {
      used += (size_t)snprintf(text + used, size - used, "%.0f", kinds[kind].sizes[pick(state, sizes)]);
      s++;
    } else {
      text[used++] = *s;
    }
  }
}

/** Percent of the peak at best: from the memory, and no faster than it is launched. */
static double percent_at_best(const roof_target *target, const roof_prediction *p) {
  double launched = p->work.flops / (p->work.launches * target->least_launch_seconds);
  return 100 * fmin(p->attainable, launched) / p->peak->flops_per_second;
}

roof_status roof_drill_solve(const roof_drill_question *question, const roof_machine *machine,
                             roof_drill_solution *solution, roof_error *error) {
  const roof_types types = roof_types_of(ROOF_FP16);
  const roof_options options = roof_options_default();
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_target target;
  roof_status status = roof_target_init(&target, machine, &types, &options, error);
  status = status == ROOF_OK ? roof_op_find(question->op, &op, error) : status;
  status = status == ROOF_OK ? roof_shape_values(op, question->text + strlen(question->op), values, error)
                             : status;
  if (status == ROOF_OK && (target.peak[op->unit] == NULL || target.level[target.memory] == NULL)) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: has no peak or bandwidth to ask about in fp16",
                            machine->name);
  }
  if (status == ROOF_OK) {
    solution->target = target;
    roof_predict(&solution->target, op, values, &solution->prediction);
    solution->bytes_per_second = 1 / target.seconds_per_byte[target.memory][ROOF_MIX_READ];
    solution->percent = percent_at_best(&solution->target, &solution->prediction);
  }
  return status;
}

/** Within a tenth of the right number, or `least` of it. */
static bool is_near(const char *answer, double right, double least) {
  double value;
  char number[WORD];
  snprintf(number, sizeof number, "%.*s", (int)strcspn(answer, "%"), answer);
  return roof_quantity_parse(number, &value, NULL) == ROOF_OK &&
         fabs(value - right) <= fmax(near * right, least);
}

/** Copies the next word of *text, "" after the last. */
static void next_word(const char **text, char word[WORD]) {
  static const char blank[] = " \t,\r\n";
  *text += strspn(*text, blank);
  size_t length = strcspn(*text, blank);
  snprintf(word, WORD, "%.*s", (int)length, *text);
  *text += length;
}

static bool is_number(const char *word) {
  double value;
  char number[WORD];
  snprintf(number, sizeof number, "%.*s", (int)strcspn(word, "%"), word);
  return roof_quantity_parse(number, &value, NULL) == ROOF_OK;
}

static bool is_regime(const char *word) {
  for (int r = 0; r < ROOF_REGIME_COUNT; r++) {
    const char *name = roof_regime_name((roof_regime)r);
    if (rf_letters_compare_some(word, name, strlen(name)) == 0) {
      return true;
    }
  }
  return false;
}

roof_status roof_drill_check(const char *answers, roof_error *error) {
  char words[ANSWERS][WORD];
  for (int i = 0; i < ANSWERS; i++) {
    next_word(&answers, words[i]);
  }
  const char *wrong = !is_number(words[0])   ? "the intensity is no number"
                      : !is_regime(words[1]) ? "the regime is compute, memory, overhead, network or capacity"
                      : !is_number(words[2]) ? "the percentage is no number"
                                             : NULL;
  return wrong == NULL ? ROOF_OK
                       : roof_error_set(error, ROOF_E_PARSE, "%s; three words, as: 0.5 memory 0.2", wrong);
}

void roof_drill_grade(const roof_drill_question *question, const roof_drill_solution *solution,
                      const char *answers, roof_drill_round *round) {
  const roof_prediction *p = &solution->prediction;
  const char *regime = roof_regime_name(p->regime);
  char words[ANSWERS][WORD];
  for (int i = 0; i < ANSWERS; i++) {
    next_word(&answers, words[i]);
  }
  *round = (roof_drill_round){
      .intensity = p->intensity,
      .ridge = p->ridge,
      .percent = solution->percent,
      .regime = p->regime,
      .intensity_right = is_near(words[0], p->intensity, 0),
      .regime_right = rf_letters_compare_some(words[1], regime, strlen(regime)) == 0,
      .percent_right = is_near(words[2], solution->percent, least_percent),
  };
  memcpy(round->question, question->text, sizeof round->question);
  snprintf(round->machine, sizeof round->machine, "%s", solution->target.machine->name);
}

int roof_drill_points(const roof_drill_round *rounds, int count) {
  int points = 0;
  for (int i = 0; i < count; i++) {
    points += rounds[i].intensity_right + rounds[i].regime_right + rounds[i].percent_right;
  }
  return points;
}
