/* What a run over all nodes shows: which stand out, and how each ceiling is distributed. */
#include <math.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/fabric.h"
#include "cli/columns.h"
#include "cluster/nodes.h"
#include "cluster/scaling.h"

/** The rows of the tables are of one cluster. */
typedef struct ceiling_row {
  const roof_nodes_ceiling *of;
  const char *slowest;
} ceiling_row;

static const char *quantity(double value, const char *unit, char scratch[CLI_SCRATCH]) {
  return isnan(value) ? NULL : roof_quantity_format(scratch, CLI_SCRATCH, value, unit);
}

CLI_WORD(name_of, ceiling_row, r->of->name)
CLI_WORD(median_of, ceiling_row, quantity(r->of->median, r->of->unit, scratch))
CLI_WORD(slowest_of, ceiling_row, quantity(r->of->low, r->of->unit, scratch))
CLI_WORD(fastest_of, ceiling_row, quantity(r->of->high, r->of->unit, scratch))
CLI_VALUE(deviation_of, ceiling_row, r->of->deviation / r->of->median)

static const cli_column columns[] = {
    {.header = "ceiling", .text = name_of, .name = true},
    {.header = "median", .text = median_of, .right = true},
    {.header = "deviation", CLI_PERCENT(1), .rank = 1, .number = deviation_of},
    {.header = "slowest", .text = slowest_of, .right = true},
    {.header = "fastest", .text = fastest_of, .right = true, .rank = 2},
    {.header = "slowest node", .name = true, CLI_FIELD(TEXT, ceiling_row, slowest)},
    {0}};

/** "16 x AMD EPYC 9654, 96 cores", where all are alike; else how many kinds there are. */
static void add_kinds(const roof_nodes *nodes, roof_text *out) {
  const roof_node *first = NULL;
  size_t others = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    const roof_node *n = &nodes->list[i];
    if (n->absent[0] == '\0' && first == NULL) {
      first = n;
    }
    others += first != NULL && n->absent[0] == '\0' && strcmp(n->title, first->title) != 0;
  }
  if (first != NULL) {
    roof_text_addf(out, "%s", first->title[0] != '\0' ? first->title : "processor unknown");
    if (!isnan(first->cores)) {
      roof_text_addf(out, ", %.0f core%s", first->cores, first->cores == 1 ? "" : "s");
    }
    if (others > 0) {
      roof_text_addf(out, " and %zu of other kinds", others);
    }
    roof_text_add(out, "; ");
  }
}

static void add_job(const roof_nodes *nodes, roof_text *out) {
  rf_answer_add_part(out, ROOF_PAGE_MACHINE);
  roof_text_add(out, "\n  ");
  add_kinds(nodes, out);
  if (!isnan(nodes->ranks)) {
    roof_text_addf(out, "%.0f rank%s", nodes->ranks, nodes->ranks == 1 ? "" : "s");
  }
  roof_text_addf(
      out, " by %s, %s; %s\n", nodes->launcher[0] != '\0' ? nodes->launcher : "an unknown launcher",
      nodes->mpi[0] != '\0' ? nodes->mpi : "MPI unknown", nodes->date[0] != '\0' ? nodes->date : "no date");
  if (nodes->incomplete[0] != '\0') {
    roof_text_addf(out, "  the run is incomplete: %s\n", nodes->incomplete);
  }
}

static void add_findings(const roof_nodes *nodes, roof_text *out) {
  enum { MOST = 32 };
  rf_answer_add_part(out, ROOF_PAGE_VERDICTS);
  for (size_t i = 0; i < nodes->outlier_count && i < MOST; i++) {
    const roof_outlier *f = &nodes->outliers[i];
    bool more = i > 0 && nodes->outliers[i - 1].node == f->node;
    roof_text_addf(out, "%s  %-10s %s: %s\n", i == 0 ? "\n" : "", more ? "" : nodes->list[f->node].name,
                   roof_outlier_name(f->kind), f->evidence);
    roof_text_addf(out, "  %-10s %s\n", "", roof_outlier_action(f->kind));
  }
  if (nodes->outlier_count > MOST) {
    roof_text_addf(out, "  %zu more are in the file's `outliers`\n", nodes->outlier_count - MOST);
  }
}

/** The length of its first two words: "fp64 vector" of "fp64 vector AVX2+FMA". */
static size_t kind_length(const char *name) {
  size_t first = strcspn(name, " ");
  return name[first] == '\0' ? first : first + 1 + strcspn(name + first + 1, " ");
}

/** The first ceiling whose name begins so; NULL: there is none. */
static const roof_nodes_ceiling *ceiling_of(const roof_nodes *nodes, const char *begin) {
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    if (strncmp(nodes->ceilings[i].name, begin, strlen(begin)) == 0) {
      return &nodes->ceilings[i];
    }
  }
  return NULL;
}

/** Whether another one of its kind is what predictions use: the fastest instructions of a format, what reading and the triad
 *  reach of a level. */
static bool is_lesser(const roof_nodes *nodes, const roof_nodes_ceiling *c) {
  static const char *const access[] = {" copy", " update", " write"};
  size_t length = strlen(c->name), kind = kind_length(c->name);
  for (size_t i = 0; i < sizeof access / sizeof access[0]; i++) {
    size_t end = strlen(access[i]);
    if (length > end && strcmp(c->name + length - end, access[i]) == 0) {
      return true;
    }
  }
  if (strncmp(c->name, RF_ALONE, sizeof RF_ALONE - 1) == 0 && ceiling_of(nodes, RF_AT_ONCE) != NULL) {
    return true;
  }
  for (size_t i = 0; i < nodes->ceiling_count && strcmp(c->unit, "FLOP/s") == 0; i++) {
    const roof_nodes_ceiling *other = &nodes->ceilings[i];
    if (other->median > c->median && kind_length(other->name) == kind &&
        strncmp(other->name, c->name, kind) == 0) {
      return true;
    }
  }
  return false;
}

static bool stands_out(const roof_nodes *nodes, size_t ceiling) {
  for (size_t i = 0; i < nodes->outlier_count; i++) {
    if (nodes->outliers[i].ceiling == (int)ceiling) {
      return true;
    }
  }
  return false;
}

static void add_distribution(const roof_nodes *nodes, roof_text *out) {
  static ceiling_row rows[ROOF_NODES_CEILINGS];
  size_t shown = 0;
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    const roof_nodes_ceiling *c = &nodes->ceilings[i];
    if (stands_out(nodes, i) || !is_lesser(nodes, c)) {
      rows[shown++] = (ceiling_row){c, c->count > 0 ? nodes->list[c->slowest].name : NULL};
    }
  }
  rf_answer_add_part(out, ROOF_PAGE_MEASURED);
  if (shown > 0) {
    roof_text_add(out, "\n");
    cli_columns_add_text(out, CLI_ROWS(columns, rows, shown));
  }
  if (shown < nodes->ceiling_count) {
    roof_text_addf(out, "  %zu slower instruction sets and other accesses: --csv\n",
                   nodes->ceiling_count - shown);
  }
}

/** Whether the domains' sum is what the node reads as one; how they were read, where that was not at once. */
static void add_domains(const roof_nodes *nodes, roof_text *out) {
  char sum[CLI_SHORT], whole[CLI_SHORT];
  const roof_nodes_ceiling *together = ceiling_of(nodes, RF_AT_ONCE_ALL),
                           *one = ceiling_of(nodes, "DRAM read");
  if (together != NULL && one != NULL) {
    roof_text_addf(out, "\n  The domains of a node read %s at once, the node as one %s (medians).\n",
                   cli_quantity(sum, together->median, "B/s"), cli_quantity(whole, one->median, "B/s"));
  }
  for (size_t i = 0; i < nodes->count && together == NULL; i++) {
    if (nodes->list[i].domains[0] != '\0') {
      roof_text_addf(out, "\n  Memory domains of %s: %s.\n", nodes->list[i].name, nodes->list[i].domains);
      return;
    }
  }
}

/** What a step that waits for all nodes makes of it. */
static void add_pace(const roof_nodes *nodes, roof_text *out) {
  static const double matters = 0.99;
  for (int i = 0; i < ROOF_PACE_COUNT; i++) {
    size_t slowest = 0;
    double pace = roof_nodes_pace(nodes, (roof_pace)i, &slowest);
    if (pace < matters) {
      roof_text_addf(out,
                     "\n  A step that waits for all nodes goes at %.0f %% of the median's pace where %s "
                     "binds, that of %s.\n",
                     100 * pace, roof_pace_name((roof_pace)i), nodes->list[slowest].name);
    }
  }
}

/** A part that cannot be read is said to be so. */
static void add_network(const roof_nodes *nodes, const char *file, roof_text *out) {
  static roof_fabric fabric; /* 90 KB */
  roof_error why;
  if (nodes->network == NULL) {
    return;
  }
  if (roof_fabric_read(nodes->network, strlen(nodes->network), file, &fabric, &why) != ROOF_OK) {
    roof_text_addf(out, "\n%s\n", why.message);
    return;
  }
  roof_text_add(out, "\n");
  cli_fabric_add_report(&fabric, out);
  roof_fabric_done(&fabric);
}

void cli_cluster_add_report(const roof_nodes *nodes, const char *file, roof_text *out) {
  roof_text_addf(out, "%s: ", file);
  roof_nodes_sentence(nodes, out);
  roof_text_add(out, "\n");
  add_job(nodes, out);
  add_findings(nodes, out);
  add_distribution(nodes, out);
  add_domains(nodes, out);
  add_pace(nodes, out);
  add_network(nodes, file, out);
}

/** A ceiling of a node. */
typedef struct figure_row {
  const char *node;
  const char *ceiling;
  const char *unit;
  roof_node_figure of;
} figure_row;

static const cli_column figure_columns[] = {{.key = "node", CLI_FIELD(TEXT, figure_row, node)},
                                            {.key = "ceiling", CLI_FIELD(TEXT, figure_row, ceiling)},
                                            {.key = "unit", CLI_FIELD(TEXT, figure_row, unit)},
                                            {.key = "median", CLI_FIELD(NUMBER, figure_row, of.value)},
                                            {.key = "spread", CLI_FIELD(NUMBER, figure_row, of.spread)},
                                            {0}};

static void add_csv(const roof_nodes *nodes, roof_text *out) {
  cli_columns_add_csv(out, (cli_rows){.columns = figure_columns});
  for (size_t i = 0; i < nodes->count; i++) {
    for (size_t c = 0; c < nodes->list[i].count; c++) {
      const figure_row row = {nodes->list[i].name, nodes->ceilings[c].name, nodes->ceilings[c].unit,
                              roof_nodes_figure(nodes, i, c)};
      if (!isnan(row.of.value)) {
        cli_columns_add_csv_row(out, figure_columns, &row);
      }
    }
  }
}

static roof_status draw(const cli_args *args, const roof_nodes *nodes, roof_error *error) {
  roof_curves *chart = cli_chart_room();
  roof_status status = roof_nodes_chart(nodes, chart, error);
  return status == ROOF_OK ? cli_chart_write_curves(args, chart, "", NULL, error) : status;
}

static roof_status answer(const cli_args *args, const roof_nodes *nodes, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->page != NULL) {
    args->page->part = ROOF_PAGE_MEASURED;
  }
  if (args->page != NULL || args->file != NULL) {
    status = cli_chart_or_none(args, draw(args, nodes, error));
  }
  if (status != ROOF_OK || args->file != NULL) {
    return status;
  }
  if (args->json) {
    status = roof_nodes_write(nodes, &out, error);
  } else if (args->csv) {
    add_csv(nodes, &out);
  } else {
    cli_cluster_add_report(nodes, args->words[1], &out);
  }
  return cli_print_end(&out, status, error);
}

roof_status cli_cluster_report(const cli_args *args, roof_error *error) {
  roof_nodes *nodes = NULL;
  roof_status status = cli_args_limit_words(args, 2, error);
  if (status == ROOF_OK && args->word_count < 2) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "cluster report: no file named: roofline cluster report cluster.json");
  }
  if (status == ROOF_OK && rf_scaling_is_file(args->words[1])) {
    return cli_cluster_report_scaling(args, error);
  }
  status = status == ROOF_OK ? roof_nodes_load(args->words[1], &nodes, error) : status;
  status = status == ROOF_OK ? answer(args, nodes, error) : status;
  roof_nodes_free(nodes);
  return status;
}
