/** Several values of a model's settings: what the answer, its table, JSON and drawing share. */
#ifndef CLI_MODEL_SWEEP_H
#define CLI_MODEL_SWEEP_H

#include "cli/model/model.h"

/** X(key, heading of the table, unit) */
#define CLI_SWEEP_FIGURES(X)                                                                                 \
  X(ttft_seconds, "TTFT", "s")                                                                               \
  X(tpot_seconds, "TPOT", "s")                                                                               \
  X(tokens_per_second, "tokens/s per request", "")                                                           \
  X(batch_tokens_per_second, "together", "")                                                                 \
  X(device_tokens_per_second, "tokens/s per device", "")                                                     \
  X(prompt_tokens_per_second, "prompt tokens/s", "")                                                         \
  X(joules_per_token, "energy per token", "J")                                                               \
  X(price_per_million_tokens, "price a million", "")                                                         \
  X(total_bytes, "memory per device", "B")                                                                   \
  X(spare_bytes, "spare", "B")                                                                               \
  X(intensity, "FLOP/B", "")                                                                                 \
  X(mfu, "MFU", "")                                                                                          \
  X(mbu, "MBU", "")

enum {
#define CLI_SWEEP_INDEX(key, head, unit) CLI_SWEEP_##key,
  CLI_SWEEP_FIGURES(CLI_SWEEP_INDEX)
#undef CLI_SWEEP_INDEX
      CLI_SWEEP_FIGURE_COUNT
};

/** One run: intensity, MFU, MBU and what binds are of the decoding step, else of the only phase. */
typedef struct cli_sweep_point {
  int machine, precision;
  size_t index; /**< of the values: the last axis turns fastest */
  double figures[CLI_SWEEP_FIGURE_COUNT];
  bool fits;
  roof_regime regime; /**< the longest of the step's times */
  char why[128];      /**< why it cannot be; "": it can */
} cli_sweep_point;

typedef struct cli_sweep {
  const cli_args *args;
  const roof_model *model;
  roof_machine *const *machines;
  int machine_count;
  roof_model_settings settings;
  const roof_model_axes *axes;
  roof_model_precisions precisions;
  size_t values; /**< product of the axes */
  cli_sweep_point *points;
  size_t count; /**< machines x precisions x values, in that order */
} cli_sweep;

/** Where a phase changes sides along an axis; other settings as at `point`. */
typedef struct cli_sweep_crossing {
  const cli_sweep_point *point;
  int axis;
  roof_phase phase;
  bool products;
  roof_model_crossing at;
  char words[224]; /**< "compute-bound from batch=310 (exactly 309.7)", or why never */
} cli_sweep_crossing;

typedef void cli_sweep_receive(void *context, const cli_sweep *sweep, const cli_sweep_crossing *crossing);

/* model_sweep.c */
/** Some run generates tokens. */
bool cli_sweep_generates(const cli_sweep *sweep);
double cli_sweep_value(const cli_sweep *sweep, const cli_sweep_point *point, int axis);
/** Appends what tells the point from others of its machine but for the axis `except`: "tp=2 bf16"; -1:
 *  all. */
void cli_sweep_add_words(roof_text *out, const cli_sweep *sweep, const cli_sweep_point *point, int except);
/** Every crossing of every line along the batch, the prompt and the generation. */
void cli_sweep_crossings(const cli_sweep *sweep, cli_sweep_receive *receive, void *context);
/** Name, heading and unit of a figure. */
const char *cli_sweep_figure(int figure, const char **head, const char **unit);

/* model_sweep_json.c */
json_t *cli_sweep_json(const cli_sweep *sweep);

/* model_sweep_text.c */
void cli_sweep_text(roof_text *out, const cli_sweep *sweep, bool compare);

/* model_sweep_chart.c */
roof_status cli_sweep_draw(const cli_sweep *sweep, const char *path, roof_error *error);

#endif
