/* Operations as rows: in the text of all calls of a step, in CSV of one call and how many there are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/model/model.h"

enum { NAME_WIDTH = 32 };

/** An operation of a model's phase, or an item of a workload, with what all its calls take together. */
typedef struct row {
  const char *model, *machine, *phase, *stream, *kind, *part, *dtype, *unit, *bound;
  char binding[ROOF_NAME_MAX];
  char apart[ROOF_NAME_MAX]; /**< behind the name: what distinguishes it from others of that name */
  roof_model_operation o;
  roof_workload_item item;
  roof_prediction p;
  double flops, bytes, seconds, share;
} row;

#define TEXT(key, header, member)                                                                            \
  { key, header, CLI_FIELD(TEXT, row, member) }
#define NUMBER(key, member)                                                                                  \
  { key, CLI_FIELD(NUMBER, row, member) }
#define COUNT(member)                                                                                        \
  { "count", "count", .rank = 2, .digits = 6, CLI_FIELD(NUMBER, row, member) }
#define TOGETHER(head, unit, member)                                                                         \
  { NULL, head, unit, .none = "unknown", CLI_FIELD(NUMBER, row, member) }
#define WORK TOGETHER("FLOP", "", flops), TOGETHER("bytes", "B", bytes)
#define BOUND(of)                                                                                            \
  {"intensity", "FLOP/B", .rank = 1, .digits = 3, CLI_FIELD(NUMBER, row, of.intensity)},                     \
      NUMBER("ridge", of.ridge), {"regime", CLI_FIELD(REGIME, row, of.regime)}, TEXT(NULL, "bound", bound)
#define TIME(of)                                                                                             \
  NUMBER("lower_seconds", of.lower_seconds), NUMBER("expected_seconds", of.expected_seconds),                \
      TOGETHER("time", "s", seconds), {                                                                      \
    "share", "share", CLI_PERCENT(1), CLI_FIELD(NUMBER, row, share)                                          \
  }

/* Of a model. */

CLI_WORD(named, row,
         cli_column_say(scratch, "%s%s%s%s", r->stream != NULL ? r->stream : "", r->stream != NULL ? " " : "",
                        r->o.name, r->apart))

#define MODEL_COLUMNS                                                                                        \
  TEXT("model", NULL, model), TEXT("machine", NULL, machine), TEXT("phase", NULL, phase),                    \
      TEXT("operation", NULL, o.name), {NULL, "operation", .name = true, .text = named},                     \
      TEXT("kind", NULL, kind), TEXT("part", NULL, part), TEXT("dtype", NULL, dtype), COUNT(o.count),        \
      NUMBER("kernels", o.kernels), NUMBER("flops", o.flops), WORK,                                          \
      NUMBER("weights_bytes", o.bytes[ROOF_BYTES_WEIGHTS]),                                                  \
      NUMBER("activations_bytes", o.bytes[ROOF_BYTES_ACTIVATIONS]),                                          \
      NUMBER("kv_bytes", o.bytes[ROOF_BYTES_KV]), NUMBER("network_bytes", o.bytes[ROOF_BYTES_NETWORK]),      \
      BOUND(o)
static const cli_column model_columns[] = {MODEL_COLUMNS, TIME(o), {0}};
/** Of what has no times. */
static const cli_column untimed_columns[] = {MODEL_COLUMNS, {0}};

static row model_row(const roof_model_target *t, const roof_model_phase *p, const roof_model_operation *o) {
  double n = o->count, bytes = 0;
  for (int i = 0; i < ROOF_BYTES_CLASS_COUNT; i++) {
    bytes += o->bytes[i];
  }
  return (row){.model = t->model->name,
               .machine = t->machine->name,
               .phase = roof_phase_name(p->kind),
               .stream = roof_model_stream_name(t->model, o->stream),
               .kind = roof_operation_kind_name(o->kind),
               .part = o->part < ROOF_PART_COUNT ? roof_model_part_name(o->part) : NULL,
               .dtype = o->peak != NULL ? roof_dtype_name(o->peak->dtype) : NULL,
               .bound = roof_model_operation_binding(t, o),
               .o = *o,
               .flops = n * o->flops,
               .bytes = n * bytes,
               .seconds = n * o->expected_seconds,
               .share = n * o->expected_seconds / p->expected_seconds};
}

/** Whether another operation of the phase has the same name. */
static bool is_twice(const roof_model_phase *p, const roof_model_operation *o) {
  bool twice = false;
  for (const roof_model_operation *other = p->operations; other < p->operations + p->count; other++) {
    twice = twice || (other != o && other->stream == o->stream && other->algorithm == o->algorithm &&
                      strcmp(other->name, o->name) == 0);
  }
  return twice;
}

/** How a transfer is done; of several of one name the window, or where they go. */
static void distinguish(row *r, bool twice) {
  static const char *const spans[ROOF_SPAN_COUNT] = {
#define SPAN(symbol, text) [symbol] = " " text,
      ROOF_SPAN_MAP(SPAN)
#undef SPAN
  };
  const roof_model_block *b = r->o.block;
  if (r->o.algorithm != NULL) {
    snprintf(r->apart, sizeof r->apart, " (%s)%s", r->o.algorithm, twice ? spans[r->o.span] : "");
  } else if (twice && b != NULL && b->window > 0) {
    snprintf(r->apart, sizeof r->apart, " (%s %.0f)", b->chunked ? "chunks of" : "window", b->window);
  }
}

void cli_model_add_operations(roof_text *out, const roof_model_target *t, const roof_model_phase *p) {
  static row rows[ROOF_MODEL_OPERATION_MAX];
  for (int i = 0; i < p->count; i++) {
    rows[i] = model_row(t, p, &p->operations[i]);
    distinguish(&rows[i], is_twice(p, &p->operations[i]));
  }
  const cli_column *columns = isnan(p->expected_seconds) ? untimed_columns : model_columns;
  cli_columns_add_text(out, CLI_ROWS(columns, rows, (size_t)p->count));
}

void cli_model_csv(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  if (out->length == 0) {
    cli_columns_add_csv(out, CLI_ROWS(model_columns, &(row){0}, 0));
  }
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &a->phases[i];
    for (int o = 0; p->present && o < p->count; o++) {
      row r = model_row(t, p, &p->operations[o]);
      cli_columns_add_csv_row(out, model_columns, &r);
    }
  }
}

/* Of a workload. */

/** The end of a name that is too long for a column: what distinguishes nodes is at the end. */
static const char *shortened(const void *at, char scratch[CLI_SCRATCH]) {
  const char *name = ((const row *)at)->item.name;
  size_t length = strlen(name);
  size_t skip = length > NAME_WIDTH ? length - NAME_WIDTH + 3 : 0;
  while (((unsigned char)name[skip] & 0xC0) == 0x80) {
    skip++;
  }
  snprintf(scratch, CLI_SCRATCH, "%s%s", skip > 0 ? "..." : "", name + skip);
  return scratch;
}

static const cli_column workload_columns[] = {TEXT("machine", NULL, machine),
                                              TEXT("name", NULL, item.name),
                                              {NULL, "name", .text = shortened},
                                              TEXT("op", "operation", item.op),
                                              TEXT("size", "size", item.shape),
                                              COUNT(item.count),
                                              TEXT("dtype", NULL, dtype),
                                              TEXT("unit", NULL, unit),
                                              NUMBER("flops", item.work.flops),
                                              NUMBER("bytes", p.bytes),
                                              NUMBER("weight_bytes", item.weight_bytes),
                                              NUMBER("kernels", item.work.launches),
                                              WORK,
                                              BOUND(p),
                                              {"binding", CLI_FIELD(NAME, row, binding)},
                                              TIME(p),
                                              {0}};

static row workload_row(const roof_machine *machine, const roof_workload_item *item, const roof_prediction *p,
                        double whole) {
  double n = item->count;
  row r = {.machine = machine->name,
           .dtype = roof_dtype_name(item->types.compute),
           .unit = roof_unit_name(item->work.unit),
           .bound = p->regime == ROOF_MEMORY_BOUND && p->binding != NULL ? p->binding->name
                    : p->regime == ROOF_NETWORK_BOUND && p->link != NULL ? p->link->name
                                                                         : roof_regime_name(p->regime),
           .item = *item,
           .p = *p,
           .flops = n * item->work.flops,
           .bytes = n * p->bytes,
           .seconds = n * p->expected_seconds,
           .share = n * p->expected_seconds / whole};
  roof_prediction_binding(p, r.binding, sizeof r.binding);
  return r;
}

roof_status cli_model_add_workload(roof_text *out, const roof_workload *w, const roof_machine *machine,
                                   const roof_workload_answer *a, bool csv, roof_error *error) {
  row *rows = calloc(w->count, sizeof *rows);
  if (rows == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%.60s: out of memory", w->name);
  }
  for (size_t i = 0; i < w->count; i++) {
    rows[i] = workload_row(machine, &w->items[i], &a->items[i], a->expected_seconds);
  }
  bool first = out->length == 0;
  if (!csv || first) {
    (csv ? cli_columns_add_csv : cli_columns_add_text)(out, CLI_ROWS(workload_columns, rows, w->count));
  }
  for (size_t i = 0; i < w->count && csv && !first; i++) {
    cli_columns_add_csv_row(out, workload_columns, &rows[i]);
  }
  free(rows);
  return ROOF_OK;
}
