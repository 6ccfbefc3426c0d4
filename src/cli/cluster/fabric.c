/* What a measured network shows: latency and bandwidth by distance, nodes that are slow, collectives next to their predictions. */
#include "cli/cluster/fabric.h"

#include <math.h>
#include <stdio.h>

#include "cli/columns.h"
#include "roofline/units.h"

/** A protocol of a distance. */
typedef struct protocol_row {
  const char *distance;
  char between[2 * ROOF_FABRIC_NAME];
  const char *protocol;
  const roof_protocol *of;
} protocol_row;

CLI_VALUE(from_of, protocol_row, r->of->from_bytes)
CLI_VALUE(latency_of, protocol_row, r->of->alpha.value)

/** Half of the interval, relative; unknown where the value is nothing. */
static double half(const roof_estimate *e) {
  return e->value > 0 ? (e->high - e->low) / 2 / e->value : (double)NAN;
}

CLI_VALUE(latency_half_of, protocol_row, half(&r->of->alpha))

/** Unknown where time does not grow with size: too few sizes were measured. */
static double rate(double seconds_per_byte) {
  return seconds_per_byte > 0 ? 1 / seconds_per_byte : (double)NAN;
}

CLI_VALUE(rate_of, protocol_row, rate(r->of->beta.value))
CLI_VALUE(rate_half_of, protocol_row, half(&r->of->beta))

static const cli_column protocol_columns[] = {
    {.header = "distance", CLI_FIELD(TEXT, protocol_row, distance)},
    {.header = "between", .name = true, .rank = 3, CLI_FIELD(NAME, protocol_row, between)},
    {.header = "protocol", .rank = 1, CLI_FIELD(TEXT, protocol_row, protocol)},
    {.header = "from", .binary = true, .unit = "B", .number = from_of},
    {.header = "latency", .unit = "s", .number = latency_of},
    {.header = "±", CLI_PERCENT(1), .rank = 2, .number = latency_half_of},
    {.header = "bandwidth", .unit = "B/s", .number = rate_of},
    {.header = "±", CLI_PERCENT(1), .rank = 2, .number = rate_half_of},
    {0}};

CLI_WORD(name_of, roof_distance_fit, roof_distance_name(r->distance))
CLI_VALUE(long_rate_of, roof_distance_fit, rate(r->loggp.gap_per_byte.value))

/** Of the largest message. */
CLI_VALUE(overlap_of, roof_distance_fit,
          r->time_count > 0 ? r->times[r->time_count - 1].overlap : (double)NAN)

static const cli_column loggp_columns[] = {
    {.header = "LogGP", .text = name_of},
    {.header = "L", .unit = "s", CLI_FIELD(NUMBER, roof_distance_fit, loggp.latency.value)},
    {.header = "o", .unit = "s", CLI_FIELD(NUMBER, roof_distance_fit, loggp.overhead.value)},
    {.header = "g", .unit = "s", CLI_FIELD(NUMBER, roof_distance_fit, loggp.gap.value)},
    {.header = "1/G", .unit = "B/s", .number = long_rate_of},
    {.header = "messages", .unit = "/s", CLI_FIELD(NUMBER, roof_distance_fit, messages_per_second)},
    {.header = "hidden", CLI_PERCENT(0), .number = overlap_of},
    {0}};

static const cli_column node_columns[] = {
    {.header = "node", .name = true, CLI_FIELD(NAME, roof_fabric_node, name)},
    {.header = "rank", .fixed = true, .rank = 1, CLI_FIELD(COUNT, roof_fabric_node, rank)},
    {.header = "latency", .unit = "s", CLI_FIELD(NUMBER, roof_fabric_node, latency_seconds)},
    {.header = "deviations",
     .digits = 1,
     .fixed = true,
     .rank = 2,
     CLI_FIELD(NUMBER, roof_fabric_node, latency_z)},
    {.header = "bandwidth", .unit = "B/s", CLI_FIELD(NUMBER, roof_fabric_node, bytes_per_second)},
    {.header = "deviations",
     .digits = 1,
     .fixed = true,
     .rank = 2,
     CLI_FIELD(NUMBER, roof_fabric_node, bandwidth_z)},
    {0}};

/** A collective at one size. */
typedef struct collective_row {
  const char *op, *expected, *follows;
  double bytes, measured, predicted, ratio, followed;
} collective_row;

static const cli_column collective_columns[] = {
    {.header = "collective", CLI_FIELD(TEXT, collective_row, op)},
    {.header = "size", .unit = "B", CLI_FIELD(NUMBER, collective_row, bytes)},
    {.header = "measured", .unit = "s", CLI_FIELD(NUMBER, collective_row, measured)},
    {.header = "sealed", .unit = "s", CLI_FIELD(NUMBER, collective_row, predicted)},
    {.header = "times", .digits = 2, .fixed = true, CLI_FIELD(NUMBER, collective_row, ratio)},
    {.header = "expected", .rank = 2, CLI_FIELD(TEXT, collective_row, expected)},
    {.header = "goes as", CLI_FIELD(TEXT, collective_row, follows)},
    {.header = "of that", .digits = 2, .fixed = true, .rank = 1, CLI_FIELD(NUMBER, collective_row, followed)},
    {0}};

static void add_protocols(const roof_fabric *fabric, roof_text *out) {
  static protocol_row rows[ROOF_DISTANCE_COUNT * ROOF_PROTOCOLS];
  static const char *const protocols[] = {"eager", "rendezvous"};
  size_t count = 0;
  for (int i = 0; i < fabric->distance_count; i++) {
    const roof_distance_fit *d = &fabric->distances[i];
    for (int p = 0; p < d->fit.count; p++) {
      protocol_row *row = &rows[count++];
      *row = (protocol_row){.distance = roof_distance_name(d->distance),
                            .protocol = d->fit.count == 1 ? "all" : protocols[p],
                            .of = &d->fit.of[p]};
      snprintf(row->between, sizeof row->between, "%s %s", d->nodes[0], d->nodes[1]);
    }
  }
  cli_columns_add_text(out, CLI_ROWS(protocol_columns, rows, count));
}

static void add_collectives(const roof_fabric *fabric, const char *of, roof_text *out) {
  static collective_row rows[ROOF_COLLECTIVES * ROOF_FABRIC_SIZES];
  size_t count = 0;
  for (int i = 0; i < fabric->collective_count; i++) {
    const roof_collective_curve *c = &fabric->collectives[i];
    for (int k = 0; k < c->time_count; k++) {
      const roof_collective_time *t = &c->times[k];
      if (c->algorithm_count > 0 && !isnan(t->seconds)) {
        double predicted = t->predicted[t->expected];
        rows[count++] = (collective_row){.op = c->op,
                                         .expected = c->algorithms[t->expected],
                                         .follows = c->algorithms[t->follows],
                                         .bytes = t->bytes,
                                         .measured = t->seconds,
                                         .predicted = predicted,
                                         .ratio = t->seconds / predicted,
                                         .followed = t->seconds / t->predicted[t->follows]};
      }
    }
  }
  if (count > 0) {
    roof_text_addf(out,
                   "\ncollectives of %d %s, measured / sealed before by the fit; and the algorithm whose "
                   "curve is nearest:\n",
                   fabric->ranks, of);
    cli_columns_add_text(out, CLI_ROWS(collective_columns, rows, count));
  }
}

static bool is_slow(const void *row) {
  return ((const roof_fabric_node *)row)->slow;
}

/** All of a few nodes, of many those that are slow. */
static void add_nodes(const roof_fabric *fabric, roof_text *out) {
  enum { FEW = 16 };
  cli_rows rows = CLI_ROWS(node_columns, fabric->nodes, (size_t)fabric->node_count);
  size_t slow = 0;
  for (int i = 0; i < fabric->node_count; i++) {
    slow += fabric->nodes[i].slow;
  }
  rows.shown = fabric->node_count > FEW ? is_slow : NULL;
  if (fabric->node_count > FEW ? slow > 0 : fabric->node_count > 1) {
    roof_text_add(
        out, "\neach against all others, medians; deviations from the median of all, worse is positive:\n");
    cli_columns_add_text(out, rows);
  }
}

/** The part between GPUs. */
static void add_gpus(const roof_fabric *gpus, roof_text *out) {
  roof_text_addf(out, "\nbetween %d GPUs, by %s:\n", gpus->ranks, gpus->library);
  add_protocols(gpus, out);
  add_collectives(gpus, "GPUs", out);
}

void cli_fabric_add_report(const roof_fabric *fabric, roof_text *out) {
  char bisection[32];
  roof_fabric_sentence(fabric, out);
  roof_text_add(out, "\n");
  if (fabric->distance_count == 0) {
    return;
  }
  add_protocols(fabric, out);
  roof_text_add(out, "\nthe parts of a message's time, messages in a row, and how much of a long transfer "
                     "computation hides:\n");
  cli_columns_add_text(out, CLI_ROWS(loggp_columns, fabric->distances, (size_t)fabric->distance_count));
  add_nodes(fabric, out);
  if (fabric->bisection_pairs > 0) {
    roof_text_addf(
        out, "\nbisection: %s, one way, of %d pair%s at once\n",
        roof_quantity_format(bisection, sizeof bisection, fabric->bisection_bytes_per_second, "B/s"),
        fabric->bisection_pairs, fabric->bisection_pairs == 1 ? "" : "s");
  }
  add_collectives(fabric, "ranks", out);
  if (fabric->gpus != NULL) {
    add_gpus(fabric->gpus, out);
  }
}
