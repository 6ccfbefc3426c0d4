/* Transfers between ranks: messages in sequence, and bytes past the link in one of two protocols. Those of NCCL: a low
 * latency one spends most of each message on flags, the other cuts the message into chunks and takes a while to fill
 * their pipeline (NVIDIA/nccl src/graph/tuning.cc: latencies by protocol). */
#include <string.h>

#include "core/form.h"
#include "core/known.h"

/* Shares of the link's bandwidth and bytes, as they came out alike for NVLink 3, 4 and 5 (aiconfigurator's nccl.csv). */
static const double low_latency = 0.42; /* of the low latency protocol, over the other's */
static const double in_switch = 0.75;   /* of sums that the switch adds, over the ring's */
static const double own =
    0.45; /* of what a byte takes to send, what one takes that a rank copies to itself */

double rf_link_seconds(const roof_link *link, const roof_work *work) {
  return work->link_bytes / link->bytes_per_second + work->link_steps * rf_known(link->latency_seconds);
}

/** A machine's file does not say where its own links lead: whose messages are known to take this long have left the node. */
static const double longest_within = 2e-6;

static bool is_within(const roof_link *link) {
  return !link->between_nodes && !(link->latency_seconds > longest_within);
}

/** Ranks on PCI Express share the path through the host. */
static bool is_shared(const roof_link *link) {
  return strncmp(link->name, "PCIe", strlen("PCIe")) == 0;
}

/** Chunks that one rank sends another are not handed on: there is no pipeline to fill. Nor are buffers that every rank sends
 * to all others. */
static bool hands_on(const roof_work *work) {
  return (work->kernel.depth > 1 || work->kernel.rows > 0) && work->kernel.group == 0;
}

/** What one rank has of a link's bandwidth where all pass through the host: of more ranks than constants are fitted to, an even
 * part of what those have. */
static double share(const rf_run *run) {
  static const double fitted = 8;
  double ranks = run->work->kernel.count;
  return is_shared(run->link) && ranks > 2
             ? rf_power(fmin(ranks, fitted) / 2, -run->c[ROOF_SHARING]) * fmin(1, fitted / ranks)
             : 1;
}

/** Bytes past the link, those counted that take as long for another reason. A switch that adds has every rank's buffer,
 * and from each its part of the sum: the fewer, the more ranks there are. */
static double passing(const rf_run *run, rf_cut *cut) {
  const roof_work *w = run->work;
  double bytes = w->link_bytes;
  cut->rate = share(run), cut->added = 0;
  if (!rf_without(run, ROOF_EFFECT_BANDWIDTH)) {
    double sums = w->least.link_bytes + w->kernel.rows;
    bytes += own * w->kernel.rows;
    if (run->link->reduces && hands_on(w) && sums / in_switch < bytes) {
      cut->rate = in_switch, cut->added = sums;
      bytes = sums;
    }
  }
  return bytes;
}

double rf_message_seconds(const roof_target *target, const roof_link *link) {
  const roof_form *form = &target->forms[ROOF_KERNEL_COLLECTIVE];
  bool known_here = form->known && !(target->options.without & 1u << ROOF_EFFECT_WAVES);
  return known_here && is_within(link) ? form->values[ROOF_WAVE_SECONDS]
         : known_here                  ? fmax(form->values[ROOF_WAVE_SECONDS], link->latency_seconds)
                                       : link->latency_seconds;
}

/** Within a node ranks form a chain whatever the algorithm; between nodes messages are those of the operation. */
double rf_messages_seconds(const roof_link *link, const roof_work *work, double each, bool waves,
                           double *count) {
  bool chain = is_within(link) && waves;
  *count = chain ? work->kernel.depth : work->link_steps;
  return *count * (chain ? each : fmax(each, rf_known(link->latency_seconds)));
}

double rf_form_collective(const rf_run *run, rf_cut *cut) {
  const roof_link *link = run->link;
  if (link == NULL) {
    return NAN;
  }
  double messages = rf_messages_seconds(link, run->work, run->c[ROOF_WAVE_SECONDS],
                                        !rf_without(run, ROOF_EFFECT_WAVES), &cut->waves);
  double bytes = passing(run, cut);
  double reached = link->kind == ROOF_MEASURED ? 1 : run->c[ROOF_BANDWIDTH];
  double seconds = bytes / (link->bytes_per_second * reached * cut->rate);
  double fill = hands_on(run->work) ? run->c[ROOF_SPLIT_SECONDS] : 0;
  return messages + fmin(seconds / low_latency, seconds + fill);
}
