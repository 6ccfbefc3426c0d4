/* The explorer's answers: what `roofline` prints for a command line, by the same library, in a browser. The page writes the
 * words as a JSON list where web_room says, calls web_ask, and reads the answer. */
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/charts.h"
#include "roofline/drill.h"
#include "roofline/graphs.h"
#include "roofline/ops.h"
#include "roofline/plot.h"
#include "roofline/units.h"
#include "roofline/weights.h"
#include "web/wasm/asked.h"
#include "web/wasm/host.h"
#include "web/wasm/model.h"
#include "web/wasm/plan.h"
#include "web/wasm/serve.h"
#include "web/wasm/workload.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

typedef roof_status answer(const web_asked *asked, roof_text *out, roof_error *error);

/** Machines and shape of an operation. */
typedef struct question {
  roof_shape shape;
  roof_targets targets;
} question;

static roof_status read_shape(const web_asked *asked, roof_shape *shape, roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = asked->words.count > 0
                           ? roof_userops_find(NULL, 0, asked->words.texts[0], &op, error)
                           : roof_error_set(error, ROOF_E_ARGUMENT, "%s: which operation?", asked->command);
  return status == ROOF_OK
             ? roof_shape_parse(shape, op, asked->words.texts + 1, asked->words.count - 1, NULL, error)
             : status;
}

static void end_question(question *q) {
  roof_targets_done(&q->targets);
  roof_shape_done(&q->shape);
}

/** Release *q on success. */
static roof_status read_question(const web_asked *asked, question *q, roof_error *error) {
  *q = (question){0};
  roof_status status = read_shape(asked, &q->shape, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = roof_targets_init(&q->targets, asked->machines.texts, &asked->formats, asked->dtypes.texts,
                             &asked->options, error);
  status = status == ROOF_OK ? roof_targets_check(&q->targets, &q->shape, error) : status;
  if (status != ROOF_OK) {
    end_question(q);
  }
  return status;
}

static roof_status check_unit(const question *q, const double *values, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < q->targets.count && status == ROOF_OK; i++) {
    roof_prediction p;
    roof_predict(&q->targets.targets[i], q->shape.op, values, &p);
    status = p.work.flops > 0 ? roof_target_supports(&q->targets.targets[i], p.work.unit, error) : ROOF_OK;
  }
  return status;
}

static roof_status predict(const web_asked *asked, roof_text *out, roof_error *error) {
  question q;
  double values[ROOF_PARAM_MAX];
  roof_status status = read_question(asked, &q, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (q.shape.points > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "%s: has several values; `roofline sweep` takes lists and ranges",
                            q.shape.op->params[q.shape.axes[0].param].name);
  }
  status = status == ROOF_OK ? roof_shape_point(&q.shape, 0, values, error) : status;
  status = status == ROOF_OK ? check_unit(&q, values, error) : status;
  status = status == ROOF_OK ? roof_predictions_write(q.targets.targets, q.targets.count, q.shape.op, values,
                                                      NULL, out, error)
                             : status;
  end_question(&q);
  return status;
}

static roof_status chart_of_sweep(const void *sweep, roof_curves *chart, roof_error *error) {
  return roof_sweep_chart(sweep, chart, error);
}

/** The curves of --to, else JSON. */
static roof_status write_sweep(const web_asked *asked, roof_sweep *sweep, roof_text *out, roof_error *error) {
  if (asked->to == NULL) {
    return roof_sweep_write(sweep, NULL, NULL, out, error);
  }
  return web_draw_curves(asked, chart_of_sweep, sweep, out, error);
}

static roof_status sweep(const web_asked *asked, roof_text *out, roof_error *error) {
  question q;
  roof_sweep s;
  roof_status status = read_question(asked, &q, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = roof_sweep_init(&s, &q.shape, q.targets.targets, q.targets.count, error);
  if (status == ROOF_OK) {
    status = write_sweep(asked, &s, out, error);
    roof_sweep_done(&s);
  }
  end_question(&q);
  return status;
}

/** Levers of the operation on one machine; where no times are typed, nothing is explained. */
static roof_status advise_on(const question *q, roof_text *out, roof_error *error) {
  static roof_advice advice;
  double values[ROOF_PARAM_MAX], typed[ROOF_PARAM_MAX];
  roof_ranked_machine *machines = NULL;
  int count = 0;
  const roof_question nothing = roof_question_init();
  const roof_target *target = q->targets.targets;
  roof_shape_typed(&q->shape, 0, typed);
  roof_status status = roof_shape_point(&q->shape, 0, values, error);
  status = status == ROOF_OK ? roof_advise(target, q->shape.op, typed, &nothing, &advice, error) : status;
  status =
      status == ROOF_OK ? roof_catalog_rank(target, q->shape.op, values, &machines, &count, error) : status;
  status = status == ROOF_OK
               ? roof_advice_write(target, q->shape.op, values, &advice, machines, count, out, error)
               : status;
  free(machines);
  return status;
}

static roof_status advise(const web_asked *asked, roof_text *out, roof_error *error) {
  question q;
  const roof_op *op = NULL;
  const char *name = asked->words.count > 0 ? asked->words.texts[0] : "";
  if (roof_userops_find(NULL, 0, name, &op, NULL) != ROOF_OK && roof_model_is(name)) {
    return web_model_advise(asked, out, error);
  }
  if (asked->precision != NULL) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "--precision: of a whole model; the formats of an operation are --dtype and --weights");
  }
  roof_status status = read_question(asked, &q, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = q.targets.count == 1 && q.shape.points == 1
               ? advise_on(&q, out, error)
               : roof_error_set(error, ROOF_E_ARGUMENT, "advise: one shape on one machine at a time");
  end_question(&q);
  return status;
}

static roof_status plot(const web_asked *asked, roof_text *out, roof_error *error) {
  static roof_scene scene;
  roof_machine **machines = NULL;
  roof_plot p = {.formats = asked->formats,
                 .dtypes = asked->dtypes.texts,
                 .dtype_count = asked->dtypes.count,
                 .arrows = asked->arrows != 0};
  roof_status status = roof_machines_load(asked->machines.texts, &machines, &p.machine_count, error);
  p.machines = machines;
  status =
      status == ROOF_OK ? roof_scene_read(&scene, &p, asked->words.texts, asked->words.count, error) : status;
  if (status == ROOF_OK && asked->to != NULL) {
    roof_scene_label_by_machine(&scene);
    status = roof_draw_svg(&scene, web_width(asked), out, error);
  } else if (status == ROOF_OK) {
    status = roof_scene_write(&scene, out, error);
  }
  roof_machines_free(machines, p.machine_count);
  return status;
}

/** The question of --seed on --machine as JSON, or, with an answer as words, its grade. */
static roof_status drill(const web_asked *asked, roof_text *out, roof_error *error) {
  double seed = 0;
  roof_machine *machine = NULL;
  roof_drill_question q;
  roof_drill_solution s;
  roof_status status = asked->seed != NULL ? roof_quantity_parse(asked->seed, &seed, error) : ROOF_OK;
  uint64_t state = status == ROOF_OK && seed >= 0 && seed < 0x1p53 ? (uint64_t)seed : 0;
  roof_drill_draw(&state, asked->machines.count > 0 ? asked->machines.texts : NULL, &q);
  status = status == ROOF_OK ? roof_catalog_load(q.machine, &machine, error) : status;
  status = status == ROOF_OK ? roof_drill_solve(&q, machine, &s, error) : status;
  if (status == ROOF_OK && asked->words.count > 0) {
    roof_drill_round round;
    status = roof_drill_check(asked->words.texts[0], error);
    if (status == ROOF_OK) {
      roof_drill_grade(&q, &s, asked->words.texts[0], &round);
      status = roof_drill_write((uint64_t)seed, &round, 1, out, error);
    }
  } else if (status == ROOF_OK) {
    const roof_peak *peak = s.prediction.peak;
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:o, s:o}", "question", q.text, "machine", machine->name,
        "title", roof_machine_title(machine), "flops_per_second", rf_json_number(peak->flops_per_second),
        "unit", roof_unit_name(peak->unit), "bytes_per_second", rf_json_number(s.bytes_per_second), "level",
        s.target.level[s.target.memory]->name, "launch_seconds",
        rf_json_number(s.target.least_launch_seconds), "overhead_seconds",
        rf_json_number(roof_prediction_cutoff(&s.target, &s.prediction)));
    status = rf_json_write(document, "drill", out, error);
  }
  roof_machine_free(machine);
  return status;
}

/** What `list` shows of all; other verbs of these commands are of no use here. */
static roof_status check_list(const web_asked *asked, roof_error *error) {
  bool listed = asked->words.count == 1 && strcmp(asked->words.texts[0], "list") == 0;
  return listed ? ROOF_OK
                : roof_error_set(error, ROOF_E_ARGUMENT, "%s: the explorer has `list`", asked->command);
}

static roof_status list_machines(const web_asked *asked, roof_text *out, roof_error *error) {
  roof_search search;
  roof_status status = check_list(asked, error);
  status = status == ROOF_OK ? roof_catalog_search("", &search, error) : status;
  if (status == ROOF_OK) {
    status = roof_search_write(&search, out, error);
    roof_search_done(&search);
  }
  return status;
}

static roof_status list_ops(const web_asked *asked, roof_text *out, roof_error *error) {
  roof_status status = check_list(asked, error);
  return status == ROOF_OK ? roof_userops_write(NULL, 0, "", out, error) : status;
}

static roof_status list_models(roof_text *out, roof_error *error) {
  json_t *list = json_array();
  roof_model_entry entry = roof_model_entry_at(0);
  for (size_t i = 0; entry.name != NULL; entry = roof_model_entry_at(++i)) {
    rf_json_append(list, json_pack("{s:s, s:s}", "name", entry.name, "aliases", entry.aliases));
  }
  return rf_json_write(json_pack("{s:s, s:o}", "schema", "roofline.model_names/1", "models", list), "models",
                       out, error);
}

static roof_status model(const web_asked *asked, roof_text *out, roof_error *error) {
  bool workload = asked->words.count > 0 && roof_workload_is(asked->words.texts[0]);
  return check_list(asked, NULL) == ROOF_OK ? list_models(out, error)
         : workload                         ? web_workload(asked, out, error)
                                            : web_model(asked, out, error);
}

static const struct {
  const char *name;
  answer *give;
} answers[] = {{"predict", predict},       {"sweep", sweep},   {"advise", advise},   {"plot", plot},
               {"model", model},           {"plan", web_plan}, {"serve", web_serve}, {"drill", drill},
               {"machine", list_machines}, {"op", list_ops}};

static roof_text asked_text, answer_text;

static roof_status ask(const web_asked *asked, roof_text *out, roof_error *error) {
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    if (strcmp(answers[i].name, asked->command) == 0) {
      return answers[i].give(asked, out, error);
    }
  }
  return roof_error_set(error, ROOF_E_NAME, "`%.80s`: not a command that the explorer has", asked->command);
}

char *EXPORT(web_room)(int length);
int EXPORT(web_ask)(int length);
const char *EXPORT(web_answer)(void);
int EXPORT(web_answer_length)(void);
int EXPORT(web_keep)(int name_length, int length, double whole);
char *EXPORT(web_catalogue)(void);
int EXPORT(web_catalogue_length)(void);

/** Room for `length` bytes that the page writes; NULL when out of memory. */
char *web_room(int length) {
  asked_text.length = 0;
  for (int i = 0; i <= length / 1024; i++) {
    char blank[1024] = {0};
    roof_text_add_bytes(&asked_text, blank, sizeof blank);
  }
  return asked_text.failed ? NULL : asked_text.data;
}

/** Why there is no answer, with the place in a file, as the command says it. */
static void add_error(roof_text *out, const roof_error *error) {
  if (error->file[0] != '\0') {
    roof_text_add(out, error->file);
    if (error->line > 0) {
      roof_text_addf(out, ":%d", error->line);
    }
    if (error->column > 0) {
      roof_text_addf(out, ":%d", error->column);
    }
    roof_text_add(out, ": ");
  }
  roof_text_add(out, error->message);
}

/** Answers what was written; returns the exit code that the command would have, and for one over 0 the answer is why,
 *  but for a gate that fails. */
int web_ask(int length) {
  web_asked asked;
  roof_error error = {0};
  roof_text_done(&answer_text);
  roof_status status = web_asked_read(&asked, asked_text.data, (size_t)length, &error);
  status = status == ROOF_OK ? ask(&asked, &answer_text, &error) : status;
  web_asked_done(&asked);
  if (status != ROOF_OK && !(status == ROOF_E_GATE && answer_text.length > 0)) {
    roof_text_done(&answer_text);
    add_error(&answer_text, &error);
  }
  return roof_status_exit_code(status);
}

const char *web_answer(void) {
  return answer_text.data;
}

int web_answer_length(void) {
  return (int)answer_text.length;
}

/** Keeps a file of `whole` bytes for the answers that follow: its name, then its content or the beginning of it, were written; 0 where that
 *  failed. */
int web_keep(int name_length, int length, double whole) {
  char *name = strndup(asked_text.data, (size_t)name_length);
  bool kept = name != NULL && web_file_keep(name, asked_text.data + name_length, (size_t)length, whole);
  free(name);
  return kept;
}

const char *EXPORT(web_quantity)(double value);

/** A figure as the command writes it, in the unit that was written ("s", "FLOP/s"; ""); "unknown" for NaN. */
const char *web_quantity(double value) {
  static char shown[64];
  return roof_quantity_format(shown, sizeof shown, value, asked_text.data);
}

extern char web_catalogue_text[];
extern const int web_catalogue_size;

/** Where the page writes the catalogue, unpacked, before it asks. */
char *web_catalogue(void) {
  return web_catalogue_text;
}

int web_catalogue_length(void) {
  return web_catalogue_size;
}
