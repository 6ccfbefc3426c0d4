/* A scaling study as text, table, document and picture: as it ran, and as it was kept in a file. */
#include "cli/cluster/scaling.h"

#include <math.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/cluster/cluster.h"

static const rf_scaling_study *shown; /* whose first point the others are compared with */

CLI_VALUE(predicted_times, rf_scaling_point,
          rf_scaling_speedup(shown->points, shown->points->predicted.seconds, r, r->predicted.seconds))
CLI_VALUE(measured_times, rf_scaling_point,
          rf_scaling_speedup(shown->points, shown->points->measured.seconds, r, r->measured.seconds))
CLI_VALUE(predicted_efficiency, rf_scaling_point, predicted_times(r) / r->part.ranks)
CLI_VALUE(measured_efficiency, rf_scaling_point, measured_times(r) / r->part.ranks)
CLI_VALUE(predicted_network, rf_scaling_point, r->predicted.network_seconds / r->predicted.seconds)
CLI_VALUE(measured_network, rf_scaling_point, r->measured.network_seconds / r->measured.seconds)
CLI_WORD(regime_of, rf_scaling_point, roof_regime_name(r->predicted.regime))

#define TIMES .digits = 2, .fixed = true
#define POINT(what, member) CLI_FIELD(what, rf_scaling_point, member)

static const cli_column columns[] = {
    {.key = "ranks", .header = "ranks", .fixed = true, POINT(COUNT, part.ranks)},
    {.key = "nodes", .header = "nodes", .fixed = true, .rank = 6, POINT(COUNT, place.nodes)},
    {.key = "ranks_of_node", POINT(COUNT, place.most)},
    {.key = "cores_of_node", POINT(COUNT, place.cores)},
    {.key = "seconds", .header = "time", .unit = "s", POINT(NUMBER, measured.seconds)},
    {.key = "predicted_seconds", .header = "predicted", .unit = "s", POINT(NUMBER, predicted.seconds)},
    {.key = "speedup", .header = "speed-up", .rank = 4, TIMES, .number = measured_times},
    {.key = "predicted_speedup", .header = "predicted", .rank = 4, TIMES, .number = predicted_times},
    {.key = "efficiency", .header = "efficiency", CLI_PERCENT(0), .number = measured_efficiency},
    {.key = "predicted_efficiency", .header = "predicted", CLI_PERCENT(0), .number = predicted_efficiency},
    {.key = "network_share", .header = "network", .rank = 1, CLI_PERCENT(0), .number = measured_network},
    {.key = "predicted_network_share",
     .header = "predicted",
     .rank = 2, /* leaves before what it is of */
     CLI_PERCENT(0),
     .number = predicted_network},
    {.key = "regime", .text = regime_of},
    {.key = "binding", .header = "bound by", .rank = 3, POINT(NAME, predicted.binding)},
    {.key = "flops", POINT(NUMBER, part.flops)},
    {.key = "sent_bytes", POINT(NUMBER, part.sent_bytes)},
    {.key = "verdict", .header = "verdict", .verdict = true, POINT(NAME, measured.verdict)},
    {0}};

static cli_rows rows_of(const rf_scaling_study *study) {
  shown = study;
  return CLI_ROWS(columns, study->points, (size_t)study->measured);
}

/** "node: 0.6 us and 5 GB/s; network: ..." */
static void add_links(const rf_scaling_study *study, roof_text *out) {
  char delay[CLI_SHORT], rate[CLI_SHORT];
  for (int i = 0; i < study->link_count; i++) {
    const rf_scaling_link *l = &study->links[i];
    roof_text_addf(
        out, "%s%s %s and %s", i > 0 ? "; " : "", roof_distance_name(l->distance),
        isnan(l->latency_seconds) ? "no latency found" : cli_quantity(delay, l->latency_seconds, "s"),
        isnan(l->bytes_per_second) ? "no bandwidth found" : cli_quantity(rate, l->bytes_per_second, "B/s"));
  }
}

/** "ceilings  host, AMD EPYC 9654, as measured on 2026-11-23; ..." */
static void add_ceilings(const rf_scaling_study *s, roof_text *out) {
  bool titled = s->machine_title[0] != '\0' && strcmp(s->machine_title, s->machine) != 0;
  roof_text_addf(out, "\n  ceilings  %s%s%s", s->machine, titled ? ", " : "", titled ? s->machine_title : "");
  if (s->machine_date[0] != '\0') {
    roof_text_addf(out, ", as measured on %s", s->machine_date);
  }
  roof_text_add(out, "; ranks of a node share its cores and its memory\n");
}

static void add_text(const rf_scaling_study *s, roof_text *out) {
  rf_scaling_sentence(s, out);
  roof_text_add(out, "\n");
  rf_answer_add_part(out, ROOF_PAGE_MEASURED);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, rows_of(s));
  add_ceilings(s, out);
  if (s->link_count > 0) {
    roof_text_add(out, "  links     as measured in this job: ");
    add_links(s, out);
    roof_text_addf(out, "; %s\n", s->library);
  }
}

roof_status cli_scaling_draw(const cli_args *args, const rf_scaling_study *study, roof_error *error) {
  if (!cli_chart_is_wanted(args)) {
    return ROOF_OK;
  }
  roof_curves *chart = cli_chart_room();
  cli_rows rows = rows_of(study);
  roof_status status = rf_scaling_chart(study, chart, error);
  if (status == ROOF_OK) {
    status = cli_chart_write_curves(args, chart, "Scaling", &rows, error);
  }
  return cli_chart_or_none(args, status);
}

static void add_ledger(const char *ledger, roof_text *out) {
  roof_text_addf(out, "  ledger    %s; `%s reconcile --ledger %s` judges it\n", ledger, cli_program_name(),
                 ledger);
}

roof_status cli_scaling_print(const cli_args *args, const rf_scaling_study *study, const char *file,
                              const char *ledger, roof_error *error) {
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (args->json) {
    status = rf_scaling_write(study, &text, error);
  } else if (args->csv) {
    cli_columns_add_csv(&text, rows_of(study));
  } else {
    roof_text_addf(&text, "%s%s", file != NULL ? file : "", file != NULL ? ": " : "");
    add_text(study, &text);
    if (ledger != NULL) {
      add_ledger(ledger, &text);
    }
  }
  return cli_print_end(&text, status, error);
}

roof_status cli_cluster_report_scaling(const cli_args *args, roof_error *error) {
  static rf_scaling_study study; /* 40 KB */
  const char *file = args->words[1];
  roof_status status = rf_scaling_load(file, &study, error);
  status = status == ROOF_OK ? cli_scaling_draw(args, &study, error) : status;
  return status != ROOF_OK || args->file != NULL ? status
                                                 : cli_scaling_print(args, &study, file, NULL, error);
}
