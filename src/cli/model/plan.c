/* How a model's plan is typed and shown: devices along each axis, links, the pipeline's bubble. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/model/model.h"
#include "roofline/plan.h"

enum { SHORT = 48 };

#define PLAN_OPTIONS(X)                                                                                      \
  X(tp, "devices that share every tensor")                                                                   \
  X(pp, "stages of a pipeline of layers")                                                                    \
  X(dp, "replicas that share the batch")                                                                     \
  X(ep, "devices that share the experts")                                                                    \
  X(cp, "devices that share every sequence")                                                                 \
  X(microbatches, "of the pipeline; of --train: steps of gradient accumulation")                             \
  X(zero, "stage of ZeRO, 0 to 3, with --train: optimizer, gradients, weights over the replicas")            \
  X(node, "devices that the machine's own link joins; default: 8")                                           \
  X(price, "of one device and hour, for the cost of a million tokens; of several machines "                  \
           "h100=2.5,h200=3.5")

enum {
#define INDEX(name, text) OPTION_##name,
  PLAN_OPTIONS(INDEX)
#undef INDEX
      OPTION_COUNT
};

static int sequence;
static char *typed[OPTION_COUNT], *network;
const struct poptOption cli_model_plan_options[] = {
#define OPTION(name, text) {#name, '\0', POPT_ARG_STRING, &typed[OPTION_##name], 0, text, "N"},
    PLAN_OPTIONS(OPTION)
#undef OPTION
        {"sp", '\0', POPT_ARG_NONE, &sequence, 0,
         "sequence parallel: the devices of --tp also share the tokens between its products", NULL},
    {"network", '\0', POPT_ARG_STRING, &network, 0,
     "link between nodes: ndr hdr edr xdr 100gbe 200gbe 400gbe 800gbe, or one of the machine's; default: "
     "ndr",
     "LINK"},
    POPT_TABLEEND};

void cli_model_plan_options_done(void) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    free(typed[i]);
  }
  free(network);
}

const char *cli_model_plan_typed(void) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (typed[i] != NULL) {
      return cli_model_plan_options[i].longName;
    }
  }
  return network != NULL ? "network" : NULL;
}

const char *cli_model_prices(void) {
  const char *prices = typed[OPTION_price];
  return prices != NULL && strchr(prices, '=') != NULL ? prices : NULL;
}

roof_status cli_model_plan_settings(const roof_machine *machine, roof_model_settings *settings,
                                    roof_model_axes *axes, roof_error *error) {
  roof_status status = ROOF_OK;
  settings->sp = sequence != 0;
  for (int i = 0; i < OPTION_COUNT && status == ROOF_OK; i++) {
    if (typed[i] != NULL && !(i == OPTION_price && cli_model_prices() != NULL)) {
      char word[SHORT * 2];
      const char *words[] = {word};
      snprintf(word, sizeof word, "%s=%.60s", cli_model_plan_options[i].longName, typed[i]);
      status = roof_model_settings_read(words, 1, settings, axes, error);
    }
  }
  return status == ROOF_OK && network != NULL ? roof_network_find(network, machine, &settings->network, error)
                                              : status;
}

static void add_link(roof_text *out, const roof_model_target *t, roof_span span, const char *where) {
  char x[SHORT], y[SHORT];
  const roof_link *l = &t->links[span];
  roof_text_addf(out, "%s %s, %s per message %s", l->name,
                 roof_quantity_format(x, SHORT, l->bytes_per_second, "B/s"),
                 roof_quantity_format(y, SHORT, l->latency_seconds, "s"), where);
}

static void add_network(roof_text *out, const roof_model_target *t, const roof_model_phase *p,
                        const char *name) {
  char x[SHORT];
  if (!p->present) {
    return;
  }
  roof_text_addf(out, "              %s: %.6g tokens per device;", name, p->tokens);
  for (int i = 0; i < ROOF_SPAN_COUNT; i++) {
    if (p->link_seconds[i] > 0) {
      roof_text_addf(out, " %s %s,", t->links[i].name,
                     roof_quantity_format(x, SHORT, p->link_seconds[i], "s"));
    }
  }
  if (p->network_seconds > 0) {
    roof_text_addf(out, " %s binds of the links;", t->links[roof_model_phase_span(p)].name);
  }
  roof_text_addf(out, " bubble %.1f %%;", 100 * p->bubble);
  roof_text_addf(out, " %s if transfers hide", roof_quantity_format(x, SHORT, p->lower_seconds, "s"));
  roof_text_addf(out, ", %s if nothing does\n", roof_quantity_format(x, SHORT, p->upper_seconds, "s"));
  if (p->replica_seconds > 0) {
    roof_text_addf(out, "              between replicas %s per step,",
                   roof_quantity_format(x, SHORT, p->replica_seconds, "s"));
    roof_text_addf(out, " %s of it hidden", roof_quantity_format(x, SHORT, p->hidden_seconds, "s"));
    roof_text_addf(out, "; the backward pass takes %s\n",
                   roof_quantity_format(x, SHORT, p->backward_seconds, "s"));
  }
}

void cli_model_plan_text(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  const roof_model_settings *s = &t->settings;
  if (t->devices <= 1) {
    return;
  }
  const struct {
    const char *name;
    double devices;
  } axes[] = {{"tp", s->tp}, {"pp", s->pp}, {"dp", s->dp}, {"cp", s->cp}, {"ep", s->ep}};
  char zero[SHORT];
  snprintf(zero, sizeof zero, " ZeRO %.0f", s->zero);
  roof_text_add(out, "  plan       ");
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
    if (axes[i].devices > 1) {
      roof_text_addf(out, " %s %.0f", axes[i].name, axes[i].devices);
    }
  }
  roof_text_addf(out, "%s%s: %.0f devices in %.0f nodes of %.0f; %.0f sequences per replica",
                 s->sp ? " sp" : "", s->zero > 0 ? zero : "", t->devices, ceil(t->devices / s->node), s->node,
                 roof_model_replica_batch(t));
  if (roof_model_microbatches(t) > 1) {
    roof_text_addf(out, " in %.0f microbatches", roof_model_microbatches(t));
  }
  roof_text_add(out, "\n  links       ");
  add_link(out, t, ROOF_SPAN_NODE, "within a node");
  if (t->devices > s->node) {
    roof_text_add(out, "; ");
    add_link(out, t, ROOF_SPAN_CLUSTER, "between nodes");
  }
  roof_text_add(out, "\n");
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    add_network(out, t, &a->phases[i], roof_phase_name((roof_phase)i));
  }
}
