/** Several values of a model's settings: what the answer, its table, JSON and drawing share. */
#ifndef CLI_MODEL_SWEEP_H
#define CLI_MODEL_SWEEP_H

#include "cli/model.h"

/** X(key, heading of the table, unit) */
#define ROOF_SWEEP_FIGURES(X)                                                                                \
  X(ttft_seconds, "TTFT", "s")                                                                               \
  X(tpot_seconds, "TPOT", "s")                                                                               \
  X(tokens_per_second, "tokens/s a request", "")                                                             \
  X(batch_tokens_per_second, "together", "")                                                                 \
  X(device_tokens_per_second, "tokens/s a device", "")                                                       \
  X(prompt_tokens_per_second, "prompt tokens/s", "")                                                         \
  X(joules_per_token, "energy a token", "J")                                                                 \
  X(price_per_million_tokens, "price a million", "")                                                         \
  X(total_bytes, "memory a device", "B")                                                                     \
  X(spare_bytes, "spare", "B")                                                                               \
  X(intensity, "FLOP/B", "")                                                                                 \
  X(mfu, "MFU", "")                                                                                          \
  X(mbu, "MBU", "")

enum {
#define ROOF_SWEEP_INDEX(key, head, unit) ROOF_SWEEP_##key,
  ROOF_SWEEP_FIGURES(ROOF_SWEEP_INDEX)
#undef ROOF_SWEEP_INDEX
      ROOF_SWEEP_FIGURE_COUNT
};

/** One run: intensity, MFU, MBU and what binds are of the decoding step, else of the only phase. */
typedef struct roof_sweep_point {
  int machine, precision;
  size_t index; /**< of the values: the last axis turns fastest */
  double figures[ROOF_SWEEP_FIGURE_COUNT];
  bool fits;
  roof_regime regime; /**< the longest of the step's times */
  char why[128];      /**< why it cannot be; "": it can */
} roof_sweep_point;

typedef struct roof_sweep {
  const roof_args *args;
  const roof_model *model;
  const roof_machine *machines;
  int machine_count;
  roof_model_settings settings;
  const roof_model_axes *axes;
  roof_model_precision precisions[ROOF_MODEL_CHOICES];
  char names[ROOF_MODEL_CHOICES][ROOF_MODEL_CHOICE_SIZE];
  int precision_count;
  size_t values; /**< product of the axes */
  roof_sweep_point *points;
  size_t count; /**< machines x precisions x values, in that order */
} roof_sweep;

/** Where a phase changes sides along an axis; other settings as at `point`. */
typedef struct roof_sweep_crossing {
  const roof_sweep_point *point;
  int axis;
  roof_phase phase;
  bool products;
  roof_model_crossing at;
  char words[224]; /**< "compute-bound from batch=310 (exactly 309.7)", or why never */
} roof_sweep_crossing;

typedef void roof_sweep_receive(void *context, const roof_sweep *sweep, const roof_sweep_crossing *crossing);

/* model_sweep.c */
double roof_sweep_value(const roof_sweep *sweep, const roof_sweep_point *point, int axis);
/** Appends what tells the point from others of its machine but for the axis `except`: "tp=2 bf16"; -1: all.
 */
void roof_sweep_add_words(roof_text *out, const roof_sweep *sweep, const roof_sweep_point *point, int except);
/** Every crossing of every line along the batch, the prompt and the generation. */
void roof_sweep_crossings(const roof_sweep *sweep, roof_sweep_receive *receive, void *context);
/** Name, heading and unit of a figure. */
const char *roof_sweep_figure(int figure, const char **head, const char **unit);

/* model_sweep_json.c */
json_t *roof_sweep_json(const roof_sweep *sweep);

/* model_sweep_text.c */
void roof_sweep_text(roof_text *out, const roof_sweep *sweep, bool compare);

/* model_sweep_chart.c */
roof_status roof_sweep_draw(const roof_sweep *sweep, const char *path, roof_error *error);

#endif
