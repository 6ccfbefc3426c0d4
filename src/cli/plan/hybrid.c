/* roofline plan --host: layers, or experts, that the host's processor computes, and the tokens per second. */
#include <math.h>
#include <stdlib.h>

#include "cli/columns.h"
#include "cli/plan/plan.h"

/** A way to share a model, and whose. */
typedef struct hybrid_row {
  roof_hybrid way;
  const char *machine, *kind;
  char options[64];
} hybrid_row;

static const char *shared_of(const void *row, char scratch[CLI_SCRATCH]) {
  const hybrid_row *r = row;
  bool all = r->way.kind == ROOF_HYBRID_DEVICE || r->way.kind == ROOF_HYBRID_HOST;
  snprintf(scratch, CLI_SCRATCH, all ? "none" : "%s of %.0f/%.0f", r->kind, r->way.layers, r->way.of);
  return r->way.kind == ROOF_HYBRID_HOST ? "all" : scratch;
}

/** The same in a sentence. */
static const char *shared_text(const hybrid_row *r, char scratch[CLI_SCRATCH]) {
  const char *text = NULL;
  roof_hybrid_name(r->way.kind, &text);
  bool all = r->way.kind == ROOF_HYBRID_DEVICE || r->way.kind == ROOF_HYBRID_HOST;
  snprintf(scratch, CLI_SCRATCH, all ? "%s" : "%s (%.0f of %.0f)", text, r->way.layers, r->way.of);
  return scratch;
}

static const char *memory_of(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_hybrid *s = &((const hybrid_row *)row)->way;
  char x[CLI_SHORT];
  snprintf(scratch, CLI_SCRATCH, s->fits ? "fits" : "%s short",
           s->fits ? "" : roof_bytes_format(x, CLI_SHORT, s->short_bytes));
  return scratch;
}

#define FIGURE(member) .key = #member, CLI_FIELD(NUMBER, hybrid_row, way.member)

static const cli_column columns[] = {
    {"machine", "machine", .name = true, .rank = 2, CLI_FIELD(TEXT, hybrid_row, machine)},
    {.key = "kind", CLI_FIELD(TEXT, hybrid_row, kind)},
    {NULL, "on the host", .text = shared_of},
    {FIGURE(layers)},
    {FIGURE(of)},
    {.header = "tokens/s", .digits = 4, FIGURE(tokens_per_second)},
    {.header = "per token", .unit = "s", .rank = 1, FIGURE(token_seconds)},
    {FIGURE(token_low_seconds)},
    {FIGURE(token_high_seconds)},
    {.header = "prompt", .unit = "s", FIGURE(prompt_seconds)},
    {FIGURE(link_seconds)},
    {.header = "device", .rank = 4, .binary = true, FIGURE(device_bytes)},
    {FIGURE(device_capacity_bytes)},
    {.header = "host", .rank = 3, .binary = true, FIGURE(host_bytes)},
    {FIGURE(host_capacity_bytes)},
    {.key = "fits", CLI_FIELD(FLAG, hybrid_row, way.fits)},
    {FIGURE(short_bytes)},
    {NULL, "memory", .text = memory_of},
    {.key = "llama_cpp", CLI_FIELD(NAME, hybrid_row, options)},
    {0}};

static int faster_first(const void *a, const void *b) {
  const hybrid_row *x = a, *y = b;
  if (x->way.fits != y->way.fits) {
    return x->way.fits ? -1 : 1;
  }
  double gap = x->way.fits ? y->way.tokens_per_second - x->way.tokens_per_second
                           : x->way.short_bytes - y->way.short_bytes;
  return gap > 0 ? 1 : gap < 0 ? -1 : 0;
}

/** The least memory of the host that holds what one of the devices leaves to it. */
static void add_remedy(roof_text *out, const hybrid_row *rows, size_t count) {
  static const double gib = 0x1p30;
  for (size_t i = 0; i < count; i++) {
    const roof_hybrid *s = &rows[i].way;
    if (s->device_bytes <= s->device_capacity_bytes) {
      roof_text_addf(out, "  fits with --host-memory %.0fGiB on %s\n", ceil(s->host_bytes / gib),
                     rows[i].machine);
      return;
    }
  }
}

static void add_text(roof_text *out, const roof_hybrid_question *q, const char *precision,
                     const hybrid_row *rows, size_t count) {
  char scratch[CLI_SCRATCH], x[CLI_SHORT], y[CLI_SHORT];
  const hybrid_row *best = rows;
  const roof_hybrid *s = &best->way;
  if (!s->fits) {
    roof_text_addf(out, "%s, %s, fits no device with %s; nearest: %s, %s short\n", roof_model_title(q->model),
                   precision, roof_machine_title(q->host), best->machine,
                   roof_bytes_format(x, CLI_SHORT, s->short_bytes));
    add_remedy(out, rows, count);
  } else {
    roof_text_addf(out, "%s, %s, on %s: %s tokens/s, %s\n", roof_model_title(q->model), precision,
                   best->machine, cli_number(x, s->tokens_per_second), shared_text(best, scratch));
  }
  roof_text_addf(out, "  with %s as the host; %.0f at once of %.0f + %.0f tokens\n",
                 roof_machine_title(q->host), q->base->batch, q->base->prompt, q->base->generate);
  if (s->fits) {
    roof_text_addf(out, "  per token %s (%s", cli_quantity(x, s->token_seconds, "s"),
                   cli_quantity(y, s->token_low_seconds, "s"));
    roof_text_addf(out, " to %s), a prompt %s\n", cli_quantity(x, s->token_high_seconds, "s"),
                   cli_quantity(y, s->prompt_seconds, "s"));
    roof_text_addf(out, "  llama.cpp   %s -c %.0f\n", best->options,
                   q->base->batch * (q->base->prompt + q->base->generate));
  }
  if (isnan(s->host_capacity_bytes)) {
    roof_text_add(out, "  the host's memory is not known: --host-memory says it\n");
  }
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(columns, rows, count));
}

static json_t *hybrid_json(const roof_hybrid_question *q, const char *precision, const hybrid_row *rows,
                           size_t count) {
  json_t *list = cli_columns_json(CLI_ROWS(columns, rows, count));
  json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "schema", "roofline.hybrid/1", "name", q->model->name,
                             "precision", precision, "host", q->host->name);
  const rf_json_member numbers[] = {
      {"batch", q->base->batch}, {"prompt", q->base->prompt}, {"generate", q->base->generate}};
  RF_JSON_SET(object, numbers);
  rf_json_set(object, "best", rows[0].way.fits ? json_incref(json_array_get(list, 0)) : json_null());
  rf_json_set(object, "ways", list);
  return object;
}

static roof_status print(const cli_args *args, const roof_hybrid_question *q, const char *precision,
                         const hybrid_row *rows, size_t count, roof_error *error) {
  roof_text out = {0};
  if (args->json) {
    return cli_json_print(hybrid_json(q, precision, rows, count), error);
  }
  if (args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(columns, rows, count));
  } else {
    add_text(&out, q, precision, rows, count);
  }
  return cli_print_end(&out, ROOF_OK, error);
}

/** What a model does not have is left out, unless nothing remains. */
static roof_status fill(const roof_hybrid_question *question, roof_machine *const *devices, int count,
                        hybrid_row *rows, size_t *filled, roof_error *error) {
  roof_status status = ROOF_OK;
  bool fits = false; /* on the device alone: nothing is shared with the host */
  for (int i = 0; i < count * ROOF_HYBRID_COUNT && (status == ROOF_OK || status == ROOF_E_UNSUPPORTED); i++) {
    roof_hybrid_question q = *question;
    hybrid_row *row = &rows[*filled];
    roof_hybrid_kind kind = (roof_hybrid_kind)(i % ROOF_HYBRID_COUNT);
    bool shares = kind == ROOF_HYBRID_EXPERTS || kind == ROOF_HYBRID_LAYERS;
    if (shares && fits) {
      continue;
    }
    q.device = devices[i / ROOF_HYBRID_COUNT];
    status = roof_hybrid_of(&q, kind, &row->way, error);
    fits = kind == ROOF_HYBRID_DEVICE ? status == ROOF_OK && row->way.fits : fits;
    row->machine = q.device->name;
    row->kind = roof_hybrid_name(kind, NULL);
    roof_hybrid_options(&row->way, row->options, sizeof row->options);
    *filled += status == ROOF_OK;
  }
  return *filled > 0 && status == ROOF_E_UNSUPPORTED ? ROOF_OK : status;
}

roof_status cli_plan_hybrid(const cli_args *args, const roof_hybrid_question *q, roof_machine *const *devices,
                            int count, const char *precision, bool *missed, roof_error *error) {
  size_t filled = 0;
  hybrid_row *rows = calloc((size_t)count * ROOF_HYBRID_COUNT, sizeof *rows);
  roof_status status = rows != NULL ? fill(q, devices, count, rows, &filled, error)
                                    : roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  if (status == ROOF_OK) {
    qsort(rows, filled, sizeof *rows, faster_first);
    *missed = !rows[0].way.fits;
    status = print(args, q, precision, rows, filled, error);
  }
  free(rows);
  return status;
}
