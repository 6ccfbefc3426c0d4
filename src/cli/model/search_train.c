/* roofline model --train --search: every plan of a training step, the fastest, and what less memory costs. */
#include "cli/grid.h"
#include "cli/model/model.h"
#include "core/number.h"
#include "roofline/plan.h"

enum { SHORT = 48, COLUMNS = 12 };

typedef struct answer {
  const roof_model *model;
  const roof_machine *machine;
  const roof_model_settings *settings;
  double devices;
  roof_train_front front;
} answer;

static double micro_batch(const answer *a, const roof_train_point *p) {
  return a->settings->batch / p->dp / p->microbatches;
}

static void fill_row(const answer *a, const roof_train_point *p, char row[COLUMNS][SHORT]) {
  const double counts[] = {p->tp, p->pp, p->dp, p->ep, p->zero, micro_batch(a, p), p->microbatches};
  for (int i = 0; i < 7; i++) {
    snprintf(row[i], SHORT, "%.0f", counts[i]);
  }
  snprintf(row[7], SHORT, "%s%s", roof_recompute_name(p->recompute), p->sp ? ", sp" : "");
  roof_quantity_format(row[8], SHORT, p->seconds, "s");
  rf_format(row[9], SHORT, "%.4g", p->device_tokens_per_second);
  rf_format(row[10], SHORT, "%.1f %%", 100 * p->mfu);
  roof_bytes_format(row[11], SHORT, p->total_bytes);
}

static void add_table(const answer *a, roof_text *out) {
  static const char *const header[COLUMNS] = {
      "tp",  "pp",    "dp", "ep", "ZeRO", "micro", "accumulated", "recompute", "step", "tokens/s a device",
      "MFU", "memory"};
  static char text[ROOF_FRONT_MAX][COLUMNS][SHORT];
  const char *cells[(ROOF_FRONT_MAX + 1) * COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    cells[c] = header[c];
  }
  for (int i = 0; i < a->front.count; i++) {
    fill_row(a, &a->front.points[i], text[i]);
    for (int c = 0; c < COLUMNS; c++) {
      cells[(i + 1) * COLUMNS + c] = text[i][c];
    }
  }
  cli_text_add_table(out, cells, COLUMNS, a->front.count + 1, "rrrrrrrlrrrr");
}

static void add_text(const answer *a, roof_text *out) {
  const roof_train_front *f = &a->front;
  const roof_train_point *b = &f->best;
  char x[SHORT], y[SHORT], ep[SHORT];
  snprintf(ep, SHORT, " ep %.0f", b->ep);
  roof_text_addf(out, "%s trained on %.0f x %s, %.0f sequences of %.0f tokens: %.0f plans tried, %.0f fit\n",
                 a->model->name, a->devices, a->machine->title, a->settings->batch, a->settings->prompt,
                 f->tried, f->fit);
  if (f->count == 0) {
    roof_text_add(out, "best: none fits\n");
    return;
  }
  roof_text_addf(out, "best: tp %.0f pp %.0f dp %.0f", b->tp, b->pp, b->dp);
  roof_text_addf(out, "%s%s ZeRO %.0f, recompute %s, micro-batch %.0f: a step %s", b->ep > 1 ? ep : "",
                 b->sp ? " sp" : "", b->zero, roof_recompute_name(b->recompute), micro_batch(a, b),
                 roof_quantity_format(x, SHORT, b->seconds, "s"));
  roof_text_addf(out, ", %.4g tokens/s a device, MFU %.1f %%, %s a device\n", b->device_tokens_per_second,
                 100 * b->mfu, roof_bytes_format(y, SHORT, b->total_bytes));
  roof_text_add(out, "\nfront: no other plan is both faster and smaller\n");
  add_table(a, out);
}

static json_t *point_json(const answer *a, const roof_train_point *p) {
  json_t *object = json_pack(
      "{s:o, s:o, s:o, s:o, s:b, s:o, s:s, s:o, s:o}", "tp", cli_json_number(p->tp), "pp",
      cli_json_number(p->pp), "dp", cli_json_number(p->dp), "ep", cli_json_number(p->ep), "sp", (int)p->sp,
      "zero", cli_json_number(p->zero), "recompute", roof_recompute_name(p->recompute), "micro_batch",
      cli_json_number(micro_batch(a, p)), "microbatches", cli_json_number(p->microbatches));
  json_object_set_new(object, "seconds", cli_json_number(p->seconds));
  json_object_set_new(object, "device_tokens_per_second", cli_json_number(p->device_tokens_per_second));
  json_object_set_new(object, "mfu", cli_json_number(p->mfu));
  json_object_set_new(object, "total_bytes", cli_json_number(p->total_bytes));
  return object;
}

static json_t *answer_json(const answer *a) {
  const roof_train_front *f = &a->front;
  json_t *points = json_array();
  for (int i = 0; i < f->count; i++) {
    json_array_append_new(points, point_json(a, &f->points[i]));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "roofline.train_plans/1",
                   "name", a->model->name, "machine", a->machine->name, "devices",
                   cli_json_number(a->devices), "batch", cli_json_number(a->settings->batch), "prompt",
                   cli_json_number(a->settings->prompt), "tried", cli_json_number(f->tried), "fit",
                   cli_json_number(f->fit), "best", f->count > 0 ? point_json(a, &f->best) : json_null(),
                   "front", points);
}

roof_status cli_model_search_train(const cli_args *args, const roof_model *model, const roof_machine *machine,
                                   const roof_model_settings *settings, double devices, roof_text *text,
                                   json_t *json, roof_error *error) {
  static answer a;
  a = (answer){.model = model, .machine = machine, .settings = settings, .devices = devices};
  roof_status status = roof_train_search(model, machine, settings, devices, &a.front, error);
  if (status == ROOF_OK && args->json) {
    json_array_append_new(json, answer_json(&a));
  } else if (status == ROOF_OK) {
    roof_text_add(text, text->length > 0 ? "\n" : "");
    add_text(&a, text);
  }
  return status;
}
