/* A model over lists and ranges of its settings, precisions and machines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/model/sweep.h"
#include "core/number.h"

static const size_t most_points = 100000;
enum { BESIDE_MAX = 64 };

static int compare;
const struct poptOption cli_model_sweep_options[] = {
    {"compare", '\0', POPT_ARG_NONE, &compare, 0, "machines side by side, one row per value", NULL},
    POPT_TABLEEND};

static const struct {
  const char *name, *head, *unit;
} figures[CLI_SWEEP_FIGURE_COUNT] = {
#define ROW(key, head, unit) [CLI_SWEEP_##key] = {#key, head, unit},
    CLI_SWEEP_FIGURES(ROW)
#undef ROW
};

const char *cli_sweep_figure(int figure, const char **head, const char **unit) {
  *head = figures[figure].head;
  *unit = figures[figure].unit;
  return figures[figure].name;
}

bool cli_model_sweeps(const roof_model_axes *axes, const char *precisions) {
  return compare || axes->count > 0 || (precisions != NULL && strchr(precisions, '/') != NULL);
}

/** Points between neighbours on an axis. */
static size_t stride_of(const cli_sweep *s, int axis) {
  size_t stride = 1;
  for (int i = axis + 1; i < s->axes->count; i++) {
    stride *= s->axes->list[i].values.count;
  }
  return stride;
}

bool cli_sweep_generates(const cli_sweep *s) {
  bool generates = s->settings.generate > 0;
  for (int i = 0; i < s->axes->count; i++) {
    generates |= strcmp(s->axes->list[i].name, "generate") == 0;
  }
  return generates && !s->settings.train && !s->model->encoder;
}

double cli_sweep_value(const cli_sweep *s, const cli_sweep_point *p, int axis) {
  const roof_axis *values = &s->axes->list[axis].values;
  return values->values[p->index / stride_of(s, axis) % values->count];
}

void cli_sweep_add_words(roof_text *out, const cli_sweep *s, const cli_sweep_point *p, int except) {
  const char *space = "";
  for (int i = 0; i < s->axes->count; i++) {
    if (i != except) {
      roof_text_addf(out, "%s%s=%.15g", space, s->axes->list[i].name, cli_sweep_value(s, p, i));
      space = " ";
    }
  }
  if (s->precisions.count > 1) {
    roof_text_addf(out, "%s%s", space, s->precisions.names[p->precision]);
  }
}

static roof_status aim(const cli_sweep *s, const cli_sweep_point *p, roof_model_target *target,
                       roof_error *error) {
  roof_model_settings settings = s->settings;
  settings.precision = s->precisions.list[p->precision];
  for (int i = 0; i < s->axes->count; i++) {
    *(double *)(void *)((char *)&settings + s->axes->list[i].offset) = cli_sweep_value(s, p, i);
  }
  return roof_model_target_init(target, s->model, s->machines[p->machine], &settings, error);
}

static void run_point(const cli_sweep *s, cli_sweep_point *p) {
  static roof_model_answer a;
  roof_model_target target;
  roof_error why = {0};
  if (aim(s, p, &target, &why) != ROOF_OK) {
    snprintf(p->why, sizeof p->why, "%.127s", why.message);
    return;
  }
  roof_model_answer_of(&target, &a);
  const roof_model_phase *step = roof_model_step(&a);
  const double values[CLI_SWEEP_FIGURE_COUNT] = {
      [CLI_SWEEP_ttft_seconds] = a.ttft_seconds,
      [CLI_SWEEP_tpot_seconds] = a.tpot_seconds,
      [CLI_SWEEP_tokens_per_second] = a.tokens_per_second,
      [CLI_SWEEP_batch_tokens_per_second] = a.batch_tokens_per_second,
      [CLI_SWEEP_device_tokens_per_second] = a.device_tokens_per_second,
      [CLI_SWEEP_prompt_tokens_per_second] = a.prompt_tokens_per_second,
      [CLI_SWEEP_joules_per_token] = a.joules_per_token,
      [CLI_SWEEP_price_per_million_tokens] = a.price_per_million_tokens,
      [CLI_SWEEP_total_bytes] = a.capacity.total_bytes,
      [CLI_SWEEP_spare_bytes] = a.capacity.spare_bytes,
      [CLI_SWEEP_intensity] = step->flops / step->memory_bytes,
      [CLI_SWEEP_mfu] = step->mfu,
      [CLI_SWEEP_mbu] = step->mbu};
  memcpy(p->figures, values, sizeof values);
  p->fits = a.capacity.fits;
  p->regime = roof_model_phase_regime(step);
}

/** The crossings of the line along `axis` that begins at `point`. */
static void cross_line(const cli_sweep *s, const cli_sweep_point *point, int axis, cli_sweep_receive *receive,
                       void *context) {
  roof_model_target target;
  if (point->why[0] != '\0' || aim(s, point, &target, NULL) != ROOF_OK) {
    return;
  }
  const char *name = s->axes->list[axis].name;
  const roof_model_question *q = NULL;
  for (int i = 0; (q = roof_model_question_at(&target, i)) != NULL; i++) {
    if (strcmp(roof_growth_name(q->growth), name) == 0) {
      cli_sweep_crossing c = {.point = point, .axis = axis, .phase = q->phase, .products = q->products};
      c.at = roof_model_critical(&target, q->phase, q->growth, q->products);
      roof_model_crossing_text(&c.at, q->growth, c.words, sizeof c.words);
      receive(context, s, &c);
    }
  }
}

void cli_sweep_crossings(const cli_sweep *s, cli_sweep_receive *receive, void *context) {
  for (int axis = 0; axis < s->axes->count; axis++) {
    size_t stride = stride_of(s, axis), count = s->axes->list[axis].values.count;
    for (size_t i = 0; i < s->count; i++) {
      if (s->points[i].index / stride % count == 0) {
        cross_line(s, &s->points[i], axis, receive, context);
      }
    }
  }
}

static roof_status run_points(cli_sweep *s, roof_error *error) {
  size_t possible = 0, each = s->values * (size_t)s->precisions.count;
  for (size_t i = 0; i < s->count; i++) {
    cli_sweep_point *p = &s->points[i];
    p->machine = (int)(i / each);
    p->precision = (int)(i / s->values % (size_t)s->precisions.count);
    p->index = i % s->values;
    run_point(s, p);
    possible += p->why[0] == '\0';
  }
  return possible > 0 ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "%s", s->points[0].why);
}

static roof_status print_sweep(const cli_sweep *s, roof_error *error) {
  if (s->args->json || s->args->csv) {
    return cli_answer_print(s->args, cli_sweep_json(s), error);
  }
  roof_text out = {0};
  cli_sweep_text(&out, s, compare != 0);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

roof_status cli_model_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                            int count, const roof_model_settings *settings, const roof_model_axes *axes,
                            const char *precisions, roof_error *error) {
  cli_sweep s = {.args = args,
                 .model = model,
                 .machines = machines,
                 .machine_count = count,
                 .settings = *settings,
                 .axes = axes,
                 .values = 1};
  roof_status status = args->to != NULL ? cli_chart_check(args->to, error) : ROOF_OK;
  status = status == ROOF_OK
               ? roof_model_precisions_parse(precisions, &settings->precision, &s.precisions, error)
               : status;
  double points = (double)s.precisions.count * count;
  for (int i = 0; i < axes->count; i++) {
    s.values *= axes->list[i].values.count;
    points *= (double)axes->list[i].values.count;
  }
  if (status == ROOF_OK && compare && count > BESIDE_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--compare: at most %d machines", BESIDE_MAX);
  }
  if (status == ROOF_OK && points > (double)most_points) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%.0f points: at most %zu", points, most_points);
  }
  if (status != ROOF_OK) {
    return status;
  }
  s.count = (size_t)points;
  s.points = calloc(s.count, sizeof *s.points);
  status =
      s.points != NULL ? run_points(&s, error) : roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  if (status == ROOF_OK) {
    status = args->to != NULL ? cli_sweep_draw(&s, args->to, error) : print_sweep(&s, error);
  }
  free(s.points);
  return status;
}
