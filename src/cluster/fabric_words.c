/* The network in one sentence. */
#include "roofline/fabric.h"
#include "roofline/units.h"

enum { SHORT = 32, NAMED = 3 };

static void add_slow(const roof_fabric *fabric, roof_text *out) {
  int slow = 0;
  for (int i = 0; i < fabric->node_count; i++) {
    slow += fabric->nodes[i].slow;
    if (fabric->nodes[i].slow && slow <= NAMED) {
      roof_text_addf(out, "%s%s", slow == 1 ? "; slower than the others: " : ", ", fabric->nodes[i].name);
    }
  }
  if (slow > NAMED) {
    roof_text_addf(out, " and %d more", slow - NAMED);
  }
}

/** Whether its interval is narrower than itself: else it says nothing. */
static bool is_known(const roof_estimate *estimate) {
  return estimate->value > 0 && !(estimate->high - estimate->low > estimate->value);
}

/** Of the farthest distance, which has a fit: latency, bandwidth, and between what. */
static void add_message(const roof_distance_fit *far, roof_text *out) {
  char latency[SHORT], rate[SHORT];
  const roof_protocol *small = &far->fit.of[0], *large = &far->fit.of[far->fit.count - 1];
  roof_text_addf(out, "a message takes %s", roof_quantity_format(latency, SHORT, small->alpha.value, "s"));
  if (is_known(&large->beta)) {
    roof_text_addf(out, ", a long one goes at %s",
                   roof_quantity_format(rate, SHORT, 1 / large->beta.value, "B/s"));
  }
  roof_text_addf(out, " (%s)",
                 far->distance == ROOF_DISTANCE_NETWORK  ? "between nodes"
                 : far->distance == ROOF_DISTANCE_SWITCH ? "between nodes of one switch"
                                                         : "within a node");
}

/** That has a fit; NULL: none has. */
static const roof_distance_fit *farthest_of(const roof_fabric *fabric) {
  const roof_distance_fit *far = roof_fabric_farthest(fabric);
  return far != NULL && far->fit.count > 0 ? far : NULL;
}

void roof_fabric_sentence(const roof_fabric *fabric, roof_text *out) {
  const roof_distance_fit *far = farthest_of(fabric),
                          *gpus = fabric->gpus != NULL ? farthest_of(fabric->gpus) : NULL;
  if (far == NULL) {
    roof_text_add(out,
                  fabric->ranks == 1 ? "network: not measured: there is one rank" : "network: not measured");
    return;
  }
  roof_text_add(out, "network: ");
  add_message(far, out);
  add_slow(fabric, out);
  if (gpus != NULL) {
    roof_text_add(out, "; between GPUs ");
    add_message(gpus, out);
  }
}
