/* What a search of plans of a training step found, written as roofline.train_plans/1. */
#include "documents/json.h"

static json_t *train_point(const roof_train_point *p) {
  const rf_json_member plan[] = {{"tp", p->tp}, {"pp", p->pp}, {"dp", p->dp}, {"ep", p->ep}};
  const rf_json_member figures[] = {{"micro_batch", p->micro_batch},
                                    {"microbatches", p->microbatches},
                                    {"seconds", p->seconds},
                                    {"device_tokens_per_second", p->device_tokens_per_second},
                                    {"mfu", p->mfu},
                                    {"total_bytes", p->total_bytes}};
  json_t *object = json_object();
  RF_JSON_SET(object, plan);
  rf_json_set(object, "sp", json_boolean(p->sp));
  rf_json_set(object, "zero", rf_json_number(p->zero));
  rf_json_set(object, "recompute", json_string(roof_recompute_name(p->recompute)));
  RF_JSON_SET(object, figures);
  rf_json_set(object, "training", rf_training_json(&p->training));
  return object;
}

static json_t *failures_json(const roof_failures *f, const roof_model_training *run) {
  double longer = f->seconds / run->seconds;
  const rf_json_member numbers[] = {{"between_seconds", f->between_seconds},
                                    {"failures", f->failures},
                                    {"checkpoint_bytes", f->checkpoint_bytes},
                                    {"checkpoint_seconds", f->checkpoint_seconds},
                                    {"interval_seconds", f->interval_seconds},
                                    {"checkpoints", f->checkpoints},
                                    {"lost", f->lost},
                                    {"seconds", f->seconds},
                                    {"device_hours", longer * run->device_seconds / 3600},
                                    {"price", longer * run->price}};
  json_t *object = json_object();
  RF_JSON_SET(object, numbers);
  return object;
}

json_t *rf_train_plans_json(const roof_model *model, const roof_machine *machine,
                            const roof_model_settings *settings, double devices, const roof_train_front *f,
                            const roof_failures *failures) {
  const rf_json_member numbers[] = {{"devices", devices},
                                    {"batch", f->batch},
                                    {"prompt", settings->prompt},
                                    {"tried", f->tried},
                                    {"fit", f->fit},
                                    {"short_bytes", f->short_bytes},
                                    {"enough_devices", f->enough_devices}};
  json_t *front = json_array();
  json_t *object = json_pack("{s:s, s:s, s:s}", "schema", "roofline.train_plans/1", "name", model->name,
                             "machine", machine->name);
  RF_JSON_SET(object, numbers);
  for (int i = 0; i < f->count; i++) {
    rf_json_append(front, train_point(&f->points[i]));
  }
  rf_json_set(object, "best", f->count > 0 ? train_point(&f->best) : json_null());
  rf_json_set(object, "nearest", f->count > 0 ? json_null() : train_point(&f->nearest));
  rf_json_set(object, "front", front);
  rf_json_set(object, "failures",
              failures != NULL ? failures_json(failures, &f->best.training) : json_null());
  rf_json_set(object, "prices", rf_price_json(machine, settings));
  rf_json_set(object, "stragglers", json_null()); /* of a cluster's file, which the command reads */
  return object;
}

roof_status roof_train_plans_write(const roof_model *model, const roof_machine *machine,
                                   const roof_model_settings *settings, double devices,
                                   const roof_train_front *front, const roof_failures *failures,
                                   roof_text *out, roof_error *error) {
  return rf_json_write(rf_train_plans_json(model, machine, settings, devices, front, failures), "plans", out,
                       error);
}
