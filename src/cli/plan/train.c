/* roofline plan --train: every plan of a training step, the fastest, and what less memory costs. */
#include "cli/columns.h"
#include "cli/plan/plan.h"

CLI_WORD(recompute_and_sp, roof_train_point,
         cli_column_say(scratch, "%s%s", roof_recompute_name(r->recompute), r->sp ? ", sp" : ""))

#define COUNT(header, member)                                                                                \
  { NULL, header, .fixed = true, CLI_FIELD(NUMBER, roof_train_point, member) }

static const cli_column front_columns[] = {
    COUNT("tp", tp),
    COUNT("pp", pp),
    COUNT("dp", dp),
    {NULL, "ep", .rank = 2, .fixed = true, CLI_FIELD(NUMBER, roof_train_point, ep)},
    COUNT("ZeRO", zero),
    COUNT("micro", micro_batch),
    {NULL, "accumulated", .rank = 3, .fixed = true, CLI_FIELD(NUMBER, roof_train_point, microbatches)},
    {NULL, "recompute", .text = recompute_and_sp},
    {NULL, "step", "s", CLI_FIELD(NUMBER, roof_train_point, seconds)},
    {NULL, "tokens/s per device", .digits = 4, CLI_FIELD(NUMBER, roof_train_point, device_tokens_per_second)},
    {NULL, "MFU", CLI_PERCENT(1), .rank = 1, CLI_FIELD(NUMBER, roof_train_point, mfu)},
    {NULL, "memory", .binary = true, CLI_FIELD(NUMBER, roof_train_point, total_bytes)},
    {0}};

static void add_text(roof_text *out, const roof_model *model, const roof_machine *machine,
                     const roof_model_settings *settings, double devices, const roof_train_front *f,
                     const roof_failures *failures) {
  roof_train_plans_sentence(out, model, machine, settings, devices, f, failures);
  if (f->count == 0) {
    return;
  }
  roof_published_mfu_describe(out, machine);
  roof_text_add(out, "\nfront: no other plan is both faster and smaller\n");
  cli_columns_add_text(out, CLI_ROWS(front_columns, f->points, (size_t)f->count));
}

roof_status cli_plan_train(const cli_args *args, const roof_model *model, const roof_machine *machine,
                           const roof_model_settings *settings, double devices,
                           const roof_failure_settings *failures, roof_text *text, json_t *json, bool *missed,
                           roof_error *error) {
  static roof_train_front front;
  roof_status status = roof_train_search(model, machine, settings, devices, &front, error);
  bool has_run = status == ROOF_OK && front.count > 0 && settings->tokens > 0;
  roof_failures f = {.failures = 0};
  if (has_run) {
    f = roof_failures_of(failures, roof_model_trained(model, settings), devices, front.best.training.seconds);
  }
  *missed = *missed || (status == ROOF_OK && front.count == 0);
  if (status == ROOF_OK && args->json) {
    rf_json_append(json, rf_train_plans_json(model, machine, settings, devices, &front, has_run ? &f : NULL));
  } else if (status == ROOF_OK) {
    roof_text_add(text, text->length > 0 ? "\n" : "");
    add_text(text, model, machine, settings, devices, &front, has_run ? &f : NULL);
  }
  return status;
}
