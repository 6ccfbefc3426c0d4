/* roofline model --search: every plan of so many devices, the best within limits, and the front of latency
 * against throughput. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/model/model.h"
#include "roofline/draw.h"
#include "roofline/plan.h"

static int search;
static bool missed;
static char *devices, *ttft, *tpot, *users_text, *context_text;
const struct poptOption cli_model_search_options[] = {
    {"search", '\0', POPT_ARG_NONE, &search, 0,
     "try every tp x pp x dp x ep of --devices and batches up to what fits; --precision may name "
     "several choices: bf16/fp8; with --train also sp, ZeRO, recomputation and microbatches",
     NULL},
    {"devices", '\0', POPT_ARG_STRING, &devices, 0, "of the cluster; default: --node", "N"},
    {"ttft", '\0', POPT_ARG_STRING, &ttft, 0, "most time to the first token, for instance 500ms", "TIME"},
    {"tpot", '\0', POPT_ARG_STRING, &tpot, 0, "most time per token, for instance 20ms", "TIME"},
    {"users", '\0', POPT_ARG_STRING, &users_text, 0, "requests at once, as the setting users=", "N"},
    {"context", '\0', POPT_ARG_STRING, &context_text, 0, "tokens of a prompt, as the setting context=", "N"},
    POPT_TABLEEND};

roof_status cli_model_search_settings(roof_model_settings *settings, roof_model_axes *axes,
                                      roof_error *error) {
  char word[128];
  const struct { const char *name, *value; } given[] = {{"users", users_text}, {"context", context_text}};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof given / sizeof given[0] && status == ROOF_OK; i++) {
    if (given[i].value != NULL) {
      const char *const words[] = {word};
      snprintf(word, sizeof word, "%s=%.100s", given[i].name, given[i].value);
      status = roof_model_settings_read(words, 1, settings, axes, error);
    }
  }
  return status;
}

bool cli_model_searches(void) {
  return search != 0;
}

bool cli_model_search_missed(void) {
  return missed;
}

void cli_model_search_options_done(void) {
  free(users_text);
  free(context_text);
  free(devices);
  free(ttft);
  free(tpot);
}

/** What was searched and what was found. */
typedef struct answer {
  const roof_model *model;
  const roof_machine *machine;
  roof_plan_limits limits;
  roof_model_precisions precisions;
  roof_plan_front front;
} answer;

/** A plan, and what its precision is called. */
typedef struct front_row {
  roof_plan_point point;
  const char *precision;
} front_row;

#define COUNT(member)                                                                                        \
  { .header = #member, .fixed = true, CLI_FIELD(NUMBER, front_row, point.member) }

static const cli_column front_columns[] = {
    COUNT(tp),
    COUNT(pp),
    COUNT(dp),
    COUNT(ep),
    COUNT(batch),
    {NULL, "precision", CLI_FIELD(TEXT, front_row, precision)},
    {NULL, "TTFT", "s", CLI_FIELD(NUMBER, front_row, point.ttft_seconds)},
    {NULL, "TPOT", "s", CLI_FIELD(NUMBER, front_row, point.tpot_seconds)},
    {NULL, "tokens/s per device", .digits = 4, CLI_FIELD(NUMBER, front_row, point.device_tokens_per_second)},
    {0}};

static roof_status parse_limit(const char *text, const char *unit, const char *name, double *value,
                               roof_error *error) {
  roof_error why = {0};
  roof_status status = text != NULL ? roof_quantity_parse_unit(text, unit, value, &why) : ROOF_OK;
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "--%s: %s", name, why.message);
}

static roof_status parse_limits(const roof_model_settings *s, roof_plan_limits *l, roof_error *error) {
  *l = (roof_plan_limits){s->node, NAN, NAN, 0};
  roof_status status = parse_limit(devices, "", "devices", &l->devices, error);
  status = status == ROOF_OK ? parse_limit(ttft, "s", "ttft", &l->ttft_seconds, error) : status;
  return status == ROOF_OK ? parse_limit(tpot, "s", "tpot", &l->tpot_seconds, error) : status;
}

static void add_text(const answer *a, roof_text *out) {
  const roof_plan_front *f = &a->front;
  roof_plans_sentence(out, a->model, a->machine, &a->limits, &a->precisions, f);
  if (f->count > 0) {
    roof_text_add(out, "\nfront: no other plan has both more tokens per second and less time per token\n");
    front_row rows[ROOF_FRONT_MAX];
    for (int i = 0; i < f->count; i++) {
      rows[i] = (front_row){f->points[i], a->precisions.names[f->points[i].precision]};
    }
    cli_columns_add_text(out, CLI_ROWS(front_columns, rows, (size_t)f->count));
  }
}

static roof_status write_chart(const cli_args *args, const answer *a, roof_error *error) {
  static roof_front chart;
  roof_text out = {0};
  roof_plans_chart(a->model, a->machine, &a->limits, &a->precisions, &a->front, &chart);
  roof_status status = roof_draw_front_svg(&chart, &out, error);
  status =
      status == ROOF_OK ? cli_chart_write_svg(args, a->model->name, &out, &(roof_table){0}, error) : status;
  roof_text_done(&out);
  return status;
}

/** What a search of training plans has no use for. */
static roof_status refuse_with_training(const cli_args *args, const char *precisions, roof_error *error) {
  const char *option = ttft != NULL                                            ? "ttft"
                       : tpot != NULL                                          ? "tpot"
                       : args->file != NULL                                    ? "to"
                       : precisions != NULL && strchr(precisions, '/') != NULL ? "precision"
                                                                               : NULL;
  return option == NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "--%s: of a search for serving; one of --train has step times", option);
}

roof_status cli_model_search(const cli_args *args, const roof_model *model, const roof_machine *machine,
                             const roof_model_settings *settings, const char *precisions, roof_text *text,
                             json_t *json, roof_error *error) {
  static answer a;
  a = (answer){.model = model, .machine = machine};
  roof_status status = parse_limits(settings, &a.limits, error);
  if (status == ROOF_OK && settings->train) {
    return refuse_with_training(args, precisions, error) != ROOF_OK
               ? ROOF_E_ARGUMENT
               : cli_model_search_train(args, model, machine, settings, a.limits.devices, text, json, &missed,
                                        error);
  }
  status = status == ROOF_OK
               ? roof_model_precisions_parse(precisions, &settings->precision, &a.precisions, error)
               : status;
  status = status == ROOF_OK ? roof_plan_search(model, machine, settings, a.precisions.list,
                                                a.precisions.count, &a.limits, &a.front, error)
                             : status;
  missed = missed || (status == ROOF_OK && a.front.best.batch == 0);
  status = status == ROOF_OK && cli_chart_is_wanted(args)
               ? cli_chart_or_none(args, write_chart(args, &a, error))
               : status;
  if (status == ROOF_OK && args->json) {
    rf_json_append(json, rf_plans_json(model, machine, &a.limits, &a.precisions, &a.front));
  } else if (status == ROOF_OK) {
    roof_text_add(text, text->length > 0 ? "\n" : "");
    add_text(&a, text);
  }
  return status;
}

roof_status cli_model_choose(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                             int count, const roof_model_settings *settings, double users,
                             const double *prices, const char *precisions, roof_text *text, json_t *json,
                             roof_error *error) {
  static roof_choices choices;
  static roof_model_precisions formats;
  roof_plan_limits limits;
  roof_offer *offers = calloc((size_t)count, sizeof *offers);
  roof_status status = offers != NULL ? parse_limits(settings, &limits, error)
                                      : roof_error_set(error, ROOF_E_MEMORY, "search: out of memory");
  if (status == ROOF_OK && args->file != NULL) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "--to %s: of a search on one machine without users=", args->to);
  }
  status = status == ROOF_OK ? roof_model_precisions_parse(precisions, &settings->precision, &formats, error)
                             : status;
  if (status == ROOF_OK) {
    limits.devices = devices != NULL ? limits.devices : 0;
    limits.users = users;
    for (int i = 0; i < count; i++) {
      offers[i] = (roof_offer){machines[i], prices[i]};
    }
    roof_choice_question question = {model, settings, &formats, offers, count, limits};
    status = roof_choices_of(&question, &choices, error);
    missed = status == ROOF_OK && choices.meeting == 0;
    if (status == ROOF_OK && args->json) {
      rf_json_append(json, rf_choices_json(&question, &choices, args->words[0]));
    } else if (status == ROOF_OK) {
      cli_model_choices_text(text, &question, &choices, args->words[0]);
    }
  }
  free(offers);
  return status;
}
