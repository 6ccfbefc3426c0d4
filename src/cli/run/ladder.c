/* `run OP --ladder`: sealed before it is measured, then shown. */
#include "cli/run/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/ledger/seal.h"
#include "cli/run/measured.h"
#include "roofline/plot.h"

typedef struct climb {
  const cli_climb *asked;
  roof_ladder ladder;
  const roof_machine *machine; /**< this one, with all cores that are used */
} climb;

static roof_status find(climb *c, roof_error *error) {
  const cli_args *args = c->asked->args;
  const roof_op *op = NULL;
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--ladder: of which operation? `roofline run gemm --ladder`");
  }
  roof_status status = roof_op_find(args->words[0], &op, error);
  return status == ROOF_OK ? roof_ladder_find(&c->ladder, c->asked->backend, op, c->asked->dtype,
                                              c->asked->how, args->words + 1, args->word_count - 1, error)
                           : status;
}

/** On this machine as it was measured before, or as it is measured now. */
static roof_status predict(climb *c, roof_error *error) {
  const roof_backend *backend = c->asked->backend;
  roof_machine *machine = NULL;
  roof_status status = ROOF_OK;
  bool fake = strcmp(backend->name, "fake") == 0;
  if (fake || roof_catalog_load(backend->machine, &machine, NULL) != ROOF_OK) {
    status = backend->measure(c->asked->how, &machine, error);
    status = status == ROOF_OK ? roof_catalog_save(machine, error) : status;
  }
  if (status == ROOF_OK) {
    status = roof_ladder_predict(&c->ladder, machine, c->asked->how->threads, error);
  }
  c->machine = c->ladder.machines[0];
  roof_machine_free(machine);
  return status;
}

static roof_status add_sealing(const climb *c, const roof_rung *r, const char *digest, roof_sealings *list,
                               roof_error *error) {
  const roof_ladder *l = &c->ladder;
  roof_sealing s;
  roof_status status = roof_sealing_of(&l->targets[r->alone], l->op, r->values, &r->prediction, &s, error);
  if (status == ROOF_OK) {
    status = roof_sealing_name(&s, r->label, error);
  }
  snprintf(s.machine_digest, sizeof s.machine_digest, "%s", digest);
  return status == ROOF_OK ? roof_sealings_add(list, &s, error) : status;
}

/** Seals a prediction for everything that can run, into a ledger that holds. */
static roof_status seal(climb *c, roof_error *error) {
  char digest[ROOF_DIGEST_MAX];
  roof_ledger_summary summary;
  roof_sealings list = {0};
  roof_status status = roof_machine_digest(c->machine, digest, error);
  for (int i = 0; i < c->ladder.count && status == ROOF_OK; i++) {
    const roof_rung *r = &c->ladder.rungs[i];
    status = r->skipped[0] == '\0' ? add_sealing(c, r, digest, &list, error) : ROOF_OK;
  }
  if (status == ROOF_OK) {
    status = cli_seal_all(c->asked->ledger, &list, c->asked->key, error);
  }
  roof_sealings_done(&list);
  return status == ROOF_OK ? roof_ledger_verify(c->asked->ledger, NULL, &summary, error) : status;
}

/** Each rung into the ledger as soon as it is measured. */
static roof_status measure(climb *c, roof_error *error) {
  roof_ladder *l = &c->ladder;
  const roof_ledger_options how = {.key = c->asked->key};
  roof_status status = ROOF_OK;
  for (int i = 0; i < l->count && status == ROOF_OK; i++) {
    roof_rung *r = &l->rungs[i];
    cli_show_progress(c->asked->how->user, r->kernel->name, i, l->count);
    status = r->skipped[0] == '\0' ? roof_ladder_measure(l, i, c->asked->how, error) : ROOF_OK;
    if (status == ROOF_OK && r->skipped[0] == '\0') {
      status = roof_ledger_record(c->asked->ledger, &r->measurement, 1, &how, error);
    }
  }
  cli_show_progress(c->asked->how->user, "", 1, 1);
  return status;
}

static bool has_run(const void *row) {
  return ((const roof_rung *)row)->skipped[0] == '\0';
}

CLI_VALUE(rung_number, roof_rung, r->kernel->rung > 0 ? (double)r->kernel->rung : (double)NAN)
CLI_WORD(kernel_name, roof_rung, r->kernel->name)
CLI_WORD(place_name, roof_rung,
         r->alone && !r->kernel->serial ? cli_column_say(scratch, "%s, 1 core", r->kernel->name)
                                        : r->kernel->name)
CLI_WORD(summary, roof_rung, r->kernel->summary)
CLI_WORD(cores, roof_rung, r->alone ? "1" : "all")

/** Work per second: bytes where no FLOPs are counted. */
static const char *rate(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_measurement *m = &((const roof_rung *)row)->measurement;
  bool counted = m->flops > 0;
  return roof_quantity_format(scratch, CLI_SCRATCH, (counted ? m->flops : m->bytes) / m->seconds,
                              counted ? "FLOP/s" : "B/s");
}

static const cli_column columns[] = {
    {.key = "rung", .header = "rung", .rank = 4, .fixed = true, .none = "", .number = rung_number},
    {.header = "kernel", .text = place_name},
    {.key = "kernel", .text = kernel_name},
    {.key = "label", CLI_FIELD(NAME, roof_rung, label)},
    {.key = "summary", .text = summary},
    {.key = "one_core", CLI_FIELD(FLAG, roof_rung, alone)},
    {.header = "cores", .rank = 2, .right = true, .text = cores},
    {.key = "moved_bytes", CLI_FIELD(NUMBER, roof_rung, moved_bytes)},
    {.key = "moved_intensity",
     .header = "FLOP/B moved",
     .rank = 3,
     .digits = 3,
     .none = "unknown",
     CLI_FIELD(NUMBER, roof_rung, moved_intensity)},
    {.key = "predicted_seconds",
     .header = "predicted",
     .rank = 1,
     .unit = "s",
     .none = "unknown",
     CLI_FIELD(NUMBER, roof_rung, prediction.expected_seconds)},
    {.key = "measured_seconds",
     .header = "measured",
     .unit = "s",
     CLI_FIELD(NUMBER, roof_rung, measurement.seconds)},
    {.key = "flops_per_second", .number = cli_measured_flops_rate},
    {.header = "FLOPs", .right = true, .text = rate},
    {.key = "fraction_of_ceiling",
     .header = "of ceiling",
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_rung, at.share)},
    {.key = "memory_pace", CLI_FIELD(NUMBER, roof_rung, measurement.memory_pace)},
    {.key = "times_rung_before",
     .header = "x before",
     .unit = "x",
     .digits = 2,
     .fixed = true,
     .none = "",
     CLI_FIELD(NUMBER, roof_rung, step)},
    {.key = "fraction_of_best_library",
     .header = "of best library",
     CLI_PERCENT(1),
     .none = "",
     CLI_FIELD(NUMBER, roof_rung, share_of_library)},
    {0},
};

static cli_rows rows_of(const climb *c) {
  cli_rows rows = CLI_ROWS(columns, c->ladder.rungs, (size_t)c->ladder.count);
  rows.shown = has_run;
  return rows;
}

/** What moves the dot at each rung, and what was left out. */
static void add_ideas(const climb *c, roof_text *out) {
  for (int i = 0; i < c->ladder.count; i++) {
    const roof_rung *r = &c->ladder.rungs[i];
    const char *library = r->kernel->library != NULL ? r->kernel->library() : NULL;
    if (r->kernel->rung > 0) {
      roof_text_addf(out, "  %d %s\n", r->kernel->rung, r->kernel->summary);
    } else if (r->skipped[0] != '\0' && !r->alone) {
      roof_text_addf(out, "  %s: %s\n", r->kernel->name, r->skipped);
    } else if (library != NULL && !r->alone) {
      roof_text_addf(out, "  %s: %s\n", r->kernel->name, library);
    }
  }
  if (c->ladder.moved != NULL) {
    roof_text_addf(out, "  FLOP/B moved: of the bytes from %s that each moves by its algorithm\n",
                   c->ladder.moved->name);
  }
  char mode[100];
  if (roof_ladder_mode(&c->ladder, mode, sizeof mode)[0] != '\0') {
    roof_text_addf(out, "  %s\n", mode);
  }
  roof_text_addf(out, "  ceilings: %s as measured on %s; predictions sealed in %s before measuring\n",
                 c->machine->name, c->machine->date, c->asked->ledger);
}

static roof_status print(const climb *c, const roof_scene *scene, roof_error *error) {
  const cli_args *args = c->asked->args;
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    cli_columns_add_csv(&text, rows_of(c));
  } else if (args->json) {
    status = roof_ladder_write(&c->ladder, c->asked->ledger, &text, error);
  } else {
    cli_columns_add_text(&text, rows_of(c));
    roof_text_add(&text, "\n");
    add_ideas(c, &text);
    roof_text_add(&text, "\n");
  }
  status = cli_print_end(&text, status, error);
  return status != ROOF_OK || args->json || args->csv ? status : cli_chart_print(scene, 0, 0, false, error);
}

static roof_status show(climb *c, roof_error *error) {
  const cli_args *args = c->asked->args;
  roof_scene *scene = cli_chart_room();
  roof_status status = roof_ladder_scene(&c->ladder, scene, error);
  if (status == ROOF_OK && args->file != NULL) {
    status = cli_chart_write_rows(args, scene, "Rungs", rows_of(c), error);
  }
  return status == ROOF_OK ? print(c, scene, error) : status;
}

roof_status cli_ladder_run(const cli_climb *asked, roof_error *error) {
  static roof_status (*const steps[])(climb *, roof_error *) = {find, predict, seal, measure, show};
  roof_status status = ROOF_OK;
  climb *c = calloc(1, sizeof *c);
  if (c == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  }
  c->asked = asked;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ROOF_OK; i++) {
    status = steps[i](c, error);
  }
  roof_ladder_done(&c->ladder);
  free(c);
  return status;
}
