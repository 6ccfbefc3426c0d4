/* What a cluster is asked, in words: its all-reduces, how far data parallelism scales, what ZeRO holds. */
#include <math.h>

#include "models/words.h"
#include "roofline/plan.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 64 };

/** The devices, how many are in a node, and what joins the nodes. */
static void add_nodes(roof_text *out, const roof_cluster_settings *in, const roof_cluster_answer *of) {
  double n = in->devices, node = of->cluster.node;
  roof_text_addf(out, "%.0f device%s", n, n > 1 ? "s" : "");
  if (n > node) {
    roof_text_addf(out, ", %.0f per node; %s between nodes%s", node,
                   of->cluster.links[ROOF_SPAN_CLUSTER].name,
                   in->network == NULL ? " (assumed; --network says another)" : "");
  } else if (n > 1) {
    roof_text_addf(out, " in one node of %.0f", node);
  }
  roof_text_add(out, "\n");
}

static void add_routes(roof_text *out, const roof_cluster_settings *in, const roof_cluster_answer *of) {
  char x[SHORT], y[SHORT];
  roof_text_addf(out, "all-reduce of %s over ", roof_quantity_format(x, SHORT, of->buffer_bytes, "B"));
  add_nodes(out, in, of);
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    const roof_cluster_route *r = &of->routes[i];
    bool alone = isnan(r->bus_bytes_per_second);
    roof_text_addf(out, "  %-13s %-10s %-10s %s\n", r->name, roof_quantity_format(x, SHORT, r->seconds, "s"),
                   alone ? "-" : roof_quantity_format(y, SHORT, r->bus_bytes_per_second, "B/s"), r->text);
  }
  roof_text_add(out, "  bytes/s as nccl-tests count them: 2 (N - 1) / N of the buffer over the time\n");
}

static void add_scaling(roof_text *out, const roof_cluster_settings *in, const roof_cluster_answer *of) {
  char x[SHORT], y[SHORT];
  double n = in->devices;
  bool few = in->active_parameters < in->parameters;
  roof_text_addf(out, "\ndata parallel: %s parameters", rf_plain_number(x, SHORT, in->parameters));
  if (few) {
    roof_text_addf(out, ", %s computed with per token", rf_plain_number(x, SHORT, in->active_parameters));
  }
  roof_text_addf(out, ", %s tokens per step, %.0f device%s\n", rf_plain_number(y, SHORT, in->tokens), n,
                 n > 1 ? "s" : "");
  roof_text_addf(out, "  computation %s per step; gradients %s",
                 roof_quantity_format(x, SHORT, of->compute_seconds, "s"),
                 roof_quantity_format(y, SHORT, in->parameters * in->gradient_bytes, "B"));
  if (n > 1) {
    roof_text_addf(out, "; %.6g FLOP per byte sent: 3 tokens / ((N - 1) x %g)%s", of->flops_per_byte_sent,
                   in->gradient_bytes, few ? " x computed with / all parameters" : "");
  }
  roof_text_add(out, "\n");
  for (int i = 0; i < ROOF_ROUTE_COUNT; i++) {
    const roof_cluster_route *r = &of->routes[i];
    roof_text_addf(out, "  %-13s %s; as long as the step from %.5g devices, as its backward pass from %.5g\n",
                   r->name, roof_quantity_format(x, SHORT, r->gradient_seconds, "s"), r->devices_limit,
                   r->devices_limit_backward);
  }
}

static void add_zero(roof_text *out, const roof_cluster_settings *in, const roof_cluster_answer *of) {
  char x[SHORT], y[SHORT];
  roof_text_addf(
      out, "\nZeRO over %.0f device%s, Adam in mixed precision: held, and sent in one microbatch, by each\n",
      in->devices, in->devices > 1 ? "s" : "");
  for (int i = 0; i < ROOF_ZERO_STAGES; i++) {
    const roof_cluster_zero *z = &of->zero[i];
    roof_text_addf(out, "  stage %d  %-10s (%.4g B per parameter)  %-10s per step%s\n", z->stage,
                   roof_quantity_format(x, SHORT, z->bytes, "B"), z->bytes_per_parameter,
                   roof_quantity_format(y, SHORT, z->sent_bytes, "B"), z->fits ? "" : "  does not fit");
  }
}

void roof_cluster_describe(const roof_cluster_settings *in, const roof_cluster_answer *of, roof_text *out) {
  add_routes(out, in, of);
  add_scaling(out, in, of);
  add_zero(out, in, of);
}
