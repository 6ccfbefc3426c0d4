/* Network roofline: what each link asks of the computation, all-reduces, how far data parallelism scales. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/network.h"
#include "cli/columns.h"
#include "cli/grid.h"
#include "core/number.h"
#include "roofline/plan.h"

enum { SHORT = 64 };

static char *network, *against, *tolerance;
static const struct poptOption options[] = {
    CLI_NETWORK_OPTION(network),
    {"against", '\0', POPT_ARG_STRING, &against, 0,
     "of `check`: an earlier cluster file, or the machine that each node should be", "FILE|NAME"},
    {"tolerance", '\0', POPT_ARG_STRING, &tolerance, 0,
     "of `check` against a machine: how far a node may be under it, in percent; default 10", "PCT"},
    POPT_TABLEEND};

typedef struct answer {
  roof_target target;
  roof_cluster_settings in;
  roof_cluster_answer of;
} answer;

static const cli_column link_columns[] = {
    {NULL, "link", .name = true, CLI_FIELD(TEXT, roof_cluster_link, name)},
    {NULL, "one way", "B/s", CLI_FIELD(NUMBER, roof_cluster_link, bytes_per_second)},
    {NULL, "FLOP/B one way", .digits = 5, CLI_FIELD(NUMBER, roof_cluster_link, flops_per_byte)},
    {NULL, "FLOP/B both ways", .rank = 1, .digits = 5,
     CLI_FIELD(NUMBER, roof_cluster_link, flops_per_byte_both_ways)},
    {NULL, "width", .rank = 2, .digits = 5, CLI_FIELD(NUMBER, roof_cluster_link, split_width)},
    {0}};

static roof_status take_model(const char *name, roof_cluster_settings *in, roof_error *error) {
  roof_model model;
  roof_status status = roof_model_load(name, &model, error);
  if (status == ROOF_OK) {
    roof_model_parameters all = roof_model_count(&model);
    in->parameters = all.total;
    in->active_parameters = all.active - all.embedding; /* a row of a table is no product */
  }
  return status;
}

/** Settings; a first word without `=` is a model that gives the parameters. */
static roof_status take_words(const cli_args *args, roof_cluster_settings *in, roof_error *error) {
  roof_status status = ROOF_OK;
  *in = roof_cluster_settings_default();
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    if (i == 0 && strchr(args->words[0], '=') == NULL) {
      status = take_model(args->words[0], in, error);
    } else {
      status = roof_cluster_settings_read(args->words[i], in, error);
    }
  }
  return status;
}

static roof_status make_answer(const cli_args *args, const roof_machine *machine, answer *a,
                               roof_error *error) {
  roof_types types;
  roof_options option;
  roof_status status = cli_select_types(args, machine, &types, error);
  status = status == ROOF_OK ? cli_select_options(args, &option, error) : status;
  status = status == ROOF_OK ? roof_target_init(&a->target, machine, &types, &option, error) : status;
  if (status == ROOF_OK && network != NULL) {
    status = cli_network_find(network, machine, &a->in.network, error);
  }
  return status == ROOF_OK ? roof_cluster_answer_of(&a->target, &a->in, &a->of, error) : status;
}

static const roof_cluster_route *fastest(const roof_cluster_answer *a) {
  const roof_cluster_route *best = &a->routes[ROOF_ROUTE_HIERARCHY];
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    best = a->routes[i].gradient_seconds < best->gradient_seconds ? &a->routes[i] : best;
  }
  return best;
}

/** Whether the gradients' all-reduce by the fastest route is over before the backward pass is that it can hide behind. */
static void add_answer(roof_text *out, const answer *a) {
  char x[SHORT];
  roof_text_addf(out, RF_MARK_BOLD "%.0f x %s, %s: ", a->in.devices, a->target.machine->title,
                 roof_dtype_name(a->target.types.compute));
  if (a->in.devices <= 1) {
    roof_text_add(out, "one device sends no gradients" RF_MARK_END "\n\n");
    return;
  }
  const roof_cluster_route *r = fastest(&a->of);
  const char *hides = isnan(r->exposed_seconds) ? "unknown" : r->exposed_seconds > 0 ? "no" : "yes";
  roof_text_addf(out, "does the gradients' all-reduce hide behind the backward pass of %s?",
                 roof_quantity_format(x, SHORT, a->of.backward_seconds, "s"));
  roof_text_addf(out, " %s (%s, %s)" RF_MARK_END "\n\n", hides, r->name,
                 roof_quantity_format(x, SHORT, r->gradient_seconds, "s"));
}

static void add_links(roof_text *out, const answer *a) {
  char peak[SHORT];
  roof_text_addf(out, "%s, %s %s: FLOPs needed per byte sent over each link\n", a->target.machine->title,
                 roof_dtype_name(a->target.types.compute),
                 roof_quantity_format(peak, SHORT, a->of.cluster.flops_per_second, "FLOP/s"));
  cli_columns_add_text(out, CLI_ROWS(link_columns, a->of.links, (size_t)a->of.link_count));
  roof_text_add(
      out,
      "  width: of a 16-bit product split in two along it, from which the sum of the halves is hidden\n");
}

static void add_plans(roof_text *out, const answer *a) {
  static const char *const rows[] = {"plan",
                                     "exchange",
                                     "bytes sent per device",
                                     "roofline",
                                     "tensor",
                                     "all-reduce",
                                     "2 (N - 1) / N tokens D b per sublayer",
                                     "link in the node (NVLink; ICI)",
                                     "pipeline",
                                     "send",
                                     "tokens D b per stage",
                                     "activations over the network; bubble",
                                     "experts",
                                     "all-to-all",
                                     "2 tokens D b (N - 1) / N per expert",
                                     "network, all to all",
                                     "data",
                                     "all-reduce",
                                     "2 (N - 1) / N parameters b per step",
                                     "network"};
  roof_text_add(out, "\nplans: D is the model's width, b the bytes of an element\n");
  cli_grid grid = {0};
  rf_cells_add_row(&grid, rows, (int)(sizeof rows / sizeof rows[0]));
  cli_grid_end(&grid, out, "llll");
  roof_text_addf(out,
                 "\npipeline of %.0f stage%s, %.0f microbatch%s: bubble (p - 1) / (m + p - 1) = %.1f %%\n",
                 a->in.stages, a->in.stages == 1 ? "" : "s", a->in.microbatches,
                 a->in.microbatches == 1 ? "" : "es", 100 * a->of.bubble);
}

static void add_text(roof_text *out, const answer *a) {
  add_answer(out, a);
  add_links(out, a);
  roof_text_add(out, "\n");
  roof_cluster_describe(&a->in, &a->of, out);
  add_plans(out, a);
}

static roof_status draw(const answer *a, const cli_args *args, roof_error *error) {
  roof_curves *chart = cli_chart_room();
  roof_cluster_chart(&a->target, &a->in, &a->of, chart);
  return cli_chart_write_curves(args, chart, "", NULL, error);
}

static roof_status answer_machine(const cli_args *args, roof_text *out, json_t **json, roof_error *error) {
  roof_machine *machine = NULL;
  answer a;
  roof_status status = take_words(args, &a.in, error);
  status = status == ROOF_OK ? cli_select_machine(args, "cluster", &machine, error) : status;
  status = status == ROOF_OK ? cli_network_wait(network, &machine, 1, false, error) : status;
  status = status == ROOF_OK ? make_answer(args, machine, &a, error) : status;
  if (status == ROOF_OK && (args->file != NULL || args->page != NULL)) {
    status = cli_chart_or_none(args, draw(&a, args, error));
  }
  if (status == ROOF_OK && args->json) {
    *json = rf_cluster_json(&a.target, &a.in, &a.of);
    cli_network_set(*json, machine);
  } else if (status == ROOF_OK && args->file == NULL) {
    add_text(out, &a);
  }
  status = status == ROOF_OK && args->file == NULL ? cli_network_add_note(args, out, error) : status;
  roof_machine_free(machine);
  return status;
}

static roof_status predict(const cli_args *args, roof_error *error) {
  roof_text out = {0};
  json_t *json = NULL;
  roof_status status = answer_machine(args, &out, &json, error);
  if (status == ROOF_OK && args->file == NULL) {
    status = args->json ? cli_json_print(json, error) : cli_print(&out, error);
  }
  roof_text_done(&out);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *verb = args->word_count > 0 ? args->words[0] : "";
  roof_status status = strcmp(verb, "report") == 0  ? cli_cluster_report(args, error)
                       : strcmp(verb, "links") == 0 ? cli_cluster_links(args, error)
                       : strcmp(verb, "check") == 0 ? cli_cluster_check(args, against, tolerance, error)
                                                    : predict(args, error);
  free(network);
  free(against);
  free(tolerance);
  return status;
}

static const cli_effect effects[] = {
    {.options = "*", .with = "report", .except = "to width"},
    {.options = "*", .with = "links", .except = "to width"},
    {.options = "*", .with = "check", .except = "to width against tolerance"},
    {.options = "against tolerance", .without = "check"},
    {.options = "csv", .with = "links"},
    {.options = "csv", .without = "report check"},
    {.options =
         "efficiency overhead launch overlap tile warm cold without framework ops achieved weights group "
         "accumulate output kv"},
    {0}};

const cli_command cli_cmd_cluster = {
    .name = "cluster",
    .task = CLI_TASK_MODELS,
    .arguments = "[CONFIG|NAME] [key=value ...] | report FILE | links FILE | check FILE --against EXPECTED",
    .summary =
        "network roofline of a cluster; report on measured nodes or a scaling study, check for acceptance",
    .examples = "  roofline cluster --machine h100\n"
                "  roofline cluster llama-3.1-70b tokens=4M devices=512 --machine h100 --network xdr\n"
                "  roofline cluster llama-3.1-70b tokens=4M devices=512 --machine h100 --to links.svg\n"
                "  roofline cluster params=7e9 tokens=1M devices=8 --machine a100 --json\n"
                "  roofline cluster report cluster.json --to nodes.html\n"
                "  roofline cluster report scaling.json --to scaling.svg\n"
                "  roofline cluster links cluster.json --to network.svg\n"
                "  roofline cluster check cluster.json --against accepted.json\n"
                "Settings: devices node params active tokens size bytes stages microbatches\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
