/* Network roofline: what each link asks of the computation, all-reduces, how far data parallelism scales. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/grid.h"
#include "core/number.h"
#include "roofline/plan.h"

enum { SHORT = 64, STAGES = 4, SPLIT_BYTES = 2 };

static char *network;
static const struct poptOption options[] = {
    {"network", '\0', POPT_ARG_STRING, &network, 0,
     "link between nodes: ndr hdr edr xdr 100gbe 200gbe 400gbe 800gbe, or one of the machine's; default: ndr",
     "LINK"},
    POPT_TABLEEND};

/** What is typed as key=value. */
typedef struct inputs {
  double devices, node, params, tokens, size, bytes, stages, microbatches;
} inputs;

#define INPUT(name, unit, least)                                                                             \
  { #name, offsetof(inputs, name), unit, least }
static const struct {
  const char *name;
  size_t offset;
  const char *unit;
  double least;
} input_table[] = {
    INPUT(devices, "", 1), INPUT(node, "", 1),   INPUT(params, "", 1), INPUT(tokens, "", 1),
    INPUT(size, "B", 1),   INPUT(bytes, "B", 0), INPUT(stages, "", 1), INPUT(microbatches, "", 1),
};
enum { INPUT_COUNT = sizeof input_table / sizeof input_table[0] };

typedef struct answer {
  const roof_machine *machine;
  roof_target target;
  roof_cluster cluster;
  inputs in;
} answer;

static roof_status take_word(const char *word, inputs *in, roof_error *error) {
  const char *names[INPUT_COUNT + 1] = {NULL};
  char name[SHORT];
  size_t length = strcspn(word, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
  for (int i = 0; i < INPUT_COUNT; i++) {
    names[i] = input_table[i].name;
    if (strcmp(names[i], name) == 0 && word[length] == '=') {
      roof_error why = {0};
      double value = 0;
      roof_status status = roof_quantity_parse_unit(word + length + 1, input_table[i].unit, &value, &why);
      if (status != ROOF_OK) {
        return roof_error_set(error, status, "%s: %s", name, why.message);
      }
      if (!(value >= input_table[i].least && value < 1e18)) {
        return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%g: must be at least %g", name, value,
                              input_table[i].least);
      }
      *(double *)(void *)((char *)in + input_table[i].offset) = value;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "setting", name, names, NULL);
}

/** Settings; a first word without `=` is a model that gives the parameters. */
static roof_status take_words(const cli_args *args, inputs *in, roof_error *error) {
  static const double megatokens = 4e6, parameters = 8e9;
  roof_status status = ROOF_OK;
  *in = (inputs){.devices = 64, .node = 8, .params = parameters, .tokens = megatokens, .bytes = 2};
  in->stages = 4;
  in->microbatches = 16;
  in->size = NAN;
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    if (i == 0 && strchr(args->words[0], '=') == NULL) {
      roof_model model;
      status = roof_model_load(args->words[0], &model, error);
      in->params = status == ROOF_OK ? roof_model_count(&model).total : in->params;
    } else {
      status = take_word(args->words[i], in, error);
    }
  }
  in->size = isnan(in->size) ? in->params * in->bytes : in->size;
  return status;
}

static roof_status make_answer(const cli_args *args, const roof_machine *machine, const inputs *in, answer *a,
                               roof_error *error) {
  roof_types types;
  roof_options option;
  const roof_link *between = &roof_network_at(0)->link;
  *a = (answer){.machine = machine, .in = *in};
  roof_status status = cli_select_types(args, machine, &types, error);
  status = status == ROOF_OK ? cli_select_options(args, &option, error) : status;
  status = status == ROOF_OK ? roof_target_init(&a->target, machine, &types, &option, error) : status;
  status = status == ROOF_OK ? roof_target_supports(&a->target, ROOF_MATRIX, error) : status;
  status =
      status == ROOF_OK && network != NULL ? roof_network_find(network, machine, &between, error) : status;
  if (status == ROOF_OK && a->target.link == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: its file has no link to other devices",
                          machine->name);
  }
  if (status == ROOF_OK) {
    a->cluster = (roof_cluster){.node = in->node,
                                .flops_per_second = 1 / a->target.seconds_per_flop[ROOF_MATRIX],
                                .parameters = in->params,
                                .tokens = in->tokens,
                                .gradient_bytes = in->bytes};
    a->cluster.links[ROOF_SPAN_NODE] = roof_link_complete(a->target.link, false);
    a->cluster.links[ROOF_SPAN_CLUSTER] = roof_link_complete(between, true);
  }
  return status;
}

static double both_ways(const roof_link *l) {
  return isnan(l->both_ways_bytes_per_second) ? 2 * l->bytes_per_second : l->both_ways_bytes_per_second;
}

/** The links of the machine, then the one between nodes. */
static const roof_link *link_at(const answer *a, int index) {
  return index < a->machine->link_count    ? &a->machine->links[index]
         : index == a->machine->link_count ? &a->cluster.links[ROOF_SPAN_CLUSTER]
                                           : NULL;
}

static void add_links(roof_text *out, const answer *a) {
  enum { COLUMNS = 5 };
  char text[ROOF_LINK_MAX + 1][COLUMNS][SHORT], peak[SHORT];
  const char *cells[(ROOF_LINK_MAX + 2) * COLUMNS] = {"link", "one way", "FLOP/B one way", "FLOP/B both ways",
                                                      "width"};
  int rows = 1;
  double rate = a->cluster.flops_per_second;
  for (const roof_link *l = link_at(a, 0); l != NULL; l = link_at(a, rows - 1)) {
    char(*row)[SHORT] = text[rows - 1];
    snprintf(row[0], SHORT, "%s", l->name);
    roof_quantity_format(row[1], SHORT, l->bytes_per_second, "B/s");
    rf_format(row[2], SHORT, "%.5g", rate / l->bytes_per_second);
    rf_format(row[3], SHORT, "%.5g", rate / both_ways(l));
    rf_format(row[4], SHORT, "%.5g", roof_cluster_split_width(l, rate, SPLIT_BYTES));
    for (int c = 0; c < COLUMNS; c++) {
      cells[rows * COLUMNS + c] = row[c];
    }
    rows++;
  }
  roof_text_addf(out, "%s, %s %s: FLOPs that each link asks for a byte\n", a->machine->title,
                 roof_dtype_name(a->target.types.compute), roof_quantity_format(peak, SHORT, rate, "FLOP/s"));
  cli_text_add_table(out, cells, COLUMNS, rows, "lrrrr");
  roof_text_add(
      out,
      "  width: of a 16-bit product split in two along it, from which the sum of the halves is hidden\n");
}

static void add_routes(roof_text *out, const answer *a) {
  char x[SHORT], y[SHORT];
  double n = a->in.devices;
  roof_text_addf(out, "\nall-reduce of %s over %.0f devices, %.0f a node\n",
                 roof_quantity_format(x, SHORT, a->in.size, "B"), n, a->in.node);
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    const char *text = NULL, *name = roof_route_name((roof_route)i, &text);
    double seconds = roof_cluster_all_reduce(&a->cluster, (roof_route)i, a->in.size, n);
    double bus = 2 * (n - 1) / n * a->in.size / seconds;
    roof_text_addf(out, "  %-13s %-10s %-10s %s\n", name, roof_quantity_format(x, SHORT, seconds, "s"),
                   n > 1 ? roof_quantity_format(y, SHORT, bus, "B/s") : "-", text);
  }
  roof_text_add(out, "  bytes/s as nccl-tests count them: 2 (N - 1) / N of the buffer over the time\n");
}

static void add_scaling(roof_text *out, const answer *a) {
  char x[SHORT], y[SHORT];
  const roof_cluster *c = &a->cluster;
  double n = a->in.devices, bytes = a->in.params * a->in.bytes;
  roof_text_addf(out, "\ndata parallel: %.4g parameters, %.4g tokens a step, %.0f devices\n", a->in.params,
                 a->in.tokens, n);
  roof_text_addf(out, "  computation %s a step; gradients %s",
                 roof_quantity_format(x, SHORT, roof_cluster_compute(c, n), "s"),
                 roof_quantity_format(y, SHORT, bytes, "B"));
  if (n > 1) {
    roof_text_addf(out, "; %.6g FLOP a byte sent: 3 tokens / ((N - 1) x %g)", roof_cluster_intensity(c, n),
                   a->in.bytes);
  }
  roof_text_add(out, "\n");
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    roof_text_addf(out, "  %-13s %s; as long as the step from %.5g devices, as its backward pass from %.5g\n",
                   roof_route_name((roof_route)i, NULL),
                   roof_quantity_format(x, SHORT, roof_cluster_all_reduce(c, (roof_route)i, bytes, n), "s"),
                   roof_cluster_limit(c, (roof_route)i, 1), roof_cluster_limit(c, (roof_route)i, 2.0 / 3));
  }
}

static void add_zero(roof_text *out, const answer *a) {
  char x[SHORT], y[SHORT];
  roof_text_addf(out, "\nZeRO over %.0f devices, Adam in mixed precision: held and sent by each\n",
                 a->in.devices);
  for (int stage = 0; stage < STAGES; stage++) {
    double held = roof_zero_bytes(stage, a->in.devices), sent = roof_zero_traffic(stage, a->in.devices);
    roof_text_addf(out, "  stage %d  %-10s (%.4g B a parameter)  %-10s a step%s\n", stage,
                   roof_quantity_format(x, SHORT, held * a->in.params, "B"), held,
                   roof_quantity_format(y, SHORT, sent * a->in.params, "B"),
                   held * a->in.params > a->target.capacity ? "  does not fit" : "");
  }
}

static void add_plans(roof_text *out, const answer *a) {
  static const char *const rows[] = {"plan",
                                     "exchange",
                                     "bytes a device sends",
                                     "roofline",
                                     "tensor",
                                     "all-reduce",
                                     "2 (N - 1) / N tokens D b a sublayer",
                                     "link in the node (NVLink; ICI)",
                                     "pipeline",
                                     "send",
                                     "tokens D b a stage",
                                     "activations over the network; bubble",
                                     "experts",
                                     "all-to-all",
                                     "2 tokens D b (N - 1) / N an expert",
                                     "network, all to all",
                                     "data",
                                     "all-reduce",
                                     "2 (N - 1) / N parameters b a step",
                                     "network"};
  roof_text_add(out, "\nplans: D is the model's width, b the bytes of an element\n");
  cli_text_add_table(out, rows, 4, 5, "llll");
  roof_text_addf(
      out, "\npipeline of %.0f stages, %.0f microbatches: bubble (p - 1) / (m + p - 1) = %.1f %%\n",
      a->in.stages, a->in.microbatches, 100 * roof_pipeline_bubble(a->in.stages, a->in.microbatches));
}

static json_t *links_json(const answer *a) {
  json_t *array = json_array();
  double rate = a->cluster.flops_per_second;
  for (int i = 0; link_at(a, i) != NULL; i++) {
    const roof_link *l = link_at(a, i);
    json_array_append_new(array,
                          json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "name", l->name, "bytes_per_second",
                                    cli_json_number(l->bytes_per_second), "flops_per_byte",
                                    cli_json_number(rate / l->bytes_per_second), "flops_per_byte_both_ways",
                                    cli_json_number(rate / both_ways(l)), "split_width",
                                    cli_json_number(roof_cluster_split_width(l, rate, SPLIT_BYTES)), "source",
                                    l->source));
  }
  return array;
}

static json_t *routes_json(const answer *a) {
  json_t *array = json_array();
  const roof_cluster *c = &a->cluster;
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    roof_route r = (roof_route)i;
    json_array_append_new(
        array,
        json_pack(
            "{s:s, s:o, s:o, s:o, s:o}", "route", roof_route_name(r, NULL), "seconds",
            cli_json_number(roof_cluster_all_reduce(c, r, a->in.size, a->in.devices)), "gradient_seconds",
            cli_json_number(roof_cluster_all_reduce(c, r, c->parameters * c->gradient_bytes, a->in.devices)),
            "devices_limit", cli_json_number(roof_cluster_limit(c, r, 1)), "devices_limit_backward",
            cli_json_number(roof_cluster_limit(c, r, 2.0 / 3))));
  }
  return array;
}

static json_t *zero_json(const answer *a) {
  json_t *array = json_array();
  for (int stage = 0; stage < STAGES; stage++) {
    json_array_append_new(
        array, json_pack("{s:i, s:o, s:o}", "stage", stage, "bytes",
                         cli_json_number(roof_zero_bytes(stage, a->in.devices) * a->in.params), "sent_bytes",
                         cli_json_number(roof_zero_traffic(stage, a->in.devices) * a->in.params)));
  }
  return array;
}

static json_t *answer_json(const answer *a) {
  json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "roofline.cluster/1", "machine",
                             a->machine->name, "dtype", roof_dtype_name(a->target.types.compute),
                             "flops_per_second", cli_json_number(a->cluster.flops_per_second), "links",
                             links_json(a), "all_reduce", routes_json(a), "zero", zero_json(a));
  for (int i = 0; i < INPUT_COUNT; i++) {
    double value = *(const double *)(const void *)((const char *)&a->in + input_table[i].offset);
    json_object_set_new(object, input_table[i].name, cli_json_number(value));
  }
  json_object_set_new(object, "compute_seconds",
                      cli_json_number(roof_cluster_compute(&a->cluster, a->in.devices)));
  json_object_set_new(object, "flops_per_byte_sent",
                      cli_json_number(roof_cluster_intensity(&a->cluster, a->in.devices)));
  json_object_set_new(object, "bubble",
                      cli_json_number(roof_pipeline_bubble(a->in.stages, a->in.microbatches)));
  return object;
}

static void add_text(roof_text *out, const answer *a) {
  add_links(out, a);
  add_routes(out, a);
  add_scaling(out, a);
  add_zero(out, a);
  add_plans(out, a);
}

/** Attainable FLOP/s over FLOPs per byte sent: a line a link, with its ridge. */
static void fill_chart(const answer *a, roof_curves *c) {
  enum { POINTS = 128 };
  char text[SHORT];
  double rate = a->cluster.flops_per_second, own = roof_cluster_intensity(&a->cluster, a->in.devices);
  roof_panel *panel = &c->panels[0];
  snprintf(c->title, sizeof c->title, "%.60s: %s roofline of its links", a->machine->title,
           roof_dtype_name(a->target.types.compute));
  rf_format(c->subtitle, sizeof c->subtitle,
            "one way; training of %.3g parameters, %.3g tokens a step, %.0f devices", a->in.params,
            a->in.tokens, a->in.devices);
  snprintf(c->x_title, sizeof c->x_title, "FLOP/byte sent");
  snprintf(panel->title, sizeof panel->title, "attainable a device");
  snprintf(panel->unit, sizeof panel->unit, "FLOP/s");
  c->panel_count = 1;
  panel->limit_count = 1;
  panel->limits[0] = (roof_curve_dot){.y = rate, .series = ROOF_PANEL_CURVES - 1};
  snprintf(panel->limits[0].label, sizeof panel->limits[0].label, "peak %s",
           roof_quantity_format(text, SHORT, rate, "FLOP/s"));
  for (int i = 0; link_at(a, i) != NULL && i < ROOF_PANEL_CURVES; i++) {
    const roof_link *l = link_at(a, i);
    roof_curve *curve = &panel->curves[i];
    double ridge = rate / l->bytes_per_second, low = fmin(10, own / 2), high = fmax(3e5, own * 2);
    *curve = (roof_curve){.series = i, .count = POINTS, .solid = POINTS};
    for (int k = 0; k < POINTS; k++) {
      curve->x[k] = low * pow(high / low, (double)k / (POINTS - 1));
      curve->y[k] = fmin(rate, l->bytes_per_second * curve->x[k]);
    }
    snprintf(c->series[i], sizeof c->series[i], "%.60s", l->name);
    c->marks[i] = (roof_curve_dot){.x = ridge, .series = i};
    rf_format(c->marks[i].label, sizeof c->marks[i].label, "%.5g FLOP/B", ridge);
    c->series_count = c->mark_count = panel->curve_count = i + 1;
  }
  if (isfinite(own)) {
    panel->dot_count = 1;
    panel->dots[0] =
        (roof_curve_dot){.x = own,
                         .y = fmin(rate, own * link_at(a, c->series_count - 1)->bytes_per_second),
                         .series = c->series_count - 1};
    snprintf(panel->dots[0].label, sizeof panel->dots[0].label, "gradients over %.0f devices", a->in.devices);
  }
}

static roof_status draw(const answer *a, const char *path, roof_error *error) {
  static const roof_table none = {"", NULL, 0, 0};
  roof_curves *chart = calloc(1, sizeof *chart);
  roof_text svg = {0};
  roof_status status = ROOF_E_MEMORY;
  if (chart == NULL) {
    roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
  } else {
    fill_chart(a, chart);
    status = roof_draw_curves_svg(chart, &svg, error);
    status = status == ROOF_OK ? cli_chart_write_svg(path, chart->title, &svg, &none, error) : status;
  }
  roof_text_done(&svg);
  free(chart);
  return status;
}

static roof_status answer_machine(const cli_args *args, roof_text *out, json_t **json, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  inputs in;
  answer a;
  roof_status status = take_words(args, &in, error);
  status = status == ROOF_OK ? cli_select_machines(args, &machines, &count, error) : status;
  if (status == ROOF_OK && count > 1) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "cluster: one --machine, for a cluster is of equal devices");
  }
  status = status == ROOF_OK ? make_answer(args, machines[0], &in, &a, error) : status;
  if (status == ROOF_OK && args->to != NULL) {
    status = draw(&a, args->to, error);
  } else if (status == ROOF_OK && args->json) {
    *json = answer_json(&a);
  } else if (status == ROOF_OK) {
    add_text(out, &a);
  }
  cli_machines_free(machines, count);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_text out = {0};
  json_t *json = NULL;
  roof_status status = args->csv          ? cli_args_no_csv("cluster", error)
                       : args->to != NULL ? cli_chart_check(args->to, error)
                                          : ROOF_OK;
  status = status == ROOF_OK ? answer_machine(args, &out, &json, error) : status;
  if (status == ROOF_OK && args->to == NULL) {
    status = args->json ? cli_json_print(json, error) : cli_print(&out, error);
  }
  roof_text_done(&out);
  free(network);
  return status;
}

const cli_command cli_cmd_cluster = {
    .name = "cluster",
    .arguments = "[CONFIG|NAME] [key=value ...]",
    .summary = "network roofline: what each link asks for, all-reduces, how far data parallelism scales",
    .examples = "  roofline cluster --machine h100\n"
                "  roofline cluster llama-3.1-70b tokens=4M devices=512 --machine h100 --network xdr\n"
                "  roofline cluster llama-3.1-70b tokens=4M devices=512 --machine h100 --to links.svg\n"
                "  roofline cluster params=7e9 tokens=1M devices=8 --machine a100 --json\n"
                "Settings: devices node params tokens size bytes stages microbatches\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL | CLI_ARGS_FILE,
    .options = options,
    .run = run,
};
